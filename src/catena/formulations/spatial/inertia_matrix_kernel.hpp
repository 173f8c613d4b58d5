// Composite rigid body algorithm [Featherstone & Orin 2000, 3.2].
// Composite inertias are gathered in body coordinates, where a joint along z makes them cheap. The
// force that a joint direction then needs is projected on the directions above it in one of two
// ways.
#pragma once

#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::kernels {

// Ic S_k in B: the force that accelerates the composite body along direction k of its joint.
template <class T, class J>
Force<T> force_along(J, const MechanismBody<Constant<T>>& b, int k, const Inertia<T>& Ic) {
  static_cast<void>(b);
  const T o(0), one(1);
  if constexpr (J::along_z) {
    const Force<T> turn{{Ic.I.xz, Ic.I.yz, Ic.I.zz}, {-Ic.h.y, Ic.h.x, o}};
    const Force<T> slide{{Ic.h.y, -Ic.h.x, o}, {o, o, Ic.m}};
    if constexpr (J::turns && J::slides)
      return {turn.n + b.pitch * slide.n, turn.f + b.pitch * slide.f};
    if constexpr (J::turns && !J::slides) return turn;
    return slide;
  } else {
    const Vec3<T> unit = k % 3 == 0   ? Vec3<T>{one, o, o}
                         : k % 3 == 1 ? Vec3<T>{o, one, o}
                                      : Vec3<T>{o, o, one};
    return Ic * (k < 3 ? Motion<T>{unit, {o, o, o}} : Motion<T>{{o, o, o}, unit});
  }
}

template <class T>
Inertia<T> body_inertia(const MechanismBody<Constant<T>>& b) {
  const auto& M = b.M;
  return {T(M.m),
          {T(M.h.x), T(M.h.y), T(M.h.z)},
          {T(M.I.xx), T(M.I.xy), T(M.I.xz), T(M.I.yy), T(M.I.yz), T(M.I.zz)}};
}

// Composite inertias from tip to base: visit(joint, body, index, Ic) sees each body with the
// inertia of its subtree. What the children of a branching body hand down waits in the arena, but
// for the first.
template <class T, class Visit>
void for_each_composite(const Mechanism<Constant<T>>& m, const JointPositions<T>& at, Arena& arena,
                        Visit visit) {
  const int nb = m.num_bodies();
  const auto* bodies = m.bodies.data();
  const T o(0);
  Inertia<T>* handed = nullptr;
  if (m.branched) {
    handed = arena.take<Inertia<T>>(index(nb));
    for (int i = 0; i < nb; ++i) handed[i] = {o, {o, o, o}, {o, o, o, o, o, o}};
  }
  Inertia<T> Ic = body_inertia<T>(bodies[nb - 1]);
  for (int i = nb - 1; i > 0; --i) {
    const auto& b = bodies[i];
    with_joint(b.kind, [&](auto joint) {
      visit(joint, b, i, Ic);
      if (i == 1) return;
      Inertia<T> next = body_inertia<T>(bodies[i - 1]);
      if (handed != nullptr) next = next + handed[i - 1];
      const Inertia<T> up = transform_of<T>(joint, b, at).to_parent(Ic);
      if (b.parent == i - 1)
        next = next + up;
      else
        handed[b.parent] = handed[b.parent] + up;
      Ic = next;
    });
  }
}

// Shallow trees: the forces along all directions of a subtree travel towards the base together, in
// the coordinates of the body they have reached; what they do along its joint are entries of M.
template <class T>
struct ShallowInertiaMatrix {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, Arena arena, T* M) {
    const auto& m = *mechanism;
    const int nv = m.tree_nv;
    const JointPositions<T> at = joint_positions(m, q, arena);
    Force<T>* F = arena.take<Force<T>>(index(nv));
    for_each_composite(m, at, arena, [&](auto joint, const auto& b, int, const Inertia<T>& Ic) {
      const int own_end = b.v + joint.nv, end = b.subtree_end_v;
      const auto row = [&](int j) { return M + index(j) * index(nv); };
      if (b.parent == 0) {
        for (int k = 0; k < joint.nv; ++k)
          project(joint, b, force_along(joint, b, k, Ic), row(b.v + k));
        for (int j = own_end; j < end; ++j) project(joint, b, F[j], row(j));
        return;
      }
      const auto X = transform_of<T>(joint, b, at);
      for (int k = 0; k < joint.nv; ++k) {
        const Force<T> along = force_along(joint, b, k, Ic);
        project(joint, b, along, row(b.v + k));
        F[b.v + k] = X.to_parent(along);
      }
      for (int j = own_end; j < end; ++j) {
        project(joint, b, F[j], row(j));
        F[j] = X.to_parent(F[j]);
      }
    });
  }
};

// Deep trees: forces and directions are taken to world axes, where an entry is one scalar product.
template <class T>
struct DeepInertiaMatrix {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, Arena arena, T* M) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies(), nv = m.tree_nv;
    const auto* bodies = m.bodies.data();
    const JointPositions<T> at = joint_positions(m, q, arena);
    Pose<T>* X_WB = arena.take<Pose<T>>(index(nb));
    T* S[6];  // directions of the joints in world axes, one array per component
    for (T*& component : S) component = arena.take<T>(index(nv));

    // Moments are taken about body 0's origin, or a free base's own: far from them digits get lost.
    const T o(0), one(1);
    X_WB[0] = {{{one, o, o}, {o, one, o}, {o, o, one}}, {o, o, o}};
    if (bodies[1].dense >= 0) X_WB[0].p = -at.X[0].p;
    Pose<T> X = X_WB[0];
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = bodies[i];
      if (b.parent != i - 1) X = X_WB[b.parent];
      with_joint(b.kind, [&](auto joint) {
        X = transform_of<T>(joint, b, at).after(X);
        for (int k = 0; k < joint.nv; ++k) {
          const Motion<T> s = direction(joint, b, k, X);
          const int v = b.v + k;
          S[0][v] = s.w.x, S[1][v] = s.w.y, S[2][v] = s.w.z;
          S[3][v] = s.v.x, S[4][v] = s.v.y, S[5][v] = s.v.z;
        }
      });
      X_WB[i] = X;
    }
    for_each_composite(m, at, arena, [&](auto joint, const auto& b, int i, const Inertia<T>& Ic) {
      for (int k = 0; k < joint.nv; ++k) {
        fill_row(m, b.v + k, transform(X_WB[i], force_along(joint, b, k, Ic)), S, M);
      }
    });
  }

  // M_ja = F_j · S_a for every direction a at or above j, one run of neighbours after the other.
  static void fill_row(const Mechanism<Constant<T>>& m, int j, const Force<T>& F, T* const* S,
                       T* M) {
    T* const row = M + index(j) * index(m.tree_nv);
    for (int last = j; last >= 0;) {
      const int first = m.run_begin_v[index(last)];
      int a = first;
      if constexpr (is_plain<T>) {  // short runs are not worth the wait for what was just stored
        using Four = Pack<T, 4>;
        const Four nx(F.n.x), ny(F.n.y), nz(F.n.z), fx(F.f.x), fy(F.f.y), fz(F.f.z);
        const auto s = [&](int r) { return Four::load(S[r] + a); };
        for (; last - first >= 15 && a + 3 <= last; a += 4) {
          ((nx * s(0) + ny * s(1) + nz * s(2)) + (fx * s(3) + fy * s(4) + fz * s(5)))
              .store(row + a);
        }
      }
      for (; a <= last; ++a) {
        row[a] = (F.n.x * S[0][a] + F.n.y * S[1][a] + F.n.z * S[2][a]) +
                 (F.f.x * S[3][a] + F.f.y * S[4][a] + F.f.z * S[5][a]);
      }
      last = m.parent_of_v[index(first)];
    }
  }
};

template <class T>
struct MirrorInertiaMatrix {
  static void run(T* M, int n) { mirror(M, n); }

  // Copies the lower triangle to the upper one, in tiles that the cache holds and, for plain
  // numbers, by fours that registers transpose.
  static void mirror(T* M, int n) {
    constexpr int tile = 64;
    if (n <= tile) {
      for (int i = 1; i < n; ++i) {
        const T* row = M + index(i) * index(n);
        T* column = M + i;
        for (int j = 0; j < i; ++j, column += n) *column = row[j];
      }
      return;
    }
    const auto at = [&](int i, int j) { return M + index(i) * index(n) + index(j); };
    for (int i0 = 0; i0 < n; i0 += tile) {
      for (int j0 = 0; j0 <= i0; j0 += tile) {
        for (int i = i0; i < n && i < i0 + tile; i += 4) {
          int j = j0;
          if constexpr (is_plain<T>) {
            for (; i + 4 <= n && j + 4 <= i && j < j0 + tile; j += 4)
              transpose_four(at(i, j), at(j, i), n);
          }
          for (int r = i; r < n && r < i + 4; ++r) {
            for (int c = j; c < r && c < j0 + tile; ++c) *at(c, r) = *at(r, c);
          }
        }
      }
    }
  }
  // to = fromᵀ for two 4x4 blocks of a matrix with rows of n.
  static void transpose_four(const T* from, T* to, int n) {
    using V = typename Pack<T, 4>::Vector;
    V r[4];
    for (int k = 0; k < 4; ++k) r[k] = Pack<T, 4>::load(from + index(k) * index(n)).lanes;
    const V a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6),
            b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const V c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6),
            d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5),
    r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5),
    r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
    for (int k = 0; k < 4; ++k) Pack<T, 4>(r[k]).store(to + index(k) * index(n));
  }
};

}  // namespace catena::kernels
