#include "catena/model/validate_parts.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <charconv>
#include <cmath>

namespace catena::detail {
namespace {

// Inertias are written with few digits: what rounding explains is let through.
constexpr double inertia_tolerance = 1e-6;  // relative to the sum of the principal moments
constexpr double point_radius = 1e-7;       // m; a smaller radius of gyration is rounding of zero
constexpr double rotation_tolerance = 1e-6;
constexpr double unit_tolerance = 1e-9;

bool finite(const Vec3<double>& v) {
  return std::isfinite(v.x) && std::isfinite(v.y) && std::isfinite(v.z);
}
double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// Why no real body has this inertia, or "" when one can have it.
std::string why_unphysical(const Body& body) {
  const Sym3<double>& I = body.inertia;
  const double largest = std::max({std::abs(I.xx), std::abs(I.xy), std::abs(I.xz), std::abs(I.yy),
                                   std::abs(I.yz), std::abs(I.zz)});
  if (largest == 0) return "";
  if (body.mass == 0) return "the mass is 0, but the inertia is not";
  Eigen::Matrix3d matrix;
  matrix << I.xx, I.xy, I.xz, I.xy, I.yy, I.yz, I.xz, I.yz, I.zz;
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
  const double slack =
      inertia_tolerance * moments.cwiseAbs().sum() + body.mass * point_radius * point_radius;
  const std::string listed = "the principal moments of inertia are " + short_number(moments[0]) +
                             ", " + short_number(moments[1]) + ", " + short_number(moments[2]);
  if (moments[0] < -slack) return listed + ", but none can be negative";
  if (moments[2] > moments[0] + moments[1] + slack) {
    return listed + ", but none can be larger than the sum of the other two";
  }
  return "";
}

bool uses_axis(JointKind kind) {
  return kind != JointKind::fixed && kind != JointKind::spherical && kind != JointKind::free;
}

class JointCheck {
 public:
  explicit JointCheck(const Joint& joint) : joint_(joint) {}

  void run() const {
    check_pose(joint_.X_PJ, joint_.where, subject(), "the pose of the joint in its parent");
    check_pose(joint_.X_MB, joint_.where, subject(), "the pose of the child on the joint");
    if (uses_axis(joint_.kind)) check_axes();
    if (joint_.kind == JointKind::screw) check_pitch();
    check_dynamics();
    check_limits();
  }

 private:
  std::string subject() const { return "joint '" + joint_.name + "': "; }
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const {
    throw InputError(joint_.where, subject() + problem, remedy);
  }

  void check_direction(const Vec3<double>& u, const std::string& name) const {
    const std::string shown = name + " is (" + short_vector(u) + ")";
    if (!finite(u)) fail(shown, "write three finite numbers, e.g. 0 0 1");
    if (norm(u) == 0) {
      fail(shown + ", but a " + to_string(joint_.kind) + " joint needs a direction",
           "write e.g. 0 0 1, or make the joint fixed if it does not move");
    }
    if (std::abs(norm(u) - 1) > unit_tolerance) {
      fail(shown + " of length " + short_number(norm(u)) + ", but it has to be a unit vector",
           "divide it by its length");
    }
  }

  void check_axes() const {
    check_direction(joint_.axis, "axis");
    if (joint_.kind != JointKind::universal) return;
    check_direction(joint_.axis2, "axis2");
    if (norm(cross(joint_.axis, joint_.axis2)) < unit_tolerance) {
      fail("axis2 is parallel to axis, (" + short_vector(joint_.axis) + ")",
           "write an axis2 that crosses axis, or make the joint revolute");
    }
  }

  void check_pitch() const {
    if (std::isfinite(joint_.pitch) && joint_.pitch != 0) return;
    fail("the pitch is " + short_number(joint_.pitch) +
             ", but a screw joint advances with every turn",
         "write the advance in metres per radian, or make the joint revolute");
  }

  void check_dynamics() const {
    const JointDynamics& d = joint_.dynamics;
    const std::pair<const char*, double> numbers[] = {
        {"stiffness", d.stiffness},         {"rest position", d.rest},
        {"viscous friction", d.viscous},    {"Coulomb friction", d.coulomb},
        {"rotor inertia", d.rotor_inertia}, {"gear ratio", d.gear_ratio}};
    for (const auto& [name, value] : numbers) {
      if (!std::isfinite(value)) fail(is(name, value), "write a finite number");
    }
    const std::pair<const char*, double> not_negative[] = {{"viscous friction", d.viscous},
                                                           {"Coulomb friction", d.coulomb},
                                                           {"rotor inertia", d.rotor_inertia}};
    for (const auto& [name, value] : not_negative) {
      if (value < 0) fail(is(name, value) + ", but it cannot be negative", "write 0 or more");
    }
    if (d.gear_ratio == 0) {
      fail("the gear ratio is 0", "write the motor turns per joint turn, 1 for a direct drive");
    }
    if (joint_.kind != JointKind::spherical && joint_.kind != JointKind::free) return;
    const std::string kind = to_string(joint_.kind);
    if (d.stiffness != 0) {
      fail("a spring is not defined for a " + kind + " joint",
           "remove the stiffness, or write the joint as three revolute ones");
    }
    if (d.coulomb != 0) {
      fail("Coulomb friction is not defined for a " + kind + " joint",
           "remove it (viscous friction is possible), or write the joint as three revolute ones");
    }
  }

  void check_limits() const {
    const JointLimits& l = joint_.limits;
    const std::pair<const char*, double> numbers[] = {{"lower limit", l.lower},
                                                      {"upper limit", l.upper},
                                                      {"velocity limit", l.velocity},
                                                      {"effort limit", l.effort}};
    for (const auto& [name, value] : numbers) {
      if (std::isnan(value)) fail(is(name, value), "write a number, or remove the limit");
    }
    if (l.lower > l.upper) {
      fail("the lower limit " + short_number(l.lower) + " is above the upper limit " +
               short_number(l.upper),
           "swap them");
    }
  }

  static std::string is(const char* name, double value) {
    return std::string("the ") + name + " is " + short_number(value);
  }

  const Joint& joint_;
};

}  // namespace

std::string short_number(double value) {
  char buffer[64];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 6);
  return std::string(buffer, end.ptr);
}

std::string short_vector(const Vec3<double>& v) {
  return short_number(v.x) + " " + short_number(v.y) + " " + short_number(v.z);
}

void check_pose(const Pose<double>& X, const Where& where, const std::string& subject,
                const std::string& what) {
  if (!finite(X.p) || !finite(X.R.x) || !finite(X.R.y) || !finite(X.R.z)) {
    throw InputError(where, subject + what + " is not finite", "write finite numbers");
  }
  const Vec3<double> z = cross(X.R.x, X.R.y);
  const double error = std::max({std::abs(norm(X.R.x) - 1), std::abs(norm(X.R.y) - 1),
                                 std::abs(dot(X.R.x, X.R.y)), norm(z - X.R.z)});
  if (error > rotation_tolerance) {
    throw InputError(where,
                     subject + what + " is no rotation: its axes are off by " + short_number(error),
                     "write orthogonal unit axes, right-handed");
  }
}

void check_body(const Body& body, bool allow_unphysical, std::vector<std::string>& warnings) {
  const std::string subject = "body '" + body.name + "': ";
  if (!std::isfinite(body.mass)) {
    throw InputError(body.where, subject + "the mass is " + short_number(body.mass),
                     "write the mass in kg");
  }
  if (body.mass < 0) {
    throw InputError(
        body.where,
        subject + "the mass is " + short_number(body.mass) + ", but it cannot be negative",
        "write the mass in kg; 0 is possible for a link that is only a frame");
  }
  if (!finite(body.com)) {
    throw InputError(body.where, subject + "the mass centre is (" + short_vector(body.com) + ")",
                     "write three finite numbers in metres");
  }
  const Sym3<double>& I = body.inertia;
  if (!finite({I.xx, I.xy, I.xz}) || !finite({I.yy, I.yz, I.zz})) {
    throw InputError(body.where, subject + "the inertia is not finite",
                     "write finite numbers in kg m^2");
  }
  const std::string why = why_unphysical(body);
  if (why.empty()) return;
  if (!allow_unphysical) {
    throw InputError(
        body.where, subject + why,
        "correct the inertia (kg m^2, about the mass centre), or compute with it as it "
        "is: --allow-unphysical");
  }
  const std::string place = to_string(body.where);
  warnings.push_back((place.empty() ? "" : place + ": ") + subject + why);
}

void check_joint(const Joint& joint) { JointCheck(joint).run(); }

}  // namespace catena::detail
