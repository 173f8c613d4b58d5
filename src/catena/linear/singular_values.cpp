#include "catena/linear/singular_values.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

void rotate(MatrixXd& A, Index i, Index j, double c, double s) {
  double *x = A.col(i).data(), *y = A.col(j).data();
  for (Index k = 0; k < A.rows(); ++k) {
    const double a = x[k], b = y[k];
    x[k] = c * a - s * b, y[k] = s * a + c * b;
  }
}

// Rotates pairs of columns of A, and V with them, until all are normal to one another (Hestenes'
// one-sided Jacobi method).
void make_normal(MatrixXd& A, MatrixXd& V) {
  constexpr double eps = std::numeric_limits<double>::epsilon();
  constexpr int most_sweeps = 60;
  const double rounding = eps * static_cast<double>(A.cols()) * A.norm();
  bool done = false;
  for (int sweep = 0; sweep < most_sweeps && !done; ++sweep) {
    done = true;
    for (Index i = 0; i + 1 < A.cols(); ++i) {
      for (Index j = i + 1; j < A.cols(); ++j) {
        const double a = A.col(i).squaredNorm(), b = A.col(j).squaredNorm();
        const double both = A.col(i).dot(A.col(j));
        const double least = std::max(2 * eps * std::sqrt(a) * std::sqrt(b), rounding * rounding);
        if (!(std::fabs(both) > least)) continue;
        done = false;
        const double zeta = (b - a) / (2 * both);
        const double t = std::copysign(1 / (std::fabs(zeta) + std::hypot(1, zeta)), zeta);
        const double c = 1 / std::sqrt(1 + t * t);
        rotate(A, i, j, c, c * t);
        rotate(V, i, j, c, c * t);
      }
    }
  }
}

}  // namespace

SingularValues::SingularValues(const MatrixXd& A) {
  const Index n = A.cols();
  MatrixXd columns = A, turned = MatrixXd::Identity(n, n);
  make_normal(columns, turned);
  const VectorXd sizes = columns.colwise().norm();
  std::vector<Index> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](Index i, Index j) { return sizes[i] > sizes[j]; });
  U.setZero(A.rows(), n), V.resize(n, n), s.resize(n);
  for (Index k = 0; k < n; ++k) {
    const Index from = order[static_cast<std::size_t>(k)];
    s[k] = sizes[from];
    V.col(k) = turned.col(from);
    if (s[k] > 0) U.col(k) = columns.col(from) / s[k];
  }
}

LeastSquares least_squares(const MatrixXd& A, const MatrixXd& B, double tolerance, double mu) {
  const bool wide = A.cols() > A.rows();
  const SingularValues svd(wide ? MatrixXd(A.transpose()) : A);
  const MatrixXd &left = wide ? svd.V : svd.U, &right = wide ? svd.U : svd.V;
  LeastSquares r;
  MatrixXd along = left.transpose() * B;
  for (Index k = 0; k < svd.s.size(); ++k) {
    const double s = svd.s[k], largest = svd.s[0];
    const bool counts = s > tolerance * largest;
    r.rank += counts;
    along.row(k) *= counts ? s / (s * s + mu * largest * largest) : 0;
  }
  r.X = right * along;
  return r;
}

SymmetricModes::SymmetricModes(const MatrixXd& A) {
  const SingularValues all(A);
  const Index n = A.cols();
  V.resize(n, n), values.resize(n);
  for (Index k = 0; k < n; ++k) {
    V.col(k) = all.V.col(n - 1 - k);
    values[k] = V.col(k).dot(A * V.col(k));
  }
}

}  // namespace catena
