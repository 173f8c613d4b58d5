// Independent rates: how all joints of a mechanism with loops move with those that may be chosen.
#pragma once

#include <vector>

#include "catena/loops/closed_mechanism.hpp"

namespace catena {

// qd = G qd_i and qdd = G qdd_i + Gdot qd_i: columns belong to the independent velocities.
struct IndependentRates {
  Eigen::MatrixXd G, Gdot;  // [nv x independent]
};

//   reads   q, qd where the loops are closed; velocities as independent_velocities() chooses them
//   writes  state
IndependentRates independent_rates(const ClosedMechanism& m, LoopState& state,
                                   const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                   const std::vector<int>& velocities);

}  // namespace catena
