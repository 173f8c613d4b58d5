#include "catena/loops/closed_dynamics.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/kinematics/energy.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/null_space.hpp"
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

}  // namespace

ClosedDynamics::ClosedDynamics(const Model& model, const CompileOptions& options)
    : m_(compile_closed(model, options)),
      state_(m_),
      w_(m_.tree),
      Fext_B_(m_.tree.bodies.size()),
      F_PB_B_(m_.tree.bodies.size()),
      M_(m_.tree.nv, m_.tree.nv) {
  if (!m_.tree.coupled) quick_.emplace(m_);
}

void ClosedDynamics::stabilise(double alpha, double beta) {
  solvers_.clear();
  stabilised_ = alpha != 0 || beta != 0;
  for (ClosureRow& row : m_.rows) row.rate_gain = 2 * alpha, row.value_gain = beta * beta;
}

std::span<const double> ClosedDynamics::pull(const VectorXd& qd) {
  if (!stabilised_) return {};
  pull_ = state_.jacobian() * qd;
  for (Index r = 0; r < pull_.size(); ++r) {
    const ClosureRow& row = m_.rows[static_cast<std::size_t>(r)];
    pull_[r] = row.rate_gain * pull_[r] + row.value_gain * state_.values()[r];
  }
  return in(pull_);
}

void ClosedDynamics::set_wrenches(const std::map<std::string, Force<double>>& wrenches) {
  for (Force<double>& F : Fext_B_) F = {};
  state_.add_spring_wrenches(Fext_B_);
  add_wrenches(wrenches);
}

void ClosedDynamics::add_wrenches(const std::map<std::string, Force<double>>& wrenches) {
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
  const Index n = m_.tree.nv;
  LoopSolver* const other = solver(method);
  state_.set_motion(q, qd);
  if (other != nullptr) {
    set_wrenches(wrenches);
    return other->forward({q, qd, state_, Fext_B_}, tau);
  }
  if (method == LoopMethod::multipliers && quick_) {
    for (Force<double>& F : Fext_B_) F = {};
    add_wrenches(wrenches);
    ClosedForward r;
    r.qdd.resize(n), r.lambda.resize(m_.num_rows());
    if (quick_->solve(in(q), in(qd), in(tau), Fext_B_, out(r.qdd), out(r.lambda), pull(qd)) ==
        Multipliers::Outcome::good) {
      r.rank = quick_->rank();
      if (quick_->redundant()) r.lambda = smallest_forces(state_.jacobian(), r.lambda);
      return r;
    }
  }
  set_wrenches(wrenches);
  return forward_dense(q, qd, tau, method);
}

void ClosedDynamics::forward_dynamics(std::span<const double> q, std::span<const double> qd,
                                      std::span<const double> tau,
                                      std::span<const Force<double>> Fext_B, std::span<double> qdd,
                                      LoopMethod method) {
  check_size("q", q.size(), index(m_.tree.nq));
  check_size("qd", qd.size(), index(m_.tree.nv));
  check_size("tau", tau.size(), index(m_.tree.nv));
  check_size("qdd", qdd.size(), index(m_.tree.nv));
  if (!Fext_B.empty()) check_size("Fext_B", Fext_B.size(), m_.tree.bodies.size());
  const bool quickly = method == LoopMethod::multipliers;
  if (quickly && quick_ && !stabilised_ &&
      quick_->solve(q, qd, tau, Fext_B, qdd, {}) == Multipliers::Outcome::good)
    return;
  const auto vector = [](std::span<const double> v) {
    return VectorXd(Eigen::Map<const VectorXd>(v.data(), static_cast<Index>(v.size())));
  };
  LoopSolver* const other = solver(method);
  const VectorXd position = vector(q), velocity = vector(qd);
  state_.set_motion(position, velocity);
  if (quickly && quick_ && stabilised_ &&
      quick_->solve(q, qd, tau, Fext_B, qdd, {}, pull(velocity)) == Multipliers::Outcome::good)
    return;
  set_wrenches({});
  for (std::size_t i = 0; i < Fext_B.size(); ++i) Fext_B_[i] += Fext_B[i];
  if (other != nullptr) {
    const VectorXd r = other->forward({position, velocity, state_, Fext_B_}, vector(tau)).qdd;
    std::copy(r.begin(), r.end(), qdd.begin());
    return;
  }
  const VectorXd r =
      forward_dense(position, velocity, vector(tau), quickly ? LoopMethod::null_space : method).qdd;
  std::copy(r.begin(), r.end(), qdd.begin());
}

// By matrices written down; for the state and the wrenches that are set.
ClosedForward ClosedDynamics::forward_dense(const VectorXd& q, const VectorXd& qd,
                                            const VectorXd& tau, LoopMethod method) {
  const Index n = m_.tree.nv;
  const VectorXd force = tau - tree_forces(q, qd, VectorXd());
  inertia_matrix<double>(m_.tree, in(q), w_, {M_.data(), static_cast<std::size_t>(n * n)});
  const VectorXd scale = inertia_scale(M_);
  // M, K and the forces with velocities measured in units of which each carries the same inertia
  const RowMatrix K = state_.jacobian() * scale.asDiagonal();
  const MatrixXd M = scale.asDiagonal() * M_ * scale.asDiagonal();
  const VectorXd f = scale.cwiseProduct(force);
  ClosedForward r;
  if (method == LoopMethod::kkt) {
    r.qdd = scale.cwiseProduct(solve_kkt(M, K, f, r));
  } else {
    const NullSpaceMotion motion = null_space_motion(M, K, state_.accelerations(), f);
    if (motion.idle.size() > 0) fail_without_inertia(m_, motion.idle);
    r.rank = motion.rank;
    r.qdd = scale.cwiseProduct(motion.x);
  }
  r.lambda = row_forces(state_.jacobian(), M_ * r.qdd - force);
  return r;
}

// [M -Kᵀ; K 0] [x; lambda] = [f; -k], with the rows of K that do not follow from others.
VectorXd ClosedDynamics::solve_kkt(const MatrixXd& M, const RowMatrix& K, const VectorXd& f,
                                   ClosedForward& r) const {
  const Index n = M.rows();
  std::vector<char> drop(static_cast<std::size_t>(K.rows()), 0);
  for (int i : mobility_of(K).redundant_rows) drop[index(i)] = 1;
  const Index rows = std::count(drop.begin(), drop.end(), 0);
  MatrixXd all = MatrixXd::Zero(n + rows, n + rows);
  VectorXd rhs(n + rows);
  all.topLeftCorner(n, n) = M, rhs.head(n) = f;
  Index at = n;
  for (Index i = 0; i < K.rows(); ++i) {
    if (drop[static_cast<std::size_t>(i)] != 0) continue;
    const double size = K.row(i).norm();
    all.row(at).head(n) = K.row(i) / size, all.col(at).head(n) = -K.row(i).transpose() / size;
    rhs[at++] = -state_.accelerations()[i] / size;
  }
  const Eigen::FullPivLU<MatrixXd> solver(all);
  r.rank = static_cast<int>(rows);
  if (solver.rank() < n + rows) {
    const VectorXd motion = solver.kernel().col(0).head(n);
    fail_without_inertia(m_, motion);
  }
  return solver.solve(rhs).head(n);
}

LoopSolver* ClosedDynamics::solver(LoopMethod method) {
  if (loop_method_row(method).make == nullptr) return nullptr;
  std::unique_ptr<LoopSolver>& made = solvers_[method];
  if (made == nullptr) made = make_loop_solver(method, m_);
  return made.get();
}

ClosedInverse ClosedDynamics::inverse_dynamics(const VectorXd& q, const VectorXd& qd,
                                               const VectorXd& qdd,
                                               const std::map<std::string, Force<double>>& wrenches,
                                               LoopMethod method, const Actuation& actuation) {
  LoopSolver* const other = solver(method);
  if (other != nullptr && !actuation.usual())
    throw InputError({},
                     "method '" + std::string(loop_method_row(method).name) +
                         "' finds the forces of the actuators alone, all of the same weight",
                     "use --loops multipliers");
  state_.set_motion(q, qd);
  set_wrenches(wrenches);
  if (other != nullptr) return other->inverse({q, qd, state_, Fext_B_}, qdd);
  VectorXd needed = tree_forces(q, qd, qdd);
  const double size = needed.norm();
  if (actuation.given.size() > 0) needed -= actuation.given;
  const RowMatrix& K = state_.jacobian();
  const MatrixXd G = null_space(unit_rows(K));
  ClosedInverse r = drives_along(m_, G, G.transpose() * needed, size, actuation);
  r.rank = static_cast<int>(K.cols() - G.cols());
  r.lambda = row_forces(K, needed - r.tau);
  if (actuation.given.size() > 0) r.tau += actuation.given;
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
