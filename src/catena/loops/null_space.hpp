// Motions that rows of conditions allow, and the accelerations along them.
#pragma once

#include <vector>

#include "catena/loops/linear_algebra.hpp"

namespace catena {

// 1 / sqrt of the diagonal, so that inertias of any size count alike; where there is none, of the
// largest.
Eigen::VectorXd inertia_scale(const Eigen::MatrixXd& M);

// x with M x = f + Kᵀ lambda and K x = -k: the smallest x0 that K x0 = -k, plus G y with K G = 0:
// Gᵀ M G y = Gᵀ (f - M x0).
struct NullSpaceMotion {
  Eigen::VectorXd x;
  int rank = 0;          // of K
  Eigen::VectorXd idle;  // not empty: a free motion without inertia; x is then not meaningful
};
NullSpaceMotion null_space_motion(const Eigen::MatrixXd& M, const Rows& K, const Eigen::VectorXd& k,
                                  const Eigen::VectorXd& f);

// All motions K x = -k by independent velocities y: x = x0 + G y. In the rows of the independent
// velocities G is the identity and x0 zero.
struct IndependentMotion {
  Eigen::MatrixXd G;
  Eigen::VectorXd x0;
};
IndependentMotion independent_motion(const Rows& K, const Eigen::VectorXd& k,
                                     const std::vector<int>& independent);

}  // namespace catena
