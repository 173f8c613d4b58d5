// The bias vector is inverse dynamics without accelerations; the factors are LDLᵀ, which is
// Cholesky's without square roots.
#include "catena/formulations/gibbs_appell/forward_dynamics.hpp"

#include "catena/formulations/dense.hpp"
#include "catena/formulations/gibbs_appell/inertia_matrix.hpp"
#include "catena/formulations/gibbs_appell/inverse_dynamics.hpp"

namespace catena::gibbs_appell {

template <class T>
int solve_inertia(const Mechanism<Constant<T>>& m, const T* q, const T* f, Arena arena, T* x) {
  const std::size_t n = index(m.tree_nv);
  T* D = arena.take<T>(n * n);
  inertia_matrix<T>(m, q, arena, D);
  for (std::size_t v = 0; v < n; ++v) {
    if (m.has_armature) D[v * (n + 1)] = D[v * (n + 1)] + m.armature[v];
    x[v] = f[v];
  }
  return solve_dense(D, x, m.tree_nv);
}

template <class T>
int forward_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd) {
  T* rest = arena.take<T>(index(m.tree_nv));
  for (int v = 0; v < m.tree_nv; ++v) rest[v] = T(0);
  inverse_dynamics<T>(m, q, qd, static_cast<const T*>(rest), Fext_B, arena, qdd);
  for (int v = 0; v < m.tree_nv; ++v) qdd[v] = tau[v] - qdd[v];
  return solve_inertia<T>(m, q, static_cast<const T*>(qdd), arena, qdd);
}

#define CATENA_INSTANTIATE(T)                                                                   \
  template int forward_dynamics<T>(const Mechanism<Constant<T>>&, const T*, const T*, const T*, \
                                   const Force<T>*, Arena, T*);                                 \
  template int solve_inertia<T>(const Mechanism<Constant<T>>&, const T*, const T*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::gibbs_appell
