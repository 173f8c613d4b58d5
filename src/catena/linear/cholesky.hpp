// A x = b for a small symmetric and positive definite A.
#pragma once

#include <Eigen/Core>

namespace catena {

class Cholesky {
 public:
  // Reads the lower triangle of A.
  explicit Cholesky(const Eigen::MatrixXd& A);

  // False: A is not positive definite, and nothing can be solved.
  bool definite() const { return definite_; }
  Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  Eigen::MatrixXd L_;  // A = L Lᵀ, in the lower triangle
  bool definite_ = true;
};

}  // namespace catena
