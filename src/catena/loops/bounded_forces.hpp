// Bounded forces: what drives, stops and dry friction do together, where some of them are at their
// limits.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <span>
#include <vector>

namespace catena {

// Accelerations [nv] for joint forces tau [nv] at one state: affine in tau.
using AccelerationsOf = std::function<void(std::span<const double> tau, std::span<double> qdd)>;

// What unit forces at some velocities add to the accelerations of all: columns [nv x velocities].
// The same columns say what unit impulses add to the velocities.
//   reads   of, tau [nv], free [nv]: the accelerations for tau alone
Eigen::MatrixXd unit_responses(const AccelerationsOf& of, const Eigen::VectorXd& tau,
                               const Eigen::VectorXd& free, const std::vector<int>& velocities);

struct BoundedForces {
  Eigen::VectorXd force;  // between its bounds
  Eigen::VectorXd rest;   // A force + b: 0 inside the bounds, >= 0 at the lower, <= 0 at the upper
  bool possible = true;   // false: no force does it; `blocked` is the entry that shows it
  int blocked = -1;
};

// Forces within bounds that bring A force + b to zero, or as near as the bounds allow: the smallest
// of force.(A force) / 2 + b.force, by active sets. A is symmetric and positive semidefinite; where
// several forces do the same, one of them is taken. Bounds may be infinite.
BoundedForces bounded_forces(const Eigen::MatrixXd& A, const Eigen::VectorXd& b,
                             const Eigen::VectorXd& lower, const Eigen::VectorXd& upper);

}  // namespace catena
