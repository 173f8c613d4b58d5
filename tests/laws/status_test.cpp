// Where no acceleration exists, forward dynamics says which joint and link.
#include <gtest/gtest.h>

#include "catena/dynamics.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

// A heavy link on the ground, and a link of the given kind on it.
Model arm(JointKind kind, const Body& tip) {
  Random random(3);
  Model model;
  model.bodies = {random_body(random, "upper"), tip};
  Joint shoulder, wrist;
  shoulder.name = "shoulder", shoulder.kind = JointKind::revolute;
  shoulder.parent = "world", shoulder.child = "upper";
  wrist.name = "wrist", wrist.kind = kind, wrist.parent = "upper", wrist.child = tip.name;
  wrist.pitch = kind == JointKind::screw ? 0.1 : 0;
  wrist.X_PJ = random.pose();
  model.joints = {shoulder, wrist};
  return model;
}

template <class T>
std::string message(const Model& model) {
  const Mechanism<double> m = compile(model);
  Machine<T> machine(m);
  Random random(4);
  State<T> s = random_state_of(machine, m, random, false);
  machine.forward(s);
  const std::string text = describe(machine.m, machine.status);
  machine.solve(s.q, s.tau);
  EXPECT_EQ(describe(machine.m, machine.status), text);
  return text;
}

const std::string expected =
    "joint 'wrist' carries no inertia at this state; give link 'hand' a mass or weld the joint";

template <class T>
class Status : public ::testing::Test {};
#if CATENA_HAS_QUAD
using StatusScalars = ::testing::Types<double, float, Quad>;
#else
using StatusScalars = ::testing::Types<double, float>;
#endif
TYPED_TEST_SUITE(Status, StatusScalars);

TYPED_TEST(Status, NamesTheJointOfAMasslessLeaf) {
  Body hand;
  hand.name = "hand";
  for (JointKind kind : joint_kinds()) {
    if (kind == JointKind::fixed) continue;
    EXPECT_EQ(message<TypeParam>(arm(kind, hand)), expected) << to_string(kind);
  }
}

TYPED_TEST(Status, NamesTheJointOfAPointMassOnItsAxis) {
  Body hand;
  hand.name = "hand", hand.mass = 1;
  for (JointKind kind : {JointKind::revolute, JointKind::cylindrical, JointKind::universal,
                         JointKind::planar, JointKind::spherical, JointKind::free}) {
    EXPECT_EQ(message<TypeParam>(arm(kind, hand)), expected) << to_string(kind);
  }
  for (JointKind kind : {JointKind::prismatic, JointKind::screw}) {
    EXPECT_EQ(message<TypeParam>(arm(kind, hand)), "") << to_string(kind);
  }
}

TYPED_TEST(Status, IsNotMisledByWeldedLinksAndFrames) {
  Body hand, finger;
  hand.name = "hand", finger.name = "finger";
  Model model = arm(JointKind::revolute, hand);
  model.bodies.push_back(finger);
  Joint weld;
  weld.name = "weld", weld.parent = "hand", weld.child = "finger";
  model.joints.push_back(weld);
  EXPECT_EQ(message<TypeParam>(model), expected);
}

TYPED_TEST(Status, IsGoodForARotorOnAMasslessLink) {
  Body hand;
  hand.name = "hand";
  Model model = arm(JointKind::revolute, hand);
  model.joints[1].dynamics.rotor_inertia = 1e-3;
  EXPECT_EQ(message<TypeParam>(model), "");
}

TYPED_TEST(Status, NamesACoupledJointToo) {
  Body hand, thumb, finger;
  hand.name = "hand", thumb.name = "thumb", finger.name = "finger";
  Model model = arm(JointKind::revolute, hand);
  model.bodies.push_back(finger);
  Joint follower;
  follower.name = "follower", follower.kind = JointKind::revolute, follower.parent = "upper";
  follower.child = "finger", follower.mimic = Mimic{"wrist", 2, 0};
  model.joints.push_back(follower);
  EXPECT_EQ(message<TypeParam>(model), expected);
}

TEST(StatusOfDynamics, IsAnErrorThatSaysTheSame) {
  Body hand;
  hand.name = "hand";
  Dynamics dynamics(arm(JointKind::revolute, hand));
  const Eigen::VectorXd zero = Eigen::VectorXd::Zero(2);
  try {
    dynamics.forward_dynamics(zero, zero, zero);
    FAIL() << "no error";
  } catch (const NumericalError& error) {
    EXPECT_EQ(std::string(error.what()), expected);
  }
}

// Light and heavy machines are fine: the test is relative.
TEST(StatusOfDynamics, DoesNotDependOnTheUnitOfMass) {
  for_each_tree(
      60,
      [&](const Model& model, Random& random, const std::string& where) {
        for (double unit : {1e-9, 1e9}) {
          Model scaled = model;
          for (Body& body : scaled.bodies) {
            body.mass *= unit;
            Sym3<double>& I = body.inertia;
            for (double* x : {&I.xx, &I.xy, &I.xz, &I.yy, &I.yz, &I.zz}) *x *= unit;
          }
          const Mechanism<double> m = compile(scaled);
          Machine<double> machine(m);
          machine.forward(random_state(m, random));
          EXPECT_TRUE(machine.status) << where << ": " << describe(m, machine.status);
        }
      },
      30);
}

}  // namespace
}  // namespace catena::oracle
