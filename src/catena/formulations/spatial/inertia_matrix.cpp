// Composite rigid body algorithm [Featherstone & Orin 2000, 3.2].
// Composite inertias are gathered in body coordinates, where a joint along z makes them cheap; the
// force each joint direction then needs, and the direction itself, are taken to world axes, where
// an entry of M is one scalar product.
#include "catena/formulations/spatial/inertia_matrix.hpp"

#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {
namespace {

// Ic S_k in B: the force that accelerates the composite body along direction k of its joint.
template <class T, class J>
Force<T> force_along(J, const MechanismBody<Constant<T>>& b, int k, const Inertia<T>& Ic) {
  static_cast<void>(b);
  const T o(0), one(1);
  if constexpr (J::along_z) {
    const Force<T> turn{{Ic.I.xz, Ic.I.yz, Ic.I.zz}, {-Ic.h.y, Ic.h.x, o}};
    const Force<T> slide{{Ic.h.y, -Ic.h.x, o}, {o, o, Ic.m}};
    if constexpr (J::turns && J::slides) return {turn.n + b.pitch * slide.n, turn.f + b.pitch * slide.f};
    if constexpr (J::turns && !J::slides) return turn;
    return slide;
  } else {
    const Vec3<T> unit = k % 3 == 0 ? Vec3<T>{one, o, o} : k % 3 == 1 ? Vec3<T>{o, one, o} : Vec3<T>{o, o, one};
    return Ic * (k < 3 ? Motion<T>{unit, {o, o, o}} : Motion<T>{{o, o, o}, unit});
  }
}

template <class T>
Inertia<T> body_inertia(const MechanismBody<Constant<T>>& b) {
  const auto& M = b.M;
  return {T(M.m), {T(M.h.x), T(M.h.y), T(M.h.z)},
          {T(M.I.xx), T(M.I.xy), T(M.I.xz), T(M.I.yy), T(M.I.yz), T(M.I.zz)}};
}

template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, Arena arena, T* M) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies(), nv = m.tree_nv;
    const auto* bodies = m.bodies.data();
    const JointPositions<T> at = joint_positions(m, q, arena);
    Pose<T>* X_WB = arena.take<Pose<T>>(index(nb));
    Force<T>* F_B = arena.take<Force<T>>(index(nv));  // force along each direction, in B
    T* S[6];  // directions of the joints in world axes, one array per component
    for (T*& component : S) component = arena.take<T>(index(nv));
    const T o(0), one(1);

    // What the children of a branching body hand down, apart from the first one.
    Inertia<T>* handed = nullptr;
    if (m.branched) {
      handed = arena.take<Inertia<T>>(index(nb));
      for (int i = 0; i < nb; ++i) handed[i] = {o, {o, o, o}, {o, o, o, o, o, o}};
      for (int k = 0; k < nv * nv; ++k) M[k] = o;  // branches do not feel each other
    }
    // Moments are taken about body 0's origin, or a free base's own: far from them digits get lost.
    X_WB[0] = {{{one, o, o}, {o, one, o}, {o, o, one}}, {o, o, o}};
    if (nb > 1 && bodies[1].dense >= 0) X_WB[0].p = -at.X[0].p;
    Pose<T> X = X_WB[0];
    Inertia<T> Ic = body_inertia<T>(bodies[nb - 1]);

    // Two recursions side by side, which do not wait for each other: poses from base to tip (body i),
    // composite inertias from tip to base (body j).
    for (int i = 1, j = nb - 1; i < nb; ++i, --j) {
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

      const auto& tip = bodies[j];
      with_joint(tip.kind, [&](auto joint) {
        for (int k = 0; k < joint.nv; ++k) F_B[tip.v + k] = force_along(joint, tip, k, Ic);
        if (j == 1) return;
        Inertia<T> next = body_inertia<T>(bodies[j - 1]);
        if (handed != nullptr) next = next + handed[j - 1];
        const Inertia<T> up = transform_of<T>(joint, tip, at).to_parent(Ic);
        if (tip.parent == j - 1) next = next + up;
        else handed[tip.parent] = handed[tip.parent] + up;
        Ic = next;
      });
    }
    for (int v = 0; v < nv; ++v) {
      fill_row(m, v, transform(X_WB[m.body_of_v[index(v)]], F_B[v]), S, M);
    }
    if (m.has_armature) {
      for (int i = 0; i < nv; ++i) {
        T& diagonal = M[index(i) * index(nv + 1)];
        diagonal = diagonal + m.armature[index(i)];
      }
    }
    mirror(M, nv);
  }

  // M_ja = F_j · S_a for every direction a at or above j, one run of neighbours after the other.
  static void fill_row(const Mechanism<Constant<T>>& m, int j, const Force<T>& F, T* const* S, T* M) {
    T* const row = M + index(j) * index(m.tree_nv);
    for (int last = j; last >= 0;) {
      const int first = m.run_begin_v[index(last)];
      int a = first;
      if constexpr (is_plain<T>) {
        using Four = Pack<T, 4>;
        for (; a + 3 <= last; a += 4) scalar_product<Four>(F, S, a).store(row + a);
        if (a <= last && last - first >= 3) {  // the rest, overlapping the four before
          scalar_product<Four>(F, S, last - 3).store(row + last - 3);
          a = last + 1;
        }
      }
      for (; a <= last; ++a) row[a] = scalar_product<T>(F, S, a);
      last = m.parent_of_v[index(first)];
    }
  }
  // F · S_a, for one a or for the lanes of a pack from a on.
  template <class P>
  static P scalar_product(const Force<T>& F, T* const* S, int a) {
    const auto s = [&](int component) {
      if constexpr (std::is_same_v<P, T>) return S[component][a];
      else return P::load(S[component] + a);
    };
    return (F.n.x * s(0) + F.n.y * s(1) + F.n.z * s(2)) + (F.f.x * s(3) + F.f.y * s(4) + F.f.z * s(5));
  }

  // Copies the lower triangle to the upper one, in tiles that the cache holds and, for plain numbers,
  // by fours that registers transpose.
  static void mirror(T* M, int n) {
    constexpr int tile = 64;
    const auto at = [&](int i, int j) { return M + index(i) * index(n) + index(j); };
    for (int i0 = 0; i0 < n; i0 += tile) {
      for (int j0 = 0; j0 <= i0; j0 += tile) {
        for (int i = i0; i < n && i < i0 + tile; i += 4) {
          int j = j0;
          if constexpr (is_plain<T>) {
            for (; i + 4 <= n && j + 4 <= i && j < j0 + tile; j += 4) transpose_four(at(i, j), at(j, i), n);
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
    const V a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6), b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
    const V c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6), d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
    r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5), r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
    r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5), r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
    for (int k = 0; k < 4; ++k) Pack<T, 4>(r[k]).store(to + index(k) * index(n));
  }
};

}  // namespace

template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                    std::span<T> M) {
  check_size("q", q.size(), index(m.nq));
  check_size("M", M.size(), index(m.nv) * index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  if (!m.coupled) return run_kernel<T, Kernel<T>>(&m, tree_q, arena, M.data());
  // Gᵀ M_tree G
  T* tree_M = arena.take<T>(index(m.tree_nv) * index(m.tree_nv));
  run_kernel<T, Kernel<T>>(&m, tree_q, arena, tree_M);
  for (T& entry : M) entry = T(0);
  for (int i = 0; i < m.tree_nv; ++i) {
    for (int j = 0; j < m.tree_nv; ++j) {
      const auto& a = m.v_map[index(i)];
      const auto& b = m.v_map[index(j)];
      T& entry = M[index(a.index) * index(m.nv) + index(b.index)];
      entry = entry + a.ratio * (b.ratio * tree_M[index(i) * index(m.tree_nv) + index(j)]);
    }
  }
  for (int i = 1; i < m.nv; ++i) {  // sums in another order round differently
    for (int j = 0; j < i; ++j) M[index(i) * index(m.nv) + index(j)] = M[index(j) * index(m.nv) + index(i)];
  }
}

#define CATENA_INSTANTIATE(T)                                                            \
  template void inertia_matrix<T>(const Mechanism<Constant<T>>&, std::span<const T>,     \
                                  Workspace<T>&, std::span<T>);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
