#include "catena/loops/multipliers.hpp"

#include <algorithm>
#include <cmath>

#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena {
namespace {

// Pivots relative to what they were at first: below `lost` a row says nothing new, above `clear` it
// does; in between rounding has a say.
constexpr double lost = 1e-13, clear = 1e-6;

// The rate of a motion that is carried along by V.
Motion<double> cross_motion(const Motion<double>& V, const Motion<double>& S) {
  return {cross(V.w, S.w), cross(V.w, S.v) + cross(V.v, S.w)};
}
Force<double> cross_force(const Motion<double>& V, const Force<double>& F) {
  return {cross(V.w, F.n) + cross(V.v, F.f), cross(V.w, F.f)};
}

double product(const double* a, const double* b, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

// A wrench about the origin with the opposite sign, at Bo in B.
Force<double> in_body(const Pose<double>& X, const Force<double>& F) {
  return {transpose_times(X.R, cross(X.p, F.f) - F.n), -transpose_times(X.R, F.f)};
}

// A body as the closures want it, from its motion about the origin.
BodyInWorld in_world(const Pose<double>& X, const Motion<double>& V, const Motion<double>& A) {
  const Vec3<double> v = V.v + cross(V.w, X.p);
  return {X, V.w, v, A.w, A.v + cross(A.w, X.p) + cross(V.w, v)};
}

}  // namespace

Multipliers::Multipliers(const ClosedMechanism& m)
    : m_(m),
      w_(m.tree),
      X_(m.tree.bodies.size()),
      place_(X_.size()),
      V_(X_.size()),
      A_(X_.size()),
      I_(X_.size()),
      F_(X_.size()),
      S_(index(m.tree.tree_nv)),
      parent_(m.tree.parent_of_v),
      depth_(S_.size()),
      first_(S_.size()),
      diagonal_(S_.size()),
      force_(S_.size()) {
  std::size_t entries = 0;
  for (std::size_t v = 0; v < S_.size(); ++v) {
    depth_[v] = parent_[v] < 0 ? 0 : depth_[index(parent_[v])] + 1;
    first_[v] = entries;
    entries += index(depth_[v]) + 1;
  }
  find_supports();
  double work = 0;  // of the factors; an articulated-body pass costs some 400 such steps per joint
  for (int depth : depth_) work += static_cast<double>(depth) * depth;
  deep_ = work > 400.0 * static_cast<double>(S_.size()) * (1 + m.num_rows());
  if (!deep_) {
    L_.resize(entries);
    return;
  }
  K_.resize(Y_.size()), Z_.resize(index(m.num_rows()) * S_.size()), Fext_B_.resize(X_.size());
}

// Loops that stand on the same branches are neighbours, so that the band is narrow.
void Multipliers::find_supports() {
  for (std::size_t c = 0; c < m_.closures.size(); ++c) {
    Support s;
    s.closure = static_cast<int>(c);
    for (const PathEntry& entry : m_.closures[c].path) {
      for (int v = entry.velocity; v >= 0; v = parent_[index(v)]) s.velocity.push_back(v);
    }
    std::sort(s.velocity.begin(), s.velocity.end());
    s.velocity.erase(std::unique(s.velocity.begin(), s.velocity.end()), s.velocity.end());
    const auto place = [&](int v) {
      const auto at = std::lower_bound(s.velocity.begin(), s.velocity.end(), v);
      return static_cast<int>(at - s.velocity.begin());
    };
    for (int v : s.velocity)
      s.parent.push_back(parent_[index(v)] < 0 ? -1 : place(parent_[index(v)]));
    for (const PathEntry& entry : m_.closures[c].path)
      s.path.push_back({place(entry.velocity), entry.sign});
    supports_.push_back(s);
  }
  std::stable_sort(supports_.begin(), supports_.end(),
                   [](const Support& a, const Support& b) { return a.velocity < b.velocity; });
  std::size_t entries_Y = 0, entries_E = 0;
  int row = 0;
  for (std::size_t i = 0; i < supports_.size(); ++i) {
    Support& s = supports_[i];
    const int rows = m_.closures[index(s.closure)].num_rows;
    s.row = row, s.Y = entries_Y, s.step = rows;
    row += rows, entries_Y += s.velocity.size() * index(rows);
    int begin = s.row;
    for (std::size_t j = 0; j <= i; ++j) {
      const Support& other = supports_[j];
      std::vector<Support::Shared> shared;
      for (std::size_t a = 0, b = 0; a < s.velocity.size() && b < other.velocity.size();) {
        if (s.velocity[a] == other.velocity[b])
          shared.push_back({static_cast<int>(a++), static_cast<int>(b++)});
        else
          s.velocity[a] < other.velocity[b] ? ++a : ++b;
      }
      if (shared.empty() && j != i) continue;
      begin = std::min(begin, other.row);
      s.others.push_back(static_cast<int>(j)), s.shared.push_back(shared);
    }
    for (int r = 0; r < rows; ++r) entries_E += index(s.row + r - begin) + 1;
  }
  Y_.resize(entries_Y), E_.resize(entries_E);
  begin_.resize(index(row)), first_E_.resize(index(row)), row_of_.resize(index(row));
  x_.resize(index(row)), bias_.resize(index(row)), pivot_.resize(index(row));
}

// Base to tip: poses, twists, and accelerations for qdd = 0 with gravity as an acceleration.
void Multipliers::move_out(std::span<const double> q, std::span<const double> qd) {
  const Mechanism<double>& m = m_.tree;
  Arena arena = w_.arena();
  const JointPositions<double> at = joint_positions<double>(m, q.data(), arena);
  X_[0] = world_pose<double>(m);
  place_[0] = {0, 0, 0};
  V_[0] = {};
  A_[0] = {{0, 0, 0}, -m.gravity};
  I_[0] = {}, F_[0] = {};
  for (std::size_t i = 1; i < X_.size(); ++i) {
    const auto& b = m.bodies[i];
    const std::size_t p = index(b.parent);
    with_joint(b.kind, [&](auto joint) {
      X_[i] = transform_of<double>(joint, b, at).after(X_[p]);
      place_[i] = place_[p];
      if (p == 0) place_[i] = X_[i].p, X_[i].p = {0, 0, 0};
      Motion<double> own{};
      for (int k = 0; k < joint.nv; ++k) {
        const Motion<double> S = direction<double>(joint, b, k, X_[i]);
        S_[index(b.v + k)] = S;
        own = own + Motion<double>{qd[index(b.v + k)] * S.w, qd[index(b.v + k)] * S.v};
      }
      V_[i] = V_[p] + own;
      A_[i] = A_[p] + cross_motion(V_[p], own);
    });
    I_[i] = b.massless ? Inertia<double>{} : transform(X_[i], b.M);
    F_[i] = b.massless ? Force<double>{} : I_[i] * A_[i] + cross_force(V_[i], I_[i] * V_[i]);
  }
}

// What acts on the bodies, taken from the forces they need.
void Multipliers::apply_forces(std::span<const Force<double>> Fext_B) {
  for (std::size_t i = 0; i < Fext_B.size(); ++i) F_[i] = F_[i] - transform(X_[i], Fext_B[i]);
  for (const Spring& s : m_.springs) {
    const std::size_t one = index(s.body1), two = index(s.body2);
    const Vec3<double> p1 = X_[one] * s.point1, p2 = X_[two] * s.point2;
    const Vec3<double> d = (p2 + place_[two]) - (p1 + place_[one]);
    const Vec3<double> rate =
        (V_[two].v + cross(V_[two].w, p2)) - (V_[one].v + cross(V_[one].w, p1));
    const double l = std::sqrt(dot(d, d));
    if (l == 0) continue;
    const Vec3<double> u = (1 / l) * d;
    const Vec3<double> f = (s.stiffness * (l - s.length) + s.damping * dot(rate, u)) * u;
    F_[one] = F_[one] - Force<double>{cross(p1, f), f};
    F_[two] += Force<double>{cross(p2, f), f};
  }
}

// Tip to base: tau - h, and the inertia matrix row by row from composite bodies.
void Multipliers::gather(std::span<const double> q, std::span<const double> qd,
                         std::span<const double> tau) {
  const Mechanism<double>& m = m_.tree;
  for (std::size_t i = X_.size() - 1; i > 0; --i) {
    const auto& b = m.bodies[i];
    const int n = num_velocities(b.kind);
    for (int v = b.v + n - 1; v >= b.v; --v) {
      force_[index(v)] = tau[index(v)] - dot(S_[index(v)], F_[i]);
      const Force<double> along = I_[i] * S_[index(v)];
      double* row = L_.data() + first_[index(v)];
      for (int a = v; a >= 0; a = parent_[index(a)])
        row[depth_[index(a)]] = dot(S_[index(a)], along);
    }
    const std::size_t p = index(b.parent);
    F_[p] += F_[i];
    I_[p] = I_[p] + I_[i];
  }
  for (std::size_t v = 0; m.has_armature && v < S_.size(); ++v)
    L_[first_[v] + index(depth_[v])] += m.armature[v];
  for (std::size_t v = 0; m.has_passive && v < S_.size(); ++v) {
    const double rate = qd[v], sign = rate > 0 ? 1 : rate < 0 ? -1 : 0;
    force_[v] -= m.viscous[v] * rate + m.coulomb[v] * sign;
    if (m.q_of_v[v] >= 0) force_[v] -= m.stiffness[v] * (q[index(m.q_of_v[v])] - m.rest[v]);
  }
}

// M = Lᵀ L from the tips to the base; force becomes w = L⁻ᵀ force. The diagonal is kept inverted.
bool Multipliers::factor() {
  const auto row = [&](int v) { return L_.data() + first_[index(v)]; };
  const int n = static_cast<int>(S_.size());
  for (int v = 0; v < n; ++v) diagonal_[index(v)] = row(v)[depth_[index(v)]];
  for (int v = n - 1; v >= 0; --v) {
    double* mine = row(v);
    const double pivot = mine[depth_[index(v)]];
    if (!(pivot > 1e-14 * diagonal_[index(v)])) return false;
    const double scale = 1 / std::sqrt(pivot);
    for (int k = 0; k < depth_[index(v)]; ++k) mine[k] *= scale;
    mine[depth_[index(v)]] = scale;
    const double w = force_[index(v)] *= scale;
    for (int a = parent_[index(v)]; a >= 0; a = parent_[index(a)]) {
      double* above = row(a);
      const double size = mine[depth_[index(a)]];
      for (int k = 0; k <= depth_[index(a)]; ++k) above[k] -= size * mine[k];
      force_[index(a)] -= size * w;
    }
  }
  return true;
}

// K for one closure: entry r of velocity i of its support is K[i * stride + r]. Rows that forbid
// nothing are left out; those that remain follow the rows of the closure before.
void Multipliers::find_directions(Support& s, double* K, int stride) {
  const Closure& c = m_.closures[index(s.closure)];
  const std::size_t one = index(c.body1), two = index(c.body2);
  // about the place of body 2's branch; what is on body 1's is taken there by `between`
  const Vec3<double> between = place_[one] - place_[two];
  BodyInWorld body1 = in_world(X_[one], V_[one], A_[one]);
  const BodyInWorld body2 = in_world(X_[two], V_[two], A_[two]);
  body1.X.p = body1.X.p + between;
  s.rows = 0;
  for (int r = c.first_row; r < c.first_row + c.num_rows; ++r) {
    const ClosureRow& row = m_.rows[index(r)];
    const Force<double> W = closure_wrench(row, c, body1.X, body2.X);
    const Force<double> W_1{W.n - cross(between, W.f), W.f};
    const double f2 = dot(W.f, W.f);
    double largest = 0, bound = 0;  // squares
    for (const Support::Part& part : s.path) {
      const Motion<double>& S = S_[index(s.velocity[index(part.at)])];
      const Force<double>& on = part.sign < 0 ? W_1 : W;
      const double entry = part.sign * dot(S, on);
      K[part.at * stride + s.rows] = entry;
      largest = std::max(largest, entry * entry);
      bound = std::max(bound, dot(S.w, S.w) * dot(on.n, on.n) + dot(S.v, S.v) * f2);
    }
    if (largest <= row_noise * row_noise * bound) continue;
    row_of_[index(s.row + s.rows)] = r;
    bias_[index(s.row + s.rows)] = -closure_acceleration(row, c, body1, body2);
    ++s.rows;
  }
}

// The columns of Y for one closure, and its right-hand side -k - Yᵀ w.
void Multipliers::fill_rows(Support& s) {
  const int n = static_cast<int>(s.velocity.size());
  double* const Y = Y_.data() + s.Y;
  std::fill(Y, Y + n * s.step, 0.0);
  find_directions(s, Y, s.step);
  const int rows = s.rows, step = s.step;
  for (int i = n - 1; i >= 0; --i) {  // L⁻ᵀ
    const std::size_t v = index(s.velocity[index(i)]);
    const double* const L = L_.data() + first_[v];
    double* const mine = Y + i * step;
    for (int r = 0; r < rows; ++r) mine[r] *= L[depth_[v]];
    int depth = depth_[v] - 1;
    for (int a = s.parent[index(i)]; a >= 0; a = s.parent[index(a)], --depth) {
      for (int r = 0; r < rows; ++r) Y[a * step + r] -= L[depth] * mine[r];
    }
    for (int r = 0; r < rows; ++r) bias_[index(s.row + r)] -= mine[r] * force_[v];
  }
}

// Where the rows of Yᵀ Y begin and are kept.
void Multipliers::place_rows() {
  std::size_t entries = 0;
  for (Support& s : supports_) {
    const int first = supports_[index(s.others.front())].row;
    for (int r = s.row; r < s.row + s.rows; ++r) {
      begin_[index(r)] = first, first_E_[index(r)] = entries;
      entries += index(r - first) + 1;
    }
  }
}

// The rows of Yᵀ Y that belong to one closure, left of the diagonal.
void Multipliers::fill_products(const Support& s) {
  const auto entry = [&](int i, int j) -> double& {
    return E_[first_E_[index(i)] + index(j - begin_[index(i)])];
  };
  for (int r = 0; r < s.rows; ++r) {
    for (int j = begin_[index(s.row + r)]; j <= s.row + r; ++j) entry(s.row + r, j) = 0;
  }
  for (std::size_t o = 0; o < s.others.size(); ++o) {
    const Support& other = supports_[index(s.others[o])];
    for (const Support::Shared& at : s.shared[o]) {
      const double* const mine = Y_.data() + s.Y + index(at.mine * s.step);
      const double* const theirs = Y_.data() + other.Y + index(at.theirs * other.step);
      for (int r = 0; r < s.rows; ++r) {
        const int end = other.row == s.row ? r + 1 : other.rows;
        double* const to = &entry(s.row + r, other.row);
        for (int k = 0; k < end; ++k) to[k] += mine[r] * theirs[k];
      }
    }
  }
}

// Cholesky along the band; a row that says nothing new gets no pivot and no force.
Multipliers::Outcome Multipliers::factor_rows() {
  rank_ = 0, redundant_ = false;
  const int n = num_rows_;
  const auto row = [&](int i) { return E_.data() + first_E_[index(i)] - begin_[index(i)]; };
  for (int i = 0; i < n; ++i) {
    double* const mine = row(i);
    const double whole = mine[i];
    double pivot = whole;
    pivot_[index(i)] = 0;
    for (int j = begin_[index(i)]; j < i; ++j) {
      const double* const other = row(j);
      const int from = std::max(begin_[index(i)], begin_[index(j)]);
      mine[j] = (mine[j] - product(mine + from, other + from, j - from)) * pivot_[index(j)];
      pivot -= mine[j] * mine[j];
    }
    if (pivot <= lost * whole) {
      redundant_ = true;
      std::fill(mine + begin_[index(i)], mine + i, 0.0);
      continue;
    }
    if (pivot < clear * whole) return Outcome::unclear;
    ++rank_;
    pivot_[index(i)] = 1 / std::sqrt(pivot);
  }
  return Outcome::good;
}

void Multipliers::solve_rows() {
  const int n = num_rows_;
  const auto row = [&](int i) { return E_.data() + first_E_[index(i)] - begin_[index(i)]; };
  for (int i = 0; i < n; ++i) {
    const int from = begin_[index(i)];
    const double known = product(row(i) + from, x_.data() + from, i - from);
    x_[index(i)] = (bias_[index(i)] - known) * pivot_[index(i)];
  }
  for (int i = n - 1; i >= 0; --i) {
    const double x = x_[index(i)] *= pivot_[index(i)];
    for (int j = begin_[index(i)]; j < i; ++j) x_[index(j)] -= row(i)[j] * x;
  }
}

// The same with M⁻¹ from articulated bodies: K M⁻¹ Kᵀ lambda = -k - K M⁻¹ (tau - h).
Multipliers::Outcome Multipliers::solve_deep(std::span<const double> q, std::span<const double> qd,
                                             std::span<const double> tau,
                                             std::span<const Force<double>> Fext_B,
                                             std::span<double> qdd, std::span<double> lambda) {
  const std::size_t n = S_.size();
  for (Force<double>& F : F_) F = {};
  apply_forces(Fext_B);
  for (std::size_t i = 0; i < F_.size(); ++i) Fext_B_[i] = in_body(X_[i], F_[i]);
  if (!forward_dynamics<double>(m_.tree, q, qd, tau, Fext_B_, w_, qdd)) return Outcome::no_inertia;
  num_rows_ = 0;
  for (Support& s : supports_) {
    s.row = num_rows_;
    double* const K = K_.data() + s.Y;
    find_directions(s, K, s.step);
    num_rows_ += s.rows;
    for (int r = 0; r < s.rows; ++r) {
      std::fill(force_.begin(), force_.end(), 0.0);
      for (const Support::Part& part : s.path)
        force_[index(s.velocity[index(part.at)])] = K[part.at * s.step + r];
      const std::span<double> Z(Z_.data() + index(s.row + r) * n, n);
      if (!solve_inertia<double>(m_.tree, q, force_, w_, Z)) return Outcome::no_inertia;
      for (const Support::Part& part : s.path)
        bias_[index(s.row + r)] -= K[part.at * s.step + r] * qdd[index(s.velocity[index(part.at)])];
    }
  }
  place_rows();
  for (const Support& s : supports_) {
    for (int i = s.row; i < s.row + s.rows; ++i) {
      double* const row = E_.data() + first_E_[index(i)] - begin_[index(i)];
      for (int j = begin_[index(i)]; j <= i; ++j) {
        row[j] = 0;
        for (const Support::Part& part : s.path)
          row[j] += K_[s.Y + index(part.at * s.step + i - s.row)] *
                    Z_[index(j) * n + index(s.velocity[index(part.at)])];
      }
    }
  }
  if (const Outcome outcome = factor_rows(); outcome != Outcome::good) return outcome;
  solve_rows();
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (int i = 0; i < num_rows_; ++i) {
    const double x = lambda[index(row_of_[index(i)])] = x_[index(i)];
    for (std::size_t v = 0; v < n; ++v) qdd[v] += x * Z_[index(i) * n + v];
  }
  return Outcome::good;
}

Multipliers::Outcome Multipliers::solve(std::span<const double> q, std::span<const double> qd,
                                        std::span<const double> tau,
                                        std::span<const Force<double>> Fext_B,
                                        std::span<double> qdd, std::span<double> lambda) {
  move_out(q, qd);
  if (deep_) return solve_deep(q, qd, tau, Fext_B, qdd, lambda);
  apply_forces(Fext_B);
  gather(q, qd, tau);
  if (!factor()) return Outcome::no_inertia;
  num_rows_ = 0;
  for (Support& s : supports_) {
    s.row = num_rows_;
    fill_rows(s);
    num_rows_ += s.rows;
  }
  place_rows();
  for (const Support& s : supports_) fill_products(s);
  if (const Outcome outcome = factor_rows(); outcome != Outcome::good) return outcome;
  solve_rows();
  for (const Support& s : supports_) {
    const double* const Y = Y_.data() + s.Y;
    for (std::size_t i = 0; i < s.velocity.size(); ++i)
      force_[index(s.velocity[i])] += product(Y + i * index(s.step), x_.data() + s.row, s.rows);
  }
  for (std::size_t v = 0; v < S_.size(); ++v) {  // L⁻¹, base to tips
    const double* const row = L_.data() + first_[v];
    double rest = force_[v];
    for (int a = parent_[v]; a >= 0; a = parent_[index(a)])
      rest -= row[depth_[index(a)]] * qdd[index(a)];
    qdd[v] = rest * row[depth_[v]];
  }
  std::fill(lambda.begin(), lambda.end(), 0.0);
  for (int i = 0; i < num_rows_; ++i) lambda[index(row_of_[index(i)])] = x_[index(i)];
  return Outcome::good;
}

}  // namespace catena
