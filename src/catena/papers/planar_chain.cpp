#include "catena/papers/planar_chain.hpp"

#include <cmath>

namespace catena::papers {

// With absolute angles f: Q_i = sum_j A_ij (cos(f_i - f_j) f_j'' + sin(f_i - f_j) f_j'^2)
//                               + g B_i cos f_i,   torque_i = sum_{k >= i} Q_k.
Eigen::VectorXd PlanarChain::torques(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                     const Eigen::VectorXd& qdd) const {
  const std::size_t n = length.size();
  std::vector<double> f(n), fd(n), fdd(n), Q(n, 0);
  for (std::size_t i = 0; i < n; ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    f[i] = q[k] + (i > 0 ? f[i - 1] : 0);
    fd[i] = qd[k] + (i > 0 ? fd[i - 1] : 0);
    fdd[i] = qdd[k] + (i > 0 ? fdd[i - 1] : 0);
  }
  // The mass centre of link k moves with the arm that link i gives it.
  const auto arm = [&](std::size_t i, std::size_t k) { return i == k ? centre[i] : length[i]; };
  for (std::size_t i = 0; i < n; ++i) {
    Q[i] += inertia[i] * fdd[i];
    for (std::size_t k = i; k < n; ++k) {
      Q[i] += gravity * mass[k] * arm(i, k) * std::cos(f[i]);
      for (std::size_t j = 0; j <= k; ++j)
        Q[i] += mass[k] * arm(i, k) * arm(j, k) *
                (std::cos(f[i] - f[j]) * fdd[j] + std::sin(f[i] - f[j]) * fd[j] * fd[j]);
    }
  }
  Eigen::VectorXd tau(static_cast<Eigen::Index>(n));
  double sum = 0;
  for (std::size_t i = n; i-- > 0;) tau[static_cast<Eigen::Index>(i)] = sum += Q[i];
  return tau;
}

}  // namespace catena::papers
