// Driven joints, weighted actuators, motions along independent joints, and Baumgarte's rows.
#include "catena/loops/driven_joints.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/closing.hpp"
#include "catena/loops/independent_rates.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/singularity.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"
#include "oracles/random_mechanism.hpp"

namespace catena::oracle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd random_numbers(Random& random, Eigen::Index n) {
  VectorXd v(n);
  for (double& x : v) x = random.uniform();
  return v;
}

// f(dynamics, q, qd on the loops, independent velocities, random)
template <class F>
void for_closed_cases(int count, F f) {
  int used = 0;
  for (int i = 0; used < count && i < 4 * count; ++i) {
    Random random(4001 + static_cast<std::uint64_t>(i));
    const ClosedCase c = random_mechanism(random);
    ClosedDynamics dynamics(c.model);
    dynamics.state().set_position(c.q);
    const RowMatrix K = dynamics.state().jacobian();
    if (K.rows() == 0 || mobility_of(K).smallest < 1e-2) continue;
    const MatrixXd G = null_space(K);
    if (G.cols() == 0) continue;
    SCOPED_TRACE("mechanism " + std::to_string(i));
    const VectorXd qd = G * random_numbers(random, G.cols());
    f(dynamics, c.q, qd, independent_velocities(K, {}), random);
    ++used;
  }
  EXPECT_EQ(used, count);
}

// A motion that keeps the loops closed needs forces at some joints; if these are driven with the
// motion, forward dynamics finds the same forces and the whole motion.
TEST(DrivenJoints, NeedTheForcesOfInverseDynamics) {
  for_closed_cases(40, [](ClosedDynamics& d, const VectorXd& q, const VectorXd& qd,
                          const std::vector<int>& chosen, Random& random) {
    const Eigen::Index n = d.mechanism().tree.nv;
    d.state().set_motion(q, qd);
    std::vector<char> known(static_cast<std::size_t>(n), 0);
    VectorXd wanted = VectorXd::Zero(n);
    for (int v : chosen) known[static_cast<std::size_t>(v)] = 1, wanted[v] = random.uniform();
    const VectorXd qdd =
        complete_rates(d.state().jacobian(), -d.state().accelerations(), wanted, known).rates;
    VectorXd given = random_numbers(random, n);
    for (int v : chosen) given[v] = 0;
    catena::Actuation actuation;
    actuation.velocities = chosen, actuation.given = given;
    const ClosedInverse inverse =
        d.inverse_dynamics(q, qd, qdd, {}, LoopMethod::multipliers, actuation);
    EXPECT_EQ(inverse.unbalanced_motion.size(), 0);
    for (const std::string& method : loop_method_names()) {
      if (!loop_refusal(loop_method(method), d.mechanism()).empty()) continue;
      const DrivenForward r =
          driven_forward_dynamics(d, q, qd, given, {}, chosen, qdd, loop_method(method));
      const double size = 1 + qdd.cwiseAbs().maxCoeff() + inverse.tau.cwiseAbs().maxCoeff();
      EXPECT_LT((r.qdd - qdd).cwiseAbs().maxCoeff(), 1e-7 * size) << method;
      EXPECT_LT((given + r.force - inverse.tau).cwiseAbs().maxCoeff(), 1e-7 * size) << method;
    }
  });
}

// Some joints of a tree: the others accelerate as the tree without loops does with those forces.
TEST(DrivenJoints, OfATree) {
  const Model model = read_model(CATENA_SOURCE_DIR "/models/puma.yaml");
  ClosedDynamics d(model);
  Random random(3);
  const VectorXd q = random_numbers(random, 6), qd = random_numbers(random, 6),
                 tau = random_numbers(random, 6), wanted = random_numbers(random, 6);
  const DrivenForward r = driven_forward_dynamics(d, q, qd, tau, {}, {1, 4}, wanted);
  EXPECT_EQ(r.qdd[1], wanted[1]);
  EXPECT_EQ(r.force[0], 0);
  catena::Actuation all;
  for (int v = 0; v < 6; ++v) all.velocities.push_back(v);
  const VectorXd needed = d.inverse_dynamics(q, qd, r.qdd, {}, LoopMethod::multipliers, all).tau;
  EXPECT_LT((needed - tau - r.force).cwiseAbs().maxCoeff(), 1e-10);
}

TEST(DrivenJoints, ThatContradictTheLoopsSaySo) {
  ClosedDynamics d(read_model(CATENA_SOURCE_DIR "/models/four-bar.yaml"));
  const ClosedMechanism& m = d.mechanism();
  LoopState loops(m);
  const VectorXd q = assemble(m, loops, m.start).q, none = VectorXd::Zero(m.tree.nv);
  EXPECT_THROW(driven_forward_dynamics(d, q, none, none, {}, {0, 1}, VectorXd::Ones(m.tree.nv)),
               NumericalError);
}

// Least weighted squares under one equation: tau_i = g_i / w_i of a common factor.
TEST(Actuation, WeightsShareTheWork) {
  Model model = read_model(CATENA_SOURCE_DIR "/models/four-bar.yaml");
  model.actuators = {{"crank", {}}, {"rocker_pivot", {}}};
  ClosedDynamics d(model);
  const ClosedMechanism& m = d.mechanism();
  LoopState loops(m);
  const VectorXd q = assemble(m, loops, m.start).q, none = VectorXd::Zero(m.tree.nv);
  const MatrixXd G = null_space(loops.jacobian());
  ASSERT_EQ(G.cols(), 1);
  const int a = m.actuated[0], b = m.actuated[1];
  const ClosedInverse equal = d.inverse_dynamics(q, none, none);
  EXPECT_TRUE(equal.redundantly_actuated);
  EXPECT_NEAR(equal.tau[a] / equal.tau[b], G(a, 0) / G(b, 0), 1e-10);
  catena::Actuation actuation;
  actuation.weights = VectorXd::Ones(m.tree.nv);
  actuation.weights[a] = 9;
  const ClosedInverse weighted =
      d.inverse_dynamics(q, none, none, {}, LoopMethod::multipliers, actuation);
  EXPECT_NEAR(weighted.tau[a] / weighted.tau[b], G(a, 0) / G(b, 0) / 9, 1e-10);
  EXPECT_NEAR(G.col(0).dot(weighted.tau), G.col(0).dot(equal.tau), 1e-10);
}

// G along the independent velocities, and its rate as a difference along the motion.
TEST(IndependentRates, MatchesDifferencesOfClosedMotions) {
  for_closed_cases(40, [](ClosedDynamics& d, const VectorXd& q, const VectorXd& qd,
                          const std::vector<int>& chosen, Random&) {
    const ClosedMechanism& m = d.mechanism();
    LoopState loops(m);
    const IndependentRates r = independent_rates(m, loops, q, qd, chosen);
    loops.set_position(q);
    const double size = 1 + r.G.cwiseAbs().maxCoeff();
    EXPECT_LT((loops.jacobian() * r.G).cwiseAbs().maxCoeff(), 1e-10 * size);
    const auto at = [&](double t) {  // a little along the motion, back onto the loops
      VectorXd next(m.tree.nq);
      const VectorXd way = t * qd;
      integrate_configuration<double>(m.tree, {q.data(), static_cast<std::size_t>(m.tree.nq)},
                                      {way.data(), static_cast<std::size_t>(m.tree.nv)},
                                      {next.data(), static_cast<std::size_t>(m.tree.nq)});
      const Assembly a = assemble(m, loops, next);
      return independent_rates(m, loops, a.q, VectorXd::Zero(m.tree.nv), chosen).G;
    };
    const double h = 1e-5;
    const MatrixXd rate = (at(h) - at(-h)) / (2 * h);
    EXPECT_LT((rate - r.Gdot).cwiseAbs().maxCoeff(), 1e-4 * size * size * (1 + qd.norm()));
  });
}

TEST(Closing, BringsStatesBackByTheShortestWay) {
  for_closed_cases(40, [](ClosedDynamics& d, const VectorXd& q, const VectorXd& qd,
                          const std::vector<int>& chosen, Random& random) {
    const ClosedMechanism& m = d.mechanism();
    Closing closing(m);
    const VectorXd way = 1e-5 * random_numbers(random, m.tree.nv);
    VectorXd next(m.tree.nq), v = qd + 1e-3 * random_numbers(random, m.tree.nv);
    integrate_configuration<double>(m.tree, {q.data(), static_cast<std::size_t>(m.tree.nq)},
                                    {way.data(), static_cast<std::size_t>(m.tree.nv)},
                                    {next.data(), static_cast<std::size_t>(m.tree.nq)});
    const VectorXd off = next, fast = v;
    EXPECT_TRUE(closing.positions(next, {}).changed);
    EXPECT_LT(closing.state().values().cwiseAbs().maxCoeff(), 1e-12);
    closing.velocities(v, {});
    const RowMatrix& K = closing.state().jacobian();
    EXPECT_LT((K * v).cwiseAbs().maxCoeff(), 1e-11 * (1 + v.norm()));
    // The shortest correction is normal to all motions that the loops allow.
    const MatrixXd G = null_space(K);
    EXPECT_LT((G.transpose() * (v - fast)).norm(), 1e-9 * (fast.norm() + 1));
    // Held ones stay.
    std::vector<char> held(static_cast<std::size_t>(m.tree.nv), 0);
    for (int k : chosen) held[static_cast<std::size_t>(k)] = 1;
    VectorXd kept = fast;
    closing.velocities(kept, held);
    for (int k : chosen) EXPECT_EQ(kept[k], fast[k]);
    EXPECT_LT((K * kept).cwiseAbs().maxCoeff(), 1e-9 * (1 + kept.norm()));
  });
}

// K qdd = -k - 2 alpha K qd - beta² values, off the loops.
TEST(Baumgarte, DrawsOpenLoopsBackInEveryMethod) {
  for_closed_cases(20, [](ClosedDynamics& d, const VectorXd& q, const VectorXd& qd,
                          const std::vector<int>&, Random& random) {
    const ClosedMechanism& m = d.mechanism();
    const VectorXd v = qd + 0.1 * random_numbers(random, m.tree.nv);
    const VectorXd way = 1e-3 * random_numbers(random, m.tree.nv);
    VectorXd off(m.tree.nq);
    integrate_configuration<double>(m.tree, {q.data(), static_cast<std::size_t>(m.tree.nq)},
                                    {way.data(), static_cast<std::size_t>(m.tree.nv)},
                                    {off.data(), static_cast<std::size_t>(m.tree.nq)});
    d.state().set_motion(off, v);
    const RowMatrix K = d.state().jacobian();
    if (mobility_of(K).rank < K.rows())
      return;  // redundant rows contradict each other off the loops
    const VectorXd expected =
        -d.state().accelerations() - 2 * 7 * (K * v) - 25 * d.state().values();
    d.stabilise(7, 5);
    const VectorXd tau = random_numbers(random, m.tree.nv);
    for (const std::string& method : loop_method_names()) {
      if (!loop_refusal(loop_method(method), m).empty() || method == "homogeneous") continue;
      const VectorXd qdd = d.forward_dynamics(off, v, tau, {}, loop_method(method)).qdd;
      EXPECT_LT((K * qdd - expected).cwiseAbs().maxCoeff(),
                1e-8 * (1 + expected.cwiseAbs().maxCoeff()))
          << method;
    }
  });
}

// In a plane: two arms, whose tips a rod keeps apart, off their loop.
TEST(Baumgarte, DrawsPlaneLoopsBackByQuickMultipliers) {
  const Model model = parse_yaml(R"(
bodies:
  - {name: a, mass: 1, com: [0.2, 0.1, 0], inertia: [0.1, 0.1, 0.1]}
  - {name: b, mass: 2, com: [0.1, 0.3, 0], inertia: [0.1, 0.1, 0.2]}
joints:
  - {name: ja, type: revolute, parent: world, child: a, axis: z}
  - {name: jb, type: revolute, parent: world, child: b, axis: z, origin: [1, 0, 0]}
loops:
  - {name: rod, type: rod, bodies: [a, b], origin1: [0.5, 0, 0], origin2: [0.7, 0, 0], length: 0.8}
)",
                                 "rod.yaml");
  ClosedDynamics d(model);
  ASSERT_TRUE(Multipliers(d.mechanism()).in_plane());
  const VectorXd q = VectorXd::LinSpaced(2, 1.1, 0.7), qd = VectorXd::LinSpaced(2, -0.4, 0.9);
  const VectorXd tau = VectorXd::Ones(2);
  d.state().set_motion(q, qd);
  const RowMatrix K = d.state().jacobian();
  const VectorXd expected = -d.state().accelerations() - 2 * 7 * (K * qd) - 25 * d.state().values();
  d.stabilise(7, 5);
  for (const LoopMethod method : {LoopMethod::multipliers, LoopMethod::kkt})
    EXPECT_NEAR((K * d.forward_dynamics(q, qd, tau, {}, method).qdd - expected).norm(), 0, 1e-12);
  VectorXd quick(2);
  d.forward_dynamics({q.data(), 2}, {qd.data(), 2}, {tau.data(), 2}, {}, {quick.data(), 2});
  EXPECT_NEAR((K * quick - expected).norm(), 0, 1e-12);
}

// Two links of a parallelogram in line: the distance is the sine of what is missing, and changes
// its sign there.
TEST(Singularity, IsFollowedThroughZero) {
  const ClosedMechanism m =
      compile_closed(read_model(CATENA_SOURCE_DIR "/models/n-four-bar-2.yaml"));
  const auto at = [&](double angle) {
    VectorXd q(m.tree.nq);
    for (const JointInfo& j : m.tree.names->joints)
      q[j.q] = j.name.starts_with("upright") ? angle : -angle;
    return q;
  };
  std::vector<int> columns;
  for (int v = 0; v < m.tree.nv; ++v) {
    if (v != m.actuated[0]) columns.push_back(v);
  }
  LoopState loops(m);
  loops.set_position(at(M_PI / 2 - 0.1));
  SingularityWatch watch(columns, 4);
  watch.follow(loops);
  const double before = watch.distance();
  EXPECT_GT(before, 0.01);
  loops.set_position(at(M_PI / 2));
  EXPECT_NEAR(watch.signed_distance(loops), 0, 1e-3 * before);
  EXPECT_LT(distance_to_singularity(loops, columns, 4), 1e-7);
  loops.set_position(at(M_PI / 2 + 0.1));
  EXPECT_NEAR(watch.signed_distance(loops), -before, 0.1 * before);
  EXPECT_NEAR(distance_to_singularity(loops, columns, 4), before, 1e-3);
}

}  // namespace
}  // namespace catena::oracle
