#include "catena/loops/closing.hpp"

#include <algorithm>
#include <cmath>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A state this near to the loops is left as it is.
constexpr double close_enough = 1e-13;
// Pivots of the normal equations: below `lost` a row says nothing new, above `clear` it does.
constexpr double lost = 1e-13, clear = 1e-7;
constexpr int most_steps = 6;

bool is_held(const std::vector<char>& held, Index v) {
  return !held.empty() && held[static_cast<std::size_t>(v)] != 0;
}

}  // namespace

Closing::Closing(const ClosedMechanism& m)
    : m_(m),
      state_(m),
      J_(m.num_rows(), m.tree.nv),
      N_(m.num_rows(), m.num_rows()),
      y_(m.num_rows()),
      x_(m.tree.nv),
      next_(m.tree.nq),
      rate_(m.num_rows()) {}

bool Closing::solve(const VectorXd& values, const std::vector<char>& held, VectorXd& x) {
  const RowMatrix& K = state_.jacobian();
  rows_.clear();
  Index n = 0;
  for (Index r = 0; r < K.rows(); ++r) {
    J_.row(n) = K.row(r);
    for (Index v = 0; v < K.cols(); ++v) {
      if (is_held(held, v)) J_(n, v) = 0;
    }
    const double size = K.row(r).norm();
    if (!(J_.row(n).norm() > row_noise * size)) continue;
    J_.row(n) /= size;
    y_[n++] = values[r] / size;
    rows_.push_back(static_cast<int>(r));
  }
  x.setZero();
  if (n == 0) return true;
  // Cholesky, row by row; a row that follows from those before gets no part.
  auto N = N_.topLeftCorner(n, n);
  N.noalias() = J_.topRows(n) * J_.topRows(n).transpose();
  for (Index i = 0; i < n; ++i) {
    const double whole = N(i, i);
    for (Index j = 0; j < i; ++j)
      N(i, j) = N(j, j) > 0 ? (N(i, j) - N.row(i).head(j).dot(N.row(j).head(j))) / N(j, j) : 0;
    const double pivot = whole - N.row(i).head(i).squaredNorm();
    if (pivot > lost * whole && pivot < clear * whole) return false;
    N(i, i) = pivot > lost * whole ? std::sqrt(pivot) : 0;
    y_[i] = N(i, i) > 0 ? (y_[i] - N.row(i).head(i).dot(y_.head(i))) / N(i, i) : 0;
  }
  for (Index i = n - 1; i >= 0; --i) {
    if (N(i, i) == 0) continue;
    y_[i] /= N(i, i);
    y_.head(i) -= y_[i] * N.row(i).head(i).transpose();
  }
  x.noalias() = J_.topRows(n).transpose() * y_.head(n);
  return true;
}

Closing::Outcome Closing::positions(VectorXd& q, const std::vector<char>& held) {
  Outcome r;
  state_.set_position(q);
  if (m_.num_rows() == 0) return r;
  Index worst = 0;
  r.residual = state_.values().cwiseAbs().maxCoeff(&worst);
  for (int step = 0; step < most_steps && r.residual > close_enough; ++step) {
    if (!(r.residual < 0.1) || !solve(state_.values(), held, x_)) break;
    x_ = -x_;
    integrate_configuration<double>(m_.tree, {q.data(), index(m_.tree.nq)},
                                    {x_.data(), index(m_.tree.nv)},
                                    {next_.data(), index(m_.tree.nq)});
    state_.set_position(next_);
    Index place = 0;
    const double residual = state_.values().cwiseAbs().maxCoeff(&place);
    if (!(residual < r.residual)) break;
    r.residual = residual, worst = place, r.changed = true;
    q = next_;
  }
  if (!(r.residual <= closure_tolerance)) {
    const Assembly a = assemble(m_, state_, q, held);
    r.changed = true, r.residual = a.flipped ? 1 : a.residual, r.worst_closure = a.worst_closure;
    q = a.q;
    return r;
  }
  r.worst_closure = m_.rows[static_cast<std::size_t>(worst)].closure;
  state_.set_position(q);
  return r;
}

Closing::Outcome Closing::velocities(VectorXd& v, const std::vector<char>& held) {
  Outcome r;
  if (m_.num_rows() == 0) return r;
  const RowMatrix& K = state_.jacobian();
  const double small = close_enough * (1 + v.cwiseAbs().maxCoeff());
  Index worst = 0;
  for (int step = 0; step < 3; ++step) {
    rate_.noalias() = K * v;
    r.residual = rate_.cwiseAbs().maxCoeff(&worst);
    if (r.residual <= small) break;
    if (solve(rate_, held, x_)) {
      v -= x_;
    } else {
      MatrixXd J = K;
      for (Index i = 0; i < K.cols(); ++i) {
        if (is_held(held, i)) J.col(i).setZero();
      }
      v -= least_norm(J, rate_).x;
    }
    r.changed = true;
  }
  if (r.changed) {
    rate_.noalias() = K * v;
    r.residual = rate_.cwiseAbs().maxCoeff(&worst);
  }
  r.worst_closure = m_.rows[static_cast<std::size_t>(worst)].closure;
  return r;
}

}  // namespace catena
