#include "catena/loops/linear_algebra.hpp"

#include <Eigen/Cholesky>
#include <Eigen/QR>
#include <Eigen/SVD>

#include "catena/loops/sparse_rows.hpp"

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Svd = Eigen::JacobiSVD<MatrixXd>;

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

// What is left of lambda in the range of K: that range is spanned by independent columns.
VectorXd smallest_forces(const Rows& K, const VectorXd& lambda) {
  if (const auto sparse = if_large(K)) return in_range(*sparse, lambda);
  Eigen::ColPivHouseholderQR<MatrixXd> columns;
  columns.setThreshold(rank_tolerance);
  columns.compute(unit_rows(K));
  const Index rank = columns.rank();
  MatrixXd range(K.rows(), rank);
  for (Index i = 0; i < rank; ++i) range.col(i) = K.col(columns.colsPermutation().indices()[i]);
  const Eigen::HouseholderQR<MatrixXd> basis(range);
  VectorXd along = basis.householderQ().transpose() * lambda;
  along.tail(K.rows() - rank).setZero();
  return basis.householderQ() * along;
}

namespace {

// Singular values turned into their inverses, or what damping leaves of them; returns the rank.
int invert(VectorXd& s, double mu) {
  const double largest = s[0];
  int rank = 0;
  for (double& x : s) {
    const bool counts = x > rank_tolerance * largest;
    rank += counts;
    x = counts ? x / (x * x + mu * largest * largest) : 0;
  }
  return rank;
}

Index rank_of(const VectorXd& s) {
  Index rank = 0;
  while (rank < s.size() && s[rank] > rank_tolerance * s[0]) ++rank;
  return rank;
}

}  // namespace

LeastNorm least_norm(const MatrixXd& A, const VectorXd& b, double mu) {
  if (A.cols() == 0 || A.rows() == 0) return {VectorXd::Zero(A.cols()), 0};
  if (const auto sparse = if_large(A)) return least_norm(*sparse, b, mu);
  const Svd svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  VectorXd s = svd.singularValues();
  LeastNorm r;
  r.rank = invert(s, mu);
  r.x = svd.matrixV() * (s.asDiagonal() * (svd.matrixU().transpose() * b));
  return r;
}

MatrixXd least_norms(const MatrixXd& A, const MatrixXd& B) {
  if (A.cols() == 0 || A.rows() == 0) return MatrixXd::Zero(A.cols(), B.cols());
  const Svd svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  VectorXd s = svd.singularValues();
  invert(s, 0);
  return svd.matrixV() * (s.asDiagonal() * (svd.matrixU().transpose() * B).eval());
}

MatrixXd null_space(const MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return MatrixXd::Identity(A.cols(), A.cols());
  if (const auto sparse = if_large(A)) return null_space(*sparse);
  const Svd svd(A, Eigen::ComputeThinU | Eigen::ComputeFullV);
  return svd.matrixV().rightCols(A.cols() - rank_of(svd.singularValues()));
}

MatrixXd row_space(const MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return MatrixXd(A.cols(), 0);
  const Svd svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return svd.matrixV().leftCols(rank_of(svd.singularValues()));
}

PositiveSolution solve_positive(const MatrixXd& A, const VectorXd& b) {
  const Eigen::LDLT<MatrixXd> solver(A);
  PositiveSolution r;
  if (solver.vectorD().minCoeff() > 1e-12 * solver.vectorD().maxCoeff()) {
    r.x = solver.solve(b);
  } else {
    r.idle = Svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV).matrixV().rightCols<1>();
  }
  return r;
}

VectorXd singular_values(const MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return {};
  return Svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV).singularValues();
}

}  // namespace catena
