// Model to URDF and back: the same numbers. And all the sample robots, where they are at hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "catena/readers/readers.hpp"
#include "catena/readers/text_file.hpp"
#include "readers/same.hpp"

namespace catena {
namespace {

namespace fs = std::filesystem;

// Bit for bit, but for rotations, which URDF writes as angles.
void expect_same_model(const Model& a, const Model& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.note, b.note);
  EXPECT_EQ(a.ground, b.ground);
  expect_same(a.gravity, b.gravity, 0);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const Body &x = a.bodies[i], &y = b.bodies[i];
    SCOPED_TRACE(x.name);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.mass, y.mass);
    if (x.mass != 0) expect_same(x.com, y.com, 0);
    expect_same({x.inertia.xx, x.inertia.xy, x.inertia.xz},
                {y.inertia.xx, y.inertia.xy, y.inertia.xz}, 0);
    expect_same({x.inertia.yy, x.inertia.yz, x.inertia.zz},
                {y.inertia.yy, y.inertia.yz, y.inertia.zz}, 0);
  }
  ASSERT_EQ(a.joints.size(), b.joints.size());
  for (std::size_t i = 0; i < a.joints.size(); ++i) {
    const Joint &x = a.joints[i], &y = b.joints[i];
    SCOPED_TRACE(x.name);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.parent, y.parent);
    EXPECT_EQ(x.child, y.child);
    expect_same(x.X_PJ, y.X_PJ, 1e-15);
    expect_same(x.X_MB, y.X_MB, 1e-15);
    if (x.kind == JointKind::fixed) continue;
    if (x.kind != JointKind::spherical && x.kind != JointKind::free) {
      expect_same(x.axis, y.axis, 2e-16);
    }
    if (x.kind == JointKind::universal) expect_same(x.axis2, y.axis2, 2e-16);
    if (x.kind == JointKind::screw) {
      EXPECT_EQ(x.pitch, y.pitch);
    }
    EXPECT_EQ(x.limits.lower, y.limits.lower);
    EXPECT_EQ(x.limits.upper, y.limits.upper);
    EXPECT_EQ(x.limits.velocity, y.limits.velocity);
    EXPECT_EQ(x.limits.effort, y.limits.effort);
    EXPECT_EQ(x.dynamics.stiffness, y.dynamics.stiffness);
    EXPECT_EQ(x.dynamics.rest, y.dynamics.rest);
    EXPECT_EQ(x.dynamics.viscous, y.dynamics.viscous);
    EXPECT_EQ(x.dynamics.coulomb, y.dynamics.coulomb);
    EXPECT_EQ(x.dynamics.rotor_inertia, y.dynamics.rotor_inertia);
    EXPECT_EQ(x.dynamics.gear_ratio, y.dynamics.gear_ratio);
    ASSERT_EQ(x.mimic.has_value(), y.mimic.has_value());
    if (!x.mimic) continue;
    EXPECT_EQ(x.mimic->joint, y.mimic->joint);
    EXPECT_EQ(x.mimic->multiplier, y.mimic->multiplier);
    EXPECT_EQ(x.mimic->offset, y.mimic->offset);
  }
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    EXPECT_EQ(a.frames[i].name, b.frames[i].name);
    EXPECT_EQ(a.frames[i].body, b.frames[i].body);
    expect_same(a.frames[i].X_BF, b.frames[i].X_BF, 1e-15);
  }
}

class Random {
 public:
  double number() { return std::uniform_real_distribution<>(-1, 1)(engine_); }
  Vec3<double> vector() { return {number(), number(), number()}; }
  Vec3<double> direction() {
    const Vec3<double> v = vector();
    return 1 / std::sqrt(dot(v, v)) * v;
  }
  Pose<double> pose() { return {rotation_about(direction(), 3 * number()), vector()}; }

 private:
  std::mt19937 engine_{1};
};

// A chain with every kind of joint, everything set, frames on every body and names that are
// awkward.
Model everything() {
  Random random;
  Model model;
  model.name = "all & \"everything\" <here>";
  model.note = "first line\n  second <line> & more";
  model.gravity = {0.1, -0.2, -1.62};
  model.ground = "ground";
  model.bodies.push_back({"ground", 0, {}, {}, {}});
  std::string parent = model.ground;
  for (const JointKind kind : joint_kinds()) {
    for (const bool mounted : {false, true}) {
      Joint joint;
      joint.kind = kind;
      joint.name = std::string(to_string(kind)) + (mounted ? " mounted" : "");
      joint.parent = parent;
      joint.child = parent = "after " + joint.name;
      joint.X_PJ = random.pose();
      if (mounted) joint.X_MB = random.pose();
      joint.axis = random.direction();
      joint.axis2 = random.direction();
      joint.pitch = random.number();
      joint.limits.velocity = 3;
      if (mounted) joint.limits = {-0.1, kind == JointKind::screw ? 0.3 : HUGE_VAL, HUGE_VAL, 7};
      const bool quaternion = kind == JointKind::spherical || kind == JointKind::free;
      joint.dynamics.viscous = 0.3;
      if (!quaternion) joint.dynamics.coulomb = 0.1;
      if (!quaternion && mounted) joint.dynamics = {2, 0.7, 0.1, 0.2, 1e-5, -120.5};
      if (kind == JointKind::prismatic && mounted) joint.mimic = Mimic{"revolute", -0.3, 0.25};
      model.joints.push_back(joint);
      model.bodies.push_back({joint.child,
                              1 + random.number() / 3,
                              random.vector(),
                              {1, 0.1, 0.2, 1.1, 0.3, 1.2},
                              {}});
      model.frames.push_back({"on " + joint.child, joint.child, random.pose(), {}});
    }
  }
  return model;
}

TEST(UrdfRoundTrip, EveryJointAndFrameComesBack) {
  const Model model = everything();
  ASSERT_TRUE(validate(model).empty());
  const Model back = parse_urdf(to_urdf(model), "back.urdf");
  EXPECT_TRUE(validate(back).empty());
  expect_same_model(model, back);
}

TEST(UrdfRoundTrip, TheGroundGetsALinkAndExtraNamesAreUnique) {
  Model model;
  model.bodies = {{"a", 1, {}, {}, {}}, {"a_joint", 1, {}, {}, {}}};
  Joint joint;
  joint.name = "a_mount";
  joint.kind = JointKind::revolute;
  joint.parent = "world";
  joint.child = "a";
  joint.X_MB.p = {1, 2, 3};
  model.joints = {joint};
  joint.name = "j";
  joint.parent = "a";
  joint.child = "a_joint";
  model.joints.push_back(joint);
  const Model back = parse_urdf(to_urdf(model), "back");
  EXPECT_TRUE(validate(back).empty());
  model.bodies.insert(model.bodies.begin(), {"world", 0, {}, {}, {}});
  expect_same_model(model, back);
}

TEST(UrdfRoundTrip, AMountThatCarriesMoreIsLeftAsItIs) {
  std::string text = to_urdf(everything());
  const std::string mount = "after revolute mounted_joint";
  text.insert(text.rfind("</robot>"),
              "<link name='new'/><joint name='new' type='fixed'><parent link='" + mount +
                  "'/><child link='new'/></joint>");
  const Model back = parse_urdf(text, "back");
  EXPECT_TRUE(validate(back).empty());
  EXPECT_EQ(back.bodies.size(), everything().bodies.size() + 2);
}

TEST(UrdfRoundTrip, WhatOtherProgramsWillIgnoreIsSaid) {
  Model model;
  model.gravity = {};
  model.bodies = {{"a", 1, {}, {}, {}}};
  Joint joint;
  joint.name = "j";
  joint.kind = JointKind::screw;
  joint.pitch = 1;
  joint.parent = "world";
  joint.child = "a";
  joint.dynamics.stiffness = 1;
  model.joints = {joint};
  std::vector<std::string> warnings;
  to_urdf(model, &warnings);
  EXPECT_EQ(warnings,
            (std::vector<std::string>{
                "gravity is written as <catena gravity=\"...\"/>, which other programs ignore",
                "joint 'j': URDF has no screw joint; written as continuous with <catena "
                "kind=\"screw\"/>, which other programs ignore",
                "joint 'j': spring and rotor are written as <catena .../>, which other programs "
                "ignore"}));
}

fs::path samples() {
  if (const char* folder = std::getenv("CATENA_SHARED_DIR")) return fs::path(folder) / "models";
#ifdef CATENA_SHARED_DIR
  return fs::path(CATENA_SHARED_DIR) / "models";
#else
  return {};
#endif
}

// Passes where the folder is missing.
TEST(UrdfRoundTrip, AllSampleRobotsLoadAndComeBack) {
  // Links whose inertia no real body can have.
  const std::set<std::string> unphysical{"allegro_right_hand", "hyq_no_sensors", "icub", "pr2",
                                         "talos_reduced"};
  const std::map<std::string, int> coordinates{{"allegro_right_hand", 16},
                                               {"double_pendulum", 2},
                                               {"hyq_no_sensors", 12},
                                               {"icub", 32},
                                               {"kinova", 6},
                                               {"panda", 8},
                                               {"pr2", 20},
                                               {"simple_humanoid", 29},
                                               {"solo12", 12},
                                               {"talos_reduced", 32},
                                               {"ur5_robot", 6},
                                               {"5bar_linkage", 6},
                                               {"cassie_like", 19},
                                               {"digit_like", 27},
                                               {"kangaroo_like", 63},
                                               {"robot_delta", 14},
                                               {"talos_like", 13}};
  std::error_code missing;
  for (fs::recursive_directory_iterator it(samples(), missing), end; it != end; ++it) {
    if (it->path().extension() != ".urdf") continue;
    const std::string stem = it->path().stem().string();
    const std::string name = stem == "robot" ? it->path().parent_path().filename().string() : stem;
    SCOPED_TRACE(name);
    const Model model = parse_urdf(read_text_file(it->path().string()), name + ".urdf");
    EXPECT_EQ(validate(model, true).empty(), unphysical.count(name) == 0);
    EXPECT_EQ(model.bodies.size(), model.joints.size() + 1);
    int nv = 0;
    for (const Joint& joint : model.joints) nv += joint.mimic ? 0 : num_velocities(joint.kind);
    if (coordinates.count(name)) {
      EXPECT_EQ(nv, coordinates.at(name));
    }
    std::vector<std::string> warnings;
    expect_same_model(model, parse_urdf(to_urdf(model, &warnings), name + " back"));
    EXPECT_TRUE(warnings.empty());
  }
}

}  // namespace
}  // namespace catena
