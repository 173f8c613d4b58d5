// verify: agreement is found where there is some, and a wrong method is named with state and joint.
#include <gtest/gtest.h>

#include "catena/analysis/count.hpp"
#include "catena/analysis/verify.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/model/compile.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

Mechanism<double> tree(int seed) {
  Random random(static_cast<std::uint64_t>(seed));
  TreeOptions options = random_options(random, 12);
  options.massless = false;
  return compile(random_model(random, options));
}

TEST(Verify, AllMethodsAgreeOnRandomTrees) {
  for (int seed = 0; seed < 10; ++seed) {
    const Verification r = verify(tree(seed), {5, 3, 1e-10});
    EXPECT_TRUE(r.good()) << "seed " << seed;
    EXPECT_EQ(r.methods.size(), formulations<double>().size());
    for (const MethodAgreement& a : r.methods) {
      EXPECT_EQ(a.fault(1e-10), nullptr) << a.method;
      EXPECT_LT(a.equations.error, 1e-27) << a.method;
    }
    EXPECT_LT(r.power.error, 1e-13);
    EXPECT_LT(r.energy.error, 1e-30);
  }
}

using M = Mechanism<double>;
using In = std::span<const double>;
using Out = std::span<double>;
using Wrenches = std::span<const Force<double>>;

// `spatial` with one fault each, by little.
Formulation<double> wrong_inverse() {
  Formulation<double> f = formulations<double>().front();
  f.inverse_dynamics = [](const M& m, In q, In qd, In qdd, Wrenches F, Workspace<double>& w,
                          Out tau) {
    inverse_dynamics<double>(m, q, qd, qdd, F, w, tau);
    tau[1] *= 1 + 1e-6;
  };
  return f;
}
Formulation<double> wrong_inertia() {
  Formulation<double> f = formulations<double>().front();
  f.inertia_matrix = [](const M& m, In q, Workspace<double>& w, Out matrix) {
    inertia_matrix<double>(m, q, w, matrix);
    matrix[matrix.size() - 1] *= 1.01;
  };
  return f;
}
Formulation<double> wrong_forward() {
  Formulation<double> f = formulations<double>().front();
  f.forward_dynamics = [](const M& m, In q, In qd, In tau, Wrenches F, Workspace<double>& w,
                          Out qdd) {
    const ForwardStatus status = forward_dynamics<double>(m, q, qd, tau, F, w, qdd);
    qdd[0] += 1e-3;
    return status;
  };
  return f;
}
Formulation<double> no_number() {
  Formulation<double> f = formulations<double>().front();
  f.inverse_dynamics = [](const M&, In, In, In, Wrenches, Workspace<double>&, Out tau) {
    for (double& t : tau) t = std::nan("");
  };
  return f;
}

TEST(Verify, NamesTheQuantityTheStateAndTheJoint) {
  const Mechanism<double> m = compile(general_chain(4));
  const Formulation<double> methods[] = {wrong_inverse(), wrong_inertia(), wrong_forward(),
                                         no_number()};
  const Verification r = verify(m, {20, 1, 1e-9}, methods);
  EXPECT_FALSE(r.good());
  const char* faults[] = {"tau", "M", "qdd", "tau"};
  const int velocities[] = {1, 3, -1, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    ASSERT_NE(r.methods[i].fault(1e-9), nullptr) << i;
    EXPECT_STREQ(r.methods[i].fault(1e-9), faults[i]);
    const Disagreement& d = r.methods[i].of(faults[i]);
    EXPECT_GE(d.state, 0);
    EXPECT_TRUE(velocities[i] < 0 || d.velocity == velocities[i]) << i << ": " << d.velocity;
  }
}

}  // namespace
}  // namespace catena::oracle
