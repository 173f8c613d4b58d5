// The multibody benchmarks A01 to A05 of the IFToMM collection, at the default tolerances.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "catena/loops/loops_that_fit.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/readers/readers.hpp"
#include "catena/simulation/closed_system.hpp"
#include "catena/simulation/simulation.hpp"
#include "simulation/machines.hpp"

namespace catena::oracle {
namespace {

using Eigen::VectorXd;

struct Record {
  double drift = 0, kinetic = 0, opening = 0;
  std::vector<VectorXd> q, v;
  std::string problem;
};

Record record(System& system, const VectorXd& q, const VectorXd& v, double duration, int samples,
              const std::string& name = "dormand-prince", const IntegratorOptions& options = {}) {
  const auto i = integrator(name, system, options);
  Record r;
  double first = NAN;
  Listener listener;
  listener.sample = [&](double t, System::In at, System::In rate) {
    const Energies e = system.energies(at, rate);
    if (std::isnan(first)) first = e.total();
    r.drift = std::max(r.drift, std::fabs(e.total() - first));
    r.kinetic = std::max(r.kinetic, e.kinetic);
    r.opening = std::max(r.opening, system.residual(t, at, rate));
    r.q.push_back(Eigen::Map<const VectorXd>(at.data(), static_cast<Eigen::Index>(at.size())));
    r.v.push_back(Eigen::Map<const VectorXd>(rate.data(), static_cast<Eigen::Index>(rate.size())));
  };
  Simulation simulation(system, *i, {0, duration, duration / samples}, {}, listener);
  try {
    simulation.start({q.data(), static_cast<std::size_t>(q.size())},
                     {v.data(), static_cast<std::size_t>(v.size())});
    while (simulation.advance() == Simulation::Status::running) {
    }
  } catch (const NumericalError& error) {
    r.problem = error.what();
  }
  return r;
}

Model model_file(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}

TEST(Benchmarks, A01PendulumKeepsItsEnergy) {
  const Model model = parse_yaml(
      "gravity: [0, -9.81, 0]\n"
      "bodies: [{name: ball, mass: 1, com: [1, 0, 0], inertia: [0, 0, 0]}]\n"
      "joints: [{name: hinge, type: revolute, parent: world, child: ball, axis: z}]\n",
      "pendulum.yaml");
  const Mechanism<double> m = compile(model);
  TreeSystem system(m, spatial());
  const Record r = record(system, VectorXd::Zero(1), VectorXd::Zero(1), 10, 1000);
  EXPECT_LT(r.drift, 1e-8 * r.kinetic);
  // A quarter of the period of a pendulum of 90 degrees: K(1/2) / sqrt(g), straight down then.
  const double quarter = 1.8540746773013719 / std::sqrt(9.81);
  const Record down = record(system, VectorXd::Zero(1), VectorXd::Zero(1), quarter, 1);
  EXPECT_NEAR(down.q.back()[0], -M_PI / 2, 1e-9);
  EXPECT_NEAR(down.v.back()[0], -std::sqrt(2 * 9.81), 1e-9);
}

// All uprights stay parallel: one angle, its own equation in quadruple steps as the reference.
class NFourBar : public testing::TestWithParam<int> {};

TEST_P(NFourBar, A02GoesThroughItsFlatPositionsAndKeepsItsEnergy) {
  const int n = GetParam();
  ClosedSystem system(model_file("n-four-bar-" + std::to_string(n)), {}, {true});
  const ClosedMechanism& c = system.mechanism();
  VectorXd v(c.tree.nv);
  for (const JointInfo& j : c.tree.names->joints) v[j.v] = j.name.starts_with("upright") ? -1 : 1;
  const Record r = record(system, c.start, v, 10, 100);
  EXPECT_EQ(r.problem, "");
  EXPECT_LT(r.drift, 1e-8 * r.kinetic);
  EXPECT_LT(r.opening, 1e-12);
  // x'' = k sin x, x from the upright position
  const double k = 9.81 * ((n + 1) / 2. + n) / ((n + 1) / 3. + n);
  long double x = 0, w = -1;
  const long double h = 1e-4L;
  const auto a = [&](long double y) { return k * std::sin(y); };
  std::size_t sample = 0;
  double worst = 0;
  for (long step = 0; step <= 100000; ++step) {
    if (step % 1000 == 0) {
      const VectorXd& q = r.q.at(sample++);
      for (const JointInfo& j : c.tree.names->joints) {
        const double expected = static_cast<double>(j.name.starts_with("upright") ? x : -x);
        worst = std::max(worst, std::fabs(q[j.q] - expected));
      }
    }
    const long double k1 = a(x), k2 = a(x + h / 2 * w), k3 = a(x + h / 2 * w + h * h / 4 * k1),
                      k4 = a(x + h * w + h * h / 2 * k2);
    x += h * w + h * h / 6 * (k1 + k2 + k3), w += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  EXPECT_LT(worst, 1e-5);  // ten turns; each pass of the unstable top amplifies
}
INSTANTIATE_TEST_SUITE_P(Windows, NFourBar, testing::Values(2, 40));

// However steps happen to fall about the flat positions.
TEST(Benchmarks, A02GoesThroughAtAnyTolerance) {
  ClosedSystem system(model_file("n-four-bar-2"), {}, {true});
  const ClosedMechanism& c = system.mechanism();
  VectorXd v(c.tree.nv);
  for (const JointInfo& j : c.tree.names->joints) v[j.v] = j.name.starts_with("upright") ? -1 : 1;
  for (double tolerance = 1e-6; tolerance > 1e-11; tolerance /= 1.7) {
    const Record r = record(system, c.start, v, 20, 20, "dormand-prince", {tolerance, tolerance});
    EXPECT_EQ(r.problem, "") << tolerance;
    EXPECT_LT(r.drift, (1e-8 + 50 * tolerance) * r.kinetic) << tolerance;
  }
}

TEST(Benchmarks, A02StopsWhereItIsFlatUnlessToldOtherwise) {
  for (int n : {2, 40}) {
    ClosedSystem system(model_file("n-four-bar-" + std::to_string(n)), {}, {});
    const ClosedMechanism& c = system.mechanism();
    VectorXd v(c.tree.nv);
    for (const JointInfo& j : c.tree.names->joints) v[j.v] = j.name.starts_with("upright") ? -1 : 1;
    const Record r = record(system, c.start, v, 1, 20);
    EXPECT_NE(r.problem.find("singular position"), std::string::npos) << n << r.problem;
    EXPECT_NEAR(r.q.back()[0], -M_PI / 2, 0.2) << n;
  }
}

TEST(Benchmarks, A04BricardKeepsItsEnergy) {
  ClosedSystem system(model_file("bricard"), {}, {true});
  LoopState loops(system.mechanism());
  const Assembly a = assemble(system.mechanism(), loops, system.mechanism().start);
  const Record r = record(system, a.q, VectorXd::Zero(system.nv()), 10, 1000);
  EXPECT_EQ(r.problem, "");
  EXPECT_LT(r.drift, 1e-8 * r.kinetic);
}

#ifdef CATENA_HAS_SUNDIALS
// Stiff: an implicit method with one way of solving, an explicit one with another.
TEST(Benchmarks, A05FlyballGovernorAgreesBetweenMethodsAndIntegrators) {
  const Model model = model_file("flyball-governor");
  const auto run = [&](LoopMethod method, const std::string& name, double tolerance) {
    ClosedOptions options;
    options.method = method;
    ClosedSystem system(model, {}, options);
    const ClosedMechanism& c = system.mechanism();
    const auto joint = [&](const char* of) {
      return c.tree.names->joints[static_cast<std::size_t>(c.tree.names->joint(of))];
    };
    const VectorXd v = 2 * M_PI * VectorXd::Unit(c.tree.nv, joint("shaft").v);
    const Record r = record(system, c.start, v, 10, 20, name, {tolerance, tolerance});
    EXPECT_EQ(r.problem, "") << name;
    std::vector<double> height;
    for (const VectorXd& q : r.q) height.push_back(q[joint("slider").q]);
    return height;
  };
  const auto usual = run(LoopMethod::multipliers, "bdf", 1e-9);
  const auto tight = run(LoopMethod::kkt, "dirk", 1e-10);
  ASSERT_EQ(usual.size(), tight.size());
  double least = 1, most = 0;
  for (std::size_t i = 0; i < usual.size(); ++i) {
    EXPECT_NEAR(usual[i], tight[i], 1e-6) << i;
    least = std::min(least, tight[i]), most = std::max(most, tight[i]);
  }
  EXPECT_GT(most - least, 0.1);  // it does move
}
#endif

// The collection of parallel robots: each moves a little and keeps its energy and its loops.
TEST(Benchmarks, EveryRobotOfTheCollectionMoves) {
  const std::string folder = CATENA_SHARED_DIR "/models/example-parallel-robots";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  int robots = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string file = entry.path().string() + "/robot.urdf";
    if (!std::filesystem::exists(file)) continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::vector<std::string> warnings;
    const Model model = with_loops_that_fit(read_model(file, {true, false, ""}, &warnings),
                                            {false, true}, warnings);
    ClosedSystem system(model, {false, true}, {true});
    LoopState loops(system.mechanism());
    const Assembly a = assemble_from_afar(system.mechanism(), loops, system.mechanism().start);
    ASSERT_TRUE(a.closed);
    const Record r =
        record(system, a.q, VectorXd::Zero(system.nv()), 0.02, 2, "dormand-prince", {1e-8, 1e-8});
    EXPECT_EQ(r.problem, "");
    EXPECT_LT(r.opening, 1e-11);
    EXPECT_GT(r.kinetic, 0);
    EXPECT_LT(r.drift, 1e-4 * r.kinetic);
    ++robots;
  }
  EXPECT_GE(robots, 5);
}

}  // namespace
}  // namespace catena::oracle
