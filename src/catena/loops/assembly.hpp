// Assembly: positions, velocities and accelerations that keep the loops closed.
#pragma once

#include <vector>

#include "catena/loops/closed_mechanism.hpp"

namespace catena {

struct Assembly {
  Eigen::VectorXd q;
  bool closed = false;
  double residual = 0;     // the largest value of a row: metres, or the sine of an angle
  int worst_closure = -1;  // where that is; or the joint that is closed the wrong way round
  bool flipped = false;    // closed, but an axis points the wrong way
  int iterations = 0;
};

// Rows are closed when none is larger.
inline constexpr double closure_tolerance = 1e-12;

// Moves the velocities that are not held until all loops are closed, by the shortest way
// (Levenberg-Marquardt, then Newton), starting at q.
//   reads   m, q [nq], held [nv] (empty: none)
//   writes  state
Assembly assemble(const ClosedMechanism& m, LoopState& state, const Eigen::VectorXd& q,
                  const std::vector<char>& held = {});

// From a closed configuration to one in which the held coordinates have the values of `target`,
// in steps that are small enough not to change the branch.
Assembly follow(const ClosedMechanism& m, LoopState& state, const Eigen::VectorXd& q,
                const Eigen::VectorXd& target, const std::vector<char>& held);

// The rates with K qd = 0 (or K qdd = -bias) that have the values of the known ones; the others
// follow. `gap` is what remains of the rows: above rounding, the known ones contradict the loops.
//   writes  `free` [nv]: 1 where the loops do not say how fast an unknown one is (it is then 0 or
//           the smallest that fits)
struct Completion {
  Eigen::VectorXd rates;
  double gap = 0;
  int worst_row = -1;
  std::vector<char> free;
};
Completion complete_rates(const RowMatrix& K, const Eigen::VectorXd& rhs,
                          const Eigen::VectorXd& rates, const std::vector<char>& known);

}  // namespace catena
