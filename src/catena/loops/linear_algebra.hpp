// Systems whose rank is not known beforehand: all by singular values, but for large ones with few
// entries (sparse_rows.hpp).
#pragma once

#include <Eigen/Core>

namespace catena {

// The rank that counts: singular values below this share of the largest are zero.
inline constexpr double rank_tolerance = 1e-8;

// Entries of a row of closure equations below this share of what they could be are rounding: the
// row forbids nothing.
inline constexpr double row_noise = 1e-10;

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Every row divided by its length, so that units do not count when ranks are found. Zero rows stay.
Rows unit_rows(const Rows& K);

// The smallest lambda with Kᵀ lambda = b, where that can be solved.
Eigen::VectorXd row_forces(const Rows& K, const Eigen::VectorXd& b);
// The smallest lambda that has the same Kᵀ lambda.
Eigen::VectorXd smallest_forces(const Rows& K, const Eigen::VectorXd& lambda);

// The smallest x with the least |A x - b|. With mu > 0 directions of small singular values are
// damped: s counts as s / (s² + mu s_max²).
struct LeastNorm {
  Eigen::VectorXd x;
  int rank = 0;
};
LeastNorm least_norm(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double mu = 0);

// The same for every column of B.
Eigen::MatrixXd least_norms(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

// Orthonormal columns that span all x with A x = 0.
Eigen::MatrixXd null_space(const Eigen::MatrixXd& A);
// Orthonormal columns that span all Aᵀ y.
Eigen::MatrixXd row_space(const Eigen::MatrixXd& A);

// x with A x = b, A symmetric and positive definite.
struct PositiveSolution {
  Eigen::VectorXd x;
  Eigen::VectorXd idle;  // not empty: A is singular along this direction, and there is no x
};
PositiveSolution solve_positive(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

// Largest first.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

}  // namespace catena
