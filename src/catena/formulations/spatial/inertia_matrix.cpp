// Composite rigid body algorithm [Featherstone & Orin 2000, 3.2].
// Composite inertias are gathered in body coordinates, where a joint along z makes them cheap; the
// force each joint direction then needs, and the direction itself, are taken to world axes, where
// an entry of M is one scalar product and a row of them is one straight loop.
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
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, Arena arena, T* M) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies(), nv = m.tree_nv;
    const auto* bodies = m.bodies.data();
    const JointPositions<T> at = joint_positions(m, q, arena);
    Pose<T>* X_WB = arena.take<Pose<T>>(index(nb));
    Inertia<T>* Ic = arena.take<Inertia<T>>(index(nb));
    // Forces and directions in world axes, one array per component.
    T* F[6];
    for (T*& component : F) component = arena.take<T>(index(nv));
    Motion<T>* S = arena.take<Motion<T>>(index(nv));

    // A free base far from the origin would cost digits: moments are taken about its own.
    const T o(0);
    const T one(1);
    X_WB[0] = {{{one, o, o}, {o, one, o}, {o, o, one}}, {o, o, o}};
    if (nb > 1 && bodies[1].dense >= 0) X_WB[0].p = -at.X[0].p;

    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = bodies[i];
      with_joint(b.kind, [&](auto joint) {
        X_WB[i] = transform_of<T>(joint, b, i, at).after(X_WB[b.parent]);
        for (int k = 0; k < joint.nv; ++k) S[b.v + k] = direction(joint, b, k, X_WB[i]);
      });
      const auto& B = b.M;
      Ic[i] = {T(B.m), {T(B.h.x), T(B.h.y), T(B.h.z)},
               {T(B.I.xx), T(B.I.xy), T(B.I.xz), T(B.I.yy), T(B.I.yz), T(B.I.zz)}};
    }
    for (int i = nb - 1; i > 0; --i) {  // tip to base
      const auto& b = bodies[i];
      with_joint(b.kind, [&](auto joint) {
        for (int k = 0; k < joint.nv; ++k) {
          const Force<T> F_W = transform(X_WB[i], force_along(joint, b, k, Ic[i]));
          const int v = b.v + k;
          F[0][v] = F_W.n.x, F[1][v] = F_W.n.y, F[2][v] = F_W.n.z;
          F[3][v] = F_W.f.x, F[4][v] = F_W.f.y, F[5][v] = F_W.f.z;
        }
        if (b.parent != 0) {
          Ic[b.parent] = Ic[b.parent] + transform_of<T>(joint, b, i, at).to_parent(Ic[i]);
        }
      });
    }
    // M_ij = S_i · F_j for every j at or below i; other branches do not feel each other.
    for (int i = 0; i < nv; ++i) {
      const int end = m.subtree_end_v[index(i)];
      const Motion<T> s = S[i];
      T* row = M + index(i) * index(nv);
      for (int j = i; j < end; ++j) {
        row[j] = s.w.x * F[0][j] + s.w.y * F[1][j] + s.w.z * F[2][j] + s.v.x * F[3][j] +
                 s.v.y * F[4][j] + s.v.z * F[5][j];
      }
      for (int j = end; j < nv; ++j) row[j] = o;
    }
    if (m.has_armature) {
      for (int i = 0; i < nv; ++i) {
        T& diagonal = M[index(i) * index(nv + 1)];
        diagonal = diagonal + m.armature[index(i)];
      }
    }
    for (int i = 1; i < nv; ++i) {
      for (int j = 0; j < i; ++j) M[index(i) * index(nv) + index(j)] = M[index(j) * index(nv) + index(i)];
    }
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
