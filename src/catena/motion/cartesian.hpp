// Cartesian paths: a frame goes along a straight line or an arc without turning, and the joints
// follow.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "catena/motion/inverse_kinematics.hpp"

namespace catena {

// A point on a path, s from 0 to 1, and its derivatives by s.
struct PathPoint {
  Vec3<double> p, first, second;
};

class CartesianPath {
 public:
  static CartesianPath line(const Vec3<double>& from, const Vec3<double>& to);
  // The circle through three points, from the first over the second to the last.
  //   throws  InputError if they lie on a line
  static CartesianPath arc(const Vec3<double>& from, const Vec3<double>& via,
                           const Vec3<double>& to);

  PathPoint at(double s) const;
  double length() const;

 private:
  Vec3<double> from_{}, way_{};
  Vec3<double> centre_{}, u_{}, v_{};  // arc: radius times two unit vectors
  double angle_ = 0;                   // 0: a line
};

// The joints along a path, one call after the other with s growing in small steps.
class PathFollower {
 public:
  // q: a solution at the beginning, or near one. attitude: what the frame keeps; empty: it is free.
  //   throws  NumericalError if the beginning cannot be reached
  PathFollower(InverseKinematics& kinematics, const CartesianPath& path,
               const std::optional<Mat3<double>>& attitude, std::vector<double> q);

  // The state where the path is at s with ds/dt = rate and its derivative.
  //   throws  NumericalError, naming s, where the path leaves what the machine can reach
  void at(double s, double rate, double acceleration, std::span<double> q, std::span<double> qd,
          std::span<double> qdd);

 private:
  void go_to(double s);
  FrameTarget target(double s) const;

  InverseKinematics& kinematics_;
  CartesianPath path_;
  std::optional<Mat3<double>> attitude_;
  std::vector<double> q_;
  double s_ = 0;
};

}  // namespace catena
