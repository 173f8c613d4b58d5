// The inertia matrix, its inverse and its factors, for every scalar.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

template <class T>
class Inertias : public ::testing::Test {};
TYPED_TEST_SUITE(Inertias, Scalars);
template <class T>
class Factors : public ::testing::Test {};
TYPED_TEST_SUITE(Factors, Scalars);

// Columns from inverse dynamics at rest: tau(qdd = e_k) - tau(qdd = 0).
TYPED_TEST(Inertias, ColumnsComeFromInverseDynamics) {
  using T = TypeParam;
  Worst column("columns of M, " + scalar_name<T>(), 100 * epsilon<T>());
  for_each_model(60, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    Machine<T> machine(m);
    const State<T> s = random_state_of(machine, m, random, false);
    const std::size_t n = at(m.nv);
    const std::vector<T> M = machine.inertia(s.q), zero(n, T(0));
    const std::vector<T> weight = machine.inverse(s.q, zero, zero);
    for (std::size_t k = 0; k < n; ++k) {
      std::vector<T> unit(n, T(0)), from_M(n);
      unit[k] = T(1);
      std::vector<T> tau = machine.inverse(s.q, zero, unit);
      for (std::size_t i = 0; i < n; ++i) tau[i] = tau[i] - weight[i], from_M[i] = M[i * n + k];
      column.meet(difference(tau, from_M, std::max(largest(M), largest(weight))), where);
    }
    if (n == 0) column.meet(0, where);
  });
}

TYPED_TEST(Inertias, MatrixIsSymmetricAndPositiveDefinite) {
  using T = TypeParam;
  for_each_model(60, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    Machine<T> machine(m);
    const State<T> s = random_state_of(machine, m, random, false);
    const std::vector<T> M = machine.inertia(s.q);
    Eigen::MatrixXd D(m.nv, m.nv);
    for (int i = 0; i < m.nv; ++i) {
      for (int j = 0; j < m.nv; ++j) {
        D(i, j) = to_double(M[at(i * m.nv + j)]);
        EXPECT_EQ(D(i, j), to_double(M[at(j * m.nv + i)])) << where;
      }
    }
    if (m.nv == 0 || std::is_same_v<T, float>) return;  // float may round it away
    EXPECT_GT(D.selfadjointView<Eigen::Lower>().ldlt().vectorD().minCoeff(), 0) << where;
  });
}

// M⁻¹ and M undo each other; the error is measured where it arises, in the forces.
TYPED_TEST(Inertias, SolveInvertsTheMatrix) {
  using T = TypeParam;
  Worst residual("M (M^-1 f) = f, " + scalar_name<T>(), 100 * epsilon<T>());
  for_each_model(60, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    Machine<T> machine(m);
    const State<T> s = random_state_of(machine, m, random, false);
    const std::vector<T> x = machine.solve(s.q, s.tau), M = machine.inertia(s.q);
    EXPECT_TRUE(machine.status) << where;
    residual.meet(difference(times(M, x), s.tau, product_size(M, x)), where);
  });
}

TYPED_TEST(Inertias, ForwardDynamicsInvertsInverseDynamics) {
  using T = TypeParam;
  Worst there("inverse(forward(tau)) = tau, " + scalar_name<T>(), 100 * epsilon<T>());
  Worst back("forward(inverse(qdd)) = qdd, " + scalar_name<T>(), 1e6 * epsilon<T>());
  for_each_model(60, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    Machine<T> machine(m);
    State<T> s = random_state_of(machine, m, random);
    const std::vector<T> M = machine.inertia(s.q);
    const double bias = largest(machine.inverse(s.q, s.qd, std::vector<T>(at(m.nv), T(0)), s.Fext));
    const std::vector<T> qdd = machine.forward(s);
    EXPECT_TRUE(machine.status) << where;
    there.meet(
        difference(machine.inverse(s.q, s.qd, qdd, s.Fext), s.tau, product_size(M, qdd) + bias),
        where);
    back.meet(difference(machine.forward(s.q, s.qd, machine.inverse(s), s.Fext), s.qdd), where);
  });
}

TYPED_TEST(Factors, RebuildTheMatrixAndSolve) {
  using C = TypeParam;
  const std::string name = scalar_name<C>();
  Worst rebuilt_ltl("L^T L = M, " + name, 100 * epsilon<C>());
  Worst rebuilt_udut("U D U^T = M, " + name, 100 * epsilon<C>());
  Worst solved_ltl("LTL solves, " + name, 100 * epsilon<C>());
  Worst solved_udut("UDUT solves, " + name, 100 * epsilon<C>());
  for_each_model(
      60,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        Machine<C> machine(m);
        const State<C> s = random_state_of(machine, m, random, false);
        const std::vector<C> M = machine.inertia(s.q);
        const std::size_t n = at(m.nv);
        std::vector<C> L = M, UD = M, LTL(n * n, C(0)), UDUT(n * n, C(0));
        EXPECT_EQ(factor_ltl<C>(machine.m, L), -1) << where;
        EXPECT_EQ(factor_udut<C>(machine.m, UD), -1) << where;
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j) {
            EXPECT_TRUE(j <= i || to_double(L[i * n + j]) == 0) << where;
            EXPECT_TRUE(j >= i || to_double(UD[i * n + j]) == 0) << where;
            for (std::size_t k = 0; k < n; ++k) {
              LTL[i * n + j] = LTL[i * n + j] + L[k * n + i] * L[k * n + j];
              if (k < i || k < j) continue;
              const C u_ik = k == i ? C(1) : UD[i * n + k], u_jk = k == j ? C(1) : UD[j * n + k];
              UDUT[i * n + j] = UDUT[i * n + j] + u_ik * UD[k * n + k] * u_jk;
            }
            const bool related = j < at(m.bodies[at(m.body_of_v[i])].subtree_end_v) &&
                                 i < at(m.bodies[at(m.body_of_v[j])].subtree_end_v);
            if (!m.coupled && !related) {  // no fill-in
              EXPECT_EQ(to_double(L[std::max(i, j) * n + std::min(i, j)]), 0) << where;
              EXPECT_EQ(to_double(UD[std::min(i, j) * n + std::max(i, j)]), 0) << where;
            }
          }
        }
        rebuilt_ltl.meet(difference(LTL, M), where);
        rebuilt_udut.meet(difference(UDUT, M), where);
        std::vector<C> x = s.tau, y = s.tau;
        solve_ltl<C>(machine.m, L, x);
        solve_udut<C>(machine.m, UD, y);
        solved_ltl.meet(difference(times(M, x), s.tau, product_size(M, x)), where);
        solved_udut.meet(difference(times(M, y), s.tau, product_size(M, y)), where);
      },
      30);
}

// Bodies on different branches from the ground do not feel each other.
TEST(Inertia, SeparateBranchesAreIndependent) {
  for_each_tree(
      50,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.coupled) return;
        Machine<double> machine(m);
        State<double> s = random_state(m, random, false);
        const std::vector<double> M = machine.inertia(s.q), tau = machine.inverse(s);
        for (int k = 0; k < m.nv; ++k) {
          State<double> other = s;
          other.qdd[at(k)] += 1;
          const std::vector<double> changed = machine.inverse(other);
          for (int i = 0; i < m.nv; ++i) {
            const bool below = i >= k && i < m.bodies[at(m.body_of_v[at(k)])].subtree_end_v;
            const bool above = k >= i && k < m.bodies[at(m.body_of_v[at(i)])].subtree_end_v;
            if (below || above) continue;
            EXPECT_EQ(M[at(i * m.nv + k)], 0) << where;
            EXPECT_EQ(changed[at(i)], tau[at(i)]) << where;
          }
        }
      },
      20);
}

}  // namespace
}  // namespace catena::oracle
