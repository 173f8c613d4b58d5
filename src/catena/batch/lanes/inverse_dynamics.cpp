#include "catena/batch/lanes/level.hpp"
#include "catena/formulations/spatial/inverse_dynamics_kernel.hpp"

namespace catena::CATENA_LEVEL {

template <class E>
CATENA_LANES void inverse_dynamics(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                                   const Lanes<E>* qdd, const Force<Lanes<E>>* Fext_B, Arena arena,
                                   Lanes<E>* tau) {
  using T = Lanes<E>;
  const std::span<const T> rates(qd, index(m.nv)), accelerations(qdd, index(m.nv));
  const std::span<T> forces(tau, index(m.nv));
  const T* tree_q = tree_positions<T>(m, {q, index(m.nq)}, arena);
  const T* tree_qd = tree_rates<T>(m, rates, arena);
  const T* tree_qdd = tree_rates<T>(m, accelerations, arena);
  T* tree_tau = tree_forces<T>(m, forces, arena);
  kernels::InverseDynamics<T>::run(&m, tree_q, tree_qd, tree_qdd, Fext_B, arena, tree_tau, nullptr);
  gather_forces<T>(m, tree_tau, forces);
}

#define CATENA_INSTANTIATE(E)                                                              \
  template void inverse_dynamics<E>(const Mechanism<E>&, const Lanes<E>*, const Lanes<E>*, \
                                    const Lanes<E>*, const Force<Lanes<E>>*, Arena, Lanes<E>*);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(float)

}  // namespace catena::CATENA_LEVEL
