#include "catena/batch/lanes/level.hpp"
#include "catena/formulations/dense.hpp"
#include "catena/formulations/spatial/forward_dynamics_kernel.hpp"

namespace catena::CATENA_LEVEL {

// Mimic joints close the tree: the coupled inertia matrix is factored as a whole.
template <class E>
LostPivots<Lanes<E>> coupled_dynamics(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                                      const Lanes<E>* tau, const Force<Lanes<E>>* Fext_B,
                                      Arena arena, Lanes<E>* qdd) {
  using T = Lanes<E>;
  const std::size_t n = index(m.nv);
  T* M = arena.take<T>(n * n);
  T* h = arena.take<T>(n);
  for (std::size_t v = 0; v < n; ++v) qdd[v] = T(E(0));
  inverse_dynamics<E>(m, q, qd, qdd, Fext_B, arena, h);
  inertia_matrix<E>(m, q, arena, M);
  for (std::size_t v = 0; v < n; ++v) qdd[v] = tau[v] - h[v];
  LostPivots<T> lost;
  solve_dense(M, qdd, m.nv, lost);
  return lost;
}

template <class E>
CATENA_LANES LostPivots<Lanes<E>> tree_dynamics(const Mechanism<E>& m, const Lanes<E>* q,
                                                const Lanes<E>* qd, const Lanes<E>* tau,
                                                const Force<Lanes<E>>* Fext_B, Arena arena,
                                                Lanes<E>* qdd) {
  LostPivots<Lanes<E>> lost;
  kernels::ForwardDynamics<Lanes<E>>::run(&m, q, qd, tau, Fext_B, false, arena, qdd, &lost);
  return lost;
}

template <class E>
LostPivots<Lanes<E>> forward_dynamics(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                                      const Lanes<E>* tau, const Force<Lanes<E>>* Fext_B,
                                      Arena arena, Lanes<E>* qdd) {
  if (m.coupled) return coupled_dynamics(m, q, qd, tau, Fext_B, arena, qdd);
  return tree_dynamics(m, q, qd, tau, Fext_B, arena, qdd);
}

#define CATENA_INSTANTIATE(E)                                                             \
  template LostPivots<Lanes<E>> forward_dynamics<E>(const Mechanism<E>&, const Lanes<E>*, \
                                                    const Lanes<E>*, const Lanes<E>*,     \
                                                    const Force<Lanes<E>>*, Arena, Lanes<E>*);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(float)

}  // namespace catena::CATENA_LEVEL
