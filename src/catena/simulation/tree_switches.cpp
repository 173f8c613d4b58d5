// Stops and dry friction of a tree: which joints stand still, and when that changes.
#include <cmath>

#include "catena/linear/cholesky.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/simulation/tree_system.hpp"
#include "catena/support/error.hpp"

namespace catena {
void TreeSystem::begin(double t, Out q, Out v) {
  if (switches_.empty()) return;
  for (const Switch& s : switches_) {
    const std::size_t k = index(s.velocity);
    if (s.kind == SwitchKind::friction) {
      if (regime_[k] == '.') regime_[k] = '0';
    } else {
      const double beyond = s.kind == SwitchKind::lower ? s.limit - q[index(s.position)]
                                                        : q[index(s.position)] - s.limit;
      if (beyond > 1e-9)
        throw InputError({}, "joint '" + velocity_name(s.velocity) + "' begins beyond its stop",
                         "begin within the joint's limits, or leave --stops out");
    }
  }
  take_directions(v);
  for (const Switch& s : switches_) {
    if (s.kind == SwitchKind::friction) continue;
    const double gap = s.kind == SwitchKind::lower ? q[index(s.position)] - s.limit
                                                   : s.limit - q[index(s.position)];
    const double outward =
        s.kind == SwitchKind::lower ? -v[index(s.velocity)] : v[index(s.velocity)];
    if (gap > 1e-12 || outward < 0) continue;
    impulse(s.velocity, q, v, 0);
    regime_[index(s.velocity)] = s.kind == SwitchKind::lower ? 'l' : 'u';
  }
  settle(t, q, v);
}

// Friction acts against the velocities that are not zero.
void TreeSystem::take_directions(In v) {
  for (std::size_t i = 0; i < regime_.size(); ++i) {
    if (!(friction_[i] > 0) || regime_[i] == 'd' || regime_[i] == 'l' || regime_[i] == 'u')
      continue;
    if (v[i] > 0) regime_[i] = '+';
    if (v[i] < 0) regime_[i] = '-';
  }
}

void TreeSystem::switches(double t, In q, In v, Out values) {
  bool held = false;
  for (const Switch& s : switches_) {
    const char r = regime_[index(s.velocity)];
    held = held || r == '0' || r == 'l' || r == 'u';
  }
  if (held) {
    VectorXd a(m_.nv);
    acceleration(t, q, v, out(a));
    holding_forces(in(a), out(force_));
  }
  for (std::size_t i = 0; i < switches_.size(); ++i) {
    const Switch& s = switches_[i];
    const std::size_t k = index(s.velocity);
    const char r = regime_[k];
    const double reaction = held ? force_[s.velocity] : 0;
    values[i] = 1;
    if (s.kind == SwitchKind::friction) {
      if (r == '+') values[i] = v[k];
      if (r == '-') values[i] = -v[k];
      if (r == '0') values[i] = friction_[k] - std::fabs(reaction);
    } else if (s.kind == SwitchKind::lower) {
      if (r == 'l') values[i] = reaction + friction_[k];
      if (r != 'l' && r != 'u' && r != '0') values[i] = q[index(s.position)] - s.limit;
    } else {
      if (r == 'u') values[i] = friction_[k] - reaction;
      if (r != 'l' && r != 'u' && r != '0') values[i] = s.limit - q[index(s.position)];
    }
  }
}

// Releases what cannot be held, until all forces are possible.
void TreeSystem::settle(double t, In q, In v) {
  VectorXd a(m_.nv);
  for (std::size_t round = 0; round < 2 * regime_.size() + 2; ++round) {
    acceleration(t, q, v, out(a));
    holding_forces(in(a), out(force_));
    bool good = true;
    for (std::size_t i = 0; i < regime_.size(); ++i) {
      const double f = force_[static_cast<Eigen::Index>(i)], c = friction_[i];
      const char r = regime_[i];
      const char free_up = c > 0 ? '+' : '.', free_down = c > 0 ? '-' : '.';
      if (r == '0' && f > c) regime_[i] = '-';
      if (r == '0' && f < -c) regime_[i] = '+';
      if (r == 'l' && f < -c) regime_[i] = free_up;
      if (r == 'u' && f > c) regime_[i] = free_down;
      good = good && regime_[i] == r;
    }
    if (good) return;
  }
}

// The impulse on one coordinate that brings its velocity to `after`; what is driven or on a stop
// stays so. Friction has no time to hold anything.
void TreeSystem::impulse(int velocity, In q, Out v, double after) {
  const auto stays = [&](std::size_t i) { return is_fixed(i) && regime_[i] != '0'; };
  method_.inertia_matrix(m_, q, w_, {M_.data(), static_cast<std::size_t>(M_.size())});
  Eigen::Index n = 0, own = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (stays(i) && index(velocity) != i) continue;
    if (index(velocity) == i) own = n;
    Eigen::Index k = 0;
    for (std::size_t j = 0; j < v.size(); ++j) {
      if (!stays(j) || index(velocity) == j)
        M_(n, k++) = M_(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
    ++n;
  }
  x_.head(n).setZero();
  x_[own] = 1;
  x_.head(n) = Cholesky(M_.topLeftCorner(n, n)).solve(x_.head(n));
  const double strength = (after - v[index(velocity)]) / x_[own];
  n = 0;
  for (std::size_t i = 0; i < v.size(); ++i) {
    if (!stays(i) || index(velocity) == i) v[i] += strength * x_[n++];
  }
  v[index(velocity)] = after;
}

void TreeSystem::switch_over(int which, double t, Out q, Out v) {
  const Switch& s = switches_[index(which)];
  const std::size_t k = index(s.velocity);
  const char r = regime_[k];
  if (s.kind == SwitchKind::friction && r != '0') {
    v[k] = 0;
    regime_[k] = '0';
  } else if (s.kind != SwitchKind::friction && r != 'l' && r != 'u') {
    q[index(s.position)] = s.limit;
    const double after = -options_.restitution * v[k];
    const bool rests = std::fabs(after) < options_.rest_speed;
    impulse(s.velocity, q, v, rests ? 0 : after);
    if (rests) regime_[k] = s.kind == SwitchKind::lower ? 'l' : 'u';
    take_directions(v);
  } else {
    // What held has become too weak: it lets go in the direction in which it was pushed.
    const bool up =
        s.kind == SwitchKind::lower || (s.kind == SwitchKind::friction && force_[s.velocity] < 0);
    regime_[k] = friction_[k] > 0 ? (up ? '+' : '-') : '.';
  }
  settle(t, q, v);
}

}  // namespace catena
