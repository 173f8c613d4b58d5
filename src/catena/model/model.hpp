// Model: what people write. Named bodies, joints and frames in the author's own frames.
//
// A Model is plain data: build it in code or read it from a file, edit it, check it, compile it
// into a Mechanism (model/compile.hpp) that the algorithms eat.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "catena/spatial/spatial.hpp"
#include "catena/support/error.hpp"

namespace catena {

// The closed list of joints that people write. nq coordinates, nv rates:
//   fixed        0 0
//   revolute     1 1   angle about the axis (URDF's continuous too)
//   prismatic    1 1   displacement along the axis
//   screw        1 1   angle about the axis; it advances `pitch` metres per radian
//   cylindrical  2 2   angle about, displacement along the axis
//   universal    2 2   angle about `axis` (fixed in the parent), then about `axis2` (moving)
//   planar       3 3   displacements along two directions normal to the axis, angle about the axis
//   spherical    4 3   unit quaternion x y z w; angular velocity in the joint's moving frame
//   free         7 6   position, unit quaternion x y z w; twist [w; v] in the moving frame
enum class JointKind {
  fixed,
  revolute,
  prismatic,
  screw,
  cylindrical,
  universal,
  planar,
  spherical,
  free
};

const char* to_string(JointKind kind);
// All kinds in the order of the list, for messages and readers.
const std::vector<JointKind>& joint_kinds();
int num_positions(JointKind kind);
int num_velocities(JointKind kind);

struct Body {
  std::string name;
  double mass = 0;
  Vec3<double> com{};      // mass centre in the body frame
  Sym3<double> inertia{};  // about the mass centre, body axes
  Where where{};
};

struct JointLimits {
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();
  double velocity = std::numeric_limits<double>::infinity();
  double effort = std::numeric_limits<double>::infinity();
};

// Passive forces and drive inertia; the same for each coordinate of the joint.
//   tau = stiffness (q - rest) + viscous qd + coulomb sign(qd) + rotor_inertia gear_ratio² qdd +
//   ...
struct JointDynamics {
  double stiffness = 0;
  double rest = 0;
  double viscous = 0;
  double coulomb = 0;
  double rotor_inertia = 0;  // of the motor shaft
  double gear_ratio = 1;     // motor turns per joint turn
};

// This joint's position is multiplier * (position of the other joint) + offset.
struct Mimic {
  std::string joint;
  double multiplier = 1;
  double offset = 0;
};

// X_PB(q) = X_PJ * motion(q) * X_MB: the joint sits at frame J of the parent, and the child's body
// frame B sits at X_MB from the moving joint frame M (the identity in URDF, the constant part of
// the link in a distal Denavit-Hartenberg row).
struct Joint {
  std::string name;
  JointKind kind = JointKind::fixed;
  std::string parent, child;
  Pose<double> X_PJ{};
  Pose<double> X_MB{};
  Vec3<double> axis{0, 0, 1};   // unit vector in J
  Vec3<double> axis2{1, 0, 0};  // universal only: unit vector in the frame after the first turn
  double pitch = 0;             // screw only: metres per radian
  JointLimits limits{};
  JointDynamics dynamics{};
  std::optional<Mimic> mimic{};
  Where where{};
};

// A named frame fixed on a body. Every body is a frame of its own name, too.
struct Frame {
  std::string name;
  std::string body;
  Pose<double> X_BF{};
  Where where{};
};

// A joint that closes a loop: it stands between two bodies that the tree connects already. Its
// frames L1 and L2 coincide where the joint is at zero. A rod keeps the origins of the two at a
// distance and lets everything else go.
struct Loop {
  std::string name;
  JointKind kind = JointKind::revolute;
  bool rod = false;
  std::string body1, body2;
  Pose<double> X_1L{}, X_2L{};  // L1 on body 1, L2 on body 2
  Vec3<double> axis{0, 0, 1};   // unit vector in L1 and L2
  Vec3<double> axis2{1, 0, 0};  // universal only: axis is fixed on body 1, axis2 on body 2
  double pitch = 0;             // screw only: metres per radian
  double length = 0;            // rod only
  Where where{};
};

// A joint whose forces are free to choose; the others of a closed mechanism are passive.
struct Actuator {
  std::string joint;
  Where where{};
};

// A joint whose motion is prescribed: it moves as data say, with the force that this needs.
struct DrivenJoint {
  std::string joint;
  Where where{};
};

// A spring and a damper between two points: the force stiffness (l - length) + damping dl/dt draws
// the points together.
struct SpringDamper {
  std::string name;
  std::string body1, body2;
  Vec3<double> point1{}, point2{};  // in the frames of the bodies
  double stiffness = 0, damping = 0, length = 0;
  Where where{};
};

// Where a joint stands when loops are closed for the first time: it chooses the branch.
struct StartPosition {
  std::string joint;
  std::vector<double> q;
  Where where{};
};

struct Model {
  std::string name = "model";
  std::string note;              // free text: source, assumptions
  std::string ground = "world";  // the body that does not move; it may also be in `bodies`
  Vec3<double> gravity{0, 0, -9.81};
  std::vector<Body> bodies;
  std::vector<Joint> joints;
  std::vector<Frame> frames;
  std::vector<Loop> loops;
  std::vector<Actuator> actuators;
  std::vector<DrivenJoint> driven;
  std::vector<SpringDamper> springs;
  std::vector<StartPosition> start;
  Where where{};

  // Needs loops/: the tree alone does not tell how it moves.
  bool closed() const { return !loops.empty() || !springs.empty(); }
};

// Checks everything that a compiled mechanism relies on.
//   reads   model; allow_unphysical turns inertias that no real body can have into warnings
//   returns warnings, one sentence each, with their place
//   throws  InputError at the first thing that cannot be: names, tree, axes, masses, inertias,
//   mimics
std::vector<std::string> validate(const Model& model, bool allow_unphysical = false);

// The model on a free joint from the world to its base. Throws InputError if it has no such base.
Model with_free_base(const Model& model, const std::string& joint_name = "root");

// Sine and cosine of a constant of the model: exact at quarter turns up to rounding, so that a
// frame turned by 90 deg has zeros in its rotation and not 6e-17.
struct SinCos {
  double sin, cos;
};
SinCos sincos_of_constant(double angle);

// Rotations for readers: roll-pitch-yaw about fixed x, y, z (URDF), a unit vector onto z, ...
Mat3<double> rotation_from_rpy(double roll, double pitch, double yaw);
Vec3<double> rpy_from_rotation(const Mat3<double>& R);
Mat3<double> rotation_about(const Vec3<double>& unit_axis, double angle);
// x y z w; normalised by the caller
Mat3<double> rotation_from_quaternion(double x, double y, double z, double w);

}  // namespace catena
