#include "catena/linear/cholesky.hpp"

#include <cmath>

namespace catena {

using Eigen::Index;
using Eigen::VectorXd;

Cholesky::Cholesky(const Eigen::MatrixXd& A) : L_(A) {
  const Index n = A.rows();
  for (Index j = 0; j < n && definite_; ++j) {
    for (Index k = 0; k < j; ++k) {
      for (Index i = j; i < n; ++i) L_(i, j) -= L_(i, k) * L_(j, k);
    }
    definite_ = L_(j, j) > 0;
    const double pivot = std::sqrt(L_(j, j));
    for (Index i = j; i < n; ++i) L_(i, j) /= pivot;
  }
}

VectorXd Cholesky::solve(const VectorXd& b) const {
  const Index n = L_.rows();
  VectorXd x = b;
  for (Index j = 0; j < n; ++j) {
    x[j] /= L_(j, j);
    for (Index i = j + 1; i < n; ++i) x[i] -= L_(i, j) * x[j];
  }
  for (Index j = n; j-- > 0;) {
    for (Index i = j + 1; i < n; ++i) x[j] -= L_(i, j) * x[i];
    x[j] /= L_(j, j);
  }
  return x;
}

}  // namespace catena
