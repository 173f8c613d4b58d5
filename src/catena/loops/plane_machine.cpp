// Vectors here are in axes of the plane; perp turns by a quarter, cross is the part along the
// normal. Everything on a branch is about the point where it leaves the ground: far from there
// digits would get lost.
#include "catena/loops/plane_machine.hpp"

#include <algorithm>
#include <cmath>

#include "catena/kinematics/kinematics.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/scalar/isa.hpp"
#include "catena/scalar/sincos.hpp"

namespace catena {
namespace {

// Axes that differ by less are parallel.
constexpr double parallel = 1e-13;

template <class V>
V perp(const V& a) {
  return {-a.y, a.x};
}
template <class V>
double cross2(const V& a, const V& b) {
  return a.x * b.y - a.y * b.x;
}
template <class V>
double dot2(const V& a, const V& b) {
  return a.x * b.x + a.y * b.y;
}
template <class V>
V plus(const V& a, const V& b) {
  return {a.x + b.x, a.y + b.y};
}
template <class V>
V minus(const V& a, const V& b) {
  return {a.x - b.x, a.y - b.y};
}
template <class V>
V times(double k, const V& a) {
  return {k * a.x, k * a.y};
}
template <class V, class P>
V turned(const P& place, const V& a) {
  return {place.c * a.x - place.s * a.y, place.s * a.x + place.c * a.y};
}

// The normal of the plane in which all joints move, or zero.
Vec3<double> plane_normal(const Mechanism<double>& tree, const std::vector<Pose<double>>& X_WB) {
  Vec3<double> n{};
  for (std::size_t i = 1; i < X_WB.size(); ++i) {
    const Primitive kind = tree.bodies[i].kind;
    if (kind == Primitive::revolute && dot(n, n) == 0) n = X_WB[i].R.z;
    if (kind != Primitive::revolute && kind != Primitive::prismatic && kind != Primitive::fixed)
      return {};
  }
  for (std::size_t i = 1; i < X_WB.size(); ++i) {
    const Vec3<double> z = X_WB[i].R.z, across = cross(n, z);
    const Primitive kind = tree.bodies[i].kind;
    if (kind == Primitive::revolute && dot(across, across) > parallel * parallel) return {};
    if (kind == Primitive::prismatic && std::abs(dot(n, z)) > parallel) return {};
  }
  return n;
}

}  // namespace

std::optional<PlaneMachine> PlaneMachine::of(const ClosedMechanism& m) {
  const Mechanism<double>& tree = m.tree;
  const std::vector<double> zero(index(tree.nq), 0.0);
  std::vector<Pose<double>> X_WB(tree.bodies.size());
  const auto dense = [](const auto& b) { return b.dense >= 0; };
  if (tree.coupled || std::any_of(tree.bodies.begin(), tree.bodies.end(), dense)) return {};
  Workspace<double> w(tree);
  body_poses<double>(tree, zero, w, X_WB);
  PlaneMachine p;
  p.tree_ = &tree;
  p.n_ = plane_normal(tree, X_WB);
  if (dot(p.n_, p.n_) == 0) return {};
  const Vec3<double> any = std::abs(p.n_.x) < 0.6 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
  const Vec3<double> e = any - dot(any, p.n_) * p.n_;
  p.e1_ = (1 / std::sqrt(dot(e, e))) * e, p.e2_ = cross(p.n_, p.e1_);
  p.gravity_ = p.in_plane(tree.gravity);
  p.bodies_.resize(X_WB.size()), p.ground_.resize(X_WB.size());
  for (std::size_t i = 1; i < X_WB.size(); ++i) {
    const auto& b = tree.bodies[i];
    const std::size_t parent = index(b.parent);
    Body& body = p.bodies_[i];
    body.parent = b.parent, body.q = b.q, body.on_ground = parent == 0;
    body.turns = b.kind == Primitive::revolute;
    body.sign = dot(X_WB[i].R.z, p.n_) > 0 ? 1 : -1;
    body.r = body.on_ground ? Vec2{} : p.in_plane(X_WB[i].p - X_WB[parent].p);
    if (b.kind == Primitive::prismatic) body.u = p.in_plane(X_WB[i].R.z);
    body.R = X_WB[i].R;
    p.ground_[i] = body.on_ground ? p.in_plane(X_WB[i].p) : p.ground_[parent];
    if (b.massless) continue;
    body.heavy = true, body.m = b.M.m;
    const Vec2 h = p.in_plane(X_WB[i].R * b.M.h);
    if (body.m > 0) body.c = times(1 / body.m, h);
    body.J = dot(p.n_, rotate(X_WB[i].R, b.M.I) * p.n_) - body.m * dot2(body.c, body.c);
  }
  for (const Spring& s : m.springs)
    p.springs_.push_back(
        {p.ends_of(s.body1, s.point1, s.body2, s.point2, X_WB), s.stiffness, s.damping, s.length});
  p.add_rows(m, X_WB);
  p.places_.resize(X_WB.size()), p.loads_.resize(X_WB.size());
  p.along_.resize(index(tree.nv));
  const std::size_t room = X_WB.size() + 8;
  p.angle_.resize(room), p.zero_.resize(room), p.cosine_.resize(room), p.sine_.resize(room);
  return p;
}

PlaneMachine::Ends PlaneMachine::ends_of(int body1, const Vec3<double>& point1, int body2,
                                         const Vec3<double>& point2,
                                         const std::vector<Pose<double>>& X_WB) const {
  const auto from_origin = [&](int b, const Vec3<double>& point) {
    const Pose<double>& X = X_WB[index(b)];
    return b == 0 ? in_plane(X * point) : in_plane(X.R * point);  // body 0: from the world's origin
  };
  return {body1, body2, from_origin(body1, point1), from_origin(body2, point2),
          dot(n_, X_WB[index(body2)] * point2 - X_WB[index(body1)] * point1)};
}

void PlaneMachine::add_rows(const ClosedMechanism& m, const std::vector<Pose<double>>& X_WB) {
  rows_.resize(m.rows.size()), kept_.resize(m.closures.size());
  for (std::size_t i = 0; i < m.closures.size(); ++i) {
    const Closure& c = m.closures[i];
    ends_.push_back(ends_of(c.body1, c.X_1.p, c.body2, c.X_2.p, X_WB));
    for (int r = c.first_row; r < c.first_row + c.num_rows; ++r) {
      const ClosureRow& row = m.rows[index(r)];
      const Vec3<double> a = X_WB[index(c.body1)].R * row.a, b = X_WB[index(c.body2)].R * row.b;
      Row& to = rows_[index(r)];
      to = {row.kind, in_plane(a), in_plane(b), dot(n_, a), row.parameter};
      const double in = dot2(to.a, to.a);
      const bool says = row.kind == RowKind::distance ||
                        (row.kind == RowKind::point && in > row_noise * row_noise) ||
                        (row.kind == RowKind::screw) ||
                        (row.kind == RowKind::direction && in > row_noise * row_noise &&
                         dot2(to.b, to.b) > row_noise * row_noise);
      if (says) kept_[i].push_back(r);
    }
  }
}

// Base to tip: places and motions for qdd = 0, with gravity as an acceleration of the ground.
inline void PlaneMachine::move_out(const double* q, const double* qd) {
  const std::size_t n = bodies_.size();
  for (std::size_t i = 1; i < n; ++i) {
    const Body& b = bodies_[i];
    angle_[i] = angle_[index(b.parent)] + (b.turns ? b.sign * q[b.q] : 0);
  }
  sincos_all(angle_.data(), zero_.data(), sine_.data(), cosine_.data(), n);
  places_[0] = {}, loads_[0] = {};
  places_[0].a = times(-1, gravity_);
  for (std::size_t i = 1; i < n; ++i) {
    const Body& b = bodies_[i];
    const Place& from = places_[index(b.parent)];
    Place& to = places_[i];
    to.c = cosine_[i], to.s = sine_[i], to.w = from.w;
    Vec2 way = b.r;
    if (b.turns) {
      to.w += b.sign * qd[b.q];
    } else if (b.u.x != 0 || b.u.y != 0) {
      way = plus(way, times(q[b.q], b.u));
    }
    const Vec2 d = turned(from, way);
    to.p = b.on_ground ? d : plus(from.p, d);
    to.v = plus(from.v, times(from.w, perp(d)));
    to.a = minus(from.a, times(from.w * from.w, d));
    if (b.turns) {
      along_[index(b.q)] = {b.sign, times(-b.sign, perp(to.p))};
    } else if (b.u.x != 0 || b.u.y != 0) {
      const Vec2 u = turned(from, b.u);
      to.v = plus(to.v, times(qd[b.q], u));
      to.a = plus(to.a, times(2 * from.w * qd[b.q], perp(u)));
      along_[index(b.q)] = {0, u};
    }
    Load& load = loads_[i];
    load = {};
    if (!b.heavy) continue;
    const Vec2 c = turned(to, b.c), p = plus(to.p, c);
    load.m = b.m, load.h = times(b.m, p), load.I = b.J + dot2(p, load.h);
    load.f = times(b.m, minus(to.a, times(to.w * to.w, c)));
    load.n = cross2(p, load.f);
  }
}

// What acts on the bodies, taken from the forces they need.
inline void PlaneMachine::apply(const Force<double>* Fext_B) {
  for (std::size_t i = 1; Fext_B != nullptr && i < bodies_.size(); ++i) {
    const Place& at = places_[i];
    const Vec2 f = turned(at, in_plane(bodies_[i].R * Fext_B[i].f));
    loads_[i].f = minus(loads_[i].f, f);
    loads_[i].n -= dot(n_, bodies_[i].R * Fext_B[i].n) + cross2(at.p, f);
  }
  for (const PlaneSpring& s : springs_) {
    const std::size_t one = index(s.ends.body1), two = index(s.ends.body2);
    const Place &at1 = places_[one], &at2 = places_[two];
    const Vec2 r1 = turned(at1, s.ends.p1), r2 = turned(at2, s.ends.p2);
    const Vec2 p1 = plus(at1.p, r1), p2 = plus(at2.p, r2);
    const Vec2 d = minus(plus(p2, ground_[two]), plus(p1, ground_[one]));
    const Vec2 rate =
        minus(plus(at2.v, times(at2.w, perp(r2))), plus(at1.v, times(at1.w, perp(r1))));
    const double l = std::sqrt(dot2(d, d) + s.ends.across * s.ends.across);
    if (l == 0) continue;
    const double size = s.stiffness * (l - s.length) + s.damping * dot2(rate, d) / l;
    const Vec2 f = times(size / l, d);  // draws body 1 towards body 2
    loads_[one].f = minus(loads_[one].f, f), loads_[one].n -= cross2(p1, f);
    loads_[two].f = plus(loads_[two].f, f), loads_[two].n += cross2(p2, f);
  }
}

// Tip to base: tau - h, and the inertia matrix row by row from composite bodies.
inline void PlaneMachine::gather(const double* tau, RowSystem& system) {
  double* const force = system.force().data();
  const int* const parent = tree_->parent_of_v.data();
  for (std::size_t i = bodies_.size() - 1; i > 0; --i) {
    const Body& b = bodies_[i];
    const Load& load = loads_[i];
    if (b.turns || b.u.x != 0 || b.u.y != 0) {
      const std::size_t v = index(b.q);
      const Along& s = along_[v];
      force[v] = tau[v] - (s.w * load.n + dot2(s.v, load.f));
      const Vec2 f = plus(times(s.w, perp(load.h)), times(load.m, s.v));
      const double n = s.w * load.I + cross2(load.h, s.v);
      double* row = system.inertia_end(v);
      for (int a = b.q; a >= 0; a = parent[a])
        *--row = along_[index(a)].w * n + dot2(along_[index(a)].v, f);
    }
    if (b.on_ground) continue;
    Load& to = loads_[index(b.parent)];
    to.n += load.n, to.m += load.m, to.I += load.I;
    to.f = plus(to.f, load.f), to.h = plus(to.h, load.h);
  }
}

inline void PlaneMachine::fill_rows(RowSystem& system) {
  for (const RowSystem::Support& s : system.supports()) {
    const Ends& e = ends_[index(s.closure)];
    const Place &one = places_[index(e.body1)], &two = places_[index(e.body2)];
    const Vec2 between = minus(ground_[index(e.body1)], ground_[index(e.body2)]);
    const Vec2 r1 = turned(one, e.p1), r2 = turned(two, e.p2), p2 = plus(two.p, r2);
    const Vec2 d = minus(p2, plus(plus(one.p, r1), between));
    const Vec2 dd = minus(plus(two.v, times(two.w, perp(r2))), plus(one.v, times(one.w, perp(r1))));
    const Vec2 ddd =
        minus(minus(two.a, times(two.w * two.w, r2)), minus(one.a, times(one.w * one.w, r1)));
    double longest = 0;
    for (const auto& part : s.path) {
      const Vec2& v = along_[index(s.velocity[index(part.at)])].v;
      longest = std::max(longest, dot2(v, v));
    }
    for (std::size_t k = 0; k < s.rows.size(); ++k) {
      const Row& row = rows_[index(s.rows[k])];
      Vec2 f{};                        // the wrench: force,
      double n = 0, acceleration = 0;  // moment about body 2's ground point
      switch (row.kind) {
        case RowKind::point:
        case RowKind::screw:
          f = turned(one, row.a), n = cross2(p2, f);
          acceleration = dot2(ddd, f) + 2 * one.w * cross2(f, dd) - one.w * one.w * dot2(d, f);
          if (row.kind == RowKind::screw) n -= row.parameter * row.a_n;
          break;
        case RowKind::direction: {
          const Vec2 a = turned(one, row.a), b = turned(two, row.b);
          const double w = two.w - one.w;
          n = cross2(b, a), acceleration = -w * w * dot2(a, b);
          break;
        }
        case RowKind::distance:
          f = times(1 / row.parameter, d), n = cross2(p2, f);
          acceleration = (dot2(ddd, d) + dot2(dd, dd)) / row.parameter;
          break;
      }
      const double n1 = n - cross2(between, f);
      double* const K = system.row(s.at[k]);
      double largest = 0;
      for (const auto& part : s.path) {
        const Along& S = along_[index(s.velocity[index(part.at)])];
        const double entry = part.sign * (S.w * (part.sign < 0 ? n1 : n) + dot2(S.v, f));
        K[part.at * RowSystem::stride] = entry;
        largest = std::max(largest, std::abs(entry));
      }
      const double bound = n * n + longest * dot2(f, f);
      system.bias()[index(s.at[k])] = -acceleration;
      if (largest * largest > row_noise * row_noise * bound) continue;
      for (const auto& part : s.path) K[part.at * RowSystem::stride] = 0;
      system.bias()[index(s.at[k])] = 0;
    }
  }
}

void PlaneMachine::pull(std::span<const double> rows, RowSystem& system) const {
  for (const RowSystem::Support& s : system.supports())
    for (std::size_t k = 0; k < s.rows.size(); ++k)
      system.bias()[index(s.at[k])] -= rows[index(s.rows[k])];
}

struct PlaneMachine::Kernel {
  static void run(PlaneMachine* p, const double* q, const double* qd, const double* tau,
                  const Force<double>* Fext_B, RowSystem* system) {
    p->move_out(q, qd);
    p->apply(Fext_B);
    p->gather(tau, *system);
    p->fill_rows(*system);
  }
};

void PlaneMachine::fill(std::span<const double> q, std::span<const double> qd,
                        std::span<const double> tau, std::span<const Force<double>> Fext_B,
                        RowSystem& system) {
  system.clear_rows();
  run_kernel<double, Kernel>(this, q.data(), qd.data(), tau.data(),
                             Fext_B.empty() ? nullptr : Fext_B.data(), &system);
  system.add_joints(*tree_, q, qd);
}

}  // namespace catena
