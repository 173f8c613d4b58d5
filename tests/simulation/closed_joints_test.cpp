// Drives, stops, dry friction and controllers in closed chains. A parallelogram moves as a pendulum
// does: what trees are known to do, it must do, too.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/readers/readers.hpp"
#include "catena/simulation/closed_control.hpp"
#include "catena/simulation/closed_system.hpp"
#include "catena/simulation/simulation.hpp"
#include "simulation/machines.hpp"

namespace catena::oracle {
namespace {

using Eigen::VectorXd;

// Two cranks of 1 m and 1 kg and a coupler of 1 kg: the cranks have 5/3 kg m² and 2 kg m together.
// Angles are from the horizontal. Dry friction and limits are filled in.
std::string parallelogram_text(double friction0, double friction1, double friction2,
                               const std::string& limits) {
  const auto rubs = [](double c) { return "coulomb: " + std::to_string(c); };
  return "gravity: [0, -9.81, 0]\nbodies:\n"
         "  - {name: a, mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}\n"
         "  - {name: b, mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}\n"
         "  - {name: c, mass: 1, com: [0.5, 0, 0], inertia: [0, 1/12, 1/12]}\n"
         "joints:\n"
         "  - {name: left, type: revolute, parent: world, child: a, axis: z" +
         limits + ", " + rubs(friction0) +
         "}\n"
         "  - {name: right, type: revolute, parent: world, child: b, axis: z, origin: [1, 0, 0], " +
         rubs(friction1) +
         "}\n"
         "  - {name: pin, type: revolute, parent: a, child: c, axis: z, origin: [1, 0, 0], " +
         rubs(friction2) +
         "}\n"
         "loops:\n  - {name: top, type: revolute, bodies: [c, b], origin1: [1, 0, 0], origin2: "
         "[1, 0, 0], axis: z}\nactuators: [left]\n"
         "start: {left: -0.5, right: -0.5, pin: 0.5}\n";
}
Model parallelogram(double f0 = 0, double f1 = 0, double f2 = 0, const std::string& limits = "") {
  Model model = parse_yaml(parallelogram_text(f0, f1, f2, limits), "parallelogram.yaml");
  validate(model);
  return model;
}
Model pendulum(double friction, const std::string& limits = "") {
  Model model = parse_yaml(
      "gravity: [0, -9.81, 0]\nbodies:\n"
      "  - {name: rod, mass: 4, com: [0.5, 0, 0], inertia: [0.5, 0.5, 2/3]}\n"
      "joints:\n  - {name: left, type: revolute, parent: world, child: rod, axis: z" +
          limits + ", coulomb: " + std::to_string(friction) + "}\n",
      "pendulum.yaml");
  return model;
}

struct Trace {
  std::vector<double> angles, speeds, energies;
  std::string problem, regime;
  long switches = 0;
};

Trace trace(System& system, const VectorXd& q, const VectorXd& v, double duration, int samples,
            double tolerance = 1e-11, const std::string& name = "dormand-prince") {
  const auto i = integrator(name, system, {tolerance, tolerance});
  Trace t;
  Listener listener;
  listener.sample = [&](double, System::In at, System::In rate) {
    t.angles.push_back(at[0]), t.speeds.push_back(rate[0]);
    t.energies.push_back(system.energies(at, rate).total());
  };
  Simulation simulation(system, *i, {0, duration, duration / samples}, {}, listener);
  try {
    simulation.start({q.data(), static_cast<std::size_t>(q.size())},
                     {v.data(), static_cast<std::size_t>(v.size())});
    while (simulation.advance() == Simulation::Status::running) {
    }
  } catch (const NumericalError& error) {
    t.problem = error.what();
  }
  t.switches = simulation.num_switches();
  t.regime = system.regime();
  return t;
}

// In the order left, pin, right of the tree.
VectorXd three(const ClosedSystem& system, double x) {
  const MechanismNames& names = *system.mechanism().tree.names;
  VectorXd r(3);
  for (const char* name : {"left", "right", "pin"})
    r[names.joints[static_cast<std::size_t>(names.joint(name))].v] =
        name == std::string("pin") ? -x : x;
  return r;
}

double worst(const std::vector<double>& a, const std::vector<double>& b) {
  double most = a.size() == b.size() ? 0 : INFINITY;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    most = std::max(most, std::fabs(a[i] - b[i]));
  return most;
}

Trace of_parallelogram(const Model& model, const ClosedOptions& options, double q, double v,
                       double duration) {
  ClosedSystem system(model, {}, options);
  return trace(system, three(system, q), three(system, v), duration, 50);
}
Trace of_pendulum(const Model& model, const TreeOptions& options, double q, double v,
                  double duration) {
  const Mechanism<double> m = compile(model);
  TreeSystem system(m, spatial(), options);
  return trace(system, VectorXd::Constant(1, q), VectorXd::Constant(1, v), duration, 50);
}

TEST(ClosedJoints, FrictionSlidesHoldsAndLetsGoAsInATree) {
  // 7.5 N m in three joints that hold each other; gravity pulls with up to 19.62 N m.
  const Trace tree = of_pendulum(pendulum(7.5), {}, -0.5, 0, 4);
  const Trace loop = of_parallelogram(parallelogram(4, 1.5, 2), {}, -0.5, 0, 4);
  EXPECT_EQ(loop.problem, "");
  EXPECT_LT(worst(loop.angles, tree.angles), 1e-8);
  EXPECT_LT(worst(loop.speeds, tree.speeds), 1e-8);
  EXPECT_GT(loop.switches, 0);
  EXPECT_EQ(loop.regime.substr(0, 3), "000");
  EXPECT_EQ(loop.speeds.back(), 0);  // it stands, away from the lowest point
  EXPECT_GT(std::fabs(loop.angles.back() + M_PI / 2), 0.01);
}

TEST(ClosedJoints, FrictionOfAllJointsTogetherHolds) {
  // 19.62 cos(-1.3) = 5.25 N m: none of the joints could hold it alone, all of them can.
  const Trace held = of_parallelogram(parallelogram(2, 2, 2), {}, -1.3, 0, 1);
  EXPECT_EQ(worst(held.angles, std::vector<double>(51, -1.3)), 0);
  const Trace falls = of_parallelogram(parallelogram(1.7, 1.7, 1.7), {}, -1.3, 0, 1);
  EXPECT_LT(falls.angles.back(), -1.31);
}

TEST(ClosedJoints, FrictionLetsGoWhenAForceBecomesTooLarge) {
  // A force on the pin that grows by 4 N m per second: 5.25 + 6 - 4 t is zero at 2.8 s.
  ClosedSystem system(parallelogram(2, 2, 2), {}, {});
  Eigen::MatrixXd ramp = Eigen::MatrixXd::Zero(3, 2);
  const MechanismNames& names = *system.mechanism().tree.names;
  ramp(names.joints[static_cast<std::size_t>(names.joint("pin"))].v, 1) = -40;
  system.add_forces(sampled_forces(system.mechanism().tree, Sampled::linear({0, 10}, ramp), {}));
  const Trace t = trace(system, three(system, -1.3), three(system, 0), 4, 400);
  EXPECT_EQ(t.problem, "");
  std::size_t moves = 0;
  while (moves < t.speeds.size() && t.speeds[moves] == 0) ++moves;
  const double expected = (19.62 * std::cos(-1.3) + 6) / 4;
  EXPECT_NEAR(0.01 * static_cast<double>(moves), expected, 0.0101);
  EXPECT_GT(t.angles.back(), -1.2);
}

class ClosedStops : public testing::TestWithParam<double> {};

TEST_P(ClosedStops, BounceAndRestAsInATree) {
  const std::string limits = ", limits: {lower: -2, upper: 0.2}";
  const double e = GetParam();
  const Trace tree = of_pendulum(pendulum(0, limits), {true, e}, -0.1, 0, 3);
  ClosedOptions options;
  options.stops = true, options.restitution = e;
  const Trace loop = of_parallelogram(parallelogram(0, 0, 0, limits), options, -0.1, 0, 3);
  EXPECT_EQ(loop.problem, "");
  EXPECT_EQ(loop.switches, tree.switches);
  EXPECT_LT(worst(loop.angles, tree.angles), 1e-7);
  EXPECT_LT(worst(loop.speeds, tree.speeds), 1e-7);
}
INSTANTIATE_TEST_SUITE_P(Restitution, ClosedStops, testing::Values(0, 0.5, 1));

TEST(ClosedJoints, StopsAndFrictionTogether) {
  const std::string limits = ", limits: {lower: -2, upper: 0.2}";
  const Trace tree = of_pendulum(pendulum(3, limits), {true, 0.4}, -0.1, 0, 4);
  ClosedOptions options;
  options.stops = true, options.restitution = 0.4;
  const Trace loop = of_parallelogram(parallelogram(1, 1, 1, limits), options, -0.1, 0, 4);
  EXPECT_EQ(loop.problem, "");
  EXPECT_LT(worst(loop.angles, tree.angles), 1e-7);
}

// A joint that turns round while its loop goes on does not hold it.
TEST(ClosedJoints, FrictionInARockerThatTurnsRoundTakesEnergyAndNoMore) {
  Model model = read_model(CATENA_SOURCE_DIR "/models/four-bar.yaml");
  model.gravity = {0, 0, 0};
  for (Joint& j : model.joints) {
    if (j.name == "rocker_pivot") j.dynamics.coulomb = 0.4;
  }
  ClosedSystem system(model, {}, {});
  const ClosedMechanism& c = system.mechanism();
  const auto velocity = [&](const char* name) {
    return c.tree.names->joints[static_cast<std::size_t>(c.tree.names->joint(name))].v;
  };
  LoopState loops(c);
  const Assembly a = assemble(c, loops, c.start);
  std::vector<char> known(static_cast<std::size_t>(c.tree.nv), 0);
  known[static_cast<std::size_t>(velocity("crank"))] = 1;
  const VectorXd v = complete_rates(loops.jacobian(), VectorXd::Zero(c.num_rows()),
                                    10 * VectorXd::Unit(c.tree.nv, velocity("crank")), known)
                         .rates;
  // The work of friction is its moment times the way of the rocker.
  const auto i = integrator("dormand-prince", system, {1e-11, 1e-11});
  double way = 0, before = NAN, first = NAN, last = 0;
  Listener listener;
  listener.sample = [&](double, System::In q, System::In qd) {
    const double angle = q[static_cast<std::size_t>(velocity("rocker_pivot"))];
    if (!std::isnan(before)) way += std::fabs(angle - before);
    before = angle;
    last = system.energies(q, qd).total();
    if (std::isnan(first)) first = last;
  };
  Simulation simulation(system, *i, {0, 2, 2e-4}, {}, listener);
  simulation.start({a.q.data(), static_cast<std::size_t>(a.q.size())},
                   {v.data(), static_cast<std::size_t>(v.size())});
  while (simulation.advance() == Simulation::Status::running) {
  }
  EXPECT_GT(simulation.num_switches(), 4);
  EXPECT_NEAR(first - last, 0.4 * way, 1e-4 * 0.4 * way);  // the way, between samples
  EXPECT_GT(last, 0.1 * first);
}

// Of a plane five-bar: what a drive needs is what inverse dynamics says.
TEST(ClosedJoints, DrivenJointsMoveAsToldWithTheForcesOfInverseDynamics) {
  const Model model = read_model(CATENA_SOURCE_DIR "/models/five-bar.yaml");
  ClosedSystem system(model, {}, {});
  const ClosedMechanism& c = system.mechanism();
  const auto joint = [&](const char* name) {
    return c.tree.names->joints[static_cast<std::size_t>(c.tree.names->joint(name))];
  };
  // both drives: a cubic in time through rest at the start
  const JointInfo one = joint("leg1_joint1"), two = joint("leg2_joint1");
  LoopState loops(c);
  const Assembly a = assemble(c, loops, c.start);
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(c.tree.nv, 2), none = 0 * q;
  q.row(one.v).setConstant(a.q[one.q]), q.row(two.v).setConstant(a.q[two.q]);
  q(one.v, 1) += 0.4, q(two.v, 1) -= 0.3;
  const auto motion = std::make_shared<Sampled>(Sampled::quintic({0, 1}, q, none, none));
  system.drive(one.v, sampled_motion(motion, one.v));
  system.drive(two.v, sampled_motion(motion, two.v));
  const auto i = integrator("dormand-prince", system, {1e-10, 1e-10});
  ClosedDynamics oracle(model);
  double worst_force = 0, worst_place = 0;
  Listener listener;
  listener.sample = [&](double t, System::In at, System::In rate) {
    worst_place = std::max(
        worst_place, std::fabs(at[static_cast<std::size_t>(one.q)] - motion->at(t, one.v).value));
    std::vector<double> acceleration(rate.size()), tau(rate.size());
    system.acceleration(t, at, rate, acceleration);
    system.joint_forces(t, at, rate, acceleration, tau);
    const auto vector = [](System::In x) {
      return VectorXd(Eigen::Map<const VectorXd>(x.data(), static_cast<Eigen::Index>(x.size())));
    };
    const VectorXd expected =
        oracle.inverse_dynamics(vector(at), vector(rate), vector(acceleration)).tau;
    worst_force = std::max(worst_force, (vector(tau) - expected).cwiseAbs().maxCoeff());
    EXPECT_LT(system.residual(t, at, rate), 1e-12);
  };
  Simulation simulation(system, *i, {0, 1, 0.05}, {}, listener);
  const VectorXd still = VectorXd::Zero(c.tree.nv);
  simulation.start({a.q.data(), static_cast<std::size_t>(a.q.size())},
                   {still.data(), static_cast<std::size_t>(still.size())});
  while (simulation.advance() == Simulation::Status::running) {
  }
  EXPECT_EQ(worst_place, 0);
  EXPECT_LT(worst_force, 1e-9);
}

TEST(ClosedJoints, ADriveAgainstAStopSaysSo) {
  const std::string limits = ", limits: {lower: -2, upper: -0.3}";
  ClosedOptions options;
  options.stops = true;
  ClosedSystem system(parallelogram(0, 0, 0, limits), {}, options);
  const MechanismNames& names = *system.mechanism().tree.names;
  const int right = names.joints[static_cast<std::size_t>(names.joint("right"))].v;
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(3, 2);
  q(right, 0) = -0.5, q(right, 1) = 0.5;
  system.drive(right, sampled_motion(std::make_shared<Sampled>(Sampled::linear({0, 1}, q)), right));
  const Trace t = trace(system, three(system, -0.5), three(system, 1), 1, 10);
  EXPECT_NE(t.problem.find("is driven against its stop"), std::string::npos) << t.problem;
  EXPECT_EQ(t.problem.substr(0, 10), "at t = 0.2");
}

TEST(ClosedJoints, ControllersHoldAndFollow) {
  const Model model = read_model(CATENA_SOURCE_DIR "/models/five-bar.yaml");
  const ClosedMechanism c = compile_closed(model);
  LoopState loops(c);
  const Assembly a = assemble(c, loops, c.start);
  const VectorXd still = VectorXd::Zero(c.tree.nv);
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(c.tree.nv, 2), none = 0 * q;
  q.colwise() = a.q;
  Controller hold{ControlLaw::gravity_pd, std::make_shared<Sampled>(Sampled::linear({0, 1}, q)),
                  VectorXd::Constant(c.tree.nv, 10), VectorXd::Constant(c.tree.nv, 1)};
  ClosedSystem held(model, {}, {});
  held.add_forces(closed_control_forces(model, {}, hold));
  const Trace t = trace(held, a.q, still, 2, 20, 1e-10);
  EXPECT_LT(worst(t.angles, std::vector<double>(21, a.q[0])), 1e-9);

  for (int v : c.actuated) q(v, 1) += 0.3;
  hold.reference = std::make_shared<Sampled>(Sampled::quintic({0, 1}, q, none, none));
  hold.law = ControlLaw::computed_torque;
  hold.kp.setConstant(100), hold.kd.setConstant(20);
  ClosedSystem led(model, {}, {});
  led.add_forces(closed_control_forces(model, {}, hold));
  const Trace followed = trace(led, a.q, still, 1, 20, 1e-10);
  for (std::size_t i = 0; i < followed.angles.size(); ++i)
    EXPECT_NEAR(followed.angles[i], hold.reference->at(0.05 * static_cast<double>(i), 0).value,
                1e-7);

  Model lame = model;
  lame.actuators.pop_back();
  EXPECT_THROW(closed_control_forces(lame, {}, hold), InputError);
}

// What is integrated, and what keeps loops closed, does not change the motion.
TEST(ClosedJoints, EveryWayOfStayingOnTheLoopsGivesTheSameMotion) {
  const Model model = read_model(CATENA_SOURCE_DIR "/models/four-bar.yaml");
  const auto run = [&](const ClosedOptions& options, const std::string& name, double* opening) {
    ClosedSystem system(model, {}, options);
    LoopState loops(system.mechanism());
    const Assembly a = assemble(system.mechanism(), loops, system.mechanism().start);
    const auto i = integrator(name, system, {1e-11, 1e-11});
    Listener listener;
    *opening = 0;
    listener.sample = [&](double t, System::In q, System::In v) {
      *opening = std::max(*opening, system.residual(t, q, v));
    };
    Simulation simulation(system, *i, {0, 1, 0.1}, {}, listener);
    const VectorXd still = VectorXd::Zero(system.nv());
    simulation.start({a.q.data(), static_cast<std::size_t>(a.q.size())},
                     {still.data(), static_cast<std::size_t>(still.size())});
    while (simulation.advance() == Simulation::Status::running) {
    }
    return VectorXd(i->q());
  };
  double opening = 0;
  const VectorXd expected = run({true}, "dormand-prince-8", &opening);
  const auto with = [](auto change) {
    ClosedOptions o;
    o.through_singularities = true;
    change(o);
    return o;
  };
  const auto check = [&](const ClosedOptions& o, double error, double most, const char* what) {
    const VectorXd q = run(o, "dormand-prince", &opening);
    EXPECT_LT((q - expected).cwiseAbs().maxCoeff(), error) << what;
    EXPECT_LT(opening, most) << what;
    return opening;
  };
  check(with([](ClosedOptions& o) { o.independent = true; }), 1e-8, 1e-12, "independent");
  check(with([](ClosedOptions& o) { o.every_evaluation = true; }), 1e-8, 1e-12, "every evaluation");
  for (const LoopMethodRow& row : loop_methods()) {
    if (loop_refusal(row.method, compile_closed(model)).empty())
      check(with([&](ClosedOptions& o) { o.method = row.method; }), 1e-8, 1e-12, row.name.data());
  }
  const double drift = check(with([](ClosedOptions& o) { o.stabilisation = Stabilisation::none; }),
                             1e-6, 1e-6, "none");
  const double drawn =
      check(with([](ClosedOptions& o) { o.stabilisation = Stabilisation::baumgarte; }), 1e-6, 1e-8,
            "baumgarte");
  EXPECT_GT(drift, 1e-12);  // else there would be nothing to keep closed
  EXPECT_LT(drawn, drift);
}

// The slider of a slider-crank says nothing at its dead points; others must be chosen there.
TEST(ClosedJoints, IndependentJointsAreChangedWhereTheyBecomeBad) {
  Model model = read_model(CATENA_SOURCE_DIR "/models/slider-crank.yaml");
  model.gravity = {0, 0, 0};
  model.actuators = {{"slider", {}}};
  ClosedOptions options;
  options.through_singularities = true, options.independent = true;
  ClosedSystem system(model, {}, options), usual(model, {}, {true});
  const ClosedMechanism& c = system.mechanism();
  const auto velocity = [&](const char* name) {
    return c.tree.names->joints[static_cast<std::size_t>(c.tree.names->joint(name))].v;
  };
  LoopState loops(c);
  VectorXd q = c.start;
  q[velocity("crank")] = 1;
  std::vector<char> known(4, 0);
  known[static_cast<std::size_t>(velocity("crank"))] = 1;
  const Assembly a = follow(c, loops, assemble(c, loops, c.start).q, q, known);
  ASSERT_TRUE(a.closed);
  loops.set_position(a.q);
  const VectorXd v = complete_rates(loops.jacobian(), VectorXd::Zero(c.num_rows()),
                                    10 * VectorXd::Unit(4, velocity("crank")), known)
                         .rates;
  const Trace one = trace(system, a.q, v, 2, 20), two = trace(usual, a.q, v, 2, 20);
  EXPECT_EQ(one.problem, "");
  EXPECT_GT(system.num_choices(), 0);
  EXPECT_GT(one.angles.back(), 10);  // several turns
  EXPECT_LT(worst(one.angles, two.angles), 1e-7);
  EXPECT_LT(worst(one.energies, std::vector<double>(21, one.energies[0])), 1e-8);
}

TEST(ClosedJoints, GoesOnFromARegime) {
  const Model model = parallelogram(4, 1.5, 2);
  ClosedOptions options;
  options.independent = true;
  ClosedSystem one(model, {}, options), two(model, {}, options);
  const VectorXd q = three(one, -0.5), v = three(one, 0);
  const auto i = integrator("dormand-prince", one, {}), k = integrator("dormand-prince", two, {});
  Simulation whole(one, *i, {0, 3, 0.1}, {}, {}), later(two, *k, {0, 3, 0.1}, {}, {});
  whole.start({q.data(), 3}, {v.data(), 3});
  while (whole.time() < 0.7) whole.advance();
  later.resume(whole.state());
  while (whole.advance() == Simulation::Status::running) {
  }
  while (later.advance() == Simulation::Status::running) {
  }
  EXPECT_EQ(whole.time(), later.time());
  EXPECT_EQ(i->q(), k->q());
  EXPECT_EQ(one.regime(), two.regime());
}

}  // namespace
}  // namespace catena::oracle
