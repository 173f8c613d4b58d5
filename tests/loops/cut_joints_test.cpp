// Graphs of bodies and joints with cycles: the same machine as the one whose loops are written out.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "catena/kinematics/kinematics.hpp"
#include "catena/loops/closed_dynamics.hpp"
#include "catena/model/cut_joints.hpp"
#include "catena/readers/readers.hpp"

namespace catena {
namespace {

Model machine(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}

// Every loop as a joint: what somebody writes who does not care which joint is cut.
Model as_graph(Model model) {
  for (const Loop& loop : model.loops) {
    Joint joint;
    joint.name = loop.name, joint.kind = loop.kind;
    joint.parent = loop.body1, joint.child = loop.body2;
    joint.X_PJ = loop.X_1L, joint.X_MB = inverse(loop.X_2L);
    joint.axis = loop.axis, joint.axis2 = loop.axis2, joint.pitch = loop.pitch;
    model.joints.push_back(joint);
  }
  model.loops.clear();
  return model;
}

std::vector<std::string> names(const auto& parts) {
  std::vector<std::string> all;
  for (const auto& part : parts) all.push_back(part.name);
  std::sort(all.begin(), all.end());
  return all;
}

// The accelerations of the joints that both have, at the closed start with random torques.
void expect_same_motion(const Model& a, const Model& b) {
  ClosedDynamics one(a), two(b);
  const auto& m1 = one.mechanism();
  const auto& m2 = two.mechanism();
  LoopState s1(m1), s2(m2);
  const Assembly q1 = assemble(m1, s1, m1.start);
  ASSERT_TRUE(q1.closed);
  // the other from a start at the same place: its joints have the same names and meaning
  Eigen::VectorXd q = m2.start;
  for (const JointInfo& j : m2.tree.names->joints) {
    const int i = m1.tree.names->joint(j.name);
    if (i < 0) continue;
    const JointInfo& other = m1.tree.names->joints[static_cast<std::size_t>(i)];
    q.segment(j.q, j.nq) = q1.q.segment(other.q, other.nq);
  }
  const Assembly q2 = assemble(m2, s2, q);
  ASSERT_TRUE(q2.closed);
  Eigen::VectorXd tau1 = Eigen::VectorXd::Zero(m1.tree.nv),
                  tau2 = Eigen::VectorXd::Zero(m2.tree.nv);
  double torque = 1;
  for (const Actuator& actuator : a.actuators) {
    tau1[m1.tree.names->joints[static_cast<std::size_t>(m1.tree.names->joint(actuator.joint))].v] =
        torque;
    tau2[m2.tree.names->joints[static_cast<std::size_t>(m2.tree.names->joint(actuator.joint))].v] =
        torque;
    torque += 0.7;
  }
  const auto qdd1 = one.forward_dynamics(q1.q, Eigen::VectorXd::Zero(m1.tree.nv), tau1, {},
                                         LoopMethod::null_space)
                        .qdd;
  const auto qdd2 = two.forward_dynamics(q2.q, Eigen::VectorXd::Zero(m2.tree.nv), tau2, {},
                                         LoopMethod::null_space)
                        .qdd;
  int compared = 0;
  for (const JointInfo& j : m2.tree.names->joints) {
    const int i = m1.tree.names->joint(j.name);
    if (i < 0) continue;
    const JointInfo& other = m1.tree.names->joints[static_cast<std::size_t>(i)];
    for (int k = 0; k < j.nv; ++k, ++compared) {
      EXPECT_NEAR(qdd2[j.v + k], qdd1[other.v + k], 1e-8 * (1 + qdd1.cwiseAbs().maxCoeff()))
          << j.name;
    }
  }
  EXPECT_GE(compared, 2);
}

TEST(CutJoints, ATreeStaysAsItIs) {
  const Model puma = machine("puma");
  EXPECT_EQ(to_yaml(with_cut_joints(puma)), to_yaml(puma));
}

TEST(CutJoints, GraphsMoveAsTheMachinesWhoseLoopsAreWritten) {
  for (const char* name : {"four-bar", "five-bar", "planar-3rrr", "carpet-scraper", "andrews",
                           "delta", "stewart-gough", "knee", "ankle", "n-four-bar-2", "bricard"}) {
    SCOPED_TRACE(name);
    const Model written = machine(name);
    const Model chosen = with_cut_joints(as_graph(written));
    EXPECT_EQ(chosen.loops.size(), written.loops.size());
    EXPECT_TRUE(validate(chosen).empty());
    expect_same_motion(written, chosen);
  }
}

// Spherical joints forbid three things, revolute ones five: it is the former that are cut.
TEST(CutJoints, TheFewestRows) {
  for (const char* name : {"delta", "stewart-gough", "ankle"}) {
    const Model written = machine(name);
    const Model chosen = with_cut_joints(as_graph(written));
    EXPECT_EQ(names(chosen.loops), names(written.loops)) << name;
  }
}

// Even where it is the joint next to the ground: the longer loop has fewer rows.
TEST(CutJoints, FewRowsGoBeforeShortLoops) {
  Model ring;
  for (const char* body : {"a", "b", "c"})
    ring.bodies.push_back({body, 1, {}, {1, 0, 0, 1, 0, 1}, {}});
  const char* ends[] = {"world", "a", "b", "c", "world"};
  const JointKind kinds[] = {JointKind::spherical, JointKind::revolute, JointKind::universal,
                             JointKind::revolute};
  for (int i = 0; i < 4; ++i) {
    Joint joint;
    joint.name = "j" + std::to_string(i), joint.kind = kinds[i];
    joint.parent = ends[i], joint.child = ends[i + 1];
    if (i == 2) std::swap(joint.parent, joint.child);  // as the tree needs it
    ring.joints.push_back(joint);
  }
  EXPECT_EQ(names(with_cut_joints(ring).loops), std::vector<std::string>{"j0"});
}

// A ring of five revolute joints from the ground: the middle one is cut, and what lies behind it
// hangs on the other side, turned round.
TEST(CutJoints, ShortestLoopsAndTurnedJoints) {
  Model ring;
  for (const char* body : {"a", "b", "c", "d"})
    ring.bodies.push_back({body, 1, {}, {1, 0, 0, 1, 0, 1}, {}});
  const char* ends[] = {"world", "a", "b", "c", "d", "world"};
  for (int i = 0; i < 5; ++i) {
    Joint joint;
    joint.name = "j" + std::to_string(i), joint.kind = JointKind::revolute;
    joint.parent = ends[i], joint.child = ends[i + 1];
    ring.joints.push_back(joint);
  }
  const Model cut = with_cut_joints(ring);
  EXPECT_EQ(names(cut.loops), std::vector<std::string>{"j2"});
  ASSERT_EQ(cut.joints.size(), 4u);
  EXPECT_EQ(cut.joints[2].name, "j3");
  EXPECT_EQ(cut.joints[2].parent, "d");
  EXPECT_EQ(cut.joints[2].child, "c");
  EXPECT_EQ(cut.joints[3].parent, "world");
  EXPECT_EQ(cut.joints[3].child, "d");
}

// A turned joint has the same coordinate: the child seen from the parent is where it was.
TEST(CutJoints, TurnedJointsKeepTheMeaningOfTheirCoordinates) {
  std::mt19937_64 generator(3);
  std::uniform_real_distribution<double> uniform(-1, 1);
  const auto unit = [&] {
    const Vec3<double> v{uniform(generator), uniform(generator), uniform(generator)};
    return 1 / std::sqrt(dot(v, v)) * v;
  };
  const auto pose = [&] {
    return Pose<double>{rotation_about(unit(), 3 * uniform(generator)), unit()};
  };
  for (JointKind kind :
       {JointKind::revolute, JointKind::prismatic, JointKind::screw, JointKind::cylindrical}) {
    SCOPED_TRACE(to_string(kind));
    Joint to, there, back;
    to.name = "to", to.kind = JointKind::fixed, to.parent = "world", to.child = "b";
    there.name = "turned", there.kind = kind, there.parent = "a", there.child = "b";
    there.X_PJ = pose(), there.X_MB = pose(), there.axis = unit(), there.pitch = 0.3;
    back.name = "back", back.kind = JointKind::spherical, back.parent = "world", back.child = "a";
    Model model;
    model.bodies = {{"a", 1, {}, {1, 0, 0, 1, 0, 1}, {}}, {"b", 1, {}, {1, 0, 0, 1, 0, 1}, {}}};
    model.joints = {to, there, back};
    const Model cut = with_cut_joints(model);
    ASSERT_EQ(names(cut.loops), std::vector<std::string>{"back"});
    const Mechanism<double> m = compile(cut);
    std::vector<double> q(static_cast<std::size_t>(m.nq));
    for (double& x : q) x = uniform(generator);
    Workspace<double> w(m);
    std::vector<Pose<double>> X(m.bodies.size());
    body_poses<double>(m, q, w, X);
    const auto in_world = [&](const char* name) {
      const FrameInfo& f = m.names->frames[static_cast<std::size_t>(m.names->frame(name))];
      return X[static_cast<std::size_t>(f.body)] * f.X_BF;
    };
    const Pose<double> X_AB = inverse(in_world("a")) * in_world("b");
    // oracle: the motion of the joint as it was written
    const double angle = kind == JointKind::prismatic ? 0 : q[0];
    const double along = kind == JointKind::prismatic     ? q[0]
                         : kind == JointKind::cylindrical ? q[1]
                         : kind == JointKind::screw       ? 0.3 * q[0]
                                                          : 0;
    const Pose<double> motion{rotation_about(there.axis, angle), along * there.axis};
    const Pose<double> expected = there.X_PJ * motion * there.X_MB;
    const Vec3<double> gap = X_AB.p - expected.p;
    EXPECT_LT(std::sqrt(dot(gap, gap)), 1e-14);
    EXPECT_GT(dot(X_AB.R.x, expected.R.x) + dot(X_AB.R.y, expected.R.y), 2 - 1e-14);
  }
}

TEST(CutJoints, DrivenAndElasticJointsStayInTheTree) {
  Model ring = as_graph(machine("four-bar"));
  const auto cut = [&] { return names(with_cut_joints(ring).loops).front(); };
  EXPECT_EQ(cut(), "rocker_pin");
  for (Joint& joint : ring.joints) {
    if (joint.name == "rocker_pin") joint.dynamics.viscous = 0.1;
  }
  EXPECT_EQ(cut(), "crank_pin");
  ring.actuators.push_back({"crank_pin", {}});
  EXPECT_EQ(cut(), "rocker_pivot");
  ring.actuators.push_back({"rocker_pivot", {}});
  try {
    with_cut_joints(ring);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("so that none can be cut"), std::string::npos);
  }
}

TEST(CutJoints, AJointThatCannotBeTurnedSaysSo) {
  Model model;
  for (const char* body : {"a", "b", "c"})
    model.bodies.push_back({body, 1, {}, {1, 0, 0, 1, 0, 1}, {}});
  const auto add = [&](const char* name, const char* parent, const char* child, JointKind kind) {
    Joint joint;
    joint.name = name, joint.parent = parent, joint.child = child, joint.kind = kind;
    model.joints.push_back(joint);
  };
  add("one", "world", "a", JointKind::revolute), add("two", "a", "b", JointKind::revolute);
  add("three", "b", "world", JointKind::revolute), add("ball", "c", "b", JointKind::spherical);
  try {
    with_cut_joints(model);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).substr(0, 56),
              "joint 'ball' (spherical) points towards the ground, and ");
  }
}

TEST(CutJoints, WhatIsDisconnectedKeepsItsMessage) {
  Model model = as_graph(machine("four-bar"));
  model.bodies.push_back({"loose", 1, {}, {1, 0, 0, 1, 0, 1}, {}});
  EXPECT_EQ(with_cut_joints(model).joints.size(), model.joints.size());
  EXPECT_THROW(validate(with_cut_joints(model)), InputError);
}

}  // namespace
}  // namespace catena
