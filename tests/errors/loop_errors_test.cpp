// What is said about loops, actuators, springs and start positions that cannot be.
#include <gtest/gtest.h>

#include "catena/loops/closed_mechanism.hpp"
#include "catena/readers/readers.hpp"

namespace catena {
namespace {

const std::string arms =
    "bodies:\n"
    "  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
    "  - {name: b, mass: 1, inertia: [1, 1, 1]}\n"
    "  - {name: tool, mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n"
    "  - {name: ja, type: revolute, parent: world, child: a, axis: z}\n"
    "  - {name: jb, type: revolute, parent: world, child: b, axis: z, origin: [1, 0, 0]}\n"
    "  - {name: weld, type: fixed, parent: b, child: tool}\n";  // line 8

std::string message(const std::string& more) {
  try {
    const Model model = parse_yaml(arms + more, "m.yaml");
    validate(model);
    compile_closed(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}
std::string loop(const std::string& keys) {
  return message("loops:\n  - {name: l, " + keys + "}\n");
}

TEST(LoopErrors, TheFrameOfTheseTestsIsRight) {
  EXPECT_EQ(loop("type: revolute, bodies: [a, b], axis: z"), "no error");
}

TEST(LoopErrors, BothEndsOnOneBody) {
  EXPECT_EQ(loop("type: revolute, bodies: [a, a], axis: z"),
            "m.yaml:10:5: loop 'l': both ends are on body 'a'\n    name two different bodies");
  EXPECT_EQ(
      loop("type: revolute, bodies: [tool, b], axis: z"),
      "m.yaml:10:5: loop 'l': bodies 'tool' and 'b' are one rigid body already, through fixed "
      "joints\n    remove the loop, or name bodies that can move against each other");
}

TEST(LoopErrors, BodiesThatDoNotExist) {
  EXPECT_EQ(loop("type: revolute, bodies: [a, tol], axis: z"),
            "m.yaml:10:5: loop 'l': its body 'tol' does not exist (did you mean 'tool'?)\n"
            "    name a body of the model");
  EXPECT_EQ(loop("type: revolute, bodies: [a], axis: z"),
            "m.yaml:10:39: loop 'l': 'bodies' names 1, but stands between two\n"
            "    write bodies: [one, other]");
}

TEST(LoopErrors, TheSameLoopTwice) {
  const std::string first =
      "loops:\n  - {name: l, type: spherical, bodies: [a, b], origin1: [1, 0, 0]}\n";
  EXPECT_EQ(message(first + "  - {name: k, type: spherical, bodies: [a, b], origin1: [1, 0, 0]}\n"),
            "m.yaml:11:5: loop 'k': it closes the same loop as 'l'\n"
            "    the first is at m.yaml:10:5; remove one of them");
  EXPECT_EQ(message(first + "  - {name: k, type: spherical, bodies: [b, a], origin2: [1, 0, 0]}\n"),
            "m.yaml:11:5: loop 'k': it closes the same loop as 'l'\n"
            "    the first is at m.yaml:10:5; remove one of them");
  EXPECT_EQ(message(first + "  - {name: k, type: spherical, bodies: [b, a], origin1: [1, 0, 0]}\n"),
            "no error");
  EXPECT_EQ(message(first + "  - {name: ja, type: spherical, bodies: [a, b]}\n"),
            "m.yaml:11:5: loop 'ja': a joint has this name, too\n"
            "    the first is at m.yaml:6:5; reactions are named after both; give it another");
}

TEST(LoopErrors, RodsScrewsAndFreeJoints) {
  EXPECT_EQ(loop("type: rod, bodies: [a, b], length: 0"),
            "m.yaml:10:5: loop 'l': its length is 0\n"
            "    a rod needs a length above zero; two points that coincide are a spherical joint");
  EXPECT_EQ(loop("type: free, bodies: [a, b]"),
            "m.yaml:10:5: loop 'l': a free joint closes nothing\n    remove the loop");
}

TEST(LoopErrors, ActuatorsSpringsAndStart) {
  EXPECT_EQ(message("actuators: [ja, jc]\n"),
            "m.yaml:9:17: actuator: 'jc' is not a joint of the model (did you mean 'ja'?)\n"
            "    name a joint of the tree");
  EXPECT_EQ(message("actuators: [ja, ja]\n"),
            "m.yaml:9:17: actuator: joint 'ja' is named twice\n    remove one of the two");
  EXPECT_EQ(message("driven: [jc]\n"),
            "m.yaml:9:10: driven: 'jc' is not a joint of the model (did you mean 'ja'?)\n"
            "    name a joint of the tree");
  EXPECT_EQ(message("driven: [ja, ja]\n"),
            "m.yaml:9:14: driven: joint 'ja' is named twice\n    remove one of the two");
  EXPECT_EQ(message("driven: [weld]\n"),
            "m.yaml:9:10: driven: joint 'weld' is fixed\n    name a joint that moves");
  EXPECT_EQ(message("springs:\n  - {name: s, bodies: [a, a], stiffness: 1}\n"),
            "m.yaml:10:5: spring 's': both ends are on body 'a'\n    name two different bodies");
  EXPECT_EQ(message("start: {ja: [1, 2]}\n"),
            "m.yaml:9:9: start: joint 'ja' has 1 coordinates, but 2 are given\n"
            "    write a list of as many numbers");
  EXPECT_EQ(message("start: {jaa: 1}\n").substr(0, 75),
            "m.yaml:9:9: start: 'jaa' is not a joint of the model (did you mean 'ja'?)");
}

std::string urdf(const std::string& inside) {
  try {
    validate(parse_urdf(
        "<robot name='r'><link name='o'/><link name='a'/><link name='b'/>\n"
        "<joint name='ja' type='continuous'><parent link='o'/><child link='a'/></joint>\n"
        "<joint name='jb' type='continuous'><parent link='o'/><child link='b'/></joint>\n" +
            inside + "\n</robot>",
        "r.urdf"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(LoopErrors, InUrdf) {
  const std::string ends = "<predecessor link='a'/><successor link='b'/>";
  EXPECT_EQ(urdf("<loop name='l' type='fixed'>" + ends + "</loop>"), "no error");
  EXPECT_EQ(urdf("<loop name='l' type='fixed'><predecessor link='a'/></loop>"),
            "r.urdf:4:1: loop 'l': it has no <successor>\n"
            "    write <successor link=\"...\"><origin .../></successor>");
  EXPECT_EQ(urdf("<loop name='l' type='rod'>" + ends + "</loop>"),
            "r.urdf:4:1: loop 'l': a rod needs length\n    write <catena length=\"...\"/> in it");
  EXPECT_EQ(urdf("<loop name='l' type='revolut'>" + ends + "</loop>").substr(0, 73),
            "r.urdf:4:16: loop 'l': unknown joint type 'revolut' (did you mean 'revolu");
  EXPECT_EQ(urdf("<lop name='l' type='fixed'>" + ends + "</lop>").substr(0, 62),
            "r.urdf:4:1: robot: unknown element <lop> (did you mean 'loop'?");
  EXPECT_EQ(urdf("<catena><start joint='ja' q='1 x'/></catena>"),
            "r.urdf:4:27: robot: q=\"1 x\" is not a list of numbers\n"
            "    write numbers with blanks between them");
}

}  // namespace
}  // namespace catena
