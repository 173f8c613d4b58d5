// Linearization: how everything in the equations of a closed mechanism changes with its state.
#pragma once

#include <map>
#include <string>

#include "catena/formulations/spatial/inverse_derivatives.hpp"
#include "catena/loops/closed_mechanism.hpp"

namespace catena {

// At a state with accelerations qdd and forces lambda in the rows, both held:
//   force = M qdd + h - Kᵀ lambda - (springs, wrenches),   row = K qdd + k
// by positions and velocities as if every joint were free. A change of q is one along the joint
// velocities.
struct Linearization {
  RowMatrix K, M;
  RowMatrix force_q, force_v;  // [nv nv]
  RowMatrix row_q, row_v;      // [rows nv]
  RowMatrix rate_q;            // [rows nv], of K qd
};

struct LinearizedState {
  const Eigen::VectorXd &q, &qd, &qdd, &lambda;
  const std::map<std::string, Force<double>>& wrenches;  // on frames of the model
  WrenchAxes held = WrenchAxes::frame;
};

//   writes  loops
Linearization linearize(const ClosedMechanism& m, LoopState& loops, const LinearizedState& state);

// The derivative of K v by positions, at fixed rates v: [rows nv].
//   writes  loops
RowMatrix rates_by_positions(const ClosedMechanism& m, LoopState& loops, const Eigen::VectorXd& q,
                             const Eigen::VectorXd& v);

}  // namespace catena
