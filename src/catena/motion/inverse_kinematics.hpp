// Inverse kinematics: which positions bring a frame to where it shall be.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"
#include "catena/motion/conditions.hpp"

namespace catena {

// Attitudes as people write them.
Mat3<double> rotation_from_zyz(double first, double second, double third);

// Where a frame shall be, seen from the world. What is not given is free.
struct FrameTarget {
  std::optional<Vec3<double>> position;
  std::optional<Mat3<double>> attitude;
};

struct InverseKinematicsOptions {
  bool limits = true;        // stay within the joint limits
  double tolerance = 1e-12;  // metres and radians
  int iterations = 200;
};

// The machine and one frame of it; carries scratch memory.
class InverseKinematics {
 public:
  // Throws InputError for a frame that the mechanism does not have.
  // conditions: what positions must meet besides (closed loops), or null; kept by pointer.
  InverseKinematics(const Mechanism<double>& m, const std::string& frame,
                    const InverseKinematicsOptions& options = {}, Conditions* conditions = nullptr);

  // From the positions in q to a solution near them: Levenberg-Marquardt, whose damping vanishes
  // with the error, so that it ends as Newton's method. True if the tolerance is met (or rounding
  // allows no better); then q is the solution, else the best that was found.
  bool solve(const FrameTarget& target, std::span<double> q);
  // What is left at q, of the conditions, too: metres and radians.
  double error(const FrameTarget& target, std::span<const double> q);

  // Distinct solutions, from q0 and from random positions (the same every time), nearest to q0
  // first. Angles are between -pi and pi where limits allow.
  std::vector<std::vector<double>> solutions(const FrameTarget& target, std::span<const double> q0,
                                             int starts = 50);

  // Velocities and accelerations that move the frame with this twist [w; v] and its derivative, in
  // world axes at the frame's origin: the shortest ones if there are many. Only the parts that the
  // target gives count.
  //   throws  NumericalError, naming the frame, where the machine is singular and cannot
  void rates(const FrameTarget& target, std::span<const double> q, const Motion<double>& twist,
             const Motion<double>& acceleration, std::span<double> qd, std::span<double> qdd);

 private:
  using VectorXd = Eigen::VectorXd;
  void residual(const FrameTarget& target, std::span<const double> q, VectorXd& r);
  void jacobian(const FrameTarget& target, std::span<const double> q, Eigen::MatrixXd& J);
  int frame_rows(const FrameTarget& target) const;
  int rows(const FrameTarget& target) const;
  void keep_limits(std::span<double> q) const;
  // Singular values that count as zero, over the largest: rows of loops often say the same.
  double negligible(double of_trees) const { return conditions_ == nullptr ? of_trees : 1e-9; }

  const Mechanism<double>& m_;
  FrameInfo frame_;
  InverseKinematicsOptions options_;
  Conditions* conditions_;
  VectorXd values_;
  Eigen::MatrixXd K_;
  Workspace<double> w_;
  std::vector<Pose<double>> X_WB_;
  std::vector<double> J_;
};

}  // namespace catena
