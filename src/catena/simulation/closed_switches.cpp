// Drives, stops and dry friction of a mechanism with loops: which joints stand still, with which
// forces, and when that changes. Joints of a loop hold each other, so that all forces are found at
// once, each within its bounds.
#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/model/coordinates.hpp"
#include "catena/simulation/closed_system.hpp"
#include "catena/simulation/integrator.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double infinity = std::numeric_limits<double>::infinity();
// Velocities and accelerations below this share of the others are zero.
constexpr double at_rest = 1e-9;

double largest(const VectorXd& x) { return x.size() > 0 ? x.cwiseAbs().maxCoeff() : 0; }

}  // namespace

std::string ClosedSystem::names_of(const std::vector<int>& velocities) const {
  std::string names;
  for (int v : velocities) names += (names.empty() ? "'" : ", '") + velocity_name(v) + "'";
  return names;
}

MatrixXd ClosedSystem::square_of(const MatrixXd& columns, const std::vector<int>& rows) const {
  MatrixXd A(static_cast<Index>(rows.size()), columns.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) A.row(static_cast<Index>(i)) = columns.row(rows[i]);
  return (0.5 * (A + A.transpose())).eval();
}

// What unit forces at some velocities do, at (q_, v_) with tau_; and what tau_ does alone.
MatrixXd ClosedSystem::responses(VectorXd& free, const std::vector<int>& velocities) {
  const auto of = [this](In tau, Out a) { forward(tau, a); };
  forward({tau_.data(), index(nv())}, {free.data(), index(nv())});
  return unit_responses(of, tau_, free, velocities);
}

// The forces of all fixed joints at (q_, v_) with tau_ and the accelerations a_ that they must
// have. Unbounded: as long as none lets go.
ClosedSystem::Held ClosedSystem::held(bool bounded) {
  const std::vector<double>& friction = tree_.dry_friction();
  Held h;
  for (std::size_t v = 0; v < letters_.size(); ++v) {
    if (fixed_[v] != 0) h.velocities.push_back(static_cast<int>(v));
  }
  const auto n = static_cast<Index>(h.velocities.size());
  h.target.resize(n), h.free.resize(nv());
  h.lower = VectorXd::Constant(n, -infinity), h.upper = VectorXd::Constant(n, infinity);
  for (Index i = 0; i < n; ++i) {
    const std::size_t v = index(h.velocities[static_cast<std::size_t>(i)]);
    h.target[i] = a_[static_cast<Index>(v)];
    if (!bounded || letters_[v] == 'd') continue;
    if (letters_[v] != 'u') h.lower[i] = -friction[v];
    if (letters_[v] != 'l') h.upper[i] = friction[v];
  }
  h.columns = responses(h.free, h.velocities);
  const MatrixXd A = square_of(h.columns, h.velocities);
  VectorXd b = -h.target;
  for (Index i = 0; i < n; ++i) b[i] += h.free[h.velocities[static_cast<std::size_t>(i)]];
  h.forces = bounded_forces(A, b, h.lower, h.upper);
  const double small = at_rest * (1 + largest(h.free) + largest(h.target));
  double missed = 0;
  for (Index i = 0; i < n; ++i) {
    const double scale = 1 + std::fabs(h.forces.force[i]);
    h.margin = std::min({h.margin, (h.forces.force[i] - h.lower[i]) / scale,
                         (h.upper[i] - h.forces.force[i]) / scale});
    missed = std::max(missed, std::fabs(h.forces.rest[i]));
  }
  h.stays = h.forces.possible && missed <= small;
  h.margin = h.stays ? std::max(h.margin, 1e-12) : -missed;
  return h;
}

// Who lets go: as Gauss says, the accelerations are as near to the free ones as the bounds allow.
void ClosedSystem::settle(double t, In q, In v) {
  if (std::find(fixed_.begin(), fixed_.end(), 1) == fixed_.end()) return;
  if (!take(t, q, v)) fail_open(t);
  applied_forces(t);
  const Held h = held(true);
  if (!h.forces.possible)
    throw NumericalError(at_time(t) + "joint '" +
                         velocity_name(h.velocities[index(h.forces.blocked)]) +
                         "' is driven against a stop: no force can keep both\n    drive it less "
                         "far, or leave --stops out");
  const double small = at_rest * (1 + largest(h.free) + largest(h.target));
  for (std::size_t i = 0; i < h.velocities.size(); ++i) {
    const std::size_t k = index(h.velocities[i]);
    const double rest = h.forces.rest[static_cast<Index>(i)];
    if (letters_[k] == 'd' || std::fabs(rest) <= small) continue;
    const bool rubs = tree_.dry_friction()[k] > 0;
    set_letter(k, rubs ? (rest > 0 ? '+' : '-') : '.');
  }
}

// Friction acts against the velocities that are not zero.
void ClosedSystem::take_directions(Out v) {
  double size = 1;
  for (double x : v) size = std::max(size, std::fabs(x));
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    const char r = letters_[i];
    if (!(tree_.dry_friction()[i] > 0) || r == 'd' || r == 'l' || r == 'u') continue;
    if (std::fabs(v[i]) <= 1e-12 * size) {
      set_letter(i, '0');
      v[i] = 0;
    } else {
      set_letter(i, v[i] > 0 ? '+' : '-');
    }
  }
}

void ClosedSystem::begin(double t, Out q, Out v) {
  nearest_ = {}, choices_ = 0, near_ = false;
  std::copy(q.begin(), q.end(), q_.begin());
  closing_.state().set_position(q_);
  if (mechanism().num_rows() > 0)
    rank_ = std::max(rank_, mobility_of(closing_.state().jacobian()).rank);
  choose_independent();
  watch_ = SingularityWatch(columns_, rank_), passed_ = false;
  for (const Switch& s : switches_) {
    if (s.kind != SwitchKind::lower && s.kind != SwitchKind::upper) continue;
    const double at = q[index(s.position)];
    if ((s.kind == SwitchKind::lower ? s.limit - at : at - s.limit) > 1e-9)
      throw InputError({}, "joint '" + velocity_name(s.velocity) + "' begins beyond its stop",
                       "begin within the joint's limits, or leave --stops out");
  }
  take_directions(v);
  for (const Switch& s : switches_) {
    if (s.kind != SwitchKind::lower && s.kind != SwitchKind::upper) continue;
    const bool lower = s.kind == SwitchKind::lower;
    const double at = q[index(s.position)], gap = lower ? at - s.limit : s.limit - at;
    const double outward = lower ? -v[index(s.velocity)] : v[index(s.velocity)];
    if (gap <= 1e-12 && outward >= 0) hit(t, s, q, v, true);
  }
  settle(t, q, v);
  accept(t, q, v);
}

void ClosedSystem::switches(double t, In q, In v, Out values) {
  std::fill(values.begin(), values.end(), 1.);
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const Switch& s = switches_[i];
    if (s.kind == SwitchKind::singular) {
      values[i] = distance_to_singularity(q);
    } else if (s.kind == SwitchKind::hold) {
      bool holds = false;
      for (char r : letters_) holds = holds || r == '0' || r == 'l' || r == 'u';
      if (!holds) continue;
      if (!take(t, q, v)) fail_open(t);
      applied_forces(t);
      values[i] = held(true).margin;
    } else {
      const std::size_t k = index(s.velocity);
      const char r = letters_[k];
      if (s.kind == SwitchKind::slide) {
        values[i] = r == '+' ? v[k] : r == '-' ? -v[k] : 1;
      } else if (fixed_[k] == 0) {
        const double at = q[index(s.position)];
        values[i] = s.kind == SwitchKind::lower ? at - s.limit : s.limit - at;
      }
    }
  }
}

// A joint has come to rest that slid against friction, and with it perhaps all others of its loop.
// Whether they hold it, or it only turns round while the loop goes on, settle() finds.
void ClosedSystem::come_to_rest(int velocity, In q, Out v) {
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(v.begin(), v.end(), v_.begin());
  const double small = at_rest * (1 + largest(v_));
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    const bool slides = letters_[i] == '+' || letters_[i] == '-';
    if (static_cast<int>(i) != velocity && !(slides && std::fabs(v[i]) <= small)) continue;
    set_letter(i, '0');
    v_[static_cast<Index>(i)] = 0;
  }
  closing_.state().set_position(q_);
  closing_.velocities(v_, fixed_);
  std::copy(v_.begin(), v_.end(), v.begin());
}

// A joint meets its stop: impulses in all stops that are touched, and in the drives. Friction has
// no time to do anything.
void ClosedSystem::hit(double t, const Switch& s, Out q, Out v, bool softly) {
  const bool lower = s.kind == SwitchKind::lower;
  const std::size_t own = index(s.velocity);
  q[index(s.position)] = s.limit;
  double after = softly ? 0 : -options_.restitution * v[own];
  const bool rests = std::fabs(after) < options_.rest_speed;
  if (rests) after = 0;
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    if (letters_[i] == '0') set_letter(i, '.');
  }
  if (!take(t, q, v)) fail_open(t);
  applied_forces(t);
  std::vector<int> touched;
  for (std::size_t i = 0; i < letters_.size(); ++i) {
    if (fixed_[i] != 0 || i == own) touched.push_back(static_cast<int>(i));
  }
  VectorXd free(nv());
  const MatrixXd columns = responses(free, touched);
  const auto n = static_cast<Index>(touched.size());
  VectorXd b = VectorXd::Zero(n), low = VectorXd::Constant(n, -infinity),
           high = VectorXd::Constant(n, infinity);
  for (Index i = 0; i < n; ++i) {
    const std::size_t k = index(touched[static_cast<std::size_t>(i)]);
    if (k == own) b[i] = v[k] - after;
    if (letters_[k] == 'l' || (k == own && lower)) low[i] = 0;
    if (letters_[k] == 'u' || (k == own && !lower)) high[i] = 0;
  }
  const BoundedForces impulse = bounded_forces(square_of(columns, touched), b, low, high);
  if (!impulse.possible)
    throw NumericalError(at_time(t) + "joint '" + velocity_name(s.velocity) +
                         "' is driven against its stop\n    drive it less far, or leave --stops "
                         "out");
  const VectorXd change = columns * impulse.force;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (letters_[i] != 'd') v[i] += change[static_cast<Index>(i)];
  }
  for (Index i = 0; i < n; ++i) {
    const std::size_t k = index(touched[static_cast<std::size_t>(i)]);
    const double leaves = impulse.rest[i];
    if (k == own) v[k] = after;
    if (k == own || letters_[k] == 'd') continue;
    if (std::fabs(leaves) < options_.rest_speed)
      v[k] = 0;
    else
      set_letter(k, '.');
  }
  if (rests) set_letter(own, lower ? 'l' : 'u');
  take_directions(v);
}

void ClosedSystem::switch_over(int which, double t, Out q, Out v) {
  const Switch& s = switches_[index(which)];
  // A direction that only turned round is none.
  if (s.kind == SwitchKind::singular) {
    std::copy(q.begin(), q.end(), q_.begin());
    closing_.state().set_position(q_);
    watch_.follow(closing_.state());
    passed_ = false;
    if (watch_.distance() > 0.2 * last_distance_) return;
    nearest_ = {watch_.distance(), t, q_};
    throw NumericalError(at_time(t) + "the mechanism is in a singular position: the " +
                         (driven_.empty() ? "actuated" : "driven") + " joints (" +
                         names_of(leading()) +
                         ") no longer decide how the others move; --through-singularities goes on");
  }
  if (s.kind == SwitchKind::slide) come_to_rest(s.velocity, q, v);
  if (s.kind == SwitchKind::lower || s.kind == SwitchKind::upper) hit(t, s, q, v, false);
  settle(t, q, v);
}

}  // namespace catena
