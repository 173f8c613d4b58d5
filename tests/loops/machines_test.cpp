// The machines of models/ that have loops: mobility as the literature has it, Andrews'
// accelerations.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/loops_that_fit.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/readers/readers.hpp"

namespace catena {
namespace {

namespace fs = std::filesystem;

Model machine(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}

struct Count {
  const char* name;
  int by_count, by_rank;
};

class Machines : public testing::TestWithParam<Count> {};

TEST_P(Machines, CloseFromTheirStartAndMoveAsTheyShould) {
  const ClosedMechanism m = compile_closed(machine(GetParam().name));
  LoopState state(m);
  const Assembly a = assemble(m, state, m.start);
  ASSERT_TRUE(a.closed) << a.residual;
  // the start is meant to be near: nothing moves by more than rounding of its digits allows
  EXPECT_LT((a.q - m.start).cwiseAbs().maxCoeff(), 0.1);
  state.set_position(a.q);
  const Mobility mobility = mobility_of(state.jacobian());
  EXPECT_EQ(mobility.by_count, GetParam().by_count);
  EXPECT_EQ(mobility.by_rank, GetParam().by_rank);
  EXPECT_EQ(static_cast<int>(mobility.redundant_rows.size()), mobility.rows - mobility.rank);
}

// By count in space: a plane loop with a revolute joint says three things too much.
INSTANTIATE_TEST_SUITE_P(All, Machines,
                         testing::Values(Count{"planar-3rrr", -3, 3}, Count{"delta", 3, 3},
                                         Count{"stewart-gough", 6, 6}, Count{"andrews", -8, 1},
                                         Count{"bricard", 0, 1}, Count{"n-four-bar-2", -5, 1},
                                         Count{"n-four-bar-40", -119, 1},
                                         Count{"flyball-governor", 4, 4}, Count{"knee", -1, 2},
                                         Count{"ankle", 2, 2}),
                         [](const auto& one) {
                           std::string name = one.param.name;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// IVP test set: the accelerations at the start, by every method.
TEST(Andrews, AccelerationsAtTheStart) {
  ClosedDynamics dynamics(machine("andrews"));
  const Mechanism<double>& tree = dynamics.mechanism().tree;
  const auto v = [&](const char* joint) {
    return tree.names->joints[static_cast<std::size_t>(tree.names->joint(joint))].v;
  };
  Eigen::VectorXd tau = Eigen::VectorXd::Zero(7);
  tau[v("beta")] = 0.033;
  for (const std::string& method : loop_method_names()) {
    const Eigen::VectorXd qdd =
        dynamics
            .forward_dynamics(dynamics.mechanism().start, Eigen::VectorXd::Zero(7), tau, {},
                              loop_method(method))
            .qdd;
    EXPECT_NEAR(qdd[v("beta")], 14222.4439199541139, 1e-8) << method;
    EXPECT_NEAR(qdd[v("Theta")], -10666.8329399655854, 1e-8) << method;
    for (const char* still : {"gamma", "Phi", "delta", "Omega", "epsilon"})
      EXPECT_NEAR(qdd[v(still)], 0, 1e-8) << method << " " << still;
  }
}

// The inertia matrix of the literature, entry by entry, at a configuration that is not special.
TEST(Andrews, InertiaMatrix) {
  const double Th = 0.4, Ph = -0.7, Om = 1.1;
  const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706,
               m7 = 0.05498;
  const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5,
               I6 = 5.667e-7, I7 = 1.912e-5;
  const double da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, sa = 0.01874,
               sb = 0.01043, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449,
               zf = 0.02, zt = 0.04, fa = 0.01421;
  std::map<std::pair<std::string, std::string>, double> M;
  M[{"beta", "beta"}] =
      m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * std::cos(Th) + da * da) + I1 + I2;
  M[{"Theta", "beta"}] = m2 * (da * da - da * rr * std::cos(Th)) + I2;
  M[{"Theta", "Theta"}] = m2 * da * da + I2;
  M[{"gamma", "gamma"}] = m3 * (sa * sa + sb * sb) + I3;
  const double k = e - ea, l = zf - fa;
  M[{"Phi", "Phi"}] = m4 * k * k + I4;
  M[{"delta", "Phi"}] = m4 * (k * k + zt * k * std::sin(Ph)) + I4;
  M[{"delta", "delta"}] =
      m4 * (zt * zt + 2 * zt * k * std::sin(Ph) + k * k) + m5 * (ta * ta + tb * tb) + I4 + I5;
  M[{"Omega", "Omega"}] = m6 * l * l + I6;
  M[{"epsilon", "Omega"}] = m6 * (l * l - u * l * std::sin(Om)) + I6;
  M[{"epsilon", "epsilon"}] =
      m6 * (l * l - 2 * u * l * std::sin(Om) + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
  ClosedDynamics dynamics(machine("andrews"));
  const Mechanism<double>& tree = dynamics.mechanism().tree;
  const auto index_of = [&](const std::string& joint) {
    return tree.names->joints[static_cast<std::size_t>(tree.names->joint(joint))].v;
  };
  Eigen::VectorXd q = Eigen::VectorXd::Zero(7);
  q[index_of("Theta")] = Th, q[index_of("Phi")] = Ph, q[index_of("Omega")] = Om;
  // kinetic energy of two rates: T(a + b) - T(a) - T(b) = a M b
  const auto energy = [&](const std::string& a, const std::string& b, double x, double y) {
    Eigen::VectorXd qd = Eigen::VectorXd::Zero(7);
    qd[index_of(a)] += x, qd[index_of(b)] += y;
    return dynamics.kinetic_energy(q, qd);
  };
  for (const auto& [pair, value] : M) {
    const auto& [a, b] = pair;
    const double entry = energy(a, b, 1, 1) - energy(a, b, 1, 0) - energy(a, b, 0, 1);
    EXPECT_NEAR(entry, value, 1e-18 + 1e-13 * value) << a << " " << b;
  }
}

// A robot that no start position fits: random tries are the same in every run, and end closed.
TEST(AssembleFromAfar, ClosesWhatIsFarAndKeepsWhatIsHeld) {
  const ClosedMechanism m = compile_closed(machine("stewart-gough"));
  LoopState state(m);
  Eigen::VectorXd q = m.start;
  q.head(18).setZero();  // legs upright, of no length
  q[18] = 0.3, q[20] = -0.4;
  std::vector<char> held(static_cast<std::size_t>(m.tree.nv), 0);
  const Assembly a = assemble_from_afar(m, state, q, held);
  ASSERT_TRUE(a.closed);
  const Assembly again = assemble_from_afar(m, state, q, held);
  EXPECT_EQ((a.q - again.q).norm(), 0);
  held[2] = 1;  // leg1
  q = m.start, q[2] = 0.75;
  const Assembly b = assemble_from_afar(m, state, q, held);
  ASSERT_TRUE(b.closed);
  EXPECT_EQ(b.q[2], 0.75);
}

// Light spheres between heavy links: rounding must not become a condition.
void expect_methods_agree(const Model& model, const CompileOptions& options,
                          const Eigen::VectorXd& q) {
  ClosedDynamics dynamics(model, options);
  const Eigen::VectorXd none = Eigen::VectorXd::Zero(dynamics.mechanism().tree.nv);
  const auto by = [&](LoopMethod method) {
    return dynamics.forward_dynamics(q, none, none, {}, method);
  };
  const ClosedForward reference = by(LoopMethod::null_space);
  for (const LoopMethodRow& row : loop_methods()) {
    if (!loop_refusal(row.method, dynamics.mechanism()).empty()) continue;
    const ClosedForward other = by(row.method);
    EXPECT_EQ(other.rank, reference.rank) << row.name;
    EXPECT_LT((other.qdd - reference.qdd).norm(), 1e-7 * reference.qdd.norm()) << row.name;
  }
}

TEST(ParallelRobots, AllOfTheCollectionLoadAndAssemble) {
  const fs::path folder = fs::path(CATENA_SHARED_DIR) / "models/example-parallel-robots";
  if (!fs::exists(folder)) GTEST_SKIP() << "the collection is not there";
  const std::map<std::string, std::pair<std::size_t, std::size_t>> loops_and_motors{
      {"5bar_linkage", {1, 2}},   {"cassie_like", {2, 5}}, {"digit_like", {3, 6}},
      {"kangaroo_like", {11, 6}}, {"robot_delta", {3, 2}}, {"talos_like", {1, 6}}};
  for (const auto& [name, counts] : loops_and_motors) {
    SCOPED_TRACE(name);
    ReadOptions options;
    options.allow_unphysical = true;
    const Model model = read_model((folder / name / "robot.urdf").string(), options);
    EXPECT_EQ(model.loops.size(), counts.first);
    EXPECT_EQ(model.actuators.size(), counts.second);
    for (const Loop& loop : model.loops) EXPECT_EQ(loop.kind, JointKind::fixed);
    CompileOptions compile_options;
    compile_options.allow_unphysical = true;
    std::vector<std::string> warnings;
    const Model fits = with_loops_that_fit(model, compile_options, warnings);
    // the rods of this one miss each other by millimetres
    EXPECT_EQ(warnings.size(), name == "kangaroo_like" ? 1u : 0u);
    const ClosedMechanism m = compile_closed(fits, compile_options);
    LoopState state(m);
    const Assembly a = assemble_from_afar(m, state, m.start);
    EXPECT_TRUE(a.closed) << a.residual;
    expect_methods_agree(fits, compile_options, a.q);
    // oracle: the origins of the frames meet, by the poses alone
    for (const Closure& c : m.closures) {
      const Pose<double> L1 = state.poses()[static_cast<std::size_t>(c.body1)] * c.X_1;
      const Pose<double> L2 = state.poses()[static_cast<std::size_t>(c.body2)] * c.X_2;
      const Vec3<double> gap = L1.p - L2.p;
      EXPECT_LT(std::sqrt(dot(gap, gap)), 1e-11) << c.name;
      if (c.kind == JointKind::fixed) {
        EXPECT_GT(dot(L1.R.x, L2.R.x) + dot(L1.R.y, L2.R.y), 2 - 1e-11) << c.name;
      }
    }
  }
}

}  // namespace
}  // namespace catena
