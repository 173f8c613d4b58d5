// The motion of a closed chain from that of some of its joints.
#pragma once

#include <vector>

#include "catena/loops/closed_dynamics.hpp"

namespace catena::papers {

class ClosedMotion {
 public:
  // Closes the loops from the model's start.
  //   throws  NumericalError if they cannot be closed
  explicit ClosedMotion(const Model& model);

  ClosedDynamics& dynamics() { return dynamics_; }
  const Mechanism<double>& tree() const { return dynamics_.mechanism().tree; }
  // Velocities whose motion is given from now on; each must have a position of its own.
  void lead(const std::vector<int>& velocities);
  int position_of(int velocity) const;

  // Goes to where the led joints are as in these vectors (whose other entries do not matter),
  // keeping the branch; completes them.
  //   throws  NumericalError where the loops cannot be closed
  void go(Eigen::VectorXd& q, Eigen::VectorXd& qd, Eigen::VectorXd& qdd);

 private:
  ClosedDynamics dynamics_;
  LoopState state_;
  std::vector<char> held_;
  Eigen::VectorXd q_;
};

}  // namespace catena::papers
