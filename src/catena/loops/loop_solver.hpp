// Loop solver: one way of solving the loops of a mechanism, at a state that is known.
#pragma once

#include <span>

#include "catena/loops/closed_mechanism.hpp"

namespace catena {

struct ClosedForward {
  Eigen::VectorXd qdd, lambda;
  int rank = 0;  // of K; below its number of rows, some are redundant and lambda is the smallest
};

// Which joint forces inverse dynamics is to find.
struct Actuation {
  std::vector<int> velocities{};  // the forces that are free to choose; empty: of the actuators
  Eigen::VectorXd given{};        // [nv] forces that act besides; empty: none
  Eigen::VectorXd weights{};      // [nv] of their squares, where several do the same; empty: 1

  bool usual() const { return velocities.empty() && given.size() == 0 && weights.size() == 0; }
};

struct ClosedInverse {
  Eigen::VectorXd tau;     // [nv], those found and those given
  Eigen::VectorXd lambda;  // [rows]
  int rank = 0;
  bool redundantly_actuated = false;  // the sum of weighted squares is then the smallest
  double unbalanced = 0;              // force that no actuator can give, along ...
  Eigen::VectorXd unbalanced_motion;  // ... this motion (empty if there is none)
};

// A state in which the loops are closed, and what acts on the bodies.
struct LoopInput {
  const Eigen::VectorXd &q, &qd;
  const LoopState& state;                 // at q and qd
  std::span<const Force<double>> Fext_B;  // [num_bodies], springs among them: at Bo, in B
};

class LoopSolver {
 public:
  virtual ~LoopSolver() = default;
  //   throws  NumericalError, naming the joint, where a motion that is free carries no inertia
  virtual ClosedForward forward(const LoopInput& in, const Eigen::VectorXd& tau) = 0;
  virtual ClosedInverse inverse(const LoopInput& in, const Eigen::VectorXd& qdd) = 0;
};

// The forces of the actuators with Gᵀ tau = along, for motions G [nv * freedoms] that the loops
// allow; `size` is that of the forces that `along` is made of. lambda, rank and forces that are
// given are left to the caller.
ClosedInverse drives_along(const ClosedMechanism& m, const Eigen::MatrixXd& G,
                           const Eigen::VectorXd& along, double size,
                           const Actuation& actuation = {});

// Which velocities may be chosen freely: the actuated ones if the others follow well from them,
// else those from which they follow best. (With its actuators locked a five-bar can still move
// where its distal links are in line: there its actuators are no good coordinates.)
std::vector<int> sound_velocities(const ClosedMechanism& m, const RowMatrix& K);

// A force that no unknown balances counts if it is larger than rounding.
bool is_unbalanced(double force, double size);

std::string joint_of_velocity(const ClosedMechanism& m, int velocity);
// Throws NumericalError, naming the joint with the largest part in a motion.
[[noreturn]] void fail_without_inertia(const ClosedMechanism& m, const Eigen::VectorXd& motion);

}  // namespace catena
