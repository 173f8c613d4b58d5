// Loops, actuators, driven joints, springs and start positions in YAML and URDF, there and back;
// loop files.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "catena/readers/loop_file.hpp"
#include "catena/readers/readers.hpp"
#include "readers/same.hpp"

namespace catena {
namespace {

namespace fs = std::filesystem;

// `tolerance` is for rotations, which URDF writes as angles.
void expect_same_model(const Model& a, const Model& b, double tolerance) {
  ASSERT_EQ(a.loops.size(), b.loops.size());
  for (std::size_t i = 0; i < a.loops.size(); ++i) {
    const Loop &x = a.loops[i], &y = b.loops[i];
    SCOPED_TRACE(x.name);
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.kind, y.kind);
    EXPECT_EQ(x.rod, y.rod);
    EXPECT_EQ(x.body1, y.body1);
    EXPECT_EQ(x.body2, y.body2);
    expect_same(x.X_1L, y.X_1L, tolerance);
    expect_same(x.X_2L, y.X_2L, tolerance);
    const bool has_axis = !x.rod && x.kind != JointKind::fixed && x.kind != JointKind::spherical;
    if (has_axis) expect_same(x.axis, y.axis, 2e-16);
    if (x.kind == JointKind::universal) expect_same(x.axis2, y.axis2, 2e-16);
    EXPECT_EQ(x.pitch, y.pitch);
    EXPECT_EQ(x.length, y.length);
  }
  ASSERT_EQ(a.springs.size(), b.springs.size());
  for (std::size_t i = 0; i < a.springs.size(); ++i) {
    const SpringDamper &x = a.springs[i], &y = b.springs[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.body1, y.body1);
    EXPECT_EQ(x.body2, y.body2);
    expect_same(x.point1, y.point1, 0);
    expect_same(x.point2, y.point2, 0);
    EXPECT_EQ(x.stiffness, y.stiffness);
    EXPECT_EQ(x.damping, y.damping);
    EXPECT_EQ(x.length, y.length);
  }
  ASSERT_EQ(a.actuators.size(), b.actuators.size());
  for (std::size_t i = 0; i < a.actuators.size(); ++i)
    EXPECT_EQ(a.actuators[i].joint, b.actuators[i].joint);
  ASSERT_EQ(a.driven.size(), b.driven.size());
  for (std::size_t i = 0; i < a.driven.size(); ++i) EXPECT_EQ(a.driven[i].joint, b.driven[i].joint);
  ASSERT_EQ(a.start.size(), b.start.size());
  for (std::size_t i = 0; i < a.start.size(); ++i) {
    EXPECT_EQ(a.start[i].joint, b.start[i].joint);
    EXPECT_EQ(a.start[i].q, b.start[i].q);
  }
}

// Every kind of loop between two arms, with awkward numbers.
const char* const every_kind = R"(
name: every kind
bodies:
  - {name: a, mass: 1, inertia: [1, 1, 1]}
  - {name: b, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: ja, type: free, parent: world, child: a}
  - {name: jb, type: universal, parent: world, child: b, axis: x, axis2: y}
loops:
  - {name: r, type: revolute, bodies: [a, b], origin1: {xyz: [0.1, 0.2, 0.3], rpy: [0.3, -0.2, 1.7]}, axis: [0.6, 0, 0.8]}
  - {name: p, type: prismatic, bodies: [a, b], origin2: {xyz: [1/3, 0, 0], rpy: [1, 2, 3]}, axis: -y}
  - {name: s, type: screw, bodies: [a, world], pitch: 1/7, axis: z}
  - {name: c, type: cylindrical, bodies: [world, b], axis: x}
  - {name: u, type: universal, bodies: [a, b], origin1: [1, 0, 0], axis: x, axis2: [0, 0.6, 0.8]}
  - {name: l, type: planar, bodies: [a, b], origin1: [2, 0, 0], axis: z}
  - {name: o, type: spherical, bodies: [a, b], origin1: [3, 0, 0]}
  - {name: f, type: fixed, bodies: [a, b], origin1: [4, 0, 0]}
  - {name: d, type: rod, bodies: [a, b], length: 1/3}
springs:
  - {name: k, bodies: [a, world], point1: [1/3, 0, 0], point2: [0, 0.1, 0], stiffness: 200 N/m, damping: 1/3, length: 30 mm}
actuators: [jb]
driven: [jb, ja]
start: {ja: [0, 0, 1/3, 0, 0, 0, 1], jb: [30 deg, 1/7]}
)";

TEST(Loops, ReadFromYaml) {
  const Model model = parse_yaml(every_kind, "m.yaml");
  validate(model);
  ASSERT_EQ(model.loops.size(), 9u);
  EXPECT_EQ(model.loops[0].kind, JointKind::revolute);
  EXPECT_EQ(model.loops[2].pitch, 1.0 / 7);
  EXPECT_TRUE(model.loops[8].rod);
  EXPECT_EQ(model.loops[8].length, 1.0 / 3);
  ASSERT_EQ(model.driven.size(), 2u);
  EXPECT_EQ(model.driven[1].joint, "ja");
  EXPECT_EQ(model.springs[0].length, 0.03);
  EXPECT_EQ(model.start[1].q[1], 1.0 / 7);
}

TEST(Loops, RoundTripThroughYamlAndUrdf) {
  Model model = parse_yaml(every_kind, "m.yaml");
  expect_same_model(model, parse_yaml(to_yaml(model), "back.yaml"), 2e-16);
  std::vector<std::string> warnings;
  const Model back = parse_urdf(to_urdf(model, &warnings), "back.urdf");
  expect_same_model(model, back, 1e-15);
  EXPECT_FALSE(warnings.empty());
  expect_same_model(model, parse_yaml(to_yaml(back), "again.yaml"), 1e-15);
}

TEST(Loops, EveryMachineKeepsThemInBothFormats) {
  int machines = 0;
  for (const auto& entry : fs::directory_iterator(CATENA_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    const Model model = read_model(entry.path().string());
    if (!model.closed()) continue;
    SCOPED_TRACE(entry.path().filename());
    expect_same_model(model, parse_yaml(to_yaml(model), "back.yaml"), 2e-16);
    const Model back = parse_urdf(to_urdf(model), "back.urdf");
    validate(back);
    expect_same_model(model, back, 1e-15);
    ++machines;
  }
  EXPECT_GE(machines, 14);
}

TEST(Loops, ReadFromUrdfAsOthersWriteThem) {
  const Model model = parse_urdf(R"(<robot name="r">
    <link name="base"/><link name="a"/><link name="b"/>
    <joint name="ja" type="continuous"><parent link="base"/><child link="a"/></joint>
    <joint name="jb" type="continuous"><parent link="base"/><child link="b"/></joint>
    <loop name="tip" type="continuous">
      <predecessor link="a"><origin xyz="1 2 3" rpy="0 0 1.5707963267948966"/></predecessor>
      <successor link="b"/>
    </loop>
    <loop name="ball" type="ball">
      <predecessor link="a"/><successor link="b"><origin xyz="0 0 1"/></successor>
    </loop></robot>)",
                                 "r.urdf");
  ASSERT_EQ(model.loops.size(), 2u);
  const Loop& tip = model.loops[0];
  EXPECT_EQ(tip.kind, JointKind::revolute);
  expect_same(tip.axis, {1, 0, 0}, 0);  // URDF's default
  expect_same(tip.X_1L.p, {1, 2, 3}, 0);
  expect_same(tip.X_1L.R.x, {0, 1, 0}, 0);
  expect_same(tip.X_2L, {}, 0);
  EXPECT_EQ(model.loops[1].kind, JointKind::spherical);
  EXPECT_EQ(model.loops[1].body2, "b");
}

const char* const two_arms = R"(<robot name="r"><link name="base"/><link name="a"/><link name="b"/>
  <joint name="mot" type="continuous"><parent link="base"/><child link="a"/></joint>
  <joint name="tip_B" type="continuous"><parent link="base"/><child link="b"/></joint></robot>)";

TEST(LoopFile, NamesLinksOrJointsAndMotors) {
  Model model = parse_urdf(two_arms, "r.urdf");
  parse_loop_file("closed_loop: [[a, b], ['a', 'tip_B']]\ntype: ['6d', '3d']\nname_mot: ['mot']\n",
                  "r.yaml", model);
  ASSERT_EQ(model.loops.size(), 2u);
  EXPECT_EQ(model.loops[0].kind, JointKind::fixed);
  EXPECT_EQ(model.loops[0].name, "a-b");
  EXPECT_EQ(model.loops[1].kind, JointKind::spherical);
  EXPECT_EQ(model.loops[1].body2, "b");  // what the joint moves
  ASSERT_EQ(model.actuators.size(), 1u);
  EXPECT_EQ(model.actuators[0].joint, "mot");
}

TEST(LoopFile, IsFoundBesideTheUrdfUnlessItIsAModel) {
  const fs::path folder = fs::temp_directory_path() / "catena-loop-file";
  fs::create_directories(folder);
  const auto write = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
  };
  write("r.urdf", two_arms);
  write("r.yaml", "name: r\nnote: a model of its own\n");
  EXPECT_TRUE(read_model((folder / "r.urdf").string()).loops.empty());
  write("r.yaml", "closed_loop: [[a, b]]\ntype: ['3d']\n");
  EXPECT_EQ(read_model((folder / "r.urdf").string()).loops.size(), 1u);
  fs::remove_all(folder);
}

TEST(LoopFile, SaysWhatIsWrong) {
  const auto message = [](const std::string& text) -> std::string {
    Model model = parse_urdf(two_arms, "r.urdf");
    try {
      parse_loop_file(text, "r.yaml", model);
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  };
  EXPECT_EQ(
      message("closed_loop: [[a, tipB]]\ntype: [6d]\n"),
      "r.yaml:1:19: 'tipB' is neither a link nor a joint of the robot (did you mean 'tip_B'?)\n"
      "    name a link, or a joint whose moving frame is meant");
  EXPECT_EQ(message("closed_loop: [[a, b]]\ntype: [6d, 6d]\n"),
            "r.yaml:2:7: 'type' has 2 entries, but 'closed_loop' has 1\n"
            "    write '6d' or '3d' for each pair");
  EXPECT_EQ(message("closed_loop: [[a, b]]\ntype: [5d]\n"),
            "r.yaml:2:8: unknown type '5d'\n"
            "    write 6d (frames coincide) or 3d (only their origins)");
  EXPECT_EQ(message("closed_loop: [[a]]\ntype: [6d]\n"),
            "r.yaml:1:15: a loop names 1 frames, not two\n    write [one, other]");
}

// A body with two parents is a loop in YAML, and an error in URDF, which knows trees only.
TEST(Loops, GraphsInYamlAreCut) {
  const fs::path folder = fs::temp_directory_path() / "catena-graph";
  fs::create_directories(folder);
  std::ofstream(folder / "g.yaml") << R"(
bodies:
  - {name: crank, mass: 1, inertia: [1, 1, 1]}
  - {name: coupler, mass: 1, inertia: [1, 1, 1]}
  - {name: rocker, mass: 1, inertia: [1, 1, 1]}
joints:
  - {name: one, type: revolute, parent: world, child: crank, axis: z}
  - {name: two, type: revolute, parent: crank, child: coupler, axis: z, origin: [0.3, 0, 0]}
  - {name: three, type: revolute, parent: rocker, child: coupler, axis: z, origin: [0.7, 0, 0], child_origin: [-0.9, 0, 0], limits: {lower: -1, upper: 1}}
  - {name: four, type: revolute, parent: rocker, child: world, axis: z, child_origin: [-1, 0, 0]}
actuators: [one]
start: {one: 1, two: -0.5, three: 0.1, four: -1.2}
)";
  std::vector<std::string> warnings;
  const Model model = read_model((folder / "g.yaml").string(), {}, &warnings);
  ASSERT_EQ(model.loops.size(), 1u);
  EXPECT_EQ(model.loops[0].name, "three");
  expect_same(model.loops[0].X_2L.p, {0.9, 0, 0}, 0);
  ASSERT_EQ(model.joints.size(), 3u);
  EXPECT_EQ(model.joints[2].parent, "world");
  expect_same(model.joints[2].X_PJ.p, {1, 0, 0}, 0);
  expect_same(model.joints[2].axis, {0, 0, -1}, 0);
  EXPECT_EQ(model.start.size(), 3u);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("joint 'three' is cut to open a loop, and its limits are lost"),
            std::string::npos);
  fs::remove_all(folder);
}

}  // namespace
}  // namespace catena
