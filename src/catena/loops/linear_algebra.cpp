#include "catena/loops/linear_algebra.hpp"

#include <Eigen/Cholesky>

#include "catena/linear/singular_values.hpp"
#include "catena/loops/sparse_rows.hpp"

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

Index rank_of(const VectorXd& s) {
  Index rank = 0;
  while (rank < s.size() && s[rank] > rank_tolerance * s[0]) ++rank;
  return rank;
}

}  // namespace

Rows unit_rows(const Rows& K) {
  Rows unit = K;
  for (Index i = 0; i < K.rows(); ++i) {
    if (const double size = K.row(i).norm(); size > 0) unit.row(i) /= size;
  }
  return unit;
}

VectorXd row_forces(const Rows& K, const VectorXd& b) {
  const LeastNorm scaled = least_norm(unit_rows(K).transpose(), b);
  VectorXd lambda = scaled.x;
  Index rows = 0;
  for (Index i = 0; i < K.rows(); ++i) {
    const double size = K.row(i).norm();
    rows += size > 0;
    lambda[i] = size > 0 ? lambda[i] / size : 0;
  }
  return scaled.rank < rows ? smallest_forces(K, lambda) : lambda;
}

// What is left of lambda in the range of K.
VectorXd smallest_forces(const Rows& K, const VectorXd& lambda) {
  if (const auto sparse = if_large(K)) return in_range(*sparse, lambda);
  const MatrixXd range = SingularValues(K).U.leftCols(rank_of(SingularValues(unit_rows(K)).s));
  return range * (range.transpose() * lambda);
}

LeastNorm least_norm(const MatrixXd& A, const VectorXd& b, double mu) {
  if (A.cols() == 0 || A.rows() == 0) return {VectorXd::Zero(A.cols()), 0};
  if (const auto sparse = if_large(A)) return least_norm(*sparse, b, mu);
  const LeastSquares solution = least_squares(A, b, rank_tolerance, mu);
  return {solution.X, solution.rank};
}

MatrixXd least_norms(const MatrixXd& A, const MatrixXd& B) {
  if (A.cols() == 0 || A.rows() == 0) return MatrixXd::Zero(A.cols(), B.cols());
  return least_squares(A, B, rank_tolerance).X;
}

MatrixXd null_space(const MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return MatrixXd::Identity(A.cols(), A.cols());
  if (const auto sparse = if_large(A)) return null_space(*sparse);
  const SingularValues svd(A);
  return svd.V.rightCols(A.cols() - rank_of(svd.s));
}

MatrixXd row_space(const MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return MatrixXd(A.cols(), 0);
  const SingularValues svd(A.transpose());
  return svd.U.leftCols(rank_of(svd.s));
}

PositiveSolution solve_positive(const MatrixXd& A, const VectorXd& b) {
  const Eigen::LDLT<MatrixXd> solver(A);
  PositiveSolution r;
  if (solver.vectorD().minCoeff() > 1e-12 * solver.vectorD().maxCoeff()) {
    r.x = solver.solve(b);
  } else {
    r.idle = SingularValues(A).V.rightCols<1>();
  }
  return r;
}

VectorXd singular_values(const MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return {};
  return A.rows() < A.cols() ? SingularValues(A.transpose()).s : SingularValues(A).s;
}

}  // namespace catena
