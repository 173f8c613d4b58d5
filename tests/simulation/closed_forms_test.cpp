// Motions that are known: falls, bounces, friction, driven joints, controllers.
#include "catena/kinematics/energy.hpp"
#include "catena/simulation/forces.hpp"
#include "simulation/machines.hpp"

namespace catena {
namespace {

using namespace oracle;

// A block of 2 kg on a vertical or level slide.
Mechanism<double> slide(double gravity, double friction, double lower = -INFINITY,
                        double upper = INFINITY) {
  Model model;
  model.gravity = {0, 0, -gravity};
  model.bodies = {{"block", 2, {0, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}}};
  Joint joint;
  joint.name = "slide", joint.kind = JointKind::prismatic, joint.parent = "world";
  joint.child = "block", joint.dynamics.coulomb = friction;
  joint.limits.lower = lower, joint.limits.upper = upper;
  model.joints = {joint};
  return compile(model);
}

struct Sample {
  double t, q, v;
};
struct Log {
  std::vector<Sample> samples, events;
};
// The first coordinate over time.
Log simulate(System& system, const State& start, double end, double sample,
             const std::vector<Event>& events = {}, const char* name = "dormand-prince") {
  Log log;
  const auto i = make_integrator(name, system, {});
  const Listener listener{[&](double t, System::In q, System::In v) {
                            log.samples.push_back({t, q[0], v[0]});
                          },
                          [&](const Event&, double t, bool, System::In q, System::In v) {
                            log.events.push_back({t, q[0], v[0]});
                          }};
  Simulation simulation(system, *i, {0, end, sample}, events, listener);
  simulation.start(start.q, start.v);
  while (simulation.advance() == Simulation::Status::running) {
  }
  return log;
}

TEST(Events, OfAFallComeWhenGalileoSays) {
  const Mechanism<double> m = slide(9.81, 0);
  for (const char* name : {"dormand-prince", "cash-karp", "verner", "dormand-prince-8"}) {
    TreeSystem system(m, spatial());
    const Event event{"", [](double, System::In q, System::In) { return q[0] + 1; }};
    const Log log = simulate(system, {{0}, {3}}, 2, 0.1, {event}, name);
    ASSERT_EQ(log.events.size(), 1u) << name;
    EXPECT_NEAR(log.events[0].t, (3 + std::sqrt(9 + 2 * 9.81)) / 9.81, 1e-12) << name;
    EXPECT_NEAR(log.events[0].q, -1, 1e-13) << name;
    ASSERT_EQ(log.samples.size(), 21u);
    for (const Sample& s : log.samples)
      EXPECT_NEAR(s.q, 3 * s.t - 9.81 / 2 * s.t * s.t, 2e-11) << name;
  }
}

TEST(Stops, ThrowABallBackAsItsRestitutionSays) {
  const double e = 0.8, g = 9.81, height = 1;
  TreeSystem system(slide(g, 0, 0), spatial(), {true, e});
  const Log log = simulate(system, {{height}, {0}}, 3, 0.01);
  double bounce = std::sqrt(2 * height / g), speed = g * bounce * e, begin = 0, from = height,
         up = 0;
  for (const Sample& s : log.samples) {
    while (s.t > bounce) begin = bounce, from = 0, up = speed, bounce += 2 * speed / g, speed *= e;
    const double t = s.t - begin;
    EXPECT_NEAR(s.q, from + up * t - g / 2 * t * t, 1e-9) << s.t;
    EXPECT_NEAR(s.v, up - g * t, 1e-8) << s.t;
  }
}

TEST(Stops, LetABallComeToRestAndStay) {
  TreeSystem system(slide(9.81, 0, 0), spatial(), {true, 0.5});
  const Log log = simulate(system, {{1}, {0}}, 3, 0.01);  // at rest after 3 sqrt(2/g) = 1.35 s
  for (const Sample& s : log.samples) {
    EXPECT_GE(s.q, -1e-12) << s.t;
    if (s.t < 1.36) continue;
    EXPECT_EQ(s.q, 0) << s.t;
    EXPECT_EQ(s.v, 0) << s.t;
  }
  EXPECT_EQ(log.samples.size(), 301u);
}

// A force over time on the one joint.
std::shared_ptr<Forces> ramp(const Mechanism<double>& m, double end, double last) {
  Eigen::MatrixXd tau(1, 2);
  tau << 0, last;
  return sampled_forces(m, Sampled::linear({0, end}, tau), {});
}

TEST(Stops, ReleaseAJointThatIsPulledAway) {
  const Mechanism<double> m = slide(9.81, 0, 0);
  TreeSystem system(m, spatial(), {true, 0});
  system.add_forces(ramp(m, 2, 4 * 9.81));  // as heavy as the block after 1 s
  const Log log = simulate(system, {{0}, {0}}, 2, 0.1);
  for (const Sample& s : log.samples) {
    const double t = std::max(0., s.t - 1);
    EXPECT_NEAR(s.q, 9.81 * t * t * t / 6, 1e-9) << s.t;
  }
}

// A block hits a stop on a second one that friction holds: that has no time to do so.
TEST(Stops, PushAwayWhatFrictionHolds) {
  const Model model = parse_yaml(
      "gravity: [0, 0, 0]\n"
      "bodies:\n"
      "  - {name: base, mass: 2, inertia: [1, 1, 1]}\n"
      "  - {name: block, mass: 1, inertia: [1, 1, 1]}\n"
      "joints:\n"
      "  - {name: first, type: prismatic, parent: world, child: base, axis: z, coulomb: 3}\n"
      "  - {name: second, type: prismatic, parent: base, child: block, axis: z,\n"
      "     limits: {lower: 0, upper: 2}}\n",
      "blocks.yaml");
  TreeSystem system(compile(model), spatial(), {true, 0});
  // From 0.5 m at 1 m/s; together they go on with 1/3 m/s and slow down by 3 N / 3 kg.
  const Log log = simulate(system, {{0, 0.5}, {0, -1}}, 1.5, 0.05);
  for (const Sample& s : log.samples) {
    const double t = std::clamp(s.t - 0.5, 0., 1. / 3);
    EXPECT_NEAR(s.q, -t / 3 + t * t / 2, 1e-10) << s.t;
    EXPECT_NEAR(s.v, s.t > 0.5 ? -1. / 3 + t : 0, 1e-10) << s.t;
  }
}

TEST(DryFriction, StopsASlidingBlockAndHoldsIt) {
  TreeSystem system(slide(0, 3), spatial());
  const Event event{"", [](double, System::In, System::In v) { return v[0]; }};
  const Log log = simulate(system, {{0}, {3}}, 4, 0.1, {event});  // 1.5 m/s², at rest after 2 s
  ASSERT_EQ(log.events.size(), 1u);                               // it comes to rest once
  EXPECT_NEAR(log.events[0].t, 2, 1e-11);
  for (const Sample& s : log.samples) {
    const double t = std::min(s.t, 2.);
    EXPECT_NEAR(s.q, 3 * t - 0.75 * t * t, 1e-11) << s.t;
    EXPECT_NEAR(s.v, 3 - 1.5 * t, 1e-11) << s.t;
  }
}

TEST(DryFriction, HoldsUntilTheForceIsLargerThanItself) {
  const Mechanism<double> m = slide(0, 3);
  TreeSystem system(m, spatial());
  system.add_forces(ramp(m, 2, 6));  // 3 N after 1 s
  const Log log = simulate(system, {{0}, {0}}, 2, 0.1);
  for (const Sample& s : log.samples) {
    const double t = std::max(0., s.t - 1);
    EXPECT_NEAR(s.q, 1.5 * t * t * t / 6, 1e-9) << s.t;
  }
}

TEST(DryFriction, TakesExactlyTheEnergyThatItRubsAway) {
  // A pendulum with everything: energy falls by friction times way.
  const Mechanism<double> m = machine_of_file("pendulum");
  Mechanism<double> dry = m;
  std::fill(dry.viscous.begin(), dry.viscous.end(), 0.);
  TreeSystem system(dry, spatial());
  const Log log = simulate(system, {{1}, {0}}, 20, 0.001);
  Workspace<double> w(m);
  const auto energy = [&](const Sample& s) {
    const double q[] = {s.q}, v[] = {s.v};
    return kinetic_energy<double>(m, q, v, w) + potential_energy<double>(m, q, w);
  };
  double way = 0, last = log.samples.front().q;  // exact but for the turning points
  for (const Sample& s : log.samples) way += std::fabs(s.q - last), last = s.q;
  EXPECT_NEAR(energy(log.samples.front()) - energy(log.samples.back()), 0.02 * way, 2e-6);
}

#ifdef CATENA_HAS_SUNDIALS
TEST(StiffMachines, AreCheapForImplicitMethods) {
  // A block of 2 kg in thick oil: m dv/dt = F - c v, with c/m = 1e6 1/s.
  Mechanism<double> m = slide(0, 0);
  m.viscous[0] = 2e6, m.has_passive = true;
  const auto evaluations = [&](const char* name, double tolerance) {
    TreeSystem system(m, spatial());
    system.add_forces(ramp(m, 1, 4e6));
    const auto i = integrator(name, system, {tolerance, tolerance});
    const State end = run(system, *i, {{0}, {0}}, {0.01}).back();
    // v = 2 t - 2e-6 after the first microseconds
    EXPECT_NEAR(end.v[0], 0.02 - 2e-6, 1e-6) << name;
    return i->counts().evaluations;
  };
  EXPECT_LT(evaluations("bdf", 1e-7), 1000);
  EXPECT_LT(evaluations("dirk", 1e-7), 5000);
  EXPECT_GT(evaluations("dormand-prince", 1e-7), 10000);
}
#endif

TEST(DrivenJoints, FollowTheirMotionAndTheOthersFeelIt) {
  const Mechanism<double> m = machine_of_file("planar-3r");
  TreeSystem system(m, spatial());
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(3, 3), qd = q, qdd = q;
  q(1, 1) = 1, q(1, 2) = 0.5;
  auto motion = std::make_shared<Sampled>(Sampled::quintic({0, 0.5, 1}, q, qd, qdd));
  system.drive(1, sampled_motion(motion, 1));
  const auto i = make_integrator("dormand-prince", system, {});
  std::vector<double> a(3), tau(3), again(3);
  Workspace<double> w(m);
  const Listener listener{[&](double t, System::In x, System::In v) {
                            const Sampled::Point p = motion->at(t, 1);
                            EXPECT_EQ(x[1], p.value) << t;
                            EXPECT_EQ(v[1], p.first) << t;
                            system.acceleration(t, x, v, a);
                            EXPECT_EQ(a[1], p.second) << t;
                            // Only the drive works: inverse dynamics says so.
                            find_formulation<double>("denoc")->inverse_dynamics(m, x, v, a, {}, w,
                                                                                again);
                            system.joint_forces(t, x, v, a, tau);
                            EXPECT_NEAR(again[0], 0, 1e-12) << t;
                            EXPECT_NEAR(again[2], 0, 1e-12) << t;
                            EXPECT_NEAR(again[1], tau[1], 1e-12) << t;
                          },
                          {}};
  Simulation simulation(system, *i, {0, 1, 0.01}, {}, listener);
  simulation.start(std::vector<double>(3), std::vector<double>(3));
  while (simulation.advance() == Simulation::Status::running) {
  }
}

TEST(ComputedTorque, KeepsAnArmOnItsMotion) {
  const Mechanism<double> m = machine_of_file("puma");
  TreeSystem system(m, spatial());
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(6, 2), zero = q;
  q.col(1) << 1, -0.5, 0.7, 0.2, -1, 2;
  Controller c{ControlLaw::computed_torque,
               std::make_shared<Sampled>(Sampled::quintic({0, 1}, q, zero, zero)),
               Eigen::VectorXd::Constant(6, 100), Eigen::VectorXd::Constant(6, 20)};
  system.add_forces(control_forces(m, *find_formulation<double>("gibbs-appell"), c));
  const auto i = make_integrator("dormand-prince", system, {});
  double worst = 0;
  const Listener listener{[&](double t, System::In x, System::In) {
                            for (int k = 0; k < 6; ++k)
                              worst = std::max(worst, std::fabs(x[static_cast<std::size_t>(k)] -
                                                                c.reference->at(t, k).value));
                          },
                          {}};
  Simulation simulation(system, *i, {0, 1, 0.01}, {}, listener);
  simulation.start(std::vector<double>(6), std::vector<double>(6));
  while (simulation.advance() == Simulation::Status::running) {
  }
  EXPECT_LT(worst, 1e-9);
}

TEST(GravityPd, BringsAnArmToRestWhereItShould) {
  const Mechanism<double> m = machine_of_file("puma");
  TreeSystem system(m, spatial());
  Eigen::MatrixXd q(6, 1);
  q << 0.3, -0.2, 0.1, 0.4, 0.5, 0.2;
  system.add_forces(
      control_forces(m, spatial(),
                     {ControlLaw::gravity_pd, std::make_shared<Sampled>(Sampled::linear({0}, q)),
                      Eigen::VectorXd::Constant(6, 200), Eigen::VectorXd::Constant(6, 60)}));
  const auto i = make_integrator("dormand-prince", system, {});
  const auto end = run(system, *i, at_rest(m), {30}).back();
  for (int k = 0; k < 6; ++k) EXPECT_NEAR(end.q[static_cast<std::size_t>(k)], q(k, 0), 1e-6) << k;
}

TEST(Resume, GoesOnAsIfNothingHadHappened) {
  for (const IntegratorInfo& info : integrators()) {
    const Mechanism<double> m =
        machine_of_file(std::string(info.name) == "variational" ? "arm-7r" : "joint-zoo");
    Mechanism<double> smooth = m;
    if (std::string(info.name) == "variational")
      std::fill(smooth.coulomb.begin(), smooth.coulomb.end(), 0.);
    State start = at_rest(m);
    for (std::size_t k = 0; k < start.v.size(); ++k) start.v[k] = k % 3 == 0 ? 0.5 : -0.3;
    std::vector<double> whole, first, second;
    const auto go = [&](std::vector<double>& rows, const SimulationState* from, int most_steps) {
      TreeSystem system(smooth, spatial());
      const auto i = make_integrator(info.name, system, {1e-9, 1e-9, info.adaptive ? 0 : 0.002});
      const Listener listener{[&](double t, System::In q, System::In v) {
                                rows.push_back(t);
                                rows.insert(rows.end(), q.begin(), q.end());
                                rows.insert(rows.end(), v.begin(), v.end());
                              },
                              {}};
      Simulation simulation(system, *i, {0, 0.5, 0.003}, {}, listener);
      if (from == nullptr)
        simulation.start(start.q, start.v);
      else
        simulation.resume(*from);
      for (int k = 0; k < most_steps; ++k)
        if (simulation.advance() != Simulation::Status::running) break;
      return simulation.state();
    };
    const SimulationState end = go(whole, nullptr, 1000000);
    const SimulationState middle = go(first, nullptr, static_cast<int>(end.counts.steps / 2));
    const SimulationState last = go(second, &middle, 1000000);
    first.insert(first.end(), second.begin(), second.end());
    EXPECT_EQ(first, whole) << info.name;
    EXPECT_EQ(last.counts.steps, end.counts.steps) << info.name;
    EXPECT_EQ(last.counts.evaluations, end.counts.evaluations) << info.name;
    EXPECT_EQ(last.regime, end.regime) << info.name;
  }
}

}  // namespace
}  // namespace catena
