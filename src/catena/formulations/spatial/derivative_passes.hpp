// What derivatives of inverse and forward dynamics have in common: passes over the tree in the axes
// of body 0, about one fixed point [Singh, Russell & Wensing 2022; Carpentier & Mansard 2018].
//
// A joint direction S turns its subtree as a whole, so that a change of q_j moves everything above
// the joint rigidly, and what remains is how the motion of the parent P is seen from there:
//   Psi' = V_P x S,   Psi" = A_P x S + V_P x Psi',   S' = V_B x S.
// With the inertia I, the force F and the velocity products N, p of all bodies from i on,
//   dtau_i/dq_j = S_i (B_i Psi'_j + I_i Psi"_j)                  j at or below i
//   dtau_j/dq_i = S_j (B_i Psi'_i + I_i Psi"_i + S_i x* F_i)
//   dtau_i/dv_j = S_i (B_i S_j + I_i (Psi' + S')_j),  dtau_j/dv_i = S_j (B_i S_i + I_i (Psi' +
//   S')_i).
// B (w, v) is the wrench of the forces 2 dm w x V on points that move with V. It depends on w
// alone,
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
  enum { pose = 0, twist = 12, acceleration = 18, body_size = 24 };
  BodyRows<T> bodies;
  // By body a Subtree: first its own part, then with all that stands on it.
  enum {
    mass = 0,
    moment = 1,
    euler = 4,
    products = 10,
    momentum = 19,
    force = 22,
    tree_size = 28
  };
  BodyRows<T> subtree;
  // By velocity: S, Psi'.w, Psi' + S', Psi"; what multiplies them from the left; F; qd and qdd.
  enum {
    S = 0,
    psi = 6,
    rate = 9,
    psi2 = 15,
    along = 21,
    force_q = 27,
    force_v = 33,
    turning = 39,
    total = 42,
    speed = 48,
    push = 49,
    column_size = 50
  };
  Columns<T> columns;

  DerivativePasses(const Mechanism<Constant<T>>& mechanism, Arena& arena)
      : m(mechanism),
        nb(m.num_bodies()),
        nv(m.tree_nv),
        bodies(nb + 1, body_size, arena),
        subtree(nb + 1, tree_size, arena),
        columns(column_size, nv, arena) {}

  // Base to tip: poses, directions, twists. The fixed point is the origin of body 0, or a free
  // base's own: far from it digits get lost.
  void place(const JointPositions<T>& at, const T* qd, const T* qdd) const {
    const T o(0), one(1);
    const Vec3<T> zero{o, o, o};
    Pose<T> X{{{one, o, o}, {o, one, o}, {o, o, one}}, zero};
    if (nb > 1 && m.bodies[1].dense >= 0) X.p = -at.X[0].p;
    Motion<T> V_B{zero, zero};
    put(bodies.row(0) + pose, X);
    put(bodies.row(0) + twist, V_B);
    for (int i = 1; i < nb; ++i) {
      const auto& b = m.bodies[index(i)];
      if (b.parent != i - 1) {
        const T* P = bodies.row(b.parent);
        X = {{vector(P), vector(P + 3), vector(P + 6)}, vector(P + 9)};
        V_B = motion(P + twist);
      }
      with_joint(b.kind, [&](auto joint) {
        X = transform_of<T>(joint, b, at).after(X);
        for (int v = b.v; v < b.v + joint.nv; ++v) {
          const Motion<T> s = direction(joint, b, v - b.v, X);
          V_B = V_B + Motion<T>{qd[v] * s.w, qd[v] * s.v};
          columns.put(S, v, s.w), columns.put(S + 3, v, s.v);
          columns.at(speed, v) = qd[v];
          columns.at(push, v) = qdd != nullptr ? qdd[v] : o;
        }
      });
      put(bodies.row(i) + pose, X);
      put(bodies.row(i) + twist, V_B);
    }
    for (int v = 0; v < nv;
         v += width) {  // Psi', Psi' + S', and what the bodies' accelerations gain
      const Motion<V> s = motions(S, v), V_P = twists(v, true);
      const Motion<V> change = cross(V_P, s);
      columns.put_lanes(psi, v, change.w);
      // a joint with one direction does not change it
      put(rate, v, m.dense_bodies.empty() ? change + change : cross(V_P + twists(v, false), s));
      const V qd_v = columns.lane(speed, v), qdd_v = columns.lane(push, v);
      put(along, v, Motion<V>{qdd_v * s.w + qd_v * change.w, qdd_v * s.v + qd_v * change.v});
    }
  }

  // Base to tip: accelerations, gravity as one of the world.
  void accelerate() const {
    const T o(0);
    Motion<T> a{{o, o, o}, {T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)}};
    put(bodies.row(0) + acceleration, a);
    for (int i = 1; i < nb; ++i) {
      const auto& b = m.bodies[index(i)];
      if (b.parent != i - 1) a = motion(bodies.row(b.parent) + acceleration);
      for (int v = b.v, end = end_of_joint(i); v < end; ++v) a = a + column(along, v);
      put(bodies.row(i) + acceleration, a);
    }
    for (int v = 0; v < nv; v += width) {
      V x[12];
      load_bodies(v, true, twist, 12, x);
      const Motion<V> V_P{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
      const Motion<V> A_P{{x[6], x[7], x[8]}, {x[9], x[10], x[11]}};
      const Motion<V> s = motions(S, v);
      put(psi2, v, cross(A_P, s) + cross(V_P, cross(V_P, s)));
    }
  }

  // The bodies one by one: what each is about the fixed point, and the force that its motion needs.
  void weigh(const Force<T>* Fext_B) const {
    for (int i = 0; i < nb; i += width) {
      const T* from[width];
      T* to[width];
      const Constant<T>*mass_of[width], *euler_of[width];
      for (int k = 0; k < width; ++k) {
        const int body = i + k < nb ? i + k : nb - 1;
        from[k] = bodies.row(body);
        to[k] = subtree.row(i + k < nb ? i + k : nb);  // one row more than there are bodies
        mass_of[k] = &m.bodies[index(body)].M.m;       // m, h
        euler_of[k] = &m.bodies[index(body)].E.xx;
      }
      V x[24], c[12];
      for (int k = 0; k < 24; k += 4) load_four<T>(from, k, x + k);
      load_four<T>(mass_of, 0, c), load_four<T>(euler_of, 0, c + 4);
      load_four<T>(euler_of, 4, c + 8);
      const Mat3<V> R_B{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}, {x[6], x[7], x[8]}};
      const Vec3<V> r{x[9], x[10], x[11]};
      const Motion<V> V_B{{x[12], x[13], x[14]}, {x[15], x[16], x[17]}};
      const Motion<V> a{{x[18], x[19], x[20]}, {x[21], x[22], x[23]}};
      const Vec3<V> h = R_B * Vec3<V>{c[1], c[2], c[3]};
      const Sym3<V> E = rotate(R_B, Sym3<V>{c[4], c[5], c[6], c[7], c[8], c[9]});
      Subtree<V> B;
      B.m = c[0];
      B.h = h + B.m * r;
      B.E = {E.xx + r.x * B.h.x + h.x * r.x, E.xy + r.x * B.h.y + h.x * r.y,
             E.xz + r.x * B.h.z + h.x * r.z, E.yy + r.y * B.h.y + h.y * r.y,
             E.yz + r.y * B.h.z + h.y * r.z, E.zz + r.z * B.h.z + h.z * r.z};
      const Vec3<V> w2 = V_B.w + V_B.w, v2 = V_B.v + V_B.v;
      B.N.x = add_cross(B.h.x * v2, w2, Vec3<V>{B.E.xx, B.E.xy, B.E.xz});
      B.N.y = add_cross(B.h.y * v2, w2, Vec3<V>{B.E.xy, B.E.yy, B.E.yz});
      B.N.z = add_cross(B.h.z * v2, w2, Vec3<V>{B.E.xz, B.E.yz, B.E.zz});
      B.p = add_cross(B.m * v2, w2, B.h);
      const Force<V> turned = B.velocity_times(V_B.w), pushed = B.inertia_times(a);
      const Constant<T> half(0.5);
      B.F = {pushed.n + half * turned.n, pushed.f + half * turned.f};
      const V out[tree_size] = {B.m,     B.h.x,   B.h.y,   B.h.z,   B.E.xx,  B.E.xy,  B.E.xz,
                                B.E.yy,  B.E.yz,  B.E.zz,  B.N.x.x, B.N.x.y, B.N.x.z, B.N.y.x,
                                B.N.y.y, B.N.y.z, B.N.z.x, B.N.z.y, B.N.z.z, B.p.x,   B.p.y,
                                B.p.z,   B.F.n.x, B.F.n.y, B.F.n.z, B.F.f.x, B.F.f.y, B.F.f.z};
      for (int k = 0; k < tree_size; k += 4) store_four<T>(to, k, out + k);
    }
    if (Fext_B == nullptr) return;
    for (int i = 1; i < nb; ++i) {
      const T* B = bodies.row(i);
      const Force<T> F =
          transform(Pose<T>{{vector(B), vector(B + 3), vector(B + 6)}, vector(B + 9)}, Fext_B[i]);
      T* to = subtree.row(i) + force;
      put(to, vector(to) - F.n), put(to + 3, vector(to + 3) - F.f);
    }
  }

  // Tip to base: sums over all that stands on a body.
  void gather() const {
    for (int i = nb - 1; i > 0; --i) {
      const int parent = m.bodies[index(i)].parent;
      if (parent == 0) continue;
      T* const to = subtree.row(parent);
      const T* const from = subtree.row(i);
      for (int k = 0; k < tree_size; k += width)
        store_lanes(to + k, load_lanes(to + k) + load_lanes(from + k));
    }
  }

  // The vectors from the left. For forward dynamics in two stages: I S and F for the acceleration
  // that there is without qdd, and the rest when qdd is known (change_acceleration()).
  enum class Stage { all, inertia, rest };
  template <Stage stage>
  void multiply() const {
    for (int v = 0; v < nv; v += width) {
      const T* from[width];
      for (int k = 0; k < width; ++k) from[k] = subtree.row(body_of(v + k));
      V x[tree_size];
      for (int k = 0; k < tree_size; k += 4) load_four<T>(from, k, x + k);
      const Subtree<V> B{x[0],
                         {x[1], x[2], x[3]},
                         {x[4], x[5], x[6], x[7], x[8], x[9]},
                         {{x[10], x[11], x[12]}, {x[13], x[14], x[15]}, {x[16], x[17], x[18]}},
                         {x[19], x[20], x[21]},
                         {{x[22], x[23], x[24]}, {x[25], x[26], x[27]}}};
      const Motion<V> s = motions(S, v);
      Force<V> F = B.F;
      if constexpr (stage != Stage::rest) put(along, v, B.inertia_times(s));
      if constexpr (stage == Stage::inertia) put(total, v, F);
      if constexpr (stage == Stage::inertia) continue;
      Motion<V> bend = motions(psi2, v);
      if constexpr (stage == Stage::rest) {
        bend = bend + cross(motions(of_parent, v), s);
        put(psi2, v, bend);
        F = Force<V>{columns.vectors(total, v), columns.vectors(total + 3, v)} +
            B.inertia_times(motions(of_body, v));
      }
      Force<V> left = B.inertia_times(bend);
      left += B.velocity_times(columns.vectors(psi, v));
      left += Force<V>{add_cross(cross(s.w, F.n), s.v, F.f), cross(s.w, F.f)};
      const Motion<V> turn = motions(rate, v);
      put(force_q, v, left);
      left = B.inertia_times(turn);
      left += B.velocity_times(s.w);
      put(force_v, v, left);
      columns.put_lanes(turning, v, B.velocity_transposed_times(s));
    }
  }

  // From qdd = 0 to qdd: the bodies gain accelerations D, kept by velocity for the body and its
  // parent; F gains I D and, of every direction that stands on the body, I S qdd.
  enum { of_parent = force_q, of_body = force_v };  // not yet in use otherwise
  void change_acceleration(const T* qdd) const {
    const T o(0);
    const Vec3<T> zero{o, o, o};
    Motion<T> D{zero, zero};
    put(bodies.row(0) + acceleration, D);
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = m.bodies[index(i)];
      if (b.parent != i - 1) D = motion(bodies.row(b.parent) + acceleration);
      const int end = end_of_joint(i);
      for (int v = b.v; v < end; ++v) put_column(of_parent, v, D);
      for (int v = b.v; v < end; ++v) {
        const Motion<T> s = column(S, v);
        D = D + Motion<T>{qdd[v] * s.w, qdd[v] * s.v};
      }
      for (int v = b.v; v < end; ++v) put_column(of_body, v, D);
      put(bodies.row(i) + acceleration, D);
    }
    for (int i = 0; i < nb; ++i) put(bodies.row(i) + acceleration, Motion<T>{zero, zero});
    for (int i = nb - 1; i > 0; --i) {  // tip to base
      const auto& b = m.bodies[index(i)];
      const Motion<T> above = motion(bodies.row(i) + acceleration);  // a force, moment first
      Motion<T> sum = above + motion(bodies.row(b.parent) + acceleration);
      for (int v = b.v, end = end_of_joint(i); v < end; ++v) {
        put_column(total, v, column(total, v) + above);
        const Motion<T> f = column(along, v);
        sum = sum + Motion<T>{qdd[v] * f.w, qdd[v] * f.v};
      }
      put(bodies.row(b.parent) + acceleration, sum);
    }
  }

  // The force along a direction that the motion needs, after Stage::inertia.
  T force_along(int v) const {
    return dot(column(S, v), Force<T>{columns.vector(total, v), columns.vector(total + 3, v)});
  }

  // Numbers that lie side by side.
  static Vec3<T> vector(const T* from) { return {from[0], from[1], from[2]}; }
  static Motion<T> motion(const T* from) { return {vector(from), vector(from + 3)}; }
  static void put(T* to, const Vec3<T>& x) { to[0] = x.x, to[1] = x.y, to[2] = x.z; }
  static void put(T* to, const Motion<T>& x) { put(to, x.w), put(to + 3, x.v); }
  static void put(T* to, const Pose<T>& X) {
    put(to, X.R.x), put(to + 3, X.R.y), put(to + 6, X.R.z), put(to + 9, X.p);
  }
  Motion<T> column(int r, int v) const { return {columns.vector(r, v), columns.vector(r + 3, v)}; }
  void put_column(int r, int v, const Motion<T>& x) const {
    columns.put(r, v, x.w), columns.put(r + 3, v, x.v);
  }
  Motion<V> motions(int r, int v) const {
    return {columns.vectors(r, v), columns.vectors(r + 3, v)};
  }
  void put(int r, int v, const Motion<V>& x) const {
    columns.put_lanes(r, v, x.w), columns.put_lanes(r + 3, v, x.v);
  }
  void put(int r, int v, const Force<V>& x) const {
    columns.put_lanes(r, v, x.n), columns.put_lanes(r + 3, v, x.f);
  }
  Subtree<T> subtree_of(int body) const {
    const T* x = subtree.row(body);
    return {x[mass],
            vector(x + moment),
            {x[4], x[5], x[6], x[7], x[8], x[9]},
            {vector(x + products), vector(x + products + 3), vector(x + products + 6)},
            vector(x + momentum),
            {vector(x + force), vector(x + force + 3)}};
  }
  // The body that velocity v moves; beyond the last one any will do.
  int body_of(int v) const { return v < nv ? m.body_of_v[index(v)] : nb - 1; }
  // Components of the bodies, or their parents, that the lanes from v on move.
  void load_bodies(int v, bool of_parents, int first, int count, V* x) const {
    const T* from[width];
    for (int k = 0; k < width; ++k) {
      const int b = body_of(v + k);
      from[k] = bodies.row(of_parents ? m.bodies[index(b)].parent : b);
    }
    for (int k = 0; k < count; k += 4) load_four<T>(from, first + k, x + k);
  }
  Motion<V> twists(int v, bool of_parents) const {
    V x[8];
    load_bodies(v, of_parents, twist, 8, x);
    return {{x[0], x[1], x[2]}, {x[3], x[4], x[5]}};
  }
  int end_of_joint(int body) const {
    int n = 0;
    with_joint(m.bodies[index(body)].kind, [&](auto joint) { n = joint.nv; });
    return m.bodies[index(body)].v + n;
  }
  int end_of_own(int v) const { return end_of_joint(m.body_of_v[index(v)]); }
  int end_of_subtree(int v) const { return m.bodies[index(m.body_of_v[index(v)])].subtree_end_v; }

  // Lanes of the products of a vector with columns from j on.
  struct Left {
    V x[6];
    Left(const Columns<T>& c, int r, int i) {
      for (int k = 0; k < 6; ++k) x[k] = in_all_lanes(c.place(r + k, i));
    }
    V times(const Columns<T>& c, int r, int j) const {
      return (x[0] * c.lane(r, j) + x[1] * c.lane(r + 1, j) + x[2] * c.lane(r + 2, j)) +
             (x[3] * c.lane(r + 3, j) + x[4] * c.lane(r + 4, j) + x[5] * c.lane(r + 5, j));
    }
  };

  // Row i of M up to the diagonal, or all of it. Entries between branches are left as they are, so
  // are those beyond a row of padded(nv).
  void write_inertia(int i, T* row, bool whole) const {
    const Left left(columns, along, i);
    for_each_run(m, i, [&](int first, int last) {
      for (int j = first; j <= last; j += width)
        store_lanes(row + j, left.times(columns, S, j), last - j + 1);
    });
    if (whole) {
      const Left s(columns, S, i);
      for (int end = end_of_subtree(i), j = i + 1; j < end; j += width)
        store_lanes(row + j, s.times(columns, along, j), end - j);
    }
    if (m.has_armature) row[i] = row[i] + m.armature[index(i)];
  }
  // Row i of dtau/dq and dtau/dv.
  void write_derivatives(int i, T* row_q, T* row_v) const {
    const Left left(columns, along, i);
    const V x = in_all_lanes(columns.place(turning, i)),
            y = in_all_lanes(columns.place(turning + 1, i)),
            z = in_all_lanes(columns.place(turning + 2, i));
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
    if (m.has_passive) add_passive(i, row_q, row_v);
  }
  // Whole matrices with rows of nv. Lanes may overrun a row by three: near the end of the memory it
  // is made elsewhere.
  void write_derivatives(T* dq, T* dv, Arena arena) const {
    const std::size_t n = index(nv);
    T *const row_q = arena.take<T>(padded(nv)), *const row_v = arena.take<T>(padded(nv));
    for (int i = 0; i < nv; ++i) {
      T *const to_q = dq + index(i) * n, *const to_v = dv + index(i) * n;
      if (i + 2 < nv) {
        write_derivatives(i, to_q, to_v);
        continue;
      }
      clear_lanes(row_q, n), clear_lanes(row_v, n);
      write_derivatives(i, row_q, row_v);
      copy_row(row_q, to_q, nv), copy_row(row_v, to_v, nv);
    }
  }
  void write_inertia(T* M, Arena arena) const {
    T* const row = arena.take<T>(padded(nv));
    for (int i = 0; i < nv; ++i) {
      T* const to = M + index(i) * index(nv);
      if (i + 2 < nv) {
        write_inertia(i, to, true);
        continue;
      }
      clear_lanes(row, index(nv));
      write_inertia(i, row, true);
      copy_row(row, to, nv);
    }
  }
  // Springs and friction are diagonal. The sign in Coulomb's law does not change where it exists.
  void add_passive(int v, T* row_q, T* row_v) const {
    const std::size_t k = index(v);
    if (m.q_of_v[k] >= 0) row_q[v] = row_q[v] + m.stiffness[k];
    row_v[v] = row_v[v] + m.viscous[k];
  }
};

}  // namespace catena
