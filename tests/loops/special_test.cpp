// Many loops, few actuators or many, singular places, motions without inertia, mimic joints.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/readers/readers.hpp"
#include "catena/support/error.hpp"
#include "oracles/cases.hpp"
#include "oracles/maximal.hpp"
#include "oracles/n_four_bar.hpp"
#include "oracles/random_mechanism.hpp"

namespace catena::oracle {
namespace {

using Eigen::VectorXd;

Model machine(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}
std::vector<double> list(const VectorXd& v) { return {v.begin(), v.end()}; }
std::span<const double> span_of(const VectorXd& v) {
  return {v.data(), at(static_cast<int>(v.size()))};
}

TEST(ManyLoops, WindowsInARowMoveAsOne) {
  Worst worst("N-four-bar against its one degree of freedom", 1e-12);
  for (const int windows : {1, 2, 7, 40, 1000}) {
    const ClosedMechanism m = compile_closed(n_four_bar(windows));
    Multipliers multipliers(m);
    std::vector<double> lambda(at(m.num_rows()));
    for (const double angle : {1.6, 0.9, 0.2, -2.5}) {
      const VectorXd q = n_four_bar_vector(windows, angle), qd = n_four_bar_vector(windows, 0.8);
      const VectorXd tau = VectorXd::Zero(q.size());
      VectorXd qdd(q.size());
      const auto outcome =
          multipliers.solve(span_of(q), span_of(qd), span_of(tau), {},
                            {qdd.data(), at(static_cast<int>(qdd.size()))}, lambda);
      EXPECT_EQ(outcome, Multipliers::Outcome::good);
      EXPECT_EQ(multipliers.rank(), 2 * windows);
      const VectorXd right = n_four_bar_vector(windows, n_four_bar_acceleration(windows, angle));
      worst.meet((qdd - right).cwiseAbs().maxCoeff() / right.cwiseAbs().maxCoeff(),
                 std::to_string(windows) + " windows at " + std::to_string(angle));
    }
  }
}

TEST(ManyLoops, TheOrderInTheFileDoesNotMatter) {
  Random random(4);
  Model model = n_four_bar(12);
  for (std::size_t i = model.loops.size(); i > 1; --i)
    std::swap(model.loops[i - 1], model.loops[at(random.below(static_cast<int>(i)))]);
  ClosedDynamics dynamics(model);
  const VectorXd q = n_four_bar_vector(12, 1.1), zero = VectorXd::Zero(25);
  const ClosedForward r = dynamics.forward_dynamics(q, zero, zero);
  const VectorXd right = n_four_bar_vector(12, n_four_bar_acceleration(12, 1.1));
  EXPECT_LT((r.qdd - right).norm(), 1e-11 * right.norm());
  // lambda is by row of the file: it must do what the other methods say
  const ClosedForward other = dynamics.forward_dynamics(q, zero, zero, {}, LoopMethod::null_space);
  EXPECT_LT((r.lambda - other.lambda).norm(), 1e-9 * other.lambda.norm());
}

// A long chain on the ground at both ends, with a spring and wrenches: two ways to M⁻¹.
TEST(LongLoops, ArticulatedBodiesAgreeWithTheNullSpace) {
  Worst worst("chains of 40 and 160 bodies against the null-space method", 1e-9);
  for (const int bodies : {40, 160}) {
    for (std::uint64_t i = 0; i < 3; ++i) {
      Random random(40 + i);
      TreeOptions options;
      options.bodies = bodies, options.branching = 0.02;
      options.kinds = {JointKind::revolute, JointKind::spherical, JointKind::prismatic};
      options.passive = true;
      Model model = random_model(random, options);
      const Mechanism<double> m = compile(model);
      const State<double> state = random_state(m, random, false);
      Machine<double> tree(m);
      const FrameInfo& f = m.names->frames[at(m.names->frame("b" + std::to_string(bodies)))];
      model.loops.push_back(random_loop(random, JointKind::universal, false, model.ground, {},
                                        "b" + std::to_string(bodies),
                                        tree.poses(state.q)[at(f.body)] * f.X_BF));
      model.loops.back().name = "end";
      model.springs.push_back({"s", "b3", "b30", {0, 0.1, 0}, {0.2, 0, 0}, 10, 1, 0.5, {}});
      ClosedDynamics dynamics(model);
      const VectorXd q = Eigen::Map<const VectorXd>(state.q.data(), m.nq);
      dynamics.state().set_position(q);
      const Eigen::MatrixXd G = null_space(dynamics.state().jacobian());
      const VectorXd qd = G * VectorXd::Constant(G.cols(), 0.1), tau = VectorXd::Ones(m.nv);
      const std::map<std::string, Force<double>> wrench{{"b20", {{1, 0, 2}, {0, 3, 1}}}};
      const ClosedForward a = dynamics.forward_dynamics(q, qd, tau, wrench);
      const ClosedForward b = dynamics.forward_dynamics(q, qd, tau, wrench, LoopMethod::null_space);
      worst.meet((a.qdd - b.qdd).norm() / b.qdd.norm(), std::to_string(bodies));
      worst.meet((a.lambda - b.lambda).norm() / b.lambda.norm(), std::to_string(bodies));
    }
  }
}

TEST(SpanVersion, EqualsTheOtherOne) {
  Worst worst("spans against vectors", 1e-9);
  for (std::uint64_t i = 0; i < 60; ++i) {
    Random random(900 + i);
    const ClosedCase c = random_mechanism(random);
    ClosedDynamics dynamics(c.model);
    const Mechanism<double>& m = dynamics.mechanism().tree;
    dynamics.state().set_position(c.q);
    if (mobility_of(dynamics.state().jacobian()).smallest < 1e-3) continue;
    const Eigen::MatrixXd G = null_space(dynamics.state().jacobian());
    VectorXd qd = G * VectorXd::Constant(G.cols(), 0.7), tau = VectorXd::Constant(m.nv, -0.3);
    const std::string frame = c.model.bodies.back().name;
    const Force<double> F{{1, 2, 3}, {-2, 1, 0.5}};
    std::vector<Force<double>> Fext(m.bodies.size());
    const FrameInfo& f = m.names->frames[at(m.names->frame(frame))];
    Fext[at(f.body)] = transform(f.X_BF, F);
    VectorXd qdd(m.nv);
    dynamics.forward_dynamics(span_of(c.q), span_of(qd), span_of(tau), Fext,
                              {qdd.data(), at(m.nv)});
    const VectorXd right =
        dynamics.forward_dynamics(c.q, qd, tau, {{frame, F}}, LoopMethod::null_space).qdd;
    worst.meet((qdd - right).norm() / (1 + right.norm()), "mechanism " + std::to_string(i));
  }
}

struct Posed {
  VectorXd q, qd;
};
// A machine at its start, with this rate of its first actuated joints.
Posed posed(ClosedDynamics& dynamics, double rate) {
  const ClosedMechanism& m = dynamics.mechanism();
  const Assembly a = assemble(m, dynamics.state(), m.start);
  EXPECT_TRUE(a.closed);
  const RowMatrix K = dynamics.state().jacobian();
  std::vector<char> known(at(m.tree.nv), 0);
  VectorXd qd = VectorXd::Zero(m.tree.nv);
  for (int v : independent_velocities(K, m.actuated)) known[at(v)] = 1, qd[v] = rate, rate *= -0.6;
  return {a.q, complete_rates(K, VectorXd::Zero(m.num_rows()), qd, known).rates};
}

TEST(Actuation, MoreActuatorsThanFreedomsShareTheLoadWithTheSmallestForces) {
  ClosedDynamics one(machine("four-bar"));
  Model model = machine("four-bar");
  model.actuators.push_back({"rocker_pivot", {}});
  ClosedDynamics two(model);
  const Posed at_start = posed(one, 2);
  const VectorXd zero = VectorXd::Zero(3);
  const VectorXd qdd = one.forward_dynamics(at_start.q, at_start.qd, zero).qdd +
                       0.5 * at_start.qd;  // any motion of the one freedom
  const ClosedInverse alone = one.inverse_dynamics(at_start.q, at_start.qd, qdd);
  const ClosedInverse both = two.inverse_dynamics(at_start.q, at_start.qd, qdd);
  EXPECT_FALSE(alone.redundantly_actuated);
  EXPECT_TRUE(both.redundantly_actuated);
  // tau1 + r tau2 = tau with r the ratio of the rates; the smallest has tau1 : tau2 = 1 : r.
  const double r = at_start.qd[2] / at_start.qd[0], tau = alone.tau[0];
  EXPECT_NEAR(both.tau[0], tau / (1 + r * r), 1e-12 * std::abs(tau));
  EXPECT_NEAR(both.tau[2], r * tau / (1 + r * r), 1e-12 * std::abs(tau));
  EXPECT_EQ(both.tau[1], 0);
}

TEST(Actuation, FewerActuatorsThanFreedomsSayWhichMotionIsNotFree) {
  Model model = machine("five-bar");
  model.actuators.pop_back();
  ClosedDynamics dynamics(model);
  const Posed at_start = posed(dynamics, 1);
  VectorXd zero = VectorXd::Zero(4);
  // What happens by itself needs no force ...
  const VectorXd free = dynamics.forward_dynamics(at_start.q, at_start.qd, zero).qdd;
  EXPECT_EQ(dynamics.inverse_dynamics(at_start.q, at_start.qd, free).unbalanced_motion.size(), 0);
  // ... and standing still needs one along a motion that the loops allow and no actuator feels.
  const ClosedInverse held = dynamics.inverse_dynamics(at_start.q, zero, zero);
  ASSERT_EQ(held.unbalanced_motion.size(), 4);
  dynamics.state().set_position(at_start.q);
  EXPECT_LT((dynamics.state().jacobian() * held.unbalanced_motion).norm(), 1e-12);
  EXPECT_LT(std::abs(held.unbalanced_motion[0]), 1e-12);
  EXPECT_GT(held.unbalanced, 1);
}

// The five-bar stretched out: its distal links nearly in line.
TEST(Singularities, DigitsRemainNearAndTheMotionExistsAt) {
  Worst worst("five-bar near its stretched position, times the distance", 1e-9);
  ClosedDynamics dynamics(machine("five-bar"));
  const Maximal oracle(machine("five-bar"), coordinate_order(dynamics.mechanism().tree));
  // Elbows 2.3 - e apart: base at 0 and 1.2, both proximal links outwards and up by angles a, b.
  for (const double gap : {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6}) {
    // elbows at (-0.6 cos a, 0.6 sin a) and (1.2 + 0.7 cos a, 0.7 sin a); choose a for the distance
    const double apart = 2.3 - gap * gap;
    double low = 0, high = 1.5;  // the distance falls with a
    for (int i = 0; i < 100; ++i) {
      const double a = (low + high) / 2;
      const double d = std::hypot(1.2 + 1.3 * std::cos(a), 0.1 * std::sin(a));
      (d > apart ? low : high) = a;
    }
    const double a = low, pi = std::acos(-1.);
    VectorXd guess(4);
    const double x1 = -0.6 * std::cos(a), y1 = 0.6 * std::sin(a);
    const double x2 = 1.2 + 0.7 * std::cos(a), y2 = 0.7 * std::sin(a);
    const double line = std::atan2(y2 - y1, x2 - x1);
    guess << pi - a, line - (pi - a) - gap, a, line + pi - a + gap;
    const Assembly s = assemble(dynamics.mechanism(), dynamics.state(), guess);
    ASSERT_TRUE(s.closed) << gap;
    const double distance = mobility_of(dynamics.state().jacobian()).smallest;
    VectorXd zero = VectorXd::Zero(4), tau = zero;
    tau[0] = 1;
    const VectorXd right = oracle.compute(list(s.q), list(zero), list(tau)).qdd.cast<double>();
    for (const LoopMethodRow& row : loop_methods()) {
      const VectorXd qdd = dynamics.forward_dynamics(s.q, zero, tau, {}, row.method).qdd;
      worst.meet((qdd - right).norm() / right.norm() * std::min(1., distance),
                 "distance " + std::to_string(distance) + " " + std::string(row.name));
    }
  }
  // Flat windows: the rank falls, and the mechanism has N + 1 freedoms. All methods agree.
  ClosedDynamics windows(n_four_bar(3));
  const VectorXd q = n_four_bar_vector(3, 0), qd = n_four_bar_vector(3, 0.5);
  const VectorXd zero = VectorXd::Zero(7);
  windows.state().set_position(q);
  EXPECT_EQ(mobility_of(windows.state().jacobian()).by_rank, 4);
  const VectorXd first = windows.forward_dynamics(q, zero, zero).qdd;
  for (const LoopMethodRow& row : loop_methods()) {
    if (!loop_refusal(row.method, windows.mechanism()).empty()) continue;
    EXPECT_LT((windows.forward_dynamics(q, zero, zero, {}, row.method).qdd - first).norm(), 1e-9)
        << row.name;
  }
  EXPECT_LT((windows.state().jacobian() * first).norm(), 1e-10);
}

TEST(NoInertia, AFreeMotionWithoutInertiaIsNamed) {
  Model model = machine("slider-crank");
  model.loops[0].kind = JointKind::prismatic;  // the massless guide may now slide along itself
  model.loops[0].axis = {1, 0, 0};
  ClosedDynamics dynamics(model);
  const VectorXd zero = VectorXd::Zero(4);
  const VectorXd q = dynamics.mechanism().start;
  for (const LoopMethodRow& row : loop_methods()) {
    try {
      dynamics.forward_dynamics(q, zero, zero, {}, row.method);
      ADD_FAILURE() << "method " << row.name << " did not notice";
    } catch (const NumericalError& error) {
      EXPECT_NE(std::string(error.what()).find("carries no inertia"), std::string::npos)
          << error.what();
      EXPECT_NE(std::string(error.what()).find("joint 'slider'"), std::string::npos)
          << error.what();
    }
  }
}

// A parallelogram whose second crank is geared to the first: the loop then says nothing new.
TEST(Mimics, AGearAndALoopThatSayTheSameAreRedundant) {
  Model model = n_four_bar(1);
  model.joints[2].mimic = Mimic{"foot0", 1, 0};
  ClosedDynamics dynamics(model);
  EXPECT_EQ(dynamics.mechanism().tree.nv, 2);
  VectorXd q(2), qd(2), tau = VectorXd::Zero(2);
  q << 0.7, -0.7;
  qd << 1.1, -1.1;
  for (const LoopMethodRow& row : loop_methods()) {
    if (!loop_refusal(row.method, dynamics.mechanism()).empty()) continue;
    const ClosedForward r = dynamics.forward_dynamics(q, qd, tau, {}, row.method);
    EXPECT_NEAR(r.qdd[0], n_four_bar_acceleration(1, 0.7), 1e-11);
    EXPECT_NEAR(r.qdd[1], -n_four_bar_acceleration(1, 0.7), 1e-11);
    EXPECT_EQ(r.rank, 1);
  }
}

}  // namespace
}  // namespace catena::oracle
