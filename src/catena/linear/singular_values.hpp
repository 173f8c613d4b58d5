// Singular values and vectors of small matrices.
#pragma once

#include <Eigen/Core>

namespace catena {

// A = U diag(s) Vᵀ, largest s first: as many as A has columns (those beyond its rows are zero).
// Where s is zero, the column of U is zero too; V is a whole orthonormal basis.
struct SingularValues {
  Eigen::MatrixXd U, V;
  Eigen::VectorXd s;

  explicit SingularValues(const Eigen::MatrixXd& A);
};

// The generalised inverse of A, times B: of all columns x with the least |A x - b| the shortest.
// Singular values below `tolerance` times the largest are zero; with mu > 0 directions of small
// ones are damped: s counts as s / (s² + mu s_max²). A is not empty.
struct LeastSquares {
  Eigen::MatrixXd X;
  int rank = 0;
};
LeastSquares least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B, double tolerance,
                           double mu = 0);

// A = V diag(values) Vᵀ of a symmetric matrix without negative eigenvalues but for rounding,
// smallest first.
struct SymmetricModes {
  Eigen::MatrixXd V;
  Eigen::VectorXd values;

  explicit SymmetricModes(const Eigen::MatrixXd& A);
};

}  // namespace catena
