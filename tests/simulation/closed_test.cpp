// Closed chains in time: reference solutions, energies, and the stop at a singular position.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/readers/readers.hpp"
#include "catena/simulation/closed_system.hpp"
#include "catena/simulation/forces.hpp"
#include "catena/simulation/simulation.hpp"

namespace catena {
namespace {

Model model_of(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}

// A run from the model's own start, with some velocities; what it was like at the end.
struct Course {
  Eigen::VectorXd q, v;
  double time = 0, first_energy = 0, drift = 0, opening = 0;
  std::string problem;
};

struct Start {
  std::string joint;
  double q = NAN, v = 0;
};

Course run(ClosedSystem& system, double duration, const std::string& integrator, double tolerance,
           const std::vector<Start>& starts) {
  const ClosedMechanism& c = system.mechanism();
  LoopState loops(c);
  Assembly a = assemble(c, loops, c.start);
  Eigen::VectorXd target = a.q, v = Eigen::VectorXd::Zero(c.tree.nv);
  std::vector<char> held(static_cast<std::size_t>(c.tree.nv), 0);
  for (const Start& s : starts) {
    const JointInfo& j =
        c.tree.names->joints[static_cast<std::size_t>(c.tree.names->joint(s.joint))];
    if (!std::isnan(s.q)) target[j.q] = s.q;
    held[static_cast<std::size_t>(j.v)] = 1;
    v[j.v] = s.v;
  }
  if (!starts.empty()) a = follow(c, loops, a.q, target, held);
  EXPECT_TRUE(a.closed);
  v = complete_rates(loops.jacobian(), Eigen::VectorXd::Zero(c.num_rows()), v, held).rates;
  const auto i = make_integrator(integrator, system, {tolerance, tolerance});
  const std::vector<Event> events;
  Course r;
  Listener listener;
  listener.sample = [&](double t, System::In q, System::In qd) {
    const double energy = system.energies(q, qd).total();
    if (t == 0) r.first_energy = energy;
    r.drift = std::max(r.drift, std::abs(energy - r.first_energy));
    r.opening = std::max(r.opening, system.residual(t, q, qd));
  };
  Simulation simulation(system, *i, {0, duration, duration / 100}, events, listener);
  simulation.start({a.q.data(), static_cast<std::size_t>(a.q.size())},
                   {v.data(), static_cast<std::size_t>(v.size())});
  try {
    while (simulation.advance() == Simulation::Status::running) {
    }
  } catch (const NumericalError& error) {
    r.problem = error.what();
  }
  r.q = i->q(), r.v = i->v(), r.time = simulation.time();
  return r;
}

double position(const ClosedMechanism& c, const Course& r, const std::string& joint) {
  return r.q[c.tree.names->joints[static_cast<std::size_t>(c.tree.names->joint(joint))].q];
}
double velocity(const ClosedMechanism& c, const Course& r, const std::string& joint) {
  return r.v[c.tree.names->joints[static_cast<std::size_t>(c.tree.names->joint(joint))].v];
}

// The reference solution of the test set for initial value problems at t = 0.03 s.
TEST(ClosedSimulation, AndrewsMechanismReachesItsReference) {
  ClosedSystem system(model_of("andrews"), {}, {true});
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(system.nv());
  const ClosedMechanism& c = system.mechanism();
  tau[c.tree.names->joints[static_cast<std::size_t>(c.tree.names->joint("beta"))].v] = 0.033;
  system.add_forces(constant_forces(tau));
  const Course r = run(system, 0.03, "dormand-prince-8", 1e-12, {});
  EXPECT_EQ(r.problem, "");
  struct Row {
    const char* joint;
    double q, v;
  };
  const Row rows[] = {{"beta", 15.81077119629904, 1139.920302151208},
                      {"Theta", -15.75637105984298, -1424.379294994111},
                      {"gamma", 0.04082224013073101, 11.03291221937134},
                      {"Phi", -0.5347301163226948, 19.29337464421385},
                      {"delta", 0.5244099658805304, 0.5735699284790808},
                      {"Omega", 0.5347301163226948, -19.29337464421385},
                      {"epsilon", 1.048080741042263, 0.3231791658026955}};
  for (const Row& row : rows) {
    EXPECT_NEAR(position(c, r, row.joint), row.q, 1e-9 * std::abs(row.q)) << row.joint;
    EXPECT_NEAR(velocity(c, r, row.joint), row.v, 2e-7 * std::abs(row.v)) << row.joint;
  }
  EXPECT_LT(r.opening, 1e-12);
}

// Free fall from (80 deg, 70 deg): it ends where the distal links are in line.
TEST(ClosedSimulation, FiveBarStopsWhereItsDistalLinksAreInLine) {
  const double degree = M_PI / 180;
  const std::vector<Start> start = {{"leg1_joint1", 80 * degree, 0},
                                    {"leg2_joint1", 70 * degree, 0}};
  std::vector<double> times;
  for (const auto& [name, tolerance] :
       {std::pair{"dormand-prince", 1e-9}, {"dormand-prince-8", 1e-12}}) {
    ClosedSystem system(model_of("five-bar"), {});
    const Course r = run(system, 3, name, tolerance, start);
    EXPECT_NE(r.problem.find("singular position"), std::string::npos) << r.problem;
    times.push_back(std::stod(r.problem.substr(std::string("at t = ").size())));
  }
  EXPECT_NEAR(times[0], times[1], 1e-6);
  EXPECT_NEAR(times[1], 1.4, 0.05);  // the paper: after about 1.4 s
  // A little before, the links are nearly in line; their angle goes to zero there.
  ClosedSystem system(model_of("five-bar"), {});
  const Course r = run(system, times[1] - 1e-6, "dormand-prince-8", 1e-12, start);
  EXPECT_EQ(r.problem, "");
  const ClosedMechanism& c = system.mechanism();
  const double one = position(c, r, "leg1_joint1") + position(c, r, "leg1_joint2");
  const double two = position(c, r, "leg2_joint1") + position(c, r, "leg2_joint2");
  EXPECT_LT(std::abs(std::sin(one - two)), 1e-4);
  ClosedSystem through(model_of("five-bar"), {}, {true});
  const Course on = run(through, 3, "dormand-prince", 1e-9, start);
  EXPECT_EQ(on.problem, "");
  EXPECT_LT(on.drift, 1e-5 * std::abs(on.first_energy));
}

// Over-constrained: the smallest rank of its conditions is what moves it.
TEST(ClosedSimulation, BricardKeepsItsEnergyForTenSeconds) {
  ClosedSystem system(model_of("bricard"), {}, {true});
  const Course r = run(system, 10, "dormand-prince", 1e-9, {});
  EXPECT_EQ(r.problem, "");
  EXPECT_LT(r.drift, 1e-6 * std::abs(r.first_energy));
  EXPECT_LT(r.opening, 1e-11);
}

}  // namespace
}  // namespace catena
