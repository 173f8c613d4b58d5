#include "catena/motion/cartesian.hpp"

#include <cmath>
#include <cstdio>

#include "catena/support/error.hpp"

namespace catena {
namespace {

double norm(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }

// Between two samples the joints are followed in steps of the path no longer than this.
constexpr double longest_piece = 1. / 256;

}  // namespace

CartesianPath CartesianPath::line(const Vec3<double>& from, const Vec3<double>& to) {
  CartesianPath path;
  path.from_ = from, path.way_ = to - from;
  return path;
}

CartesianPath CartesianPath::arc(const Vec3<double>& from, const Vec3<double>& via,
                                 const Vec3<double>& to) {
  const Vec3<double> a = via - from, b = to - from, normal = cross(a, b);
  const double square = dot(normal, normal);
  if (!(square > 1e-20 * dot(a, a) * dot(b, b)))
    throw InputError({}, "the three points of the arc lie on a line", "move one, or use a line");
  CartesianPath path;
  path.centre_ = from + (1 / (2 * square)) * cross(dot(a, a) * b - dot(b, b) * a, cross(a, b));
  path.u_ = from - path.centre_;
  const Vec3<double> n = (1 / std::sqrt(square)) * normal;
  path.v_ = cross(n, path.u_);
  const double r2 = dot(path.u_, path.u_);
  const Vec3<double> end = to - path.centre_;
  path.angle_ = std::atan2(dot(end, path.v_) / r2, dot(end, path.u_) / r2);
  if (path.angle_ <= 0) path.angle_ += 2 * M_PI;  // from, via, to turn about n
  return path;
}

PathPoint CartesianPath::at(double s) const {
  if (angle_ == 0) return {from_ + s * way_, way_, {}};
  const double c = std::cos(s * angle_), d = std::sin(s * angle_);
  const Vec3<double> r = c * u_ + d * v_;
  return {centre_ + r, angle_ * (c * v_ - d * u_), (-angle_ * angle_) * r};
}

double CartesianPath::length() const { return angle_ == 0 ? norm(way_) : angle_ * norm(u_); }

PathFollower::PathFollower(InverseKinematics& kinematics, const CartesianPath& path,
                           const std::optional<Mat3<double>>& attitude, std::vector<double> q)
    : kinematics_(kinematics), path_(path), attitude_(attitude), q_(std::move(q)) {
  if (!kinematics_.solve(target(0), q_))
    throw NumericalError(
        "the begin of the path cannot be reached from where the search began; begin nearer, or "
        "look "
        "for solutions with catena ik");
}

FrameTarget PathFollower::target(double s) const { return {path_.at(s).p, attitude_}; }

// By the velocity along the path, then by iteration: so it stays on its branch.
void PathFollower::go_to(double s) {
  const int pieces = std::max(1, static_cast<int>(std::ceil(std::fabs(s - s_) / longest_piece)));
  const double begin = s_;
  for (int i = 1; i <= pieces; ++i) {
    const double next = begin + (s - begin) * i / pieces;
    if (!kinematics_.solve(target(next), q_)) {
      char text[240];
      const Vec3<double> p = path_.at(next).p;
      std::snprintf(
          text, sizeof text,
          "the path leaves what the machine can reach after %.4g of its length, near "
          "(%.4g, %.4g, %.4g)%s",
          next, p.x, p.y, p.z,
          attitude_ ? "\n    with this attitude; --free-attitude lets the frame turn" : "");
      throw NumericalError(text);
    }
    s_ = next;
  }
}

void PathFollower::at(double s, double rate, double acceleration, std::span<double> q,
                      std::span<double> qd, std::span<double> qdd) {
  go_to(s);
  std::copy(q_.begin(), q_.end(), q.begin());
  const PathPoint p = path_.at(s);
  kinematics_.rates(target(s), q_, {{}, rate * p.first},
                    {{}, acceleration * p.first + (rate * rate) * p.second}, qd, qdd);
}

}  // namespace catena
