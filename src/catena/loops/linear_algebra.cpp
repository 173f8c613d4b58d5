#include "catena/loops/linear_algebra.hpp"

#include <Eigen/SVD>

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Svd = Eigen::JacobiSVD<MatrixXd>;

LeastNorm least_norm(const MatrixXd& A, const VectorXd& b, double mu) {
  if (A.cols() == 0 || A.rows() == 0) return {VectorXd::Zero(A.cols()), 0};
  const Svd svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV);
  VectorXd s = svd.singularValues();
  const double largest = s[0];
  LeastNorm r;
  for (double& x : s) {
    const bool counts = x > rank_tolerance * largest;
    r.rank += counts;
    x = counts ? x / (x * x + mu * largest * largest) : 0;
  }
  r.x = svd.matrixV() * (s.asDiagonal() * (svd.matrixU().transpose() * b));
  return r;
}

MatrixXd null_space(const MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return MatrixXd::Identity(A.cols(), A.cols());
  const Svd svd(A, Eigen::ComputeThinU | Eigen::ComputeFullV);
  const VectorXd& s = svd.singularValues();
  Index rank = 0;
  while (rank < s.size() && s[rank] > rank_tolerance * s[0]) ++rank;
  return svd.matrixV().rightCols(A.cols() - rank);
}

VectorXd singular_values(const MatrixXd& A) {
  if (A.rows() == 0 || A.cols() == 0) return {};
  return Svd(A, Eigen::ComputeThinU | Eigen::ComputeThinV).singularValues();
}

}  // namespace catena
