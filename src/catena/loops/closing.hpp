// Closing: brings a state that is nearly right back onto its loops, by the shortest way.
#pragma once

#include <vector>

#include "catena/loops/assembly.hpp"

namespace catena {

// Newton steps with the normal equations of the rows that say something; where their rank is not
// clear, singular values decide (assembly.hpp). Memory is kept between calls.
class Closing {
 public:
  explicit Closing(const ClosedMechanism& m);

  // Positions: those of velocities that are held do not move.
  //   reads   held [nv] or empty
  //   writes  q [nq]
  //   returns what remains of the worst row, and which; `changed` if q was moved
  struct Outcome {
    double residual = 0;
    int worst_closure = -1;
    bool changed = false;
  };
  Outcome positions(Eigen::VectorXd& q, const std::vector<char>& held);
  // Velocities, at the positions of the last call: K v = 0.
  Outcome velocities(Eigen::VectorXd& v, const std::vector<char>& held);

  LoopState& state() { return state_; }

 private:
  // The smallest x of the velocities that are not held with K x = values; false if unclear.
  bool solve(const Eigen::VectorXd& values, const std::vector<char>& held, Eigen::VectorXd& x);

  const ClosedMechanism& m_;
  LoopState state_;
  RowMatrix J_;
  Eigen::MatrixXd N_;
  Eigen::VectorXd y_, x_, next_, rate_;
  std::vector<int> rows_;
};

}  // namespace catena
