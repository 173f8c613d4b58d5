#include "catena/loops/null_space.hpp"

#include <cmath>

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// k divided by the lengths of the rows of K, as unit_rows() divides K.
VectorXd unit_values(const Rows& K, VectorXd k) {
  for (Index i = 0; i < K.rows(); ++i) {
    const double size = K.row(i).norm();
    k[i] = size > 0 ? k[i] / size : 0;
  }
  return k;
}

}  // namespace

VectorXd inertia_scale(const MatrixXd& M) {
  const double largest = M.rows() > 0 ? M.diagonal().maxCoeff() : 0;
  VectorXd scale = VectorXd::Ones(M.rows());
  for (Index i = 0; i < M.rows() && largest > 0; ++i) {
    // A velocity that moves no mass needs no unit for it, and a small one would cost K its digits.
    const bool massless = M(i, i) <= 1e-20 * largest;
    scale[i] = 1 / std::sqrt(massless ? largest : std::max(M(i, i), 1e-14 * largest));
  }
  return scale;
}

NullSpaceMotion null_space_motion(const MatrixXd& M, const Rows& K, const VectorXd& k,
                                  const VectorXd& f) {
  const Rows unit = unit_rows(K);
  const MatrixXd G = null_space(unit);
  NullSpaceMotion r;
  r.rank = static_cast<int>(M.rows() - G.cols());
  r.x = least_norm(unit, -unit_values(K, k)).x;
  if (G.cols() == 0) return r;
  const PositiveSolution y = solve_positive(G.transpose() * M * G, G.transpose() * (f - M * r.x));
  if (y.idle.size() > 0)
    r.idle = G * y.idle;
  else
    r.x += G * y.x;
  return r;
}

IndependentMotion independent_motion(const Rows& K, const VectorXd& k,
                                     const std::vector<int>& independent) {
  const Index n = K.cols(), free = static_cast<Index>(independent.size());
  std::vector<char> is_free(static_cast<std::size_t>(n), 0);
  IndependentMotion r{MatrixXd::Zero(n, free), VectorXd::Zero(n)};
  for (Index i = 0; i < free; ++i) {
    const int v = independent[static_cast<std::size_t>(i)];
    is_free[static_cast<std::size_t>(v)] = 1, r.G(v, i) = 1;
  }
  const Rows unit = unit_rows(K);
  MatrixXd J(K.rows(), n - free), known(K.rows(), free + 1);
  for (Index i = 0; i < free; ++i)
    known.col(i) = -unit.col(independent[static_cast<std::size_t>(i)]);
  known.col(free) = -unit_values(K, k);
  Index at = 0;
  for (Index v = 0; v < n; ++v) {
    if (is_free[static_cast<std::size_t>(v)] == 0) J.col(at++) = unit.col(v);
  }
  const MatrixXd x = least_norms(J, known);
  at = 0;
  for (Index v = 0; v < n; ++v) {
    if (is_free[static_cast<std::size_t>(v)] != 0) continue;
    r.G.row(v) = x.row(at).head(free), r.x0[v] = x(at, free), ++at;
  }
  return r;
}

}  // namespace catena
