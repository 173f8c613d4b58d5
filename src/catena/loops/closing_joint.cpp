#include "catena/loops/closing_joint.hpp"

#include <cmath>

#include "catena/model/model.hpp"

namespace catena {
namespace {

using homogeneous::Position;
using Screw = homogeneous::Screw<double>;
using Vector = Vec3<double>;

constexpr double full_turn = 2 * 3.14159265358979323846;

// The turn about a that is nearest to R.
double angle_about(const Vector& a, const Mat3<double>& R) {
  const Vector twice_sine{R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x};
  return std::atan2(dot(a, twice_sine), R.x.x + R.y.y + R.z.z - dot(a, R * a));
}

Screw turn(const Vector& u, const Vector& through = {0, 0, 0}) { return {u, cross(through, u)}; }
Screw slide(const Vector& u) { return {{0, 0, 0}, u}; }
std::vector<Screw> ball(const Vector& centre) {
  return {turn({1, 0, 0}, centre), turn({0, 1, 0}, centre), turn({0, 0, 1}, centre)};
}

ClosingJoint rod(double length, const Position<double>& X) {
  const double l = std::sqrt(dot(X.p, X.p));
  const Vector u = l > 0 ? (1 / l) * X.p : Vector{1, 0, 0};
  const auto [x, y] = normals(u);
  // the rod's own spin changes nothing
  return {{X.R, length * u}, {{turn(x), turn(y)}, ball(length * u)}};
}

}  // namespace

ClosingJoint closing_joint(const Closure& c, double pitch, double length,
                           const Position<double>& X) {
  if (c.rod) return rod(length, X);
  const Vector a = c.axis, o{0, 0, 0};
  const double angle = angle_about(a, X.R), way = dot(a, X.p);
  switch (c.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
      return {{rotation_about(a, angle), o}, {{turn(a)}}};
    case JointKind::prismatic:
      return {{Mat3<double>{}, way * a}, {{slide(a)}}};
    case JointKind::screw: {
      const double turns = std::round((way / pitch - angle) / full_turn);
      return {{rotation_about(a, angle), (pitch * (angle + full_turn * turns)) * a},
              {{{a, pitch * a}}}};
    }
    case JointKind::cylindrical:
      return {{rotation_about(a, angle), way * a}, {{turn(a)}, {slide(a)}}};
    case JointKind::universal: {
      const Vector b = c.axis2, there = X.R * b;
      const double first =
          std::atan2(dot(a, cross(b, there)), dot(b, there) - dot(a, b) * dot(a, there));
      const Mat3<double> R = rotation_about(a, first);
      const double second = angle_about(b, transpose(R) * X.R);
      return {{R * rotation_about(b, second), o}, {{turn(a)}, {turn(R * b)}}};
    }
    case JointKind::planar: {
      const auto [x, y] = normals(a);
      const Vector p = X.p - way * a;
      return {{rotation_about(a, angle), p}, {{slide(x)}, {slide(y)}, {turn(a, p)}}};
    }
    case JointKind::spherical:
      return {{X.R, o}, {ball(o)}};
    case JointKind::free:
      break;
  }
  return {X, {ball(X.p), {slide({1, 0, 0}), slide({0, 1, 0}), slide({0, 0, 1})}}};
}

}  // namespace catena
