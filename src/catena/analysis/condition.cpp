#include "catena/analysis/condition.hpp"

#include <limits>

#include "catena/linear/singular_values.hpp"

namespace catena {

double condition_number(const std::vector<double>& M, int n) {
  const Eigen::Map<const Eigen::MatrixXd> matrix(M.data(), n, n);
  const Eigen::VectorXd values = SymmetricModes(matrix).values;
  return values[0] > 0 ? values[n - 1] / values[0] : std::numeric_limits<double>::infinity();
}

}  // namespace catena
