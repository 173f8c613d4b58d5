#include "catena/model/model.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace catena {

const char* to_string(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return "fixed";
    case JointKind::revolute:
      return "revolute";
    case JointKind::prismatic:
      return "prismatic";
    case JointKind::screw:
      return "screw";
    case JointKind::cylindrical:
      return "cylindrical";
    case JointKind::universal:
      return "universal";
    case JointKind::planar:
      return "planar";
    case JointKind::spherical:
      return "spherical";
    case JointKind::free:
      return "free";
  }
  return "unknown";
}

const std::vector<JointKind>& joint_kinds() {
  static const std::vector<JointKind> kinds{
      JointKind::fixed,  JointKind::revolute,    JointKind::prismatic,
      JointKind::screw,  JointKind::cylindrical, JointKind::universal,
      JointKind::planar, JointKind::spherical,   JointKind::free};
  return kinds;
}

int num_positions(JointKind kind) {
  switch (kind) {
    case JointKind::fixed:
      return 0;
    case JointKind::revolute:
    case JointKind::prismatic:
    case JointKind::screw:
      return 1;
    case JointKind::cylindrical:
    case JointKind::universal:
      return 2;
    case JointKind::planar:
      return 3;
    case JointKind::spherical:
      return 4;
    case JointKind::free:
      return 7;
  }
  return 0;
}

int num_velocities(JointKind kind) {
  const bool quaternion = kind == JointKind::spherical || kind == JointKind::free;
  return num_positions(kind) - (quaternion ? 1 : 0);
}

namespace {

// The body that a free joint would carry: the ground itself if it is a body; else the one that is
// welded to the world, or that nothing carries at all.
std::string free_base_of(const Model& model) {
  const auto ground = std::find_if(model.bodies.begin(), model.bodies.end(),
                                   [&](const Body& body) { return body.name == model.ground; });
  const bool ground_has_mass = ground != model.bodies.end() && ground->mass > 0;
  std::vector<const Joint*> on_ground;
  std::set<std::string> carried;
  for (const Joint& joint : model.joints) {
    carried.insert(joint.child);
    if (joint.parent == model.ground) on_ground.push_back(&joint);
  }
  for (const Joint* joint : on_ground) {
    if (joint->kind != JointKind::free || ground_has_mass) continue;
    throw InputError(joint->where, "joint '" + joint->name + "': the model moves freely already",
                     "leave --floating-base out: it would be a second free joint");
  }
  if (model.ground != "world") {
    if (ground != model.bodies.end()) return model.ground;
    throw InputError(model.where,
                     "the ground '" + model.ground + "' is no body that could move freely",
                     "describe a body '" + model.ground + "' with its mass and inertia");
  }
  std::vector<std::string> bases;
  for (const Joint* joint : on_ground) {
    if (joint->kind != JointKind::fixed) {
      throw InputError(joint->where,
                       "joint '" + joint->name + "' (" + to_string(joint->kind) +
                           ") hangs on 'world' itself, so there is no base that could move freely",
                       "describe a body with the mass of the base, e.g. 'base', and make it the "
                       "ground: ground: base");
    }
    bases.push_back(joint->child);
  }
  for (const Body& body : model.bodies) {
    if (body.name != model.ground && !carried.count(body.name)) bases.push_back(body.name);
  }
  if (bases.size() == 1) return bases.front();
  throw InputError(model.where,
                   bases.empty() ? "there is no body that could move freely"
                                 : "bodies '" + bases[0] + "' and '" + bases[1] +
                                       "' both stand on the world: only one base can move freely",
                   bases.empty() ? "describe a body with its mass and inertia"
                                 : "connect them by a fixed joint, or write a joint of type free "
                                   "for each");
}

}  // namespace

// The joint takes the place of a weld: at its neutral position the base stands where it stood. The
// model need not be valid yet: a single body without a joint is not, before it floats.
Model with_free_base(const Model& model, const std::string& joint_name) {
  Joint root;
  root.name = joint_name;
  root.kind = JointKind::free;
  root.parent = "world";
  root.child = free_base_of(model);
  root.where = model.where;
  Model floating = model;
  floating.ground = root.parent;
  std::erase_if(floating.joints, [&](const Joint& weld) {
    if (weld.parent != root.parent || weld.child != root.child) return false;
    root.X_MB = weld.X_PJ * weld.X_MB;
    return true;
  });
  for (const Joint& joint : floating.joints) {
    if (joint.name != joint_name) continue;
    throw InputError(joint.where,
                     "joint '" + joint_name + "' has the name of the floating base's joint",
                     "give the joint another name");
  }
  floating.joints.insert(floating.joints.begin(), root);
  return floating;
}

Mat3<double> rotation_about(const Vec3<double>& u, double angle) {
  const double c = std::cos(angle), s = std::sin(angle), t = 1 - c;
  return {{c + t * u.x * u.x, t * u.x * u.y + s * u.z, t * u.x * u.z - s * u.y},
          {t * u.x * u.y - s * u.z, c + t * u.y * u.y, t * u.y * u.z + s * u.x},
          {t * u.x * u.z + s * u.y, t * u.y * u.z - s * u.x, c + t * u.z * u.z}};
}

SinCos sincos_of_constant(double angle) {
  constexpr double quarter = 1.57079632679489661923;
  const double turns = std::nearbyint(angle / quarter);
  if (std::abs(turns) <= 1e6 &&
      std::abs(angle - turns * quarter) <= 4.5e-16 * std::max(1.0, std::abs(angle))) {
    constexpr double sine[] = {0, 1, 0, -1};
    const int k = ((static_cast<int>(turns) % 4) + 4) % 4;
    return {sine[k], sine[(k + 1) % 4]};
  }
  return {std::sin(angle), std::cos(angle)};
}

// Rz(yaw) Ry(pitch) Rx(roll), without negative zeros
Mat3<double> rotation_from_rpy(double roll, double pitch, double yaw) {
  const auto [sr, cr] = sincos_of_constant(roll);
  const auto [sp, cp] = sincos_of_constant(pitch);
  const auto [sy, cy] = sincos_of_constant(yaw);
  const Vec3<double> zero{};
  return {zero + Vec3<double>{cy * cp, sy * cp, -sp},
          zero + Vec3<double>{cy * sp * sr - sy * cr, sy * sp * sr + cy * cr, cp * sr},
          zero + Vec3<double>{cy * sp * cr + sy * sr, sy * sp * cr - cy * sr, cp * cr}};
}

// Roll and pitch are taken from Rz(-yaw) R, so that they make up for what rounding did to yaw:
// exact near pitch = +-90 deg, too, where yaw alone means nothing.
Vec3<double> rpy_from_rotation(const Mat3<double>& R) {
  const double yaw = std::atan2(R.x.y, R.x.x);
  const double c = std::cos(yaw), s = std::sin(yaw);
  return {std::atan2(s * R.z.x - c * R.z.y, c * R.y.y - s * R.y.x),
          std::atan2(-R.x.z, c * R.x.x + s * R.x.y), yaw};
}

Mat3<double> rotation_from_quaternion(double x, double y, double z, double w) {
  return {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
          {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
          {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
}

}  // namespace catena
