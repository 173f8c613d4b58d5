// Driven joints: forward dynamics of mechanisms in which some accelerations are prescribed.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "catena/loops/closed_dynamics.hpp"

namespace catena {

struct DrivenForward {
  Eigen::VectorXd qdd;
  Eigen::VectorXd force;  // [nv]: of the drives, besides tau; zero at joints that are not driven
};

// Accelerations for joint forces tau, where the velocities in `driven` have those of `qdd`. Works
// with every method, for trees (a model without loops), too.
//   throws  NumericalError as forward dynamics does, and if the accelerations contradict the loops
DrivenForward driven_forward_dynamics(ClosedDynamics& dynamics, const Eigen::VectorXd& q,
                                      const Eigen::VectorXd& qd, const Eigen::VectorXd& tau,
                                      const std::map<std::string, Force<double>>& wrenches,
                                      const std::vector<int>& driven, const Eigen::VectorXd& qdd,
                                      LoopMethod method = LoopMethod::multipliers);

}  // namespace catena
