// What validate() refuses and what it says, on models built in code.
#include <gtest/gtest.h>

#include <functional>
#include <limits>

#include "catena/model/model.hpp"

namespace catena {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double inf = std::numeric_limits<double>::infinity();

// world - shoulder - upper - elbow - lower, with a frame 'tip' on lower; places are arm:LINE.
Model arm() {
  Model model;
  model.where = {"arm", 1};
  model.bodies = {{"upper", 2, {0, 0, 0.5}, {0.2, 0, 0, 0.2, 0, 0.1}, {"arm", 2}},
                  {"lower", 1, {0, 0, 0.4}, {0.1, 0, 0, 0.1, 0, 0.05}, {"arm", 3}}};
  Joint shoulder;
  shoulder.name = "shoulder";
  shoulder.kind = JointKind::revolute;
  shoulder.parent = "world";
  shoulder.child = "upper";
  shoulder.where = {"arm", 4};
  Joint elbow = shoulder;
  elbow.name = "elbow";
  elbow.parent = "upper";
  elbow.child = "lower";
  elbow.where = {"arm", 5};
  model.joints = {shoulder, elbow};
  model.frames = {{"tip", "lower", {{}, {0, 0, 1}}, {"arm", 6}}};
  return model;
}

std::string message(const std::function<void(Model&)>& spoil) {
  Model model = arm();
  spoil(model);
  try {
    validate(model);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Validate, AcceptsAnArmWithoutWarnings) { EXPECT_TRUE(validate(arm()).empty()); }

TEST(Validate, AcceptsEveryKindOfJoint) {
  for (const JointKind kind : joint_kinds()) {
    Model model = arm();
    model.joints[1].kind = kind;
    model.joints[1].pitch = 0.01;
    EXPECT_TRUE(validate(model).empty()) << to_string(kind);
  }
}

TEST(Validate, AcceptsJointsInAnyOrderAndTheGroundAmongTheBodies) {
  Model model = arm();
  std::swap(model.joints[0], model.joints[1]);
  model.bodies.push_back({"world", 0, {}, {}, {}});
  EXPECT_TRUE(validate(model).empty());
}

TEST(Validate, AModelWithoutBodiesOrJointsHasNothingToCompute) {
  EXPECT_EQ(message([](Model& m) { m.bodies.clear(); }),
            "arm:1: the model has no bodies, so there is nothing to compute\n"
            "    describe at least one body and the joint that carries it");
  EXPECT_EQ(
      message([](Model& m) { m.joints.clear(); }),
      "arm:1: the model has no joints, so there is nothing to compute\n"
      "    add a joint; one of type free (floating in URDF), or --floating-base, for a body in "
      "space");
  EXPECT_EQ(message([](Model& m) { m.ground.clear(); }),
            "arm:1: the model has no ground\n    name the body that does not move");
}

TEST(Validate, NamesAreUniqueAndNotEmpty) {
  EXPECT_EQ(message([](Model& m) { m.bodies[1].name = "upper"; }),
            "arm:3: two bodies are called 'upper'\n"
            "    the first is at arm:2; give each body its own name");
  EXPECT_EQ(message([](Model& m) { m.joints[1].name = "shoulder"; }),
            "arm:5: two joints are called 'shoulder'\n"
            "    the first is at arm:4; give each joint its own name");
  EXPECT_EQ(message([](Model& m) {
              m.frames.push_back(m.frames[0]);
              m.frames[0].where = {};
            }),
            "arm:6: two frames are called 'tip'\n    give each frame its own name");
  EXPECT_EQ(message([](Model& m) { m.bodies[0].name = ""; }),
            "arm:2: a body has no name\n    give every body a name");
  EXPECT_EQ(message([](Model& m) { m.frames[0].name = "upper"; }),
            "arm:6: frame 'upper' has the name of a body\n"
            "    every body is a frame of its own name; give this one another name");
}

TEST(Validate, WorldIsTheNameOfTheGroundOnly) {
  EXPECT_EQ(message([](Model& m) { m.frames[0].name = "world"; }),
            "arm:6: frame 'world': that name is kept for the ground's frame\n"
            "    give the frame another name");
  EXPECT_EQ(message([](Model& m) {
              m.ground = "base";
              m.joints[0].parent = "base";
              m.bodies[1].name = m.joints[1].child = "world";
            }),
            "arm:3: body 'world' is not the ground, but that name is kept for the ground's frame\n"
            "    rename the body, or make it the ground");
}

TEST(Validate, JointsConnectBodiesThatExist) {
  EXPECT_EQ(message([](Model& m) { m.joints[1].parent = "uper"; }),
            "arm:5: joint 'elbow': its parent 'uper' does not exist (did you mean 'upper'?)\n"
            "    name a body of the model, or describe a body 'uper'");
  EXPECT_EQ(message([](Model& m) { m.joints[1].child = "hand"; }),
            "arm:5: joint 'elbow': its child 'hand' does not exist\n"
            "    name a body of the model, or describe a body 'hand'");
  EXPECT_EQ(message([](Model& m) { m.joints[1].child = ""; }),
            "arm:5: joint 'elbow': it has no child\n    name the child body of the joint");
  EXPECT_EQ(message([](Model& m) { std::swap(m.joints[0].parent, m.joints[0].child); }),
            "arm:4: joint 'shoulder': its child is the ground 'world'\n"
            "    swap parent and child, or choose another ground");
  EXPECT_EQ(message([](Model& m) { m.frames[0].body = "lowr"; }),
            "arm:6: frame 'tip': its body 'lowr' does not exist (did you mean 'lower'?)\n"
            "    name a body of the model");
}

TEST(Validate, ABodyHangsOnOneJoint) {
  EXPECT_EQ(message([](Model& m) {
              m.joints.push_back(m.joints[1]);
              m.joints[2].name = "second";
              m.joints[2].where.line = 7;
            }),
            "arm:7: body 'lower' is the child of two joints, 'elbow' and 'second'\n"
            "    the first is at arm:5; keep one: a body hangs on one joint");
}

TEST(Validate, CyclesAreNamedBodyByBody) {
  EXPECT_EQ(
      message([](Model& m) { m.joints[0].parent = "lower"; }),
      "arm:4: the joints go round in a cycle: 'upper' on 'lower' on 'upper'\n"
      "    turn one of these joints round or remove it: a joint's parent is the body nearer to "
      "the ground");
  EXPECT_EQ(
      message([](Model& m) { m.joints[1].parent = "lower"; }),
      "arm:5: the joints go round in a cycle: 'lower' on 'lower'\n"
      "    turn one of these joints round or remove it: a joint's parent is the body nearer to "
      "the ground");
}

TEST(Validate, ALongCycleIsFoundInLinearTimeAndItsMessageIsShort) {
  Model model;
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    const std::string name = "b" + std::to_string(i);
    model.bodies.push_back({name, 1, {}, {}, {}});
    Joint joint;
    joint.name = "j" + std::to_string(i);
    joint.parent = "b" + std::to_string((i + 1) % n);
    joint.child = name;
    model.joints.push_back(joint);
  }
  try {
    validate(model);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_LT(std::string(error.what()).size(), 500u);
  }
}

TEST(Validate, EveryBodyIsConnectedToTheGround) {
  EXPECT_EQ(message([](Model& m) {
              m.bodies.push_back({"hand", 1, {}, {}, {"arm", 8}});
            }),
            "arm:8: body 'hand' is a second root beside the ground 'world': no joint has it as its "
            "child\n"
            "    connect it with a joint (fixed if it does not move), or remove it");
  EXPECT_EQ(
      message([](Model& m) {
        m.bodies.push_back({"base", 1, {}, {}, {}});
        m.joints[0].parent = "base";
        m.ground = "bsae";
      }),
      "arm:1: no joint hangs on the ground 'bsae' (did you mean 'base'?)\n"
      "    name the body that does not move as the ground, or add a joint with parent 'bsae'");
}

TEST(Validate, AxesAreUnitVectors) {
  EXPECT_EQ(message([](Model& m) { m.joints[1].axis = {}; }),
            "arm:5: joint 'elbow': axis is (0 0 0), but a revolute joint needs a direction\n"
            "    write e.g. 0 0 1, or make the joint fixed if it does not move");
  EXPECT_EQ(message([](Model& m) {
              m.joints[1].axis = {0, 0, 2};
            }),
            "arm:5: joint 'elbow': axis is (0 0 2) of length 2, but it has to be a unit vector\n"
            "    divide it by its length");
  EXPECT_EQ(message([](Model& m) {
              m.joints[1].axis = {0, nan, 0};
            }),
            "arm:5: joint 'elbow': axis is (0 nan 0)\n    write three finite numbers, e.g. 0 0 1");
  EXPECT_EQ(message([](Model& m) {
              m.joints[1].kind = JointKind::universal;
              m.joints[1].axis2 = {0, 0, -1};
            }),
            "arm:5: joint 'elbow': axis2 is parallel to axis, (0 0 1)\n"
            "    write an axis2 that crosses axis, or make the joint revolute");
  for (const JointKind kind : {JointKind::fixed, JointKind::spherical, JointKind::free}) {
    EXPECT_EQ(message([&](Model& m) {
                m.joints[1].kind = kind;
                m.joints[1].axis = {};
              }),
              "no error");
  }
}

TEST(Validate, PosesAreFiniteRotations) {
  EXPECT_EQ(message([](Model& m) { m.joints[1].X_PJ.p.x = inf; }),
            "arm:5: joint 'elbow': the pose of the joint in its parent is not finite\n"
            "    write finite numbers");
  EXPECT_EQ(message([](Model& m) { m.joints[1].X_MB.R.x.x = 1.1; }),
            "arm:5: joint 'elbow': the pose of the child on the joint is no rotation: its axes are "
            "off by 0.1\n"
            "    write orthogonal unit axes, right-handed");
  EXPECT_EQ(
      message([](Model& m) { m.frames[0].X_BF.R.z.z = -1; }),
      "arm:6: frame 'tip': the pose of the frame on its body is no rotation: its axes are off "
      "by 2\n"
      "    write orthogonal unit axes, right-handed");
  EXPECT_EQ(message([](Model& m) { m.frames[0].X_BF.R = rotation_from_rpy(1, 2, 3); }), "no error");
}

TEST(Validate, AScrewHasAPitch) {
  EXPECT_EQ(message([](Model& m) { m.joints[1].kind = JointKind::screw; }),
            "arm:5: joint 'elbow': the pitch is 0, but a screw joint advances with every turn\n"
            "    write the advance in metres per radian, or make the joint revolute");
}

TEST(Validate, PassiveForcesMakeSense) {
  const auto with = [](double JointDynamics::*member, double value) {
    return message([=](Model& m) { m.joints[1].dynamics.*member = value; });
  };
  EXPECT_EQ(with(&JointDynamics::viscous, -1),
            "arm:5: joint 'elbow': the viscous friction is -1, but it cannot be negative\n"
            "    write 0 or more");
  EXPECT_EQ(with(&JointDynamics::coulomb, -0.5),
            "arm:5: joint 'elbow': the Coulomb friction is -0.5, but it cannot be negative\n"
            "    write 0 or more");
  EXPECT_EQ(with(&JointDynamics::rotor_inertia, -1e-5),
            "arm:5: joint 'elbow': the rotor inertia is -1e-05, but it cannot be negative\n"
            "    write 0 or more");
  EXPECT_EQ(with(&JointDynamics::gear_ratio, 0),
            "arm:5: joint 'elbow': the gear ratio is 0\n"
            "    write the motor turns per joint turn, 1 for a direct drive");
  EXPECT_EQ(with(&JointDynamics::rest, nan),
            "arm:5: joint 'elbow': the rest position is nan\n    write a finite number");
  EXPECT_EQ(with(&JointDynamics::gear_ratio, -100), "no error");
}

TEST(Validate, SpringsAndCoulombFrictionNeedAScalarCoordinate) {
  EXPECT_EQ(message([](Model& m) {
              m.joints[1].kind = JointKind::spherical;
              m.joints[1].dynamics.stiffness = 1;
            }),
            "arm:5: joint 'elbow': a spring is not defined for a spherical joint\n"
            "    remove the stiffness, or write the joint as three revolute ones");
  EXPECT_EQ(message([](Model& m) {
              m.joints[1].kind = JointKind::free;
              m.joints[1].dynamics.coulomb = 1;
            }),
            "arm:5: joint 'elbow': Coulomb friction is not defined for a free joint\n"
            "    remove it (viscous friction is possible), or write the joint as three revolute "
            "ones");
}

TEST(Validate, LimitsAreOrdered) {
  EXPECT_EQ(message([](Model& m) {
              m.joints[1].limits = {2, 1, inf, inf};
            }),
            "arm:5: joint 'elbow': the lower limit 2 is above the upper limit 1\n    swap them");
  EXPECT_EQ(message([](Model& m) { m.joints[1].limits.effort = nan; }),
            "arm:5: joint 'elbow': the effort limit is nan\n"
            "    write a number, or remove the limit");
}

TEST(Validate, MimicsFormChainsButNoCircles) {
  const auto with = [](Mimic mimic) {
    return message([=](Model& m) { m.joints[1].mimic = mimic; });
  };
  EXPECT_EQ(with({"shoulder", -2, 1}), "no error");
  EXPECT_EQ(message([](Model& m) {  // a mimic of a mimic
              m.bodies.push_back({"hand", 1, {}, {}, {}});
              m.joints.push_back(m.joints[1]);
              m.joints[2].name = "wrist";
              m.joints[2].parent = "lower";
              m.joints[2].child = "hand";
              m.joints[2].mimic = Mimic{"elbow"};
              m.joints[1].mimic = Mimic{"shoulder"};
            }),
            "no error");
  EXPECT_EQ(with({"sholder"}),
            "arm:5: joint 'elbow': it mimics 'sholder', which does not exist (did you mean "
            "'shoulder'?)\n    name a joint of the model");
  EXPECT_EQ(
      with({"elbow"}),
      "arm:5: joint 'elbow': it mimics itself\n    let one joint of the group move on its own");
  EXPECT_EQ(with({"shoulder", inf}),
            "arm:5: joint 'elbow': its mimic multiplier or offset is not finite\n"
            "    write finite numbers");
  EXPECT_EQ(message([](Model& m) {
              m.joints[0].mimic = Mimic{"elbow"};
              m.joints[1].mimic = Mimic{"shoulder"};
            }),
            "arm:4: joint 'shoulder': it mimics 'elbow', which in turn depends on 'shoulder'\n"
            "    let one joint of the group move on its own");
  EXPECT_EQ(message([](Model& m) {
              m.joints[0].kind = JointKind::planar;
              m.joints[1].mimic = Mimic{"shoulder"};
            }),
            "arm:5: joint 'elbow': it mimics 'shoulder', but joint 'shoulder' is planar with 3 "
            "coordinates\n    couple joints of one coordinate: revolute, prismatic or screw");
  Model still = arm();
  still.joints[1].mimic = Mimic{"shoulder", 0, 0.5};
  EXPECT_EQ(validate(still),
            std::vector<std::string>{"arm:5: joint 'elbow': its mimic multiplier is 0, so that it "
                                     "stands still at the offset"});
}

TEST(Validate, MassesAreFiniteAndNotNegative) {
  EXPECT_EQ(message([](Model& m) { m.bodies[1].mass = -1; }),
            "arm:3: body 'lower': the mass is -1, but it cannot be negative\n"
            "    write the mass in kg; 0 is possible for a link that is only a frame");
  EXPECT_EQ(message([](Model& m) { m.bodies[1].mass = nan; }),
            "arm:3: body 'lower': the mass is nan\n    write the mass in kg");
  EXPECT_EQ(message([](Model& m) { m.bodies[1].com.y = inf; }),
            "arm:3: body 'lower': the mass centre is (0 inf 0.4)\n"
            "    write three finite numbers in metres");
  EXPECT_EQ(message([](Model& m) { m.bodies[1].inertia.xy = nan; }),
            "arm:3: body 'lower': the inertia is not finite\n    write finite numbers in kg m^2");
  EXPECT_EQ(message([](Model& m) { m.bodies[1] = {"lower", 0, {}, {}, {}}; }), "no error");
  EXPECT_EQ(message([](Model& m) { m.gravity.z = nan; }),
            "arm:1: gravity is (0 0 nan)\n"
            "    write three finite numbers in m/s^2, e.g. 0 0 -9.81");
}

TEST(Validate, InertiasThatNoRealBodyCanHaveAreErrorsOrWarningsOnRequest) {
  const struct {
    double mass;
    Sym3<double> inertia;
    std::string problem;
  } cases[] = {
      {1,
       {-1, 0, 0, 1, 0, 1},
       "the principal moments of inertia are -1, 1, 1, but none can be negative"},
      {1,
       {1, 2, 0, 1, 0, 2},
       "the principal moments of inertia are -1, 2, 3, but none can be negative"},
      {1,
       {1, 0, 0, 2, 0, 3.5},
       "the principal moments of inertia are 1, 2, 3.5, but none can be larger than the sum of the "
       "other two"},
      {0, {1, 0, 0, 1, 0, 1}, "the mass is 0, but the inertia is not"},
  };
  for (const auto& c : cases) {
    Model model = arm();
    model.bodies[1].mass = c.mass;
    model.bodies[1].inertia = c.inertia;
    try {
      validate(model);
      FAIL() << c.problem;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), "arm:3: body 'lower': " + c.problem +
                                  "\n    correct the inertia (kg m^2, about the mass centre), or "
                                  "compute with it as it is: --allow-unphysical");
    }
    EXPECT_EQ(validate(model, true), std::vector<std::string>{"arm:3: body 'lower': " + c.problem});
  }
}

TEST(Validate, RoundedInertiasPass) {
  Model model = arm();
  model.bodies[1].inertia = {1, 0, 0, 2, 0, 3 * (1 + 1e-7)};  // a plate, rounded
  model.bodies[0].inertia = {1e-18, 0, 0, -1e-20, 0, 0};      // a point mass, rounded
  EXPECT_TRUE(validate(model).empty());
}

}  // namespace
}  // namespace catena
