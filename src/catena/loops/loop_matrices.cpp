#include "catena/loops/loop_matrices.hpp"

#include <cmath>

#include "catena/formulations/homogeneous/inverse_dynamics.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/loops/closing_joint.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using homogeneous::Acceleration;
using homogeneous::Position;
using homogeneous::Screw;
using homogeneous::Velocity;

namespace {

using Column = Eigen::Matrix<double, 6, 1>;

Column column(const Vec3<double>& u, const Vec3<double>& b) {
  return (Column() << u.x, u.y, u.z, b.x, b.y, b.z).finished();
}

std::span<const double> numbers(const VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

// What a product of matrices is beyond 1, as a screw.
Velocity<double> excess(const Position<double>& M) {
  const Mat3<double>& R = M.R;
  return {0.5 * Vec3<double>{R.y.z - R.z.y, R.z.x - R.x.z, R.x.y - R.y.x}, M.p};
}

double pitch_or_length(const ClosedMechanism& m, const Closure& c) {
  for (int r = c.first_row; r < c.first_row + c.num_rows; ++r) {
    const ClosureRow& row = m.rows[index(r)];
    if (row.kind == RowKind::screw || row.kind == RowKind::distance) return row.parameter;
  }
  return 0;
}

}  // namespace

LoopMatrices::LoopMatrices(const ClosedMechanism& m)
    : m_(m),
      w_(m.tree, homogeneous::room(m.tree) + 4 * index(m.tree.tree_nv + m.tree.tree_nq) + 256),
      M_0_(m.tree.bodies.size()),
      product_(m.closures.size()),
      W_0_(m.tree.bodies.size()),
      H_0_(m.tree.bodies.size()),
      groups_(m.closures.size()),
      tree_(6 * static_cast<Index>(m.closures.size()), m.tree.nv),
      closing_(m.closures.size()),
      left_(m.closures.size()),
      error_(6 * static_cast<Index>(m.closures.size())),
      bias_(6 * static_cast<Index>(m.closures.size())) {}

void LoopMatrices::place(const VectorXd& q, std::span<const double> qd) {
  homogeneous::link_motions<double>(m_.tree, numbers(q), qd, {}, w_, M_0_, W_0_, H_0_);
  for (std::size_t c = 0; c < m_.closures.size(); ++c) fill_loop(static_cast<int>(c));
}

void LoopMatrices::set_position(const VectorXd& q) { place(q, {}); }

void LoopMatrices::set_motion(const VectorXd& q, const VectorXd& qd) {
  place(q, numbers(qd));
  for (std::size_t c = 0; c < m_.closures.size(); ++c)
    bias_.segment<6>(6 * static_cast<Index>(c)) = coriolis(static_cast<int>(c));
}

// Position and velocity equations of a loop.
void LoopMatrices::fill_loop(int c) {
  const Closure& loop = m_.closures[at(c)];
  const Position<double> M_01 = M_0_[index(loop.body1)] * loop.X_1;
  const Position<double> M_12 = inverse(M_01) * (M_0_[index(loop.body2)] * loop.X_2);
  const double parameter = pitch_or_length(m_, loop);
  const ClosingJoint joint = closing_joint(loop, parameter, parameter, M_12);
  product_[at(c)] = M_12 * inverse(joint.M);
  const Velocity<double> off = change_frame(M_01, excess(product_[at(c)]));
  error_.segment<6>(6 * c) = column(off.w, off.v);
  auto A = tree_.middleRows<6>(6 * c);
  A.setZero();
  for (const PathEntry& entry : loop.path) {
    const int b = m_.tree.body_of_v[index(entry.velocity)];
    const MechanismBody<double>& body = m_.tree.bodies[index(b)];
    with_joint(body.kind, [&](auto kind) {
      const Screw<double> L = homogeneous::screw(
          direction<double>(kind, body, entry.velocity - body.v, M_0_[index(b)]));
      const auto& map = m_.tree.v_map[index(entry.velocity)];
      A.col(map.index) += entry.sign * map.ratio * column(L.u, L.b);
    });
  }
  groups_[at(c)].clear();
  MatrixXd& closing = closing_[at(c)];
  closing.resize(6, 0);
  for (const auto& group : joint.groups) {
    groups_[at(c)].push_back({});
    for (const Screw<double>& L_1 : group) {
      const Screw<double> L = change_frame(M_01, L_1);
      groups_[at(c)].back().push_back(L);
      closing.conservativeResize(6, closing.cols() + 1);
      closing.rightCols<1>() = -column(L.u, L.b);
    }
  }
  left_[at(c)] = closing.cols() > 0 ? null_space(closing.transpose()) : MatrixXd::Identity(6, 6);
}

// H~ of a loop: H_02 - H_01 - 2 W_01 W_12 - H~_12 for q'' = 0, with the rates of the closing joint
// from (5).
Column LoopMatrices::coriolis(int c) const {
  const Closure& loop = m_.closures[at(c)];
  const Velocity<double>&W_01 = W_0_[index(loop.body1)], &W_02 = W_0_[index(loop.body2)];
  const Velocity<double> W_12 = W_02 - W_01;
  const VectorXd rates = -least_norm(closing_[at(c)], column(W_12.w, W_12.v)).x;
  Acceleration<double> H_12;
  Velocity<double> so_far{{0, 0, 0}, {0, 0, 0}};
  Index k = 0;
  for (const auto& group : groups_[at(c)]) {  // H = Σ H_g + 2 Σ W_f W_g, f before g         (3)
    Velocity<double> W{{0, 0, 0}, {0, 0, 0}};
    for (const Screw<double>& L : group) W = W + L * rates[k++];
    H_12 = H_12 + square(W) + (2.0 * so_far) * W;
    so_far = so_far + W;
  }
  const Motion<double> H = homogeneous::motion(H_0_[index(loop.body2)] - H_0_[index(loop.body1)] -
                                               (2.0 * W_01) * W_12 - H_12);
  return column(H.w, H.v);
}

double LoopMatrices::open_by() const {
  double worst = 0;
  for (const Position<double>& M : product_) {
    const Mat3<double>& R = M.R;
    for (const Vec3<double>& v : {R.x - Vec3<double>{1, 0, 0}, R.y - Vec3<double>{0, 1, 0},
                                  R.z - Vec3<double>{0, 0, 1}, M.p})
      worst = std::max({worst, std::abs(v.x), std::abs(v.y), std::abs(v.z)});
  }
  return worst;
}

Rows LoopMatrices::rows() const {
  Rows K(0, m_.tree.nv);
  for (std::size_t c = 0; c < left_.size(); ++c) {
    const MatrixXd A = tree_.middleRows<6>(6 * static_cast<Index>(c));
    const MatrixXd block = left_[c].transpose() * A;
    const double size = A.colwise().norm().maxCoeff();
    K.conservativeResize(K.rows() + block.rows(), K.cols());
    K.bottomRows(block.rows()) = block;
    for (Index r = K.rows() - block.rows(); r < K.rows(); ++r) {
      if (K.row(r).norm() <= row_noise * size) K.row(r).setZero();
    }
  }
  return K;
}

VectorXd LoopMatrices::row_values() const {
  VectorXd k(0);
  for (std::size_t c = 0; c < left_.size(); ++c) {
    const VectorXd block = left_[c].transpose() * bias_.segment<6>(6 * static_cast<Index>(c));
    k.conservativeResize(k.size() + block.size());
    k.tail(block.size()) = block;
  }
  return k;
}

Assembly close_by_matrices(const ClosedMechanism& m, LoopMatrices& loops, const VectorXd& q,
                           const std::vector<char>& held) {
  Assembly r;
  r.q = q;
  std::vector<int> free;
  for (int v = 0; v < m.tree.nv; ++v) {
    if (held.empty() || held[index(v)] == 0) free.push_back(v);
  }
  loops.set_position(r.q);
  for (; r.iterations < 50 && loops.open_by() > 0.1 * closure_tolerance; ++r.iterations) {
    const double before = loops.position_error().norm();
    Index closing = 0;
    for (std::size_t c = 0; c < m.closures.size(); ++c)
      closing += loops.closing(static_cast<int>(c)).cols();
    const auto n = static_cast<Index>(free.size());
    MatrixXd A = MatrixXd::Zero(loops.tree().rows(), n + closing);
    for (Index i = 0; i < n; ++i) A.col(i) = loops.tree().col(free[static_cast<std::size_t>(i)]);
    Index at = n;
    for (std::size_t c = 0; c < m.closures.size(); ++c) {
      const MatrixXd& block = loops.closing(static_cast<int>(c));
      A.block(6 * static_cast<Index>(c), at, 6, block.cols()) = block;
      at += block.cols();
    }
    const VectorXd x = -least_norm(A, loops.position_error()).x;
    VectorXd step = VectorXd::Zero(m.tree.nv), next(m.tree.nq);
    for (Index i = 0; i < n; ++i) step[free[static_cast<std::size_t>(i)]] = x[i];
    bool better = false;
    for (double share = 1; share > 1e-3 && !better; share *= 0.5) {
      const VectorXd part = share * step;
      integrate_configuration<double>(m.tree, numbers(r.q), numbers(part),
                                      {next.data(), index(m.tree.nq)});
      loops.set_position(next);
      better = loops.position_error().norm() < before;
    }
    if (!better) break;
    r.q = next;
  }
  loops.set_position(r.q);
  r.residual = loops.open_by();
  r.closed = r.residual <= closure_tolerance;
  return r;
}

}  // namespace catena
