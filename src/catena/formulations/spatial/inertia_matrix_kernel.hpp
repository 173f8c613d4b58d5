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
  Inertia<T>* handed = m.branched ? arena.take<Inertia<T>>(index(nb)) : nullptr;
  Inertia<T> Ic = body_inertia<T>(bodies[nb - 1]);
  for (int i = nb - 1; i > 0; --i) {
    const auto& b = bodies[i];
    const auto& P = bodies[b.parent];
    const bool last_child = b.subtree_end == P.subtree_end;  // the first that comes by here
    with_joint_and_alpha<T>(b, [&](auto joint) {
      visit(joint, b, i, Ic);
      if (b.parent != 0) Ic = transform_of<T>(joint, b, at).to_parent(Ic);
    });
    if (i == 1) return;
    if (b.parent == i - 1) {
      Ic = body_inertia<T>(P) + Ic;
      if (!last_child) Ic = Ic + handed[i - 1];
      continue;
    }
    if (b.parent != 0) handed[b.parent] = last_child ? Ic : handed[b.parent] + Ic;
    Ic = body_inertia<T>(bodies[i - 1]);
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

// Deep trees: forces and directions are taken to the axes of the root body, the one on the ground,
// where an entry is one scalar product, and those of the root's own joint are read off.
template <class T>
struct DeepInertiaMatrix {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, Arena arena, T* M) {
    const std::size_t n = index(mechanism->tree_nv);
    row_by_row(*mechanism, q, arena, [&](int j, auto fill) { fill(M + index(j) * n); });
  }

  // Calls take(j, fill) for every row j, last to first, where fill(row) writes what belongs to the
  // lower triangle and is not zero. (What it writes above the diagonal has no meaning.)
  template <class Take>
  static void row_by_row(const Mechanism<Constant<T>>& m, const T* q, Arena arena, Take take) {
    const int nb = m.num_bodies();
    const auto* bodies = m.bodies.data();
    const JointPositions<T> at = joint_positions(m, q, arena);
    Pose<T>* X_RB = arena.take<Pose<T>>(index(nb));
    const Directions S(m, arena);
    const T o(0), one(1);
    Pose<T> X{};
    int root = 0;
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = bodies[i];
      if (b.parent == 0) {
        X = {{{one, o, o}, {o, one, o}, {o, o, one}}, {o, o, o}};
        root = i;
      } else {
        if (b.parent != i - 1) X = X_RB[b.parent];
        with_joint(b.kind, [&](auto joint) {
          X = transform_of<T>(joint, b, at).after(X);
          for (int k = 0; k < joint.nv; ++k) S.set(b.v + k, direction(joint, b, k, X));
        });
      }
      X_RB[i] = X;
    }
    for_each_composite(m, at, arena, [&](auto joint, const auto& b, int i, const Inertia<T>& Ic) {
      for (int k = 0; k < joint.nv; ++k) {
        const Force<T> F_B = force_along(joint, b, k, Ic);
        const Force<T> F = b.parent == 0 ? F_B : transform(X_RB[i], F_B);
        take(b.v + k, [&](T* row) { fill_row(m, bodies[root], b.v + k, F, S, row); });
      }
      if (b.parent != 0) return;
      for (root = i - 1; bodies[root].parent != 0;) root = bodies[root].parent;
    });
  }

 private:
  // Directions of joints in root axes. Plain numbers have an array for each component, of which
  // several are read at once; packs lie side by side.
  class Directions {
   public:
    Directions(const Mechanism<Constant<T>>& m, Arena& arena) {
      const std::size_t n = index(m.tree_nv);
      T* const all = arena.take<T>(6 * n);
      for (std::size_t r = 0; r < 6; ++r) component_[r] = all + (is_plain<T> ? r * n : r);
    }
    T* at(int r, int v) const { return component_[r] + v * (is_plain<T> ? 1 : 6); }
    void set(int v, const Motion<T>& s) const {
      *at(0, v) = s.w.x, *at(1, v) = s.w.y, *at(2, v) = s.w.z;
      *at(3, v) = s.v.x, *at(4, v) = s.v.y, *at(5, v) = s.v.z;
    }
    T along(int v, const Force<T>& F) const {
      return (F.n.x * *at(0, v) + F.n.y * *at(1, v) + F.n.z * *at(2, v)) +
             (F.f.x * *at(3, v) + F.f.y * *at(4, v) + F.f.z * *at(5, v));
    }

   private:
    T* component_[6];
  };

  // M_ja = F_j · S_a for every direction a at or above j, one run of neighbours after the other.
  static void fill_row(const Mechanism<Constant<T>>& m, const MechanismBody<Constant<T>>& root,
                       int j, const Force<T>& F, const Directions& S, T* row) {
    int least = root.v;
    with_joint(root.kind, [&](auto joint) {
      project(joint, root, F, row);
      least += joint.nv;
    });
    if constexpr (is_plain<T>) {
      for (int last = j; last >= least;) {
        const int begin = m.run_begin_v[index(last)], first = begin < least ? least : begin;
        int a = first;
        using Four = Pack<T, 4>;
        const Four nx(F.n.x), ny(F.n.y), nz(F.n.z), fx(F.f.x), fy(F.f.y), fz(F.f.z);
        const auto s = [&](int r) { return Four::load(S.at(r, a)); };
        // short runs are not worth the wait for what was just stored
        for (; last - first >= 15 && a + 3 <= last; a += 4) {
          ((nx * s(0) + ny * s(1) + nz * s(2)) + (fx * s(3) + fy * s(4) + fz * s(5)))
              .store(row + a);
        }
        for (; a <= last; ++a) row[a] = S.along(a, F);
        last = m.parent_of_v[index(first)];
      }
    } else {
      for (int a = j; a >= least; a = m.parent_of_v[index(a)]) row[a] = S.along(a, F);
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
