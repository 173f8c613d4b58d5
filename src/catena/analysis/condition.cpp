#include "catena/analysis/condition.hpp"

#include <Eigen/Eigenvalues>
#include <limits>

namespace catena {

double condition_number(const std::vector<double>& M, int n) {
  const Eigen::Map<const Eigen::MatrixXd> matrix(M.data(), n, n);
  const Eigen::VectorXd values =
      Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(matrix, Eigen::EigenvaluesOnly).eigenvalues();
  return values[0] > 0 ? values[n - 1] / values[0] : std::numeric_limits<double>::infinity();
}

}  // namespace catena
