// Robot data and motion files of SPACELIB.
#include "catena/readers/spacelib.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "catena/formulations/homogeneous/chain.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/machine.hpp"

namespace catena {
namespace {

using oracle::Machine;
using oracle::Random;

std::string contents(const std::string& path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

const std::string models = CATENA_SOURCE_DIR "/models/";

// Line breaks, tabs and comments mean nothing; a plus sign may stand before a number.
const char* two_links =
    "\n2 # links\n0 0.1 0.2\t0.3 0.4 0.5\r\n"
    "3 4 0.1 0.2 5 0.3 6  0.7 0.8 0.9\n"
    "1\n-0.1 +0.2 -.3 4e-1 -0.5\n2 3 0 0 3 0 3\n0 0 1e-1\n\n1 2 -9.5\n";

TEST(Spacelib, EveryNumberHasItsPlace) {
  const SpacelibRobot robot = parse_spacelib_robot(two_links, "r.spacelib");
  ASSERT_EQ(robot.links.size(), 2u);
  const SpacelibLink& a = robot.links[0];
  EXPECT_FALSE(a.prismatic);
  EXPECT_EQ((std::vector{a.theta, a.s, a.b, a.a, a.alfa}), (std::vector{0.1, 0.2, 0.3, 0.4, 0.5}));
  EXPECT_EQ(a.mass, 3);
  const Sym3<double>& I = a.moments;  // in the order of the file: jxx jxy jxz jyy jyz jzz
  EXPECT_EQ((std::vector{I.xx, I.xy, I.xz, I.yy, I.yz, I.zz}),
            (std::vector<double>{4, 0.1, 0.2, 5, 0.3, 6}));
  EXPECT_EQ((std::vector{a.centre.x, a.centre.y, a.centre.z}), (std::vector{0.7, 0.8, 0.9}));
  EXPECT_EQ(to_string(a.where), "r.spacelib:3:1");
  const SpacelibLink& b = robot.links[1];
  EXPECT_TRUE(b.prismatic);
  EXPECT_EQ((std::vector{b.theta, b.s, b.b, b.a, b.alfa}),
            (std::vector{-0.1, 0.2, -0.3, 0.4, -0.5}));
  EXPECT_EQ((std::vector{robot.gravity.x, robot.gravity.y, robot.gravity.z}),
            (std::vector{1., 2., -9.5}));
  EXPECT_TRUE(robot.actions.empty());
  EXPECT_EQ(robot.action(3).f.x, 0);
  const std::string marked = std::string("\xef\xbb\xbf") + two_links;
  EXPECT_EQ(to_string(parse_spacelib_robot(marked, "r").links[0].where), "r:3:1");
}

TEST(Spacelib, TheLastExternalActionHoldsOn) {
  const SpacelibRobot robot =
      parse_spacelib_robot(std::string(two_links) + "1 2 3 4 5 6\n10 20 30 40 50 60", "r");
  ASSERT_EQ(robot.actions.size(), 2u);
  EXPECT_EQ(robot.action(0).f.z, 3);
  EXPECT_EQ(robot.action(0).n.x, 4);
  EXPECT_EQ(robot.action(1).f.x, 10);
  EXPECT_EQ(robot.action(9).n.z, 60);
}

// Rz(theta + q) T(a, b, s) Rx(alfa), multiplied out.
TEST(Spacelib, TheExtendedParametersArePoses) {
  const Model model = parse_spacelib(two_links, "folder/robot.dat");
  EXPECT_EQ(model.name, "robot");
  Machine<double> machine(compile(model));
  const std::vector<double> q{0.6, 0.7};
  const auto X = machine.poses(q);
  const auto turn = [](Vec3<double> axis, double angle) {
    return Pose<double>{rotation_about(axis, angle), {}};
  };
  const auto shift = [](double x, double y, double z) { return Pose<double>{{}, {x, y, z}}; };
  const Pose<double> A1 = turn({0, 0, 1}, 0.1 + q[0]) * shift(0.4, 0.3, 0.2) * turn({1, 0, 0}, 0.5);
  const Pose<double> A2 =
      turn({0, 0, 1}, -0.1) * shift(0.4, -0.3, 0.2 + q[1]) * turn({1, 0, 0}, -0.5);
  const auto& frames = machine.m.names->frames;
  const auto pose = [&](const char* name) {
    const FrameInfo& f = frames[static_cast<std::size_t>(machine.m.names->frame(name))];
    return oracle::numbers(X[static_cast<std::size_t>(f.body)] * f.X_BF);
  };
  EXPECT_LE(oracle::difference(pose("link1"), oracle::numbers(A1)), 1e-15);
  EXPECT_LE(oracle::difference(pose("link2"), oracle::numbers(A1 * A2)), 1e-15);
}

TEST(Spacelib, TheStanfordArmIsThatOfTheNativeFormat) {
  const Model own = read_model(models + "stanford.spacelib");
  const Model other = read_model(models + "stanford.yaml");
  Machine<double> a(compile(own)), b(compile(other));
  Random random(4);
  for (int k = 0; k < 20; ++k) {
    const auto s = oracle::random_state(a.m, random, false);
    EXPECT_EQ(a.inverse(s), b.inverse(s));
    EXPECT_EQ(a.inertia(s.q), b.inertia(s.q));
  }
}

TEST(Spacelib, MotionsHaveThreeNumbersPerLink) {
  const SpacelibMotion plain = parse_spacelib_motion("1 2 3  4 5 6\n7 8 9  10 11 12", "m", 2);
  EXPECT_EQ(plain.num_instants(), 2u);
  EXPECT_EQ(plain.dt, 0);
  EXPECT_EQ(plain.at(0, 1, 0), 4);
  EXPECT_EQ(plain.at(1, 0, 2), 9);
  EXPECT_EQ(plain.at(1, 1, 1), 11);
  // later versions of the program begin with the time step
  const SpacelibMotion timed = parse_spacelib_motion("0.002\n1 2 3  4 5 6", "m", 2);
  EXPECT_EQ(timed.num_instants(), 1u);
  EXPECT_EQ(timed.dt, 0.002);
  EXPECT_EQ(timed.at(0, 1, 2), 6);
}

// The whole program of the paper's fig. 6 against the default method, on the example of the
// repository.
TEST(Spacelib, TheExampleHasTheForcesOfTheDefaultMethod) {
  const SpacelibRobot robot = parse_spacelib_robot(contents(models + "stanford.spacelib"), "r");
  const SpacelibMotion motion = parse_spacelib_motion(contents(models + "stanford.motion"), "m", 6);
  ASSERT_EQ(motion.num_instants(), 11u);
  homogeneous::ChainObject chain(to_model(robot, "stanford"));
  Machine<double> machine(compile(read_model(models + "stanford.yaml")));
  for (std::size_t k = 0; k < motion.num_instants(); ++k) {
    std::vector<double> state[3];
    for (std::size_t d = 0; d < 3; ++d) {
      for (std::size_t i = 0; i < 6; ++i) state[d].push_back(motion.at(k, i, d));
    }
    const auto tau = chain.inverse_dynamics(state[0], state[1], state[2]);
    EXPECT_LE(oracle::difference(tau, machine.inverse(state[0], state[1], state[2])), 1e-14);
  }
}

TEST(Spacelib, ExternalActionsAreNoPartOfAModel) {
  std::vector<std::string> warnings;
  parse_spacelib(std::string(two_links) + "0 0 0 0 0 0", "r.dat", &warnings);
  EXPECT_TRUE(warnings.empty());
  parse_spacelib(std::string(two_links) + "0 0 0 0 0 1", "r.dat", &warnings);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0], "r.dat: the external actions are left out; catena spacelib takes them");
}

}  // namespace
}  // namespace catena
