// What derivatives of inverse and forward dynamics have in common: passes over the tree in the axes
// of body 0, about one fixed point [Singh, Russell & Wensing 2022; Carpentier & Mansard 2018].
//
// A joint direction S turns its subtree as a whole, so that a change of q_j moves everything above
// the joint rigidly, and what remains is how the motion of the parent P is seen from there:
//   Psi' = V_P x S,   Psi" = A_P x S + V_P x Psi',   S' = V_B x S.
// With the inertia I, the force F and the velocity products N, p of all bodies from i on,
//   dtau_i/dq_j = S_i (B_i Psi'_j + I_i Psi"_j)                  j at or below i
//   dtau_j/dq_i = S_j (B_i Psi'_i + I_i Psi"_i + S_i x* F_i)
//   dtau_i/dv_j = S_i (B_i S_j + I_i (Psi' + S')_j),  dtau_j/dv_i = S_j (B_i S_i + I_i (Psi' + S')_i).
// B (w, v) is the wrench of the forces 2 dm w x V on points that move with V. It depends on w alone,
//   n = tr(N) w - N w,  f = w x p,   N = 2 (integral of V rᵀ dm),  p = 2 (integral of V dm),
// and N and p of several bodies add up.
#pragma once

#include "catena/formulations/spatial/lanes.hpp"
#include "catena/model/joints.hpp"

namespace catena {

template <class V>
Motion<V> cross(const Motion<V>& a, const Motion<V>& b) {
  return {cross(a.w, b.w), add_cross(cross(a.w, b.v), a.v, b.w)};
}

// What the bodies above a joint are together. E is the Euler tensor: I = tr(E) 1 - E.
template <class V>
struct Subtree {
  V m;
  Vec3<V> h;
  Sym3<V> E;
  Mat3<V> N;
  Vec3<V> p;
  Force<V> F;

  Force<V> inertia_times(const Motion<V>& u) const {
    const V trace = E.xx + E.yy + E.zz;
    return {add_cross(trace * u.w - E * u.w, h, u.v), add_cross(m * u.v, u.w, h)};
  }
  // B (w, anything)
  Force<V> velocity_times(const Vec3<V>& w) const {
    const V trace = N.x.x + N.y.y + N.z.z;
    return {trace * w - N * w, cross(w, p)};
  }
  // The w that makes w · u = Sᵀ B (u, anything)
  Vec3<V> velocity_transposed_times(const Motion<V>& S) const {
    const V trace = N.x.x + N.y.y + N.z.z;
    return add_cross(trace * S.w - transpose_times(N, S.w), p, S.v);
  }
};

template <class T>
struct DerivativePasses {
  using V = Lane<T>;
  static constexpr int width = lanes<T>;

  const Mechanism<Constant<T>>& m;
  const int nb, nv;
  // By body: pose (R by columns, p), twist, acceleration.
  enum { R = 0, P = 9, twist = 12, acceleration = 18 };
  Columns<T> bodies;
  // By velocity: S, Psi'.w, Psi' + S', Psi"; then what multiplies them from the left.
  enum { S = 0, psi = 6, rate = 9, psi2 = 15, along = 21, force_q = 27, force_v = 33, turning = 39 };
  Columns<T> columns;
  // A Subtree: by body its own part, by velocity that of all bodies which it moves.
  enum { mass = 0, moment = 1, euler = 4, products = 10, momentum = 19, force = 22 };
  Columns<T> own, subtree;

  DerivativePasses(const Mechanism<Constant<T>>& mechanism, Arena& arena)
      : m(mechanism),
        nb(m.num_bodies()),
        nv(m.tree_nv),
        bodies(24, nb, arena),
        columns(42, nv, arena),
        own(28, nb, arena),
        subtree(28, nv, arena) {}

  Motion<T> motion(const Columns<T>& c, int r, int i) const {
    return {c.vector(r, i), c.vector(r + 3, i)};
  }
  static Motion<V> motions(const Columns<T>& c, int r, int i) {
    return {c.vectors(r, i), c.vectors(r + 3, i)};
  }
  static void put(const Columns<T>& c, int r, int i, const Motion<T>& x) {
    c.put(r, i, x.w), c.put(r + 3, i, x.v);
  }
  static void put(const Columns<T>& c, int r, int i, const Force<T>& x) {
    c.put(r, i, x.n), c.put(r + 3, i, x.f);
  }
  static void put_lanes(const Columns<T>& c, int r, int i, const Force<V>& x) {
    c.put_lanes(r, i, x.n), c.put_lanes(r + 3, i, x.f);
  }

  // Base to tip: poses, directions, twists. The fixed point is the origin of body 0, or a free
  // base's own: far from it digits get lost.
  void place(const JointPositions<T>& at, const T* qd) const {
    const T o(0), one(1);
    const Vec3<T> zero{o, o, o};
    Pose<T> X{{{one, o, o}, {o, one, o}, {o, o, one}}, zero};
    if (nb > 1 && m.bodies[1].dense >= 0) X.p = -at.X[0].p;
    Motion<T> twist_B{zero, zero};
    put_pose(0, X);
    put(bodies, twist, 0, twist_B);
    for (int i = 1; i < nb; ++i) {
      const auto& b = m.bodies[index(i)];
      if (b.parent != i - 1) {
        X = {{bodies.vector(R, b.parent), bodies.vector(R + 3, b.parent),
              bodies.vector(R + 6, b.parent)},
             bodies.vector(P, b.parent)};
        twist_B = motion(bodies, twist, b.parent);
      }
      with_joint(b.kind, [&](auto joint) {
        X = transform_of<T>(joint, b, at).after(X);
        const Motion<T> twist_P = twist_B;
        for (int k = 0; k < joint.nv; ++k) {
          const int v = b.v + k;
          const Motion<T> s = direction(joint, b, k, X), change = cross(twist_P, s);
          twist_B = twist_B + Motion<T>{qd[v] * s.w, qd[v] * s.v};
          put(columns, S, v, s);
          columns.put(psi, v, change.w);
          put(columns, rate, v, change);
        }
        for (int k = 0; k < joint.nv; ++k) {  // a joint with one direction does not change it
          const int v = b.v + k;
          const Motion<T> change = motion(columns, rate, v);
          if constexpr (joint.nv == 1)
            put(columns, rate, v, change + change);
          else
            put(columns, rate, v, change + cross(twist_B, motion(columns, S, v)));
        }
      });
      put_pose(i, X);
      put(bodies, twist, i, twist_B);
    }
  }
  void put_pose(int i, const Pose<T>& X) const {
    bodies.put(R, i, X.R.x), bodies.put(R + 3, i, X.R.y), bodies.put(R + 6, i, X.R.z);
    bodies.put(P, i, X.p);
  }

  // Base to tip: accelerations, gravity as one of the world. qdd may be null: zero.
  void accelerate(const T* qd, const T* qdd) const {
    const T o(0);
    Motion<T> a{{o, o, o}, {T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)}};
    put(bodies, acceleration, 0, a);
    for (int i = 1; i < nb; ++i) {
      const auto& b = m.bodies[index(i)];
      if (b.parent != i - 1) a = motion(bodies, acceleration, b.parent);
      const Motion<T> a_P = a, twist_P = motion(bodies, twist, b.parent);
      const int end = b.v + num_velocities_of(b.kind);
      for (int v = b.v; v < end; ++v) {
        const Motion<T> s = motion(columns, S, v), change = cross(twist_P, s);
        put(columns, psi2, v, cross(a_P, s) + cross(twist_P, change));
        a = a + Motion<T>{qd[v] * change.w, qd[v] * change.v};
        if (qdd != nullptr) a = a + Motion<T>{qdd[v] * s.w, qdd[v] * s.v};
      }
      put(bodies, acceleration, i, a);
    }
  }
  static int num_velocities_of(Primitive kind) {
    int n = 0;
    with_joint(kind, [&](auto joint) { n = joint.nv; });
    return n;
  }

  // The bodies one by one: what each is about the fixed point, and the force that its motion needs.
  void weigh(const Force<T>* Fext_B) const {
    for (int i = 0; i < nb; i += width) {
      const auto constant = [&](auto part) {
        if constexpr (is_plain<T>) {
          V x;
          for (int k = 0; k < width; ++k)
            x.lanes[k] = part(m.bodies[index(i + k < nb ? i + k : nb - 1)]);
          return x;
        } else {
          return V(part(m.bodies[index(i)]));
        }
      };
      using BodyOf = MechanismBody<Constant<T>>;
      const Mat3<V> R_B{bodies.vectors(R, i), bodies.vectors(R + 3, i), bodies.vectors(R + 6, i)};
      const Vec3<V> r = bodies.vectors(P, i);
      const Motion<V> twist_B = motions(bodies, twist, i), a = motions(bodies, acceleration, i);
      const Vec3<V> h_B = R_B * Vec3<V>{constant([](const BodyOf& b) { return b.M.h.x; }),
                                        constant([](const BodyOf& b) { return b.M.h.y; }),
                                        constant([](const BodyOf& b) { return b.M.h.z; })};
      Sym3<V> E = rotate(R_B, Sym3<V>{constant([](const BodyOf& b) { return b.E.xx; }),
                                      constant([](const BodyOf& b) { return b.E.xy; }),
                                      constant([](const BodyOf& b) { return b.E.xz; }),
                                      constant([](const BodyOf& b) { return b.E.yy; }),
                                      constant([](const BodyOf& b) { return b.E.yz; }),
                                      constant([](const BodyOf& b) { return b.E.zz; })});
      Subtree<V> B;
      B.m = constant([](const BodyOf& b) { return b.M.m; });
      B.h = h_B + B.m * r;
      B.E = {E.xx + r.x * B.h.x + h_B.x * r.x, E.xy + r.x * B.h.y + h_B.x * r.y,
             E.xz + r.x * B.h.z + h_B.x * r.z, E.yy + r.y * B.h.y + h_B.y * r.y,
             E.yz + r.y * B.h.z + h_B.y * r.z, E.zz + r.z * B.h.z + h_B.z * r.z};
      const Vec3<V> w2 = twist_B.w + twist_B.w, v2 = twist_B.v + twist_B.v;
      B.N.x = add_cross(B.h.x * v2, w2, Vec3<V>{B.E.xx, B.E.xy, B.E.xz});
      B.N.y = add_cross(B.h.y * v2, w2, Vec3<V>{B.E.xy, B.E.yy, B.E.yz});
      B.N.z = add_cross(B.h.z * v2, w2, Vec3<V>{B.E.xz, B.E.yz, B.E.zz});
      B.p = add_cross(B.m * v2, w2, B.h);
      const Force<V> turned = B.velocity_times(twist_B.w), pushed = B.inertia_times(a);
      const V half = V(Constant<T>(0.5));
      B.F = {pushed.n + half * turned.n, pushed.f + half * turned.f};
      put_lanes(own, i, B);
    }
    if (Fext_B == nullptr) return;
    for (int i = 1; i < nb; ++i) {
      const Pose<T> X{{bodies.vector(R, i), bodies.vector(R + 3, i), bodies.vector(R + 6, i)},
                      bodies.vector(P, i)};
      const Force<T> F = transform(X, Fext_B[i]);
      own.put(force, i, own.vector(force, i) - F.n);
      own.put(force + 3, i, own.vector(force + 3, i) - F.f);
    }
  }
  static void put_lanes(const Columns<T>& c, int i, const Subtree<V>& B) {
    c.put_lane(mass, i, B.m);
    c.put_lanes(moment, i, B.h);
    c.put_lanes(euler, i, {B.E.xx, B.E.xy, B.E.xz});
    c.put_lanes(euler + 3, i, {B.E.yy, B.E.yz, B.E.zz});
    c.put_lanes(products, i, B.N.x);
    c.put_lanes(products + 3, i, B.N.y);
    c.put_lanes(products + 6, i, B.N.z);
    c.put_lanes(momentum, i, B.p);
    put_lanes(c, force, i, B.F);
  }

  // Tip to base: sums over all bodies that a velocity moves.
  void gather() const {
    for (int i = nb - 1; i > 0; --i) {
      const auto& b = m.bodies[index(i)];
      const int end = b.v + num_velocities_of(b.kind);
      for (int r = mass; r < force + 6; ++r) {
        T* const sum = own.row(r);
        const T whole = sum[i];
        for (int v = b.v; v < end; ++v) subtree.at(r, v) = whole;
        sum[b.parent] = sum[b.parent] + whole;
      }
    }
  }

  // From the state for qdd = 0, after multiply_inertia(), to the one for qdd: what Psi" and F gain
  // by the accelerations D that qdd adds to the bodies. F of a subtree gains I D and, of every
  // direction above it, I S qdd.
  void change_acceleration(const T* qdd) const {
    const T o(0);
    const Vec3<T> zero{o, o, o};
    enum { of_parent = force_q, of_body = force_v };  // not yet in use
    Motion<T> D{zero, zero};
    put(bodies, acceleration, 0, D);
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = m.bodies[index(i)];
      if (b.parent != i - 1) D = motion(bodies, acceleration, b.parent);
      const int end = b.v + num_velocities_of(b.kind);
      for (int v = b.v; v < end; ++v) put(columns, of_parent, v, D);
      for (int v = b.v; v < end; ++v) {
        const Motion<T> s = motion(columns, S, v);
        D = D + Motion<T>{qdd[v] * s.w, qdd[v] * s.v};
      }
      for (int v = b.v; v < end; ++v) put(columns, of_body, v, D);
      put(bodies, acceleration, i, D);
    }
    for (int i = 0; i < nb; ++i) put(own, force, i, Force<T>{zero, zero});
    for (int i = nb - 1; i > 0; --i) {  // tip to base
      const auto& b = m.bodies[index(i)];
      const int end = b.v + num_velocities_of(b.kind);
      const Vec3<T> n = own.vector(force, i), f = own.vector(force + 3, i);
      Vec3<T> sum_n = own.vector(force, b.parent) + n, sum_f = own.vector(force + 3, b.parent) + f;
      for (int v = b.v; v < end; ++v) {
        subtree.put(force, v, subtree.vector(force, v) + n);
        subtree.put(force + 3, v, subtree.vector(force + 3, v) + f);
        sum_n = sum_n + qdd[v] * columns.vector(along, v);
        sum_f = sum_f + qdd[v] * columns.vector(along + 3, v);
      }
      put(own, force, b.parent, Force<T>{sum_n, sum_f});
    }
    for (int v = 0; v < nv; v += width) {
      const Subtree<V> B = subtrees(v);
      put_lanes(subtree, force, v, B.F + B.inertia_times(motions(columns, of_body, v)));
      const Motion<V> changed = motions(columns, psi2, v) +
                                cross(motions(columns, of_parent, v), motions(columns, S, v));
      columns.put_lanes(psi2, v, changed.w), columns.put_lanes(psi2 + 3, v, changed.v);
    }
  }

  Subtree<V> subtrees(int v) const {
    const Vec3<V> e = subtree.vectors(euler, v), f = subtree.vectors(euler + 3, v);
    return {subtree.lane(mass, v),
            subtree.vectors(moment, v),
            {e.x, e.y, e.z, f.x, f.y, f.z},
            {subtree.vectors(products, v), subtree.vectors(products + 3, v),
             subtree.vectors(products + 6, v)},
            subtree.vectors(momentum, v),
            {subtree.vectors(force, v), subtree.vectors(force + 3, v)}};
  }

  // The force along a direction that the motion needs.
  T force_along(int v) const {
    return dot(motion(columns, S, v),
               Force<T>{subtree.vector(force, v), subtree.vector(force + 3, v)});
  }

  // I S of every velocity.
  void multiply_inertia() const {
    for (int v = 0; v < nv; v += width)
      put_lanes(columns, along, v, subtrees(v).inertia_times(motions(columns, S, v)));
  }
  // The other vectors from the left.
  void multiply() const {
    for (int v = 0; v < nv; v += width) {
      const Subtree<V> B = subtrees(v);
      const Motion<V> s = motions(columns, S, v);
      Force<V> F = B.inertia_times(motions(columns, psi2, v));
      F += B.velocity_times(columns.vectors(psi, v));
      F += Force<V>{add_cross(cross(s.w, B.F.n), s.v, B.F.f), cross(s.w, B.F.f)};
      put_lanes(columns, force_q, v, F);
      F = B.inertia_times(motions(columns, rate, v));
      F += B.velocity_times(s.w);
      put_lanes(columns, force_v, v, F);
      columns.put_lanes(turning, v, B.velocity_transposed_times(s));
    }
  }

  int end_of_own(int v) const {
    const auto& b = m.bodies[index(m.body_of_v[index(v)])];
    return b.v + num_velocities_of(b.kind);
  }
  int end_of_subtree(int v) const {
    return m.bodies[index(m.body_of_v[index(v)])].subtree_end_v;
  }

  // Lanes of the products of a vector with columns from j on.
  struct Left {
    V x[6];
    Left(const Columns<T>& c, int r, int i) {
      for (int k = 0; k < 6; ++k) x[k] = V(c.at(r + k, i));
    }
    V times(const Columns<T>& c, int r, int j) const {
      return (x[0] * c.lane(r, j) + x[1] * c.lane(r + 1, j) + x[2] * c.lane(r + 2, j)) +
             (x[3] * c.lane(r + 3, j) + x[4] * c.lane(r + 4, j) + x[5] * c.lane(r + 5, j));
    }
  };

  // Rows of M; of the upper triangle too if `both`. Entries between branches are left as they are.
  void write_inertia(T* M, bool both) const {
    for (int i = 0; i < nv; ++i) {
      T* const row = M + index(i) * index(nv);
      const Left left(columns, along, i);
      for_each_run(m, i, [&](int first, int last) {
        for (int j = first; j <= last; j += width)
          store_lanes(row + j, left.times(columns, S, j), last - j + 1);
      });
      if (!both) continue;
      const Left s(columns, S, i);
      for (int end = end_of_subtree(i), j = i + 1; j < end; j += width)
        store_lanes(row + j, s.times(columns, along, j), end - j);
    }
  }
  // Rows of the derivatives.
  void write_derivatives(T* dq, T* dv) const {
    for (int i = 0; i < nv; ++i) {
      T* const row_q = dq + index(i) * index(nv);
      T* const row_v = dv + index(i) * index(nv);
      const Left left(columns, along, i);
      const V x(columns.at(turning, i)), y(columns.at(turning + 1, i)),
          z(columns.at(turning + 2, i));
      const auto turn = [&](int r, int j) {
        return x * columns.lane(r, j) + y * columns.lane(r + 1, j) + z * columns.lane(r + 2, j);
      };
      const int own_end = end_of_own(i);
      for_each_run(m, own_end - 1, [&](int first, int last) {
        for (int j = first; j <= last; j += width) {
          store_lanes(row_q + j, left.times(columns, psi2, j) + turn(psi, j), last - j + 1);
          store_lanes(row_v + j, left.times(columns, rate, j) + turn(S, j), last - j + 1);
        }
      });
      const Left s(columns, S, i);
      for (int end = end_of_subtree(i), j = own_end; j < end; j += width) {
        store_lanes(row_q + j, s.times(columns, force_q, j), end - j);
        store_lanes(row_v + j, s.times(columns, force_v, j), end - j);
      }
    }
  }
  // Springs and friction are diagonal. The sign in Coulomb's law does not change where it exists.
  void add_passive(T* dq, T* dv) const {
    for (int v = 0; v < nv; ++v) {
      const std::size_t k = index(v), entry = k * (index(nv) + 1);
      if (m.q_of_v[k] >= 0) dq[entry] = dq[entry] + m.stiffness[k];
      dv[entry] = dv[entry] + m.viscous[k];
    }
  }
  void add_armature(T* M) const {
    for (int v = 0; v < nv; ++v) {
      T& entry = M[index(v) * (index(nv) + 1)];
      entry = entry + m.armature[index(v)];
    }
  }
};

}  // namespace catena
