#include "catena/simulation/tree_system.hpp"

#include <algorithm>
#include <cmath>

#include "catena/kinematics/configuration.hpp"
#include "catena/kinematics/energy.hpp"
#include "catena/kinematics/local_coordinates.hpp"
#include "catena/linear/cholesky.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

void copy(std::span<const double> from, Eigen::VectorXd& to) {
  std::copy(from.begin(), from.end(), to.begin());
}

bool any(const std::vector<double>& x) {
  return std::any_of(x.begin(), x.end(), [](double y) { return y != 0; });
}

// Dry friction along the user's velocities: mimic joints rub, too.
std::vector<double> friction_of(const Mechanism<double>& m) {
  std::vector<double> friction(index(m.nv), 0);
  for (std::size_t k = 0; k < m.v_map.size(); ++k)
    friction[index(m.v_map[k].index)] += std::fabs(m.v_map[k].ratio) * m.coulomb[k];
  return friction;
}

Mechanism<double> without_dry_friction(Mechanism<double> m) {
  std::fill(m.coulomb.begin(), m.coulomb.end(), 0.);
  m.has_passive = any(m.viscous) || any(m.stiffness);
  return m;
}

Mechanism<double> without_forces(Mechanism<double> m) {
  std::fill(m.coulomb.begin(), m.coulomb.end(), 0.);
  std::fill(m.viscous.begin(), m.viscous.end(), 0.);
  std::fill(m.stiffness.begin(), m.stiffness.end(), 0.);
  m.has_passive = false;
  m.gravity = m.gravity_0 = {};
  return m;
}

}  // namespace

TreeSystem::TreeSystem(const Mechanism<double>& m, const Formulation<double>& method,
                       const TreeOptions& options)
    : m_(without_dry_friction(m)),
      inertial_(without_forces(m)),
      method_(method),
      options_(options),
      w_(m_, method.room(m_)),
      friction_(friction_of(m)),
      position_of_(index(m.nv), -1),
      regime_(index(m.nv), '.'),
      q_(m.nq),
      v_(m.nv),
      tau_(m.nv),
      a_(m.nv),
      force_(m.nv),
      bias_(m.nv),
      x_(m.nv),
      zero_(VectorXd::Zero(m.nv)),
      M_(m.nv, m.nv),
      Fext_B_(m.bodies.size()) {
  const std::string refusal = method.refusal(m_);
  if (!refusal.empty())
    throw InputError({}, "method '" + std::string(method.name) + "' cannot do '" + m.names->model +
                             "': " + refusal);
  for (const JointInfo& j : m_.names->joints) {
    if (j.mimic || j.nq != j.nv) continue;
    for (int k = 0; k < j.nv; ++k) position_of_[index(j.v + k)] = j.q + k;
  }
  find_switches();
}

void TreeSystem::add_forces(std::shared_ptr<Forces> forces) {
  forces_.push_back(std::move(forces));
  wrenches_ = true;
}

void TreeSystem::drive(int velocity, std::shared_ptr<const DrivenMotion> motion) {
  const int position = position_of_[index(velocity)];
  if (position < 0)
    throw InputError({}, "joint '" + velocity_name(velocity) +
                             "' has a quaternion and cannot be driven by a motion");
  driven_.push_back({velocity, position, std::move(motion)});
  regime_[index(velocity)] = 'd';
  find_switches();
}

void TreeSystem::find_switches() {
  switches_.clear();
  for (const JointInfo& j : m_.names->joints) {
    if (j.mimic) continue;
    for (int v = j.v; v < j.v + j.nv; ++v) {
      if (regime_[index(v)] == 'd') continue;
      if (friction_[index(v)] > 0) switches_.push_back({SwitchKind::friction, v, -1, 0});
      if (!options_.stops || j.nq != 1) continue;
      if (std::isfinite(j.limits.lower))
        switches_.push_back({SwitchKind::lower, v, j.q, j.limits.lower});
      if (std::isfinite(j.limits.upper))
        switches_.push_back({SwitchKind::upper, v, j.q, j.limits.upper});
    }
  }
}

bool TreeSystem::is_fixed(std::size_t v) const {
  const char r = regime_[v];
  return r == 'd' || r == '0' || r == 'l' || r == 'u';
}

void TreeSystem::impose_driven(double t, In q, In v) {
  copy(q, q_), copy(v, v_);
  a_.setZero();
  for (const Driven& d : driven_) d.motion->at(t, q_[d.position], v_[d.velocity], a_[d.velocity]);
}

// tau_ and Fext_B_ at (t, q_, v_)
void TreeSystem::applied_forces(double t) {
  tau_.setZero();
  if (wrenches_) std::fill(Fext_B_.begin(), Fext_B_.end(), Force<double>{});
  for (const auto& forces : forces_) forces->add(t, in(q_), in(v_), out(tau_), Fext_B_);
  for (std::size_t v = 0; v < regime_.size(); ++v) {
    const auto k = static_cast<Eigen::Index>(v);
    if (regime_[v] == '+') tau_[k] -= friction_[v];
    if (regime_[v] == '-') tau_[k] += friction_[v];
  }
}

void TreeSystem::acceleration(double t, In q, In v, Out a) {
  if (!driven_.empty() || !forces_.empty() || !switches_.empty())
    return forced_acceleration(t, q, v, a);
  const ForwardStatus status = method_.forward_dynamics(m_, q, v, in(zero_), {}, w_, a);
  if (!status) throw NumericalError(describe(m_, status));
}

void TreeSystem::forced_acceleration(double t, In q, In v, Out a) {
  impose_driven(t, q, v);
  applied_forces(t);
  const std::span<const Force<double>> wrenches =
      wrenches_ ? std::span<const Force<double>>(Fext_B_) : std::span<const Force<double>>{};
  bool fixed = false;
  for (std::size_t i = 0; i < regime_.size(); ++i) fixed = fixed || is_fixed(i);
  if (fixed) {
    method_.inverse_dynamics(m_, in(q_), in(v_), in(a_), wrenches, w_, out(bias_));
    solve_partly(a);
    return;
  }
  const ForwardStatus status =
      method_.forward_dynamics(m_, in(q_), in(v_), in(tau_), wrenches, w_, a);
  if (!status) throw NumericalError(describe(m_, status));
}

// a of all coordinates from those that are known (a_): M_ff a_f = tau_f - bias_f.
void TreeSystem::solve_partly(Out a) {
  method_.inertia_matrix(m_, in(q_), w_, {M_.data(), static_cast<std::size_t>(M_.size())});
  Eigen::Index n = 0;
  std::copy(a_.begin(), a_.end(), a.begin());
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (is_fixed(i)) continue;
    Eigen::Index k = 0;
    for (std::size_t j = 0; j < a.size(); ++j) {
      if (!is_fixed(j)) M_(n, k++) = M_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
    x_[n++] = tau_[static_cast<Eigen::Index>(i)] - bias_[static_cast<Eigen::Index>(i)];
  }
  if (n == 0) return;
  const Cholesky factor(M_.topLeftCorner(n, n));
  if (!factor.definite())
    throw NumericalError("the joints that are not driven or held move no inertia at this state");
  x_.head(n) = factor.solve(x_.head(n));
  n = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (!is_fixed(i)) a[i] = x_[n++];
  }
}

void TreeSystem::holding_forces(In a, Out force) {
  method_.inverse_dynamics(
      m_, in(q_), in(v_), a,
      wrenches_ ? std::span<const Force<double>>(Fext_B_) : std::span<const Force<double>>{}, w_,
      force);
  for (std::size_t i = 0; i < force.size(); ++i)
    force[i] = is_fixed(i) ? force[i] - tau_[static_cast<Eigen::Index>(i)] : 0;
}

void TreeSystem::joint_forces(double t, In q, In v, In a, Out tau) {
  impose_driven(t, q, v);
  applied_forces(t);
  holding_forces(a, tau);
  for (std::size_t i = 0; i < tau.size(); ++i) {
    tau[i] = regime_[i] == 'd' || regime_[i] == '.' || regime_[i] == '+' || regime_[i] == '-'
                 ? tau[i] + tau_[static_cast<Eigen::Index>(i)]
                 : tau_[static_cast<Eigen::Index>(i)];
    if (regime_[i] == '+') tau[i] += friction_[i];
    if (regime_[i] == '-') tau[i] -= friction_[i];
  }
}

void TreeSystem::move(In q, In u, Out result) const {
  if (m_.nq != m_.nv) return integrate_configuration<double>(m_, q, u, result);
  for (std::size_t i = 0; i < q.size(); ++i) result[i] = q[i] + u[i];
}
void TreeSystem::local_rate(In u, In v, Out rate) const {
  if (m_.nq == m_.nv)
    std::copy(v.begin(), v.end(), rate.begin());
  else
    catena::local_rate(m_, u, v, rate);
}
void TreeSystem::position_rate(In q, In v, Out rate) const {
  catena::position_rate(m_, q, v, rate);
}

void TreeSystem::position_sizes(In q, Out sizes) const {
  for (std::size_t v = 0; v < sizes.size(); ++v)
    sizes[v] = position_of_[v] < 0 ? 1 : std::fabs(q[index(position_of_[v])]);
}

bool TreeSystem::project(double t, Out q, Out v) {
  double a;
  for (const Driven& d : driven_) d.motion->at(t, q[index(d.position)], v[index(d.velocity)], a);
  return false;
}

Energies TreeSystem::energies(In q, In v) {
  return {kinetic_energy<double>(m_, q, v, w_), potential_energy<double>(m_, q, w_)};
}

std::string TreeSystem::velocity_name(int i) const {
  for (const JointInfo& j : m_.names->joints) {
    if (!j.mimic && i >= j.v && i < j.v + j.nv) return j.name;
  }
  return "";
}

std::string TreeSystem::refusal() const {
  if (!driven_.empty()) return "joints are driven";
  if (switches_.empty()) return "";
  const Switch& s = switches_.front();
  return "joint '" + velocity_name(s.velocity) + "' has " +
         (s.kind == SwitchKind::friction ? "dry friction" : "stops");
}

void TreeSystem::inertia_times(In q, In v, Out p) {
  method_.inertia_matrix(m_, q, w_, {M_.data(), static_cast<std::size_t>(M_.size())});
  for (Eigen::Index i = 0; i < M_.rows(); ++i) {
    double sum = 0;
    for (Eigen::Index j = 0; j < M_.cols(); ++j) sum += M_(i, j) * v[static_cast<std::size_t>(j)];
    p[static_cast<std::size_t>(i)] = sum;
  }
}

void TreeSystem::solve_inertia(In q, In f, Out x) {
  const ForwardStatus status = method_.solve_inertia(m_, q, f, w_, x);
  if (!status) throw NumericalError(describe(m_, status));
}

// The quadratic part b(v, v) of the bias is a symmetric bilinear form, and half the derivative of
// vᵀ M v along coordinate i is v.b(e_i, v) + (v x* p)_i / 2.
void TreeSystem::momentum_force(double t, In q, In v, Out force) {
  copy(q, q_), copy(v, v_);
  applied_forces(t);
  const auto bias = [&](const Mechanism<double>& m, std::span<const Force<double>> wrenches,
                        VectorXd& result) {
    method_.inverse_dynamics(m, in(q_), in(v_), {}, wrenches, w_, out(result));
  };
  bias(m_, wrenches_ ? std::span<const Force<double>>(Fext_B_) : std::span<const Force<double>>{},
       bias_);
  bias(inertial_, {}, force_);
  for (std::size_t i = 0; i < force.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    force[i] = tau_[k] - (bias_[k] - force_[k]);  // no inertia in it
  }
  inertia_times(q, v, out(x_));
  momentum_turning(m_, v, in(x_), out(a_));
  const double size = std::max(v_.cwiseAbs().maxCoeff(), 1e-12);
  for (std::size_t i = 0; i < force.size(); ++i) {
    const auto k = static_cast<Eigen::Index>(i);
    copy(v, v_);
    v_[k] += size;
    bias(inertial_, {}, bias_);
    v_[k] = v[i] - size;
    bias(inertial_, {}, force_);
    double sum = 0;
    for (std::size_t j = 0; j < v.size(); ++j)
      sum += v[j] * (bias_[static_cast<Eigen::Index>(j)] - force_[static_cast<Eigen::Index>(j)]);
    force[i] += sum / (4 * size) + a_[k] / 2;
  }
}

void TreeSystem::local_rate_transposed(In u, In p, Out result) const {
  catena::local_rate_transposed(m_, u, p, result);
}
void TreeSystem::velocity_of_rate_transposed(In u, In p, Out result) const {
  catena::velocity_of_rate_transposed(m_, u, p, result);
}

}  // namespace catena
