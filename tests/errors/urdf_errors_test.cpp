// What the URDF reader says about files that cannot be read, as text.
#include <gtest/gtest.h>

#include "catena/readers/readers.hpp"

namespace catena {
namespace {

std::string message(const std::string& text) {
  try {
    validate(parse_urdf(text, "arm.urdf"));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// Line 1 and 2 are the robot and its links, line 3 the joint, line 4 what is put into it.
std::string joint(const std::string& inside,
                  const std::string& attributes = "name='j' type='revolute'",
                  const std::string& ends = "<parent link='a'/><child link='b'/>") {
  return "<robot name='r'>\n<link name='a'/><link name='b'/>\n<joint " + attributes + ">" + ends +
         "\n  " + inside + "\n</joint>\n</robot>\n";
}
// Line 3 is the link, line 4 what is put into it.
std::string link(const std::string& inside) {
  return "<robot name='r'>\n<link name='a'/>\n<link name='b'>\n  " + inside +
         "\n</link>\n<joint name='j' type='revolute'><parent link='a'/><child link='b'/></joint>"
         "</robot>\n";
}

TEST(UrdfErrors, TheFramesOfTheseTestsAreRight) {
  EXPECT_EQ(message(joint("")), "no error");
  EXPECT_EQ(message(link("")), "no error");
}

TEST(UrdfErrors, EmptyAndBinaryFiles) {
  EXPECT_EQ(message(" \n").substr(0, 27), "arm.urdf: the file is empty");
  EXPECT_EQ(message(std::string("<robot>\n\0</robot>", 17)),
            "arm.urdf:2: the file is not text: it has a zero byte here\n"
            "    give a model written as UTF-8 text");
  EXPECT_EQ(message("\n joints:\n"),
            "arm.urdf:2:2: this is not XML: it does not begin with '<'\n"
            "    give a URDF file, which begins with <robot name=\"...\">");
  EXPECT_EQ(message("<!-- nothing -->"),
            "arm.urdf:1:1: the file has no element\n    a URDF file has a <robot>");
}

TEST(UrdfErrors, TruncatedFilesSayWhatIsOpen) {
  const std::string whole = joint("<axis xyz='0 0 1'/>");
  EXPECT_EQ(message(whole.substr(0, whole.find("xyz") + 6)),
            "arm.urdf:4:3: the tag <axis is not closed\n"
            "    close the quotes of its attributes, and the tag with '>'");
  EXPECT_EQ(message(whole.substr(0, whole.find("</joint>"))),
            "arm.urdf:3:1: <joint> is not closed before the end of the file\n"
            "    add </joint>, or get the whole file if it was cut off");
  EXPECT_EQ(message("<robot name='r'>\n <!-- "),
            "arm.urdf:2:2: what begins here with '<!' is not closed\n    close it with -->");
  // wherever it is cut, there is a message with a place, and never a model
  for (std::size_t size = 0; size + 2 < whole.size(); ++size) {
    EXPECT_EQ(message(whole.substr(0, size)).rfind("arm.urdf:", 0), 0u) << size;
  }
}

TEST(UrdfErrors, TagsThatDoNotMatch) {
  EXPECT_EQ(message("<robot name='r'>\n  <link name='a'>\n</robot>"),
            "arm.urdf:3:1: </robot> stands where </link> is expected\n"
            "    close the <link> of line 2 first");
  EXPECT_EQ(message("<robot name='r'/></robot>"),
            "arm.urdf:1:18: </robot> closes nothing\n    remove it");
  EXPECT_EQ(
      message("<robot name='r'/>\n<robot name='s'/>"),
      "arm.urdf:2:1: a second root element <robot> begins here\n    keep one robot in a file");
  EXPECT_EQ(message("<robot name='r'>\n<link name=a/>\n</robot>"),
            "arm.urdf:2: an attribute is not well-formed\n"
            "    an XML checker such as xmllint shows more");
}

TEST(UrdfErrors, DeepNestingStopsEarly) {
  std::string deep;
  for (int i = 0; i < 100000; ++i) deep += "<a>";
  EXPECT_EQ(message(deep),
            "arm.urdf:1:271: the elements are nested more than 90 deep\n"
            "    no URDF needs that; is this the file you meant?");
}

TEST(UrdfErrors, OtherXmlIsNamed) {
  EXPECT_EQ(message("<sdf version='1.6'/>"),
            "arm.urdf:1:1: this is an SDF file (<sdf>), not URDF (<robot>)\n"
            "    export or convert the robot to URDF");
  EXPECT_EQ(message("<mujoco/>"),
            "arm.urdf:1:1: this is a MuJoCo file (<mujoco>), not URDF (<robot>)\n"
            "    export or convert the robot to URDF");
  EXPECT_EQ(message("<?xml version='1.0'?>\n<robto/>"),
            "arm.urdf:2:1: the root element is <robto>, but a URDF file has <robot> (did you mean "
            "'robot'?)\n    export or convert the robot to URDF");
}

TEST(UrdfErrors, XacroHasToBeRunFirst) {
  const std::string remedy = "\n    run xacro first: xacro robot.urdf.xacro > robot.urdf";
  EXPECT_EQ(message("<robot name='r'>\n <xacro:macro name='leg'/></robot>"),
            "arm.urdf:2:2: robot: <xacro:macro> has not been expanded" + remedy);
  EXPECT_EQ(message(link("<xacro:box_inertia m='1'/>")),
            "arm.urdf:4:3: link 'b': <xacro:box_inertia> has not been expanded" + remedy);
  EXPECT_EQ(message(joint("<origin xyz='0 0 ${l}'/>")),
            "arm.urdf:4:11: joint 'j': xyz=\"0 0 ${l}\" has not been expanded" + remedy);
  EXPECT_EQ(message("<robot name='r'><link name='${p}_a'/></robot>"),
            "arm.urdf:1:23: a link: name=\"${p}_a\" has not been expanded" + remedy);
}

TEST(UrdfErrors, TypingMistakesAreFound) {
  const std::string element = "\n    correct the spelling, or remove the element";
  EXPECT_EQ(message(joint("<orgin xyz='0 0 1'/>")),
            "arm.urdf:4:3: joint 'j': unknown element <orgin> (did you mean 'origin'?)" + element);
  EXPECT_EQ(
      message(link("<inertia/>")),
      "arm.urdf:4:3: link 'b': unknown element <inertia> (did you mean 'inertial'?)" + element);
  EXPECT_EQ(message(link("<inertial><Mass value='1'/></inertial>")),
            "arm.urdf:4:13: link 'b': unknown element <Mass> (did you mean 'mass'?)" + element);
  EXPECT_EQ(message("<robot name='r'>\n<jont name='j'/></robot>"),
            "arm.urdf:2:1: robot: unknown element <jont> (did you mean 'joint'?)" + element);
  const std::string attribute = "\n    correct the spelling, or remove the attribute";
  EXPECT_EQ(
      message(joint("<axis xzy='0 0 1'/>")),
      "arm.urdf:4:9: joint 'j': <axis> has no attribute 'xzy' (did you mean 'xyz'?)" + attribute);
  EXPECT_EQ(
      message(link(
          "<inertial><mass value='1'/>\n<inertia ixx='1' ixy='0' ixz='0' iyy='1' izz='1' izy='1'/>"
          "</inertial>")),
      "arm.urdf:5:50: link 'b': <inertia> has no attribute 'izy' (did you mean 'iyz'?)" +
          attribute);
  EXPECT_EQ(
      message(joint("<catena stifness='1'/>")),
      "arm.urdf:4:11: joint 'j': <catena> has no attribute 'stifness' (did you mean "
      "'stiffness'?)\n    here it can have: kind, pitch, axis2, stiffness, rest, rotor_inertia, "
      "gear_ratio, role");
}

TEST(UrdfErrors, JointsAreComplete) {
  EXPECT_EQ(message(joint("", "type='fixed'")),
            "arm.urdf:3:1: a joint: <joint> has no name\n    write <joint name=\"...\">");
  EXPECT_EQ(message(joint("", "name='j'")),
            "arm.urdf:3:1: joint 'j': <joint> has no type\n    write <joint type=\"...\">");
  EXPECT_EQ(message(joint("", "name='j' type='revolut'")),
            "arm.urdf:3:17: joint 'j': unknown joint type 'revolut' (did you mean 'revolute'?)\n"
            "    write one of revolute, continuous, prismatic, fixed, floating, planar, screw, "
            "cylindrical, universal, spherical, ball, free");
  EXPECT_EQ(message(joint("", "name='j' type='fixed'", "<parent link='a'/>")),
            "arm.urdf:3:1: joint 'j': it has no <child>\n    write <child link=\"...\"/>");
  EXPECT_EQ(message(joint("", "name='j' type='fixed'", "<parent>a</parent><child link='b'/>")),
            "arm.urdf:3:30: joint 'j': <parent> has no link\n    write <parent link=\"...\">");
}

TEST(UrdfErrors, AZeroAxisIsNoDirection) {
  EXPECT_EQ(message(joint("<axis xyz='0 0 0'/>")),
            "arm.urdf:4:3: joint 'j': axis is (0 0 0), but a revolute joint needs a direction\n"
            "    write e.g. xyz=\"0 0 1\", or type=\"fixed\" if the joint does not move");
}

TEST(UrdfErrors, NumbersAreNumbers) {
  const std::string remedy =
      "\n    write numbers such as 0.5 or -1e-3, with a point and without units";
  EXPECT_EQ(message(joint("<limit lower='low' upper='1'/>")),
            "arm.urdf:4:10: joint 'j': lower=\"low\" in <limit> is not a number" + remedy);
  EXPECT_EQ(message(joint("<dynamics damping='0,5'/>")),
            "arm.urdf:4:13: joint 'j': damping=\"0,5\" in <dynamics> is not a number" + remedy);
  EXPECT_EQ(message(joint("<origin rpy='0 0 90deg'/>")),
            "arm.urdf:4:11: joint 'j': rpy=\"0 0 90deg\" in <origin> has '90deg', which is not a "
            "number" +
                remedy);
  for (const char* bad : {"0x10", "1e", "--1", "+-1", "1f", "e5", "1.2.3",
                          "\xE2\x88\x92"
                          "1",
                          "."}) {
    EXPECT_EQ(message(joint("<dynamics damping='" + std::string(bad) + "'/>")),
              "arm.urdf:4:13: joint 'j': damping=\"" + std::string(bad) +
                  "\" in <dynamics> is not a number" + remedy);
  }
  EXPECT_EQ(message(joint("<axis xyz='0 1'/>")),
            "arm.urdf:4:9: joint 'j': xyz=\"0 1\" in <axis> has 2 numbers, but needs 3\n"
            "    write 3 numbers with blanks between");
  EXPECT_EQ(message(joint("<axis xyz=''/>")),
            "arm.urdf:4:9: joint 'j': xyz=\"\" in <axis> has 0 numbers, but needs 3\n"
            "    write 3 numbers with blanks between");
  EXPECT_EQ(message(joint("<mimic joint='k' offset='1 2'/>")),
            "arm.urdf:4:20: joint 'j': offset=\"1 2\" in <mimic> has 2 numbers, but needs 1\n"
            "    write one number");
}

TEST(UrdfErrors, NumbersAreFinite) {
  EXPECT_EQ(
      message(link("<inertial>\n<mass value='nan'/></inertial>")),
      "arm.urdf:5:7: link 'b': value=\"nan\" in <mass> is not finite\n    write a finite number");
  EXPECT_EQ(message(joint("<origin\n   xyz='0 0 1'\n   rpy='0 inf 0'/>")),
            "arm.urdf:6:4: joint 'j': rpy=\"0 inf 0\" in <origin> is not finite\n"
            "    write three finite numbers");
  EXPECT_EQ(message(joint("<limit upper='nan'/>")),
            "arm.urdf:4:10: joint 'j': upper=\"nan\" in <limit> is not a number\n"
            "    write a number, or remove the attribute");
  EXPECT_EQ(message(joint("<origin quat_xyzw='0 0 0 2'/>")),
            "arm.urdf:4:11: joint 'j': quat_xyzw=\"0 0 0 2\" in <origin> has length 2, but a "
            "rotation has length 1\n    divide it by its length; the order is x y z w");
}

TEST(UrdfErrors, MassesAndInertiasAreThoseOfRealBodies) {
  EXPECT_EQ(message(link("<inertial><mass value='-1'/></inertial>")),
            "arm.urdf:4:19: link 'b': the mass is -1, but it cannot be negative\n"
            "    write the mass in kg; 0 is possible for a link that is only a frame");
  EXPECT_EQ(message(link("<inertial/>")),
            "arm.urdf:4:3: link 'b': <inertial> has no <mass>\n"
            "    write <mass value=\"...\"/>, or remove <inertial> if the link has no mass");
  EXPECT_EQ(message(link("<inertial><mass>1</mass></inertial>")),
            "arm.urdf:4:13: link 'b': <mass> has no value\n    write <mass value=\"...\">");
  EXPECT_EQ(
      message(link("<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='3'/></inertial>")),
      "arm.urdf:3:1: body 'b': the principal moments of inertia are 1, 1, 3, but none can be "
      "larger than the sum of the other two\n    correct the inertia (kg m^2, about the mass "
      "centre), or compute with it as it is: --allow-unphysical");
}

TEST(UrdfErrors, LinksFormOneTree) {
  const std::string a = "<robot name='r'>\n<link name='a'/>\n<link name='b'/>\n<link name='c'/>\n";
  const auto connect = [](const std::string& name, const std::string& parent,
                          const std::string& child) {
    return "<joint name='" + name + "' type='fixed'><parent link='" + parent + "'/><child link='" +
           child + "'/></joint>\n";
  };
  EXPECT_EQ(message(a + connect("j", "a", "b") + "</robot>"),
            "arm.urdf:4:1: body 'c' is a second root beside the ground 'a': no joint has it as its "
            "child\n    connect it with a joint (fixed if it does not move), or remove it");
  EXPECT_EQ(
      message(a + connect("j", "a", "b") + connect("k", "b", "a") + connect("l", "b", "c") +
              "</robot>"),
      "arm.urdf:6:1: the joints go round in a cycle: 'a' on 'b' on 'a'\n"
      "    turn one of these joints round or remove it: a joint's parent is the body nearer to "
      "the ground");
  EXPECT_EQ(message(a + connect("j", "a", "b") + connect("k", "a", "c") + connect("l", "b", "c") +
                    "</robot>"),
            "arm.urdf:7:1: body 'c' is the child of two joints, 'k' and 'l'\n"
            "    the first is at arm.urdf:6:1; keep one: a body hangs on one joint");
  EXPECT_EQ(message(a + connect("j", "a", "b") + connect("k", "b", "tip") + "</robot>"),
            "arm.urdf:6:1: joint 'k': its child 'tip' does not exist\n"
            "    name a body of the model, or describe a body 'tip'");
  EXPECT_EQ(message("<robot name='r'><link name='a'/><link name='a'/></robot>"),
            "arm.urdf:1:33: two bodies are called 'a'\n"
            "    the first is at arm.urdf:1:17; give each body its own name");
  EXPECT_EQ(message("<robot name='r'/>"),
            "arm.urdf:1:1: the model has no bodies, so there is nothing to compute\n"
            "    describe at least one body and the joint that carries it");
}

}  // namespace
}  // namespace catena
