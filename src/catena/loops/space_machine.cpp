#include "catena/loops/space_machine.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {
namespace {

// A row that is zero at so many random configurations is zero everywhere.
constexpr int probes = 4;

// The rate of a motion that is carried along by V.
Motion<double> carried(const Motion<double>& V, const Motion<double>& S) {
  return {cross(V.w, S.w), cross(V.w, S.v) + cross(V.v, S.w)};
}

// A point of a body: from the ground point of its branch, velocity, acceleration for qdd = 0.
struct MovingPoint {
  Vec3<double> p, v, a;
  MovingPoint(const Pose<double>& X, const Motion<double>& V, const Motion<double>& A,
              const Vec3<double>& point)
      : p(X * point), v(V.v + cross(V.w, p)), a(A.v + cross(A.w, p) + cross(V.w, v)) {}
};

}  // namespace

SpaceMachine::SpaceMachine(const ClosedMechanism& m)
    : m_(m),
      w_(m.tree),
      sizes_(m.rows.size(), 0.0),
      meets_(m.closures.size(), 0),
      X_(m.tree.bodies.size()),
      ground_(X_.size()),
      V_(X_.size()),
      A_(X_.size()),
      loads_(X_.size()),
      S_(index(m.tree.tree_nv)) {
  for (const Closure& c : m.closures) {
    std::vector<int> rows;
    for (int r = c.first_row; r < c.first_row + c.num_rows; ++r) rows.push_back(r);
    kept_.push_back(rows);
  }
  find_rows();
  for (std::size_t i = 0; i < kept_.size(); ++i) {
    const auto point = [&](std::size_t k) {
      return m.rows[index(kept_[i][k])].kind == RowKind::point;
    };
    meets_[i] = kept_[i].size() >= 3 && point(0) && point(1) && point(2);
    if (meets_[i] == 0) continue;
    double* const size = sizes_.data() + kept_[i][0];  // in other axes, the largest counts
    size[0] = std::max({size[0], size[1], size[2]});
  }
}

void SpaceMachine::find_rows() {
  RowSystem system(m_.tree, m_.closures, kept_);
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> neutral(index(m_.tree.nq)), q(neutral.size());
  std::vector<double> away(index(m_.tree.nv)), rest(away.size(), 0.0);
  neutral_configuration<double>(m_.tree, neutral);
  for (int probe = 0; probe < probes; ++probe) {
    for (double& x : away) x = uniform(generator);
    integrate_configuration<double>(m_.tree, neutral, away, q);
    fill_rows_only(q, rest, system);
    for (const RowSystem::Support& s : system.supports()) {
      const Closure& c = m_.closures[index(s.closure)];
      const Vec3<double> p = X_[index(c.body2)] * c.X_2.p;
      double turns = 0, reach = 0;  // what entries could be at most
      for (const auto& part : s.path) {
        const Motion<double>& S = S_[index(s.velocity[index(part.at)])];
        turns = std::max(turns, std::sqrt(dot(S.w, S.w)));
        reach = std::max(reach, std::sqrt(dot(S.v, S.v)));
      }
      reach += turns * std::sqrt(dot(p, p));
      for (std::size_t k = 0; k < s.rows.size(); ++k) {
        const double* const K = system.row(s.at[k]);
        double largest = 0;
        for (const auto& part : s.path)
          largest = std::max(largest, std::abs(K[part.at * RowSystem::stride]));
        const bool turn = m_.rows[index(s.rows[k])].kind == RowKind::direction;
        if (largest <= row_noise * (turn ? turns : reach)) continue;
        double& size = sizes_[index(s.rows[k])];
        size = std::max(size, largest);
      }
    }
  }
  for (std::vector<int>& rows : kept_)
    rows.erase(
        std::remove_if(rows.begin(), rows.end(), [&](int r) { return sizes_[index(r)] == 0; }),
        rows.end());
}

// Base to tip: poses, twists, and accelerations for qdd = 0 with gravity as an acceleration.
inline void SpaceMachine::move_out(const double* q, const double* qd) {
  const Mechanism<double>& m = m_.tree;
  Arena arena = w_.arena();
  const JointPositions<double> at = joint_positions<double>(m, q, arena);
  Pose<double>* const X_W = X_.data();
  Motion<double>*const V = V_.data(), *const A = A_.data(), *const directions = S_.data();
  Vec3<double>* const ground = ground_.data();
  const auto* const bodies = m.bodies.data();
  X_W[0] = world_pose<double>(m);
  V[0] = {}, A[0] = {{0, 0, 0}, -m.gravity};
  const std::size_t n = X_.size();
  for (std::size_t i = 1; i < n; ++i) {
    const auto& b = bodies[i];
    const std::size_t p = index(b.parent);
    with_joint(b.kind, [&](auto joint) {
      Pose<double> X = transform_of<double>(joint, b, at).after(X_W[p]);
      ground[i] = ground[p];
      if (p == 0) ground[i] = X.p, X.p = {0, 0, 0};
      Motion<double> own{};
      for (int k = 0; k < joint.nv; ++k) {
        const Motion<double> S = direction<double>(joint, b, k, X);
        const double rate = qd[b.v + k];
        directions[b.v + k] = S;
        own = k == 0 ? Motion<double>{rate * S.w, rate * S.v}
                     : Motion<double>{own.w + rate * S.w, own.v + rate * S.v};
      }
      X_W[i] = X;
      V[i] = V[p] + own;
      A[i] = p == 0 ? A[p] : A[p] + carried(V[p], own);
    });
  }
}

// Inertias, and the wrenches that the motion needs: with a0 the acceleration of the body at the
// ground point and U = [alpha]x + [w]x[w]x, f = m a0 + U h, n = h x a0 + the moment of U.
inline void SpaceMachine::load_bodies() {
  const Pose<double>* const X_W = X_.data();
  const Motion<double>*const V = V_.data(), *const A = A_.data();
  const auto* const bodies = m_.tree.bodies.data();
  Load* const loads = loads_.data();
  const std::size_t n = X_.size();
  for (std::size_t i = 1; i < n; ++i) {
    const auto& b = bodies[i];
    Load& load = loads[i];
    load = {};
    if (b.massless) continue;
    const Pose<double>& X = X_W[i];
    const Vec3<double> h = X.R * b.M.h, H = h + b.M.m * X.p;
    Sym3<double> E = rotate(X.R, b.E);
    E.xx += X.p.x * (H.x + h.x), E.yy += X.p.y * (H.y + h.y), E.zz += X.p.z * (H.z + h.z);
    E.xy += X.p.x * H.y + h.x * X.p.y;
    E.xz += X.p.x * H.z + h.x * X.p.z;
    E.yz += X.p.y * H.z + h.y * X.p.z;
    const Vec3<double> a0 = A[i].v + cross(V[i].w, V[i].v);
    const Mat3<double> U = acceleration_matrix(V[i].w, A[i].w);
    load.m = b.M.m, load.h = H, load.E = E;
    load.F = {cross(H, a0) + moment(U, E), b.M.m * a0 + U * H};
  }
}

// What acts on the bodies, taken from the forces they need.
inline void SpaceMachine::apply(const Force<double>* Fext_B) {
  for (std::size_t i = 1; Fext_B != nullptr && i < X_.size(); ++i)
    loads_[i].F = loads_[i].F - transform(X_[i], Fext_B[i]);
  for (const Spring& s : m_.springs) {
    const std::size_t one = index(s.body1), two = index(s.body2);
    const MovingPoint p1(X_[one], V_[one], A_[one], s.point1);
    const MovingPoint p2(X_[two], V_[two], A_[two], s.point2);
    const Vec3<double> d = (p2.p + ground_[two]) - (p1.p + ground_[one]);
    const double l = std::sqrt(dot(d, d));
    if (l == 0) continue;
    const Vec3<double> u = (1 / l) * d;
    const double size = s.stiffness * (l - s.length) + s.damping * dot(p2.v - p1.v, u);
    const Vec3<double> f = size * u;
    loads_[one].F = loads_[one].F - Force<double>{cross(p1.p, f), f};
    loads_[two].F += Force<double>{cross(p2.p, f), f};
  }
}

// Tip to base: tau - h, and the inertia matrix row by row from composite bodies.
inline void SpaceMachine::gather(const double* tau, RowSystem& system) {
  double* const force = system.force().data();
  const int* const parent = m_.tree.parent_of_v.data();
  const Motion<double>* const directions = S_.data();
  const auto* const bodies = m_.tree.bodies.data();
  Load* const loads = loads_.data();
  int end = static_cast<int>(S_.size());  // of the velocities of a body
  for (std::size_t i = X_.size() - 1; i > 0; --i) {
    const auto& b = bodies[i];
    const Load& load = loads[i];
    const Sym3<double>& E = load.E;
    const double trace = E.xx + E.yy + E.zz;
    for (int v = end - 1; v >= b.v; --v) {
      const Motion<double>& S = directions[v];
      force[v] = tau[v] - dot(S, load.F);
      const Force<double> along{trace * S.w - E * S.w + cross(load.h, S.v),
                                load.m * S.v + cross(S.w, load.h)};
      double* row = system.inertia_end(index(v));
      for (int a = v; a >= 0; a = parent[a]) *--row = dot(directions[a], along);
    }
    end = b.v;
    if (b.parent == 0) continue;
    Load& to = loads[index(b.parent)];
    to.m += load.m, to.h += load.h, to.E = to.E + load.E, to.F += load.F;
  }
}

inline void SpaceMachine::fill_rows(RowSystem& system) {
  double* const bias = system.bias().data();
  const Motion<double>* const directions = S_.data();
  for (const RowSystem::Support& s : system.supports()) {
    const Closure& c = m_.closures[index(s.closure)];
    const std::size_t one = index(c.body1), two = index(c.body2);
    // about the ground point of body 2's branch; what is on body 1's is taken there by `between`
    const Vec3<double> between = ground_[one] - ground_[two];
    const MovingPoint p1(X_[one], V_[one], A_[one], c.X_1.p);
    const MovingPoint p2(X_[two], V_[two], A_[two], c.X_2.p);
    const Vec3<double>&w1 = V_[one].w, &w2 = V_[two].w;
    const Vec3<double> d = p2.p - (p1.p + between), dd = p2.v - p1.v, ddd = p2.a - p1.a;
    // d seen from body 1 accelerates so:
    const Vec3<double> seen = ddd - cross(A_[one].w, d) - cross(w1, 2 * dd - cross(w1, d));
    const int rows = static_cast<int>(s.rows.size());
    int k = 0;
    if (meets_[index(s.closure)] != 0) {
      // Three rows in world axes in place of body 1's: the velocity of the point.
      const Vec3<double> other = p2.p - between;
      double* const K = system.row(s.at[0]);
      Vec3<double> largest{0, 0, 0};
      for (const auto& part : s.path) {
        const Motion<double>& S = directions[s.velocity[index(part.at)]];
        const Vec3<double> v = part.sign * (S.v + cross(S.w, part.sign < 0 ? other : p2.p));
        double* const to = K + part.at * RowSystem::stride;
        to[0] = v.x, to[1] = v.y, to[2] = v.z;
        largest = {std::max(largest.x, std::abs(v.x)), std::max(largest.y, std::abs(v.y)),
                   std::max(largest.z, std::abs(v.z))};
      }
      const double noise = row_noise * sizes_[index(s.rows[0])];
      const double size[3] = {largest.x, largest.y, largest.z};
      const double value[3] = {seen.x, seen.y, seen.z};
      for (; k < 3; ++k) {
        bias[s.at[index(k)]] = -value[k];
        if (size[k] > noise) continue;
        for (const auto& part : s.path) K[part.at * RowSystem::stride + k] = 0;
        bias[s.at[index(k)]] = 0;
      }
    }
    for (; k < rows; ++k) {
      const ClosureRow& row = m_.rows[index(s.rows[index(k)])];
      Force<double> W{};
      double acceleration = 0;
      const Vec3<double> a = X_[one].R * row.a;
      switch (row.kind) {
        case RowKind::point:
        case RowKind::screw:
          W = {cross(p2.p, a), a};
          acceleration = dot(seen, a);
          if (row.kind == RowKind::screw) {
            W.n = W.n - row.parameter * a;
            acceleration -=
                row.parameter * (dot(A_[two].w - A_[one].w, a) + dot(w2 - w1, cross(w1, a)));
          }
          break;
        case RowKind::direction: {
          const Vec3<double> b = X_[two].R * row.b, da = cross(w1, a), db = cross(w2, b);
          W.n = cross(b, a);
          acceleration = dot(cross(A_[one].w, a) + cross(w1, da), b) + 2 * dot(da, db) +
                         dot(a, cross(A_[two].w, b) + cross(w2, db));
          break;
        }
        case RowKind::distance:
          W.f = (1 / row.parameter) * d, W.n = cross(p2.p, W.f);
          acceleration = (dot(ddd, d) + dot(dd, dd)) / row.parameter;
          break;
      }
      const Vec3<double> n1 = W.n - cross(between, W.f);
      double* const K = system.row(s.at[index(k)]);
      double largest = 0;
      for (const auto& part : s.path) {
        const Motion<double>& S = directions[s.velocity[index(part.at)]];
        const double entry = part.sign * (dot(S.w, part.sign < 0 ? n1 : W.n) + dot(S.v, W.f));
        K[part.at * RowSystem::stride] = entry;
        largest = std::max(largest, std::abs(entry));
      }
      bias[s.at[index(k)]] = -acceleration;
      if (largest > row_noise * sizes_[index(s.rows[index(k)])]) continue;
      for (const auto& part : s.path) K[part.at * RowSystem::stride] = 0;
      bias[s.at[index(k)]] = 0;
    }
  }
}

struct SpaceMachine::Kernel {
  static void run(SpaceMachine* m, const double* q, const double* qd, const double* tau,
                  const Force<double>* Fext_B, RowSystem* system) {
    m->move_out(q, qd);
    m->load_bodies();
    m->apply(Fext_B);
    m->gather(tau, *system);
    m->fill_rows(*system);
  }
};

void SpaceMachine::fill(std::span<const double> q, std::span<const double> qd,
                        std::span<const double> tau, std::span<const Force<double>> Fext_B,
                        RowSystem& system) {
  system.clear_rows();
  run_kernel<double, Kernel>(this, q.data(), qd.data(), tau.data(),
                             Fext_B.empty() ? nullptr : Fext_B.data(), &system);
  system.add_joints(m_.tree, q, qd);
}

void SpaceMachine::fill_rows_only(std::span<const double> q, std::span<const double> qd,
                                  RowSystem& system) {
  system.clear_rows();
  move_out(q.data(), qd.data());
  fill_rows(system);
}

void SpaceMachine::external_wrenches(std::span<const Force<double>> Fext_B,
                                     std::span<Force<double>> total) {
  for (Load& load : loads_) load.F = {};
  apply(Fext_B.empty() ? nullptr : Fext_B.data());
  for (std::size_t i = 0; i < total.size(); ++i) {
    const Force<double>& F = loads_[i].F;  // what the body would need: the opposite
    const Pose<double>& X = X_[i];
    total[i] = {transpose_times(X.R, cross(X.p, F.f) - F.n), -transpose_times(X.R, F.f)};
  }
}

void SpaceMachine::pull(std::span<const double> rows, RowSystem& system) const {
  for (const RowSystem::Support& s : system.supports()) {
    std::size_t k = 0;
    if (meets_[index(s.closure)] != 0) {  // three rows that the system has in world axes
      const Mat3<double>& R = X_[index(m_.closures[index(s.closure)].body1)].R;
      Vec3<double> sum{};
      for (; k < 3; ++k) sum = sum + rows[index(s.rows[k])] * (R * m_.rows[index(s.rows[k])].a);
      double* const bias = system.bias().data() + s.at[0];
      bias[0] -= sum.x, bias[1] -= sum.y, bias[2] -= sum.z;
    }
    for (; k < s.rows.size(); ++k) system.bias()[index(s.at[k])] -= rows[index(s.rows[k])];
  }
}

void SpaceMachine::write_lambda(const RowSystem& system, std::span<double> lambda) const {
  std::fill(lambda.begin(), lambda.end(), 0.0);
  const double* const x = system.lambda().data();
  for (const RowSystem::Support& s : system.supports()) {
    std::size_t k = 0;
    if (meets_[index(s.closure)] != 0) {
      const double* const f = x + s.at[0];
      const Mat3<double>& R = X_[index(m_.closures[index(s.closure)].body1)].R;
      for (; k < 3; ++k)
        lambda[index(s.rows[k])] =
            dot(R * m_.rows[index(s.rows[k])].a, Vec3<double>{f[0], f[1], f[2]});
    }
    for (; k < s.rows.size(); ++k) lambda[index(s.rows[k])] = x[s.at[k]];
  }
}

}  // namespace catena
