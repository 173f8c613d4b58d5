// Derivatives of the dynamics of closed mechanisms, along the motions that the loops allow.
//
// Positions and velocities cannot change one by one there: derivatives are by the independent
// ones, the others following so that the loops stay closed. They come from differentiating
//   M qdd + h = tau + Kᵀ lambda,   K qdd + k = 0
// with the derivatives of the tree and of the rows of the closures (linearization.hpp).
#pragma once

#include "catena/formulations/spatial/inverse_derivatives.hpp"
#include "catena/loops/closed_dynamics.hpp"

namespace catena {

struct ClosedForwardSensitivity {
  std::vector<int> independent;       // velocities that belong to the columns
  Eigen::MatrixXd motion;             // [nv independent]: how all velocities follow
  Eigen::MatrixXd dqdd_dq, dqdd_dqd;  // [nv independent]
  Eigen::MatrixXd dqdd_dtau;          // [nv nv]
  Eigen::VectorXd qdd;
};

struct ClosedInverseSensitivity {
  std::vector<int> independent;
  Eigen::MatrixXd motion;
  std::vector<int> actuated;                     // velocities that belong to the rows
  Eigen::MatrixXd dtau_dq, dtau_dqd, dtau_dqdd;  // [actuated independent]
  Eigen::VectorXd tau;                           // [nv]
};

struct ClosedDerivativesOptions {
  std::vector<int> independent{};  // velocities; empty: actuated ones where the others follow well
  WrenchAxes held = WrenchAxes::frame;  // axes in which external wrenches stay as they are
};

// Accelerations by positions and velocities at fixed forces, and by forces.
//   reads   q [nq], qd, tau [nv]: the loops are closed
//   throws  NumericalError, naming the joint, where a motion that is free carries no inertia, or
//           does not follow from the independent velocities; InputError for an unknown frame
ClosedForwardSensitivity forward_derivatives(
    ClosedDynamics& dynamics, const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
    const Eigen::VectorXd& tau, const std::map<std::string, Force<double>>& wrenches = {},
    const ClosedDerivativesOptions& options = {});

// The actuators' forces by positions at fixed independent velocities and accelerations, by those
// velocities, and by those accelerations. Where more actuators than necessary act, these are the
// derivatives of the forces whose sum of squares is the least, as inverse dynamics finds them.
//   reads   q [nq], qd, qdd [nv] that keep the loops closed
//   throws  as above, and NumericalError if there is a motion that no actuator drives
ClosedInverseSensitivity inverse_derivatives(
    ClosedDynamics& dynamics, const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
    const Eigen::VectorXd& qdd, const std::map<std::string, Force<double>>& wrenches = {},
    const ClosedDerivativesOptions& options = {});

}  // namespace catena
