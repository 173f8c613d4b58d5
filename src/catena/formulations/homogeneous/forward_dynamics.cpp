// Forward dynamics: M q'' = tau - h, with h the forces of inverse dynamics at q'' = 0, by LDLᵀ.
#include "catena/formulations/homogeneous/forward_dynamics.hpp"

#include "catena/formulations/dense.hpp"
#include "catena/formulations/homogeneous/inertia_matrix.hpp"
#include "catena/formulations/homogeneous/inverse_dynamics.hpp"

namespace catena::homogeneous {
namespace {

// x holds the right side on entry.
template <class T>
int solve(const Mechanism<T>& m, const T* q, Arena arena, T* x) {
  const std::size_t n = index(m.tree_nv);
  T* M = arena.take<T>(n * n);
  inertia_matrix<T>(m, q, arena, M);
  for (std::size_t v = 0; m.has_armature && v < n; ++v) {
    M[v * (n + 1)] = M[v * (n + 1)] + m.armature[v];
  }
  return solve_dense(M, x, m.tree_nv);
}

}  // namespace

template <class T>
int forward_dynamics(const Mechanism<T>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd) {
  T* none = arena.take<T>(index(m.tree_nv));
  for (int v = 0; v < m.tree_nv; ++v) none[v] = T(0);
  T* h = arena.take<T>(index(m.tree_nv));
  inverse_dynamics<T>(m, q, qd, none, Fext_B, arena, h);
  for (int v = 0; v < m.tree_nv; ++v) qdd[v] = tau[v] - h[v];
  return solve(m, q, arena, qdd);
}

template <class T>
int solve_inertia(const Mechanism<T>& m, const T* q, const T* f, Arena arena, T* x) {
  for (int v = 0; v < m.tree_nv; ++v) x[v] = f[v];
  return solve(m, q, arena, x);
}

#define CATENA_INSTANTIATE(T)                                                         \
  template int forward_dynamics<T>(const Mechanism<T>&, const T*, const T*, const T*, \
                                   const Force<T>*, Arena, T*);                       \
  template int solve_inertia<T>(const Mechanism<T>&, const T*, const T*, Arena, T*);
CATENA_FOR_EACH_CONSTANT(CATENA_INSTANTIATE)

}  // namespace catena::homogeneous
