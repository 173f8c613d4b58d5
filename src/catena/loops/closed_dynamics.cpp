#include "catena/loops/closed_dynamics.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "catena/formulations/spatial/factorization.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/kinematics/energy.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::span<const double> in(const VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
std::span<double> out(VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }

// A x = b for a symmetric A without negative values, by Cholesky with the largest pivot first.
// Directions whose pivot is lost in rounding are left at zero. Returns the rank.
int solve_semidefinite(MatrixXd& A, VectorXd& x) {
  const Index n = A.rows();
  Eigen::Matrix<int, Eigen::Dynamic, 1> order(n);
  VectorXd scale(n);
  for (Index i = 0; i < n; ++i) {
    order[i] = static_cast<int>(i);
    scale[i] = A(i, i) > 0 ? 1 / std::sqrt(A(i, i)) : 0;
  }
  A = scale.asDiagonal() * A * scale.asDiagonal();
  x = scale.cwiseProduct(x);
  int rank = 0;
  for (Index k = 0; k < n; ++k) {
    Index best = k;
    for (Index i = k + 1; i < n; ++i) {
      if (A(i, i) > A(best, best)) best = i;
    }
    if (!(A(best, best) > 1e-13)) break;
    if (best != k) {
      A.row(k).swap(A.row(best)), A.col(k).swap(A.col(best));
      std::swap(x[k], x[best]), std::swap(order[k], order[best]);
    }
    const double root = std::sqrt(A(k, k));
    A(k, k) = root;
    const Index rest = n - k - 1;
    A.col(k).tail(rest) /= root;
    for (Index j = k + 1; j < n; ++j) A.col(j).tail(n - j) -= A(j, k) * A.col(k).tail(n - j);
    for (Index j = k + 1; j < n; ++j) {
      for (Index i = k + 1; i < j; ++i) A(i, j) = A(j, i);
    }
    ++rank;
  }
  const auto L = A.topLeftCorner(rank, rank).triangularView<Eigen::Lower>();
  L.solveInPlace(x.head(rank));
  L.transpose().solveInPlace(x.head(rank));
  x.tail(n - rank).setZero();
  VectorXd sorted(n);
  for (Index i = 0; i < n; ++i) sorted[order[i]] = x[i] * scale[order[i]];
  x = sorted;
  return rank;
}

}  // namespace

const std::vector<std::string>& loop_method_names() {
  static const std::vector<std::string> names{"multipliers", "kkt", "null-space"};
  return names;
}

LoopMethod loop_method(const std::string& name) {
  if (name == "kkt") return LoopMethod::kkt;
  return name == "null-space" ? LoopMethod::null_space : LoopMethod::multipliers;
}

ClosedDynamics::ClosedDynamics(const Model& model, const CompileOptions& options)
    : m_(compile_closed(model, options)),
      state_(m_),
      w_(m_.tree),
      Fext_B_(m_.tree.bodies.size()),
      F_PB_B_(m_.tree.bodies.size()),
      M_(m_.tree.nv, m_.tree.nv),
      Z_(m_.num_rows(), m_.tree.nv),
      A_(m_.num_rows(), m_.num_rows()) {}

void ClosedDynamics::set_wrenches(const std::map<std::string, Force<double>>& wrenches) {
  for (Force<double>& F : Fext_B_) F = {};
  state_.add_spring_wrenches(Fext_B_);
  for (const auto& [name, F_F] : wrenches) {
    const int i = m_.tree.names->frame(name);
    if (i < 0) throw InputError({}, "'" + name + "' is not a frame of this model");
    const FrameInfo& f = m_.tree.names->frames[index(i)];
    Fext_B_[index(f.body)] += transform(f.X_BF, F_F);
  }
}

VectorXd ClosedDynamics::tree_forces(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  VectorXd tau(m_.tree.nv);
  catena::inverse_dynamics<double>(m_.tree, in(q), in(qd), in(qdd), Fext_B_, w_, out(tau));
  return tau;
}

ClosedForward ClosedDynamics::forward_dynamics(const VectorXd& q, const VectorXd& qd,
                                               const VectorXd& tau,
                                               const std::map<std::string, Force<double>>& wrenches,
                                               LoopMethod method) {
  const Index n = m_.tree.nv, rows = m_.num_rows();
  state_.set_motion(q, qd);
  set_wrenches(wrenches);
  const VectorXd force = tau - tree_forces(q, qd, VectorXd());
  inertia_matrix<double>(m_.tree, in(q), w_, {M_.data(), static_cast<std::size_t>(n * n)});
  const RowMatrix& K = state_.jacobian();
  const VectorXd& k = state_.accelerations();
  ClosedForward r;
  const auto smallest_lambda = [&] {  // of M qdd - force = Kᵀ lambda
    r.lambda = least_norm(K.transpose(), M_ * r.qdd - force).x;
  };
  if (method == LoopMethod::kkt) {
    MatrixXd all = MatrixXd::Zero(n + rows, n + rows);
    // Rows of one size, so that one threshold serves all.
    const double size = M_.norm() / std::max(1e-300, K.norm());
    all.topLeftCorner(n, n) = M_;
    all.topRightCorner(n, rows) = -size * K.transpose();
    all.bottomLeftCorner(rows, n) = size * K;
    VectorXd rhs(n + rows);
    rhs << force, -size * k;
    const VectorXd x = least_norm(all, rhs).x;
    r.qdd = x.head(n), r.lambda = size * x.tail(rows);
    r.rank = mobility_of(K).rank;
    return r;
  }
  if (method == LoopMethod::null_space) {
    const MatrixXd G = null_space(K);
    r.rank = static_cast<int>(n - G.cols());
    const VectorXd particular = least_norm(K, -k).x;
    const MatrixXd reduced = G.transpose() * M_ * G;
    const Eigen::LDLT<MatrixXd> solver(reduced);
    r.qdd = particular + G * solver.solve(G.transpose() * (force - M_ * particular));
    smallest_lambda();
    return r;
  }
  RowMatrix factor = M_;
  const std::span<double> L(factor.data(), static_cast<std::size_t>(n * n));
  const int bad = factor_ltl<double>(m_.tree, L);
  if (bad >= 0) return forward_dynamics(q, qd, tau, wrenches, LoopMethod::null_space);
  r.qdd = force;
  solve_ltl<double>(m_.tree, L, out(r.qdd));
  // A row that is nothing but rounding says nothing, whatever M⁻¹ makes of it.
  const double nothing =
      rows > 0 ? rank_tolerance * K.rowwise().lpNorm<Eigen::Infinity>().maxCoeff() : 0;
  Z_ = K;
  for (Index i = 0; i < rows; ++i) {
    if (K.row(i).lpNorm<Eigen::Infinity>() <= nothing)
      Z_.row(i).setZero();
    else
      solve_ltl<double>(m_.tree, L, {Z_.row(i).data(), static_cast<std::size_t>(n)});
  }
  A_.noalias() = K * Z_.transpose();
  r.lambda = -k - K * r.qdd;
  r.rank = solve_semidefinite(A_, r.lambda);
  r.qdd.noalias() += Z_.transpose() * r.lambda;
  if (r.rank < rows) smallest_lambda();
  return r;
}

ClosedInverse ClosedDynamics::inverse_dynamics(
    const VectorXd& q, const VectorXd& qd, const VectorXd& qdd,
    const std::map<std::string, Force<double>>& wrenches) {
  state_.set_motion(q, qd);
  set_wrenches(wrenches);
  const VectorXd needed = tree_forces(q, qd, qdd);
  const RowMatrix& K = state_.jacobian();
  const MatrixXd G = null_space(K);
  MatrixXd GB(G.cols(), static_cast<Index>(m_.actuated.size()));
  for (std::size_t i = 0; i < m_.actuated.size(); ++i)
    GB.col(static_cast<Index>(i)) = G.row(m_.actuated[i]).transpose();
  const VectorXd along = G.transpose() * needed;
  const LeastNorm drives = least_norm(GB, along);
  ClosedInverse r;
  r.tau = VectorXd::Zero(m_.tree.nv);
  for (std::size_t i = 0; i < m_.actuated.size(); ++i)
    r.tau[m_.actuated[i]] = drives.x[static_cast<Index>(i)];
  r.rank = static_cast<int>(K.cols() - G.cols());
  r.redundantly_actuated = drives.rank < static_cast<int>(m_.actuated.size());
  const VectorXd gap = along - GB * drives.x;
  if (gap.size() > 0 && drives.rank < G.cols()) {
    r.unbalanced = gap.norm();
    if (r.unbalanced > 1e-9 * (1 + needed.norm())) r.unbalanced_motion = G * gap.normalized();
  }
  r.lambda = least_norm(K.transpose(), needed - r.tau).x;
  return r;
}

std::vector<NamedReaction> ClosedDynamics::reactions(
    const VectorXd& q, const VectorXd& qd, const VectorXd& qdd, const VectorXd& lambda,
    const std::map<std::string, Force<double>>& wrenches, bool in_world) {
  state_.set_motion(q, qd);
  set_wrenches(wrenches);
  state_.add_row_wrenches(lambda, Fext_B_);
  VectorXd tau(m_.tree.nv);
  catena::inverse_dynamics<double>(m_.tree, in(q), in(qd), in(qdd), Fext_B_, w_, out(tau), F_PB_B_);
  std::vector<NamedReaction> all;
  const auto& poses = state_.poses();
  for (const JointInfo& joint : m_.tree.names->joints) {
    const Pose<double> X_MB = inverse(joint.X_BM);
    Force<double> F = transform(X_MB, F_PB_B_[index(joint.body)]);
    if (in_world) {
      const Mat3<double> R = poses[index(joint.body)].R * joint.X_BM.R;
      F = {R * F.n, R * F.f};
    }
    all.push_back({joint.name, F});
  }
  for (std::size_t c = 0; c < m_.closures.size(); ++c) {
    Force<double> F = state_.reaction(static_cast<int>(c), lambda);
    if (!in_world) {
      const Mat3<double> R = poses[index(m_.closures[c].body2)].R * m_.closures[c].X_2.R;
      F = {transpose_times(R, F.n), transpose_times(R, F.f)};
    }
    all.push_back({m_.closures[c].name, F});
  }
  return all;
}

double ClosedDynamics::kinetic_energy(const VectorXd& q, const VectorXd& qd) {
  return catena::kinetic_energy<double>(m_.tree, in(q), in(qd), w_);
}

double ClosedDynamics::potential_energy(const VectorXd& q) {
  state_.set_position(q);
  return catena::potential_energy<double>(m_.tree, in(q), w_) + state_.spring_energy();
}

}  // namespace catena
