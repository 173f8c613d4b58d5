// URDF as it is found in the wild.
#include <gtest/gtest.h>

#include <clocale>
#include <cmath>
#include <limits>

#include "catena/readers/readers.hpp"

namespace catena {
namespace {

constexpr double inf = std::numeric_limits<double>::infinity();

Model parse(const std::string& text, std::vector<std::string>* warnings = nullptr) {
  Model model = parse_urdf(text, "arm.urdf", warnings);
  validate(model);
  return model;
}

// A robot of two links and one joint, with `inside` within the joint.
std::string one_joint(const std::string& type, const std::string& inside = "") {
  return "<robot name='arm'><link name='base'/><link name='tip'/>"
         "<joint name='j' type='" +
         type + "'><parent link='base'/><child link='tip'/>" + inside + "</joint></robot>";
}

void expect_equal(const Vec3<double>& a, const Vec3<double>& b) {
  EXPECT_EQ(a.x, b.x);
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
}
void expect_near(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Urdf, ReadsLinksJointsAndTheirPlaces) {
  const Model model = parse(R"(<?xml version="1.0"?>
<robot name="arm">
  <link name="base"/>
  <link name="upper">
    <inertial>
      <origin xyz="0.1 0.2 0.3"/>
      <mass value="2"/>
      <inertia ixx="0.3" ixy="0.01" ixz="0.02" iyy="0.4" iyz="0.03" izz="0.5"/>
    </inertial>
  </link>
  <joint name="shoulder" type="revolute">
    <origin xyz="0 0 1" rpy="0 0 1.5707963267948966"/>
    <parent link="base"/> <child link="upper"/>
    <axis xyz="0 1 0"/>
    <limit lower="-1" upper="2" effort="30" velocity="4"/>
    <dynamics damping="0.5" friction="0.25"/>
  </joint>
</robot>)");
  EXPECT_EQ(model.name, "arm");
  EXPECT_EQ(model.ground, "base");
  ASSERT_EQ(model.bodies.size(), 2u);
  const Body& upper = model.bodies[1];
  EXPECT_EQ(upper.mass, 2);
  expect_equal(upper.com, {0.1, 0.2, 0.3});
  expect_equal({upper.inertia.xx, upper.inertia.xy, upper.inertia.xz}, {0.3, 0.01, 0.02});
  expect_equal({upper.inertia.yy, upper.inertia.yz, upper.inertia.zz}, {0.4, 0.03, 0.5});
  EXPECT_EQ(to_string(upper.where), "arm.urdf:4:3");
  ASSERT_EQ(model.joints.size(), 1u);
  const Joint& shoulder = model.joints[0];
  EXPECT_EQ(shoulder.kind, JointKind::revolute);
  EXPECT_EQ(shoulder.parent, "base");
  EXPECT_EQ(shoulder.child, "upper");
  expect_equal(shoulder.X_PJ.p, {0, 0, 1});
  expect_near(shoulder.X_PJ.R * Vec3<double>{1, 0, 0}, {0, 1, 0}, 1e-16);
  expect_equal(shoulder.axis, {0, 1, 0});
  EXPECT_EQ(shoulder.limits.lower, -1);
  EXPECT_EQ(shoulder.limits.upper, 2);
  EXPECT_EQ(shoulder.limits.effort, 30);
  EXPECT_EQ(shoulder.limits.velocity, 4);
  EXPECT_EQ(shoulder.dynamics.viscous, 0.5);
  EXPECT_EQ(shoulder.dynamics.coulomb, 0.25);
  EXPECT_EQ(to_string(shoulder.where), "arm.urdf:11:3");
}

TEST(Urdf, MissingPartsHaveTheDefaultsOfUrdf) {
  const Model model = parse(one_joint("revolute",
                                      "<mimic joint='k'/></joint>"
                                      "<link name='t2'/><joint name='k' type='prismatic'>"
                                      "<parent link='tip'/><child link='t2'/><axis/>"
                                      "<limit upper='1'/>"));
  const Joint& j = model.joints[0];
  expect_equal(j.X_PJ.p, {0, 0, 0});
  expect_equal(j.X_PJ.R.x, {1, 0, 0});
  expect_equal(j.axis, {1, 0, 0});
  ASSERT_TRUE(j.mimic);
  EXPECT_EQ(j.mimic->joint, "k");
  EXPECT_EQ(j.mimic->multiplier, 1);
  EXPECT_EQ(j.mimic->offset, 0);
  EXPECT_EQ(j.limits.lower, -inf);
  EXPECT_EQ(j.limits.effort, inf);
  EXPECT_EQ(model.bodies[1].mass, 0);
  expect_equal(model.joints[1].axis, {1, 0, 0});
  EXPECT_EQ(model.joints[1].limits.lower, 0);
  EXPECT_EQ(model.joints[1].limits.upper, 1);
}

TEST(Urdf, AContinuousJointHasNoBounds) {
  const JointLimits limits =
      parse(one_joint("continuous", "<limit lower='0' upper='0' effort='5' velocity='6'/>"))
          .joints[0]
          .limits;
  EXPECT_EQ(limits.lower, -inf);
  EXPECT_EQ(limits.upper, inf);
  EXPECT_EQ(limits.effort, 5);
  EXPECT_EQ(limits.velocity, 6);
}

TEST(Urdf, EveryJointTypeIsKnown) {
  const std::pair<const char*, JointKind> types[] = {{"fixed", JointKind::fixed},
                                                     {"revolute", JointKind::revolute},
                                                     {"continuous", JointKind::revolute},
                                                     {"prismatic", JointKind::prismatic},
                                                     {"floating", JointKind::free},
                                                     {"planar", JointKind::planar},
                                                     {"spherical", JointKind::spherical},
                                                     {"ball", JointKind::spherical},
                                                     {"cylindrical", JointKind::cylindrical}};
  for (const auto& [type, kind] : types) EXPECT_EQ(parse(one_joint(type)).joints[0].kind, kind);
}

TEST(Urdf, OwnElementsSayWhatUrdfCannot) {
  const Joint screw = parse(one_joint("continuous",
                                      "<catena kind='screw' pitch='0.01' stiffness='5' rest='0.1' "
                                      "rotor_inertia='1e-4' gear_ratio='-100'/>"))
                          .joints[0];
  EXPECT_EQ(screw.kind, JointKind::screw);
  EXPECT_EQ(screw.pitch, 0.01);
  EXPECT_EQ(screw.dynamics.stiffness, 5);
  EXPECT_EQ(screw.dynamics.rest, 0.1);
  EXPECT_EQ(screw.dynamics.rotor_inertia, 1e-4);
  EXPECT_EQ(screw.dynamics.gear_ratio, -100);
  const Joint universal = parse(one_joint("universal", "<catena axis2='0 3 0'/>")).joints[0];
  expect_equal(universal.axis2, {0, 1, 0});

  const Model model = parse(
      "<robot name='r'><catena gravity='0 0 -1.62'><note>on the moon</note>"
      "<frame name='f' link='b' xyz='1 2 3' rpy='0 0 0'/></catena>"
      "<link name='a'/><link name='b'/><joint name='j' type='floating'><parent link='a'/>"
      "<child link='b'/></joint></robot>");
  expect_equal(model.gravity, {0, 0, -1.62});
  EXPECT_EQ(model.note, "on the moon");
  ASSERT_EQ(model.frames.size(), 1u);
  EXPECT_EQ(model.frames[0].body, "b");
  expect_equal(model.frames[0].X_BF.p, {1, 2, 3});
}

TEST(Urdf, NumbersMayBeWrittenInUnusualWays) {
  std::vector<std::string> warnings;
  const Joint j = parse(one_joint("revolute",
                                  "<origin xyz='\t+1. \n .5   -1E+1 ' rpy='0,0, 1e-400'/>"
                                  "<axis xyz='0 0 1.0000'/>"
                                  "<limit lower=' -INF' upper='1.7e308' effort='1e400'/>"),
                        &warnings)
                      .joints[0];
  expect_equal(j.X_PJ.p, {1, 0.5, -10});
  expect_equal(j.X_PJ.R.x, {1, 0, 0});
  EXPECT_EQ(j.limits.lower, -inf);
  EXPECT_EQ(j.limits.upper, inf);
  EXPECT_EQ(j.limits.effort, inf);
  EXPECT_TRUE(warnings.empty());
}

TEST(Urdf, NumbersDoNotDependOnTheLocale) {
  const char* before = std::setlocale(LC_ALL, nullptr);
  const std::string saved = before ? before : "C";
  std::setlocale(LC_ALL, "de_DE.UTF-8");  // where it exists
  const Model model = parse(one_joint("fixed", "<origin xyz='0.5 1.5 2.5'/>"));
  const std::string text = to_urdf(model);
  std::setlocale(LC_ALL, saved.c_str());
  expect_equal(model.joints[0].X_PJ.p, {0.5, 1.5, 2.5});
  EXPECT_NE(text.find("0.5 1.5 2.5"), text.npos);
}

TEST(Urdf, AxesAreNormalisedWithAWarningIfFarOff) {
  std::vector<std::string> warnings;
  expect_near(parse(one_joint("revolute", "<axis xyz='0.57735 0.57735 0.57735'/>"), &warnings)
                  .joints[0]
                  .axis,
              {1 / std::sqrt(3.0), 1 / std::sqrt(3.0), 1 / std::sqrt(3.0)}, 1e-15);
  EXPECT_TRUE(warnings.empty());
  expect_equal(parse(one_joint("revolute", "\n  <axis xyz='0 0 -2'/>"), &warnings).joints[0].axis,
               {0, 0, -1});
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(warnings[0],
            "arm.urdf:2:3: joint 'j': axis (0 0 -2) has length 2; it is taken as a direction of "
            "length 1");
}

TEST(Urdf, FixedAndFloatingJointsMayHaveAZeroAxis) {
  parse(one_joint("fixed", "<axis xyz='0 0 0'/><dynamics damping='-1'/><mimic joint='none'/>"));
  parse(one_joint("floating", "<axis xyz='0 0 0'/>"));
}

TEST(Urdf, TheInertiaIsTurnedIntoBodyAxes) {
  // a quarter turn about x exchanges y and z; about z it exchanges x and y
  const auto inertia = [](const std::string& rpy) {
    return parse("<robot name='r'><link name='a'/><link name='b'><inertial><origin rpy='" + rpy +
                 "'/><mass value='1'/><inertia ixx='1' iyy='2' izz='2.5' "
                 "iyz='0.25'/></inertial></link>"
                 "<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint></robot>")
        .bodies[1]
        .inertia;
  };
  const Sym3<double> x = inertia("1.5707963267948966 0 0"), z = inertia("0 0 1.5707963267948966");
  expect_near({x.xx, x.yy, x.zz}, {1, 2.5, 2}, 1e-15);
  EXPECT_NEAR(x.yz, -0.25, 1e-15);
  expect_near({z.xx, z.yy, z.zz}, {2, 1, 2.5}, 1e-15);
  expect_near({z.xy, z.xz, z.yz}, {0, -0.25, 0}, 1e-15);
  EXPECT_NEAR(inertia("1e-9 0 0").yz, 0.25 - 0.5e-9, 1e-15);  // small turns count, too
}

TEST(Urdf, QuaternionsAreRotations) {
  const Joint j =
      parse(one_joint("fixed", "<origin quat_xyzw='0 0 0.7071068 0.7071068'/>")).joints[0];
  expect_near(j.X_PJ.R * Vec3<double>{1, 0, 0}, {0, 1, 0}, 1e-15);
}

TEST(Urdf, WhatOtherProgramsKeepInTheFileIsSkipped) {
  std::vector<std::string> warnings;
  const Model model = parse(
      "\xEF\xBB\xBF<?xml version='1.0' encoding='utf-8'?>\r\n"
      R"(<!-- a > comment with <joint name="x"> -->
<?xml-model href="urdf.rnc"?>
<!DOCTYPE robot [ <!ENTITY half "0.5"> ]>
<robot name="r" xmlns:xacro="http://ros.org/wiki/xacro" version="1.0">
  <material name="blue"><color rgba="0 0 1 1"/></material>
  <gazebo reference="a"><orgin/><joint name="k"/><sensor:contact x="${1}"/></gazebo>
  <transmission name="t"><joint name="j"/><actuator name="m"/></transmission>
  <sensor name="s"><origin xyz="x"/></sensor>
  <link name="a" type="laser">
    <visual><origin xyz="${1/2} 0 0"/><geometry><mesh filename="package://no/where.dae"/></geometry></visual>
    <visual/><collision/><collision_checking/><contact><lateral_friction value="1"/></contact>
  </link>
  <?processing instruction="in the middle"?>
  <joint name="j" type="continuous">
    <child link="b"/><parent link="a"/>
    <calibration rising="0"/><safety_controller k_velocity="10"/>
    <joint_properties friction="1"/><physics><ode/></physics><hardwareInterface>x</hardwareInterface>
    <dynamics D="1" K="7000" damping="0.003" mu_coulomb="0" mu_viscous="16"/>
    <![CDATA[ <joint> ]]>
  </joint>
  <link name="b"/>
</robot>
<!-- end -->
)",
      &warnings);
  EXPECT_EQ(model.bodies.size(), 2u);
  ASSERT_EQ(model.joints.size(), 1u);
  EXPECT_EQ(model.joints[0].dynamics.viscous, 0.003);
  EXPECT_EQ(to_string(model.joints[0].where), "arm.urdf:15:3");
  EXPECT_TRUE(warnings.empty());
}

TEST(Urdf, PlacesAreRightWhenAllIsOnOneLine) {
  const Model model = parse(one_joint("fixed"));
  EXPECT_EQ(to_string(model.bodies[0].where), "arm.urdf:1:19");
  EXPECT_EQ(to_string(model.bodies[1].where), "arm.urdf:1:38");
  EXPECT_EQ(to_string(model.joints[0].where), "arm.urdf:1:56");
}

TEST(Urdf, TheOrderOfLinksAndJointsIsFree) {
  const Model model = parse(
      "<robot name='r'>"
      "<joint name='j2' type='fixed'><parent link='b'/><child link='c'/></joint>"
      "<link name='c'/><link name='b'/>"
      "<joint name='j1' type='fixed'><parent link='a'/><child link='b'/></joint>"
      "<link name='a'/></robot>");
  EXPECT_EQ(model.ground, "a");
  EXPECT_EQ(model.joints[0].name, "j2");
}

TEST(Urdf, SecondElementsAndMissingInertiasAreWarnedOf) {
  std::vector<std::string> warnings;
  parse(
      "<robot>\n<link name='a'/>\n<link name='b'><inertial><mass value='1'/></inertial></link>\n"
      "<joint name='j' type='fixed'><parent link='a'/>\n<child link='b'/>\n<parent link='b'/>"
      "</joint></robot>",
      &warnings);
  EXPECT_EQ(warnings,
            (std::vector<std::string>{
                "arm.urdf:1:1: robot: <robot> has no name",
                "arm.urdf:3:16: link 'b': <inertial> has no <inertia>: taken as a point mass",
                "arm.urdf:6:1: joint 'j': a second <parent> is ignored"}));
}

}  // namespace
}  // namespace catena
