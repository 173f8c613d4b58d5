#include "catena/dynamics.hpp"

#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/kinematics/energy.hpp"
#include "catena/kinematics/jacobians.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::VectorXd;
using Matrix6X = Eigen::Matrix<double, 6, Eigen::Dynamic>;

std::span<const double> in(const VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
std::span<double> out(VectorXd& v) { return {v.data(), static_cast<std::size_t>(v.size())}; }
template <class M>
std::span<double> out_matrix(M& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}
Eigen::Matrix<double, 6, 1> six(const Motion<double>& V) {
  Eigen::Matrix<double, 6, 1> r;
  r << V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z;
  return r;
}

// The function of a method, if it has one.
template <class F>
F needed(F function, const char* what, const Formulation<double>& method) {
  if (function != nullptr) return function;
  throw InputError(
      {}, "method '" + std::string(method.name) + "' does not compute " + what + "; use 'spatial'");
}

}  // namespace

Dynamics::Dynamics(const Model& model, const CompileOptions& options)
    : m_(compile(model, options)),
      method_(&formulations<double>().front()),
      w_(m_),
      X_WB_(m_.bodies.size()),
      V_WB_B_(m_.bodies.size()),
      A_WB_B_(m_.bodies.size()),
      Fext_B_(m_.bodies.size()),
      F_PB_B_(m_.bodies.size()) {}

void Dynamics::use(std::string_view method) {
  const Formulation<double>* found = find_formulation<double>(method);
  if (found == nullptr) {
    std::vector<std::string> known;
    for (const Formulation<double>& f : formulations<double>()) known.emplace_back(f.name);
    const std::string name(method);
    throw InputError({}, "there is no method '" + name + "'" + did_you_mean(name, known));
  }
  const std::string refusal = found->refusal(m_);
  if (!refusal.empty())
    throw InputError(
        {}, "method '" + std::string(method) + "' cannot do '" + m_.names->model + "': " + refusal);
  method_ = found;
  w_ = Workspace<double>(m_, found->room(m_));
}

VectorXd Dynamics::neutral() const {
  VectorXd q(nq());
  neutral_configuration<double>(m_, out(q));
  return q;
}

VectorXd Dynamics::random(std::mt19937_64& generator) const {
  VectorXd q(nq());
  random_configuration(m_, generator, out(q));
  return q;
}

VectorXd Dynamics::integrate(const VectorXd& q, const VectorXd& v) const {
  VectorXd r(nq());
  integrate_configuration<double>(m_, in(q), in(v), out(r));
  return r;
}

VectorXd Dynamics::difference(const VectorXd& from, const VectorXd& to) const {
  VectorXd v(nv());
  difference_configuration<double>(m_, in(from), in(to), out(v));
  return v;
}

const FrameInfo& Dynamics::frame(const std::string& name) const {
  const int i = m_.names->frame(name);
  if (i >= 0) return m_.names->frames[index(i)];
  std::vector<std::string> known;
  for (const FrameInfo& f : m_.names->frames) known.push_back(f.name);
  throw InputError(
      {}, "'" + name + "' is not a frame of '" + m_.names->model + "'" + did_you_mean(name, known));
}

std::span<const Force<double>> Dynamics::body_wrenches(const FrameWrenches& wrenches) {
  if (wrenches.empty()) return {};
  for (Force<double>& F : Fext_B_) F = {};
  for (const auto& [name, F_F] : wrenches) {
    const FrameInfo& f = frame(name);
    Fext_B_[index(f.body)] += transform(f.X_BF, F_F);
  }
  return Fext_B_;
}

VectorXd Dynamics::inverse_dynamics(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd,
                                    const FrameWrenches& wrenches) {
  VectorXd tau(nv());
  needed(method_->inverse_dynamics, "inverse dynamics", *method_)(
      m_, in(q), in(qd), in(qdd), body_wrenches(wrenches), w_, out(tau));
  return tau;
}

VectorXd Dynamics::forward_dynamics(const VectorXd& q, const VectorXd& qd, const VectorXd& tau,
                                    const FrameWrenches& wrenches) {
  VectorXd qdd(nv());
  const ForwardStatus status = needed(method_->forward_dynamics, "forward dynamics", *method_)(
      m_, in(q), in(qd), in(tau), body_wrenches(wrenches), w_, out(qdd));
  if (!status) throw NumericalError(describe(m_, status));
  return qdd;
}

VectorXd Dynamics::bias_forces(const VectorXd& q, const VectorXd& qd) {
  VectorXd tau(nv());
  needed(method_->inverse_dynamics, "bias forces", *method_)(m_, in(q), in(qd), {}, {}, w_,
                                                             out(tau));
  return tau;
}

VectorXd Dynamics::gravity_forces(const VectorXd& q) {
  VectorXd tau(nv());
  needed(method_->inverse_dynamics, "gravity forces", *method_)(m_, in(q), {}, {}, {}, w_,
                                                                out(tau));
  return tau;
}

Eigen::MatrixXd Dynamics::inertia_matrix(const VectorXd& q) {
  Eigen::MatrixXd M(nv(), nv());
  needed(method_->inertia_matrix, "the inertia matrix", *method_)(m_, in(q), w_, out_matrix(M));
  return M;
}

std::vector<Force<double>> Dynamics::reactions(const VectorXd& q, const VectorXd& qd,
                                               const VectorXd& qdd, const FrameWrenches& wrenches,
                                               bool in_world) {
  VectorXd tau(nv());
  catena::inverse_dynamics<double>(m_, in(q), in(qd), in(qdd), body_wrenches(wrenches), w_,
                                   out(tau), std::span<Force<double>>(F_PB_B_));
  if (in_world) body_poses<double>(m_, in(q), w_, std::span<Pose<double>>(X_WB_));
  std::vector<Force<double>> result;
  for (const JointInfo& j : m_.names->joints) {
    // The wrench is the same through all primitives of a composition, whose bodies have no mass;
    // it is given at M, in M.
    const Force<double> F = transform(inverse(j.X_BM), F_PB_B_[index(j.body)]);
    if (!in_world) {
      result.push_back(F);
      continue;
    }
    const Mat3<double> R_WM = X_WB_[index(j.body)].R * j.X_BM.R;
    result.push_back({R_WM * F.n, R_WM * F.f});
  }
  return result;
}

Eigen::Isometry3d Dynamics::pose(const std::string& name, const VectorXd& q) {
  const FrameInfo& f = frame(name);
  body_poses<double>(m_, in(q), w_, std::span<Pose<double>>(X_WB_));
  const Pose<double> X = X_WB_[index(f.body)] * f.X_BF;
  Eigen::Isometry3d r;
  r.matrix() << X.R.x.x, X.R.y.x, X.R.z.x, X.p.x, X.R.x.y, X.R.y.y, X.R.z.y, X.p.y, X.R.x.z,
      X.R.y.z, X.R.z.z, X.p.z, 0, 0, 0, 1;
  return r;
}

Eigen::Matrix<double, 6, 1> Dynamics::twist(const std::string& name, const VectorXd& q,
                                            const VectorXd& qd, Axes axes) {
  const FrameInfo& f = frame(name);
  body_motions<double>(m_, in(q), in(qd), {}, w_, X_WB_, V_WB_B_, A_WB_B_);
  return six(frame_twist<double>(X_WB_[index(f.body)], V_WB_B_[index(f.body)], f.X_BF, axes));
}

Eigen::Matrix<double, 6, 1> Dynamics::acceleration(const std::string& name, const VectorXd& q,
                                                   const VectorXd& qd, const VectorXd& qdd,
                                                   Axes axes) {
  const FrameInfo& f = frame(name);
  const std::size_t b = index(f.body);
  body_motions<double>(m_, in(q), in(qd), in(qdd), w_, X_WB_, V_WB_B_, A_WB_B_);
  return six(frame_acceleration<double>(X_WB_[b], V_WB_B_[b], A_WB_B_[b], f.X_BF, axes));
}

Matrix6X Dynamics::jacobian(const std::string& name, const VectorXd& q, Axes axes) {
  const FrameInfo& f = frame(name);
  Matrix6X J(6, nv());
  frame_jacobian<double>(m_, in(q), f.body, f.X_BF, axes, w_, out_matrix(J));
  return J;
}

Matrix6X Dynamics::jacobian_rate(const std::string& name, const VectorXd& q, const VectorXd& qd,
                                 Axes axes) {
  const FrameInfo& f = frame(name);
  Matrix6X J(6, nv());
  frame_jacobian_rate<double>(m_, in(q), in(qd), f.body, f.X_BF, axes, w_, out_matrix(J));
  return J;
}

Eigen::Vector3d Dynamics::mass_centre(const VectorXd& q) {
  const Vec3<double> c = catena::mass_centre<double>(m_, in(q), w_, {});
  return {c.x, c.y, c.z};
}

double Dynamics::kinetic_energy(const VectorXd& q, const VectorXd& qd) {
  return catena::kinetic_energy<double>(m_, in(q), in(qd), w_);
}

double Dynamics::potential_energy(const VectorXd& q) {
  return catena::potential_energy<double>(m_, in(q), w_);
}

}  // namespace catena
