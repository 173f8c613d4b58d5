#include "catena/batch/lanes/level.hpp"
#include "catena/kinematics/kinematics_kernels.hpp"

namespace catena::CATENA_LEVEL {

template <class E>
CATENA_LANES void body_poses(const Mechanism<E>& m, const Lanes<E>* q, Arena arena,
                             Pose<Lanes<E>>* X_WB) {
  using T = Lanes<E>;
  const T* tree_q = tree_positions<T>(m, {q, index(m.nq)}, arena);
  kernels::Poses<T>::run(&m, tree_q, arena, X_WB);
}

template <class E>
CATENA_LANES void frame_jacobian(const Mechanism<E>& m, const Lanes<E>* q,
                                 const BatchFrame<E>& frame, Axes axes, Arena arena, Lanes<E>* J) {
  using T = Lanes<E>;
  const T* tree_q = tree_positions<T>(m, {q, index(m.nq)}, arena);
  Pose<T>* X_WB = arena.take<Pose<T>>(m.bodies.size());
  T* J_W = arena.take<T>(6 * index(m.tree_nv));
  kernels::PosesAndJacobians<T>::run(&m, tree_q, arena, X_WB, J_W);
  kernels::frame_jacobian<T>(m, {X_WB, J_W}, frame.body, frame.X_BF, axes, {J, 6 * index(m.nv)});
}

template <class E>
CATENA_LANES Lanes<E> kinetic_energy(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                                     Arena arena) {
  using T = Lanes<E>;
  const T* tree_q = tree_positions<T>(m, {q, index(m.nq)}, arena);
  const T* tree_qd = tree_rates<T>(m, std::span<const T>(qd, index(m.nv)), arena);
  return kernels::kinetic_energy(m, tree_q, tree_qd, arena);
}

template <class E>
CATENA_LANES Lanes<E> potential_energy(const Mechanism<E>& m, const Lanes<E>* q, Arena arena) {
  using T = Lanes<E>;
  const T* tree_q = tree_positions<T>(m, {q, index(m.nq)}, arena);
  return kernels::potential_energy(m, tree_q, arena);
}

#define CATENA_INSTANTIATE(E)                                                                 \
  template void body_poses<E>(const Mechanism<E>&, const Lanes<E>*, Arena, Pose<Lanes<E>>*);  \
  template void frame_jacobian<E>(const Mechanism<E>&, const Lanes<E>*, const BatchFrame<E>&, \
                                  Axes, Arena, Lanes<E>*);                                    \
  template Lanes<E> kinetic_energy<E>(const Mechanism<E>&, const Lanes<E>*, const Lanes<E>*,  \
                                      Arena);                                                 \
  template Lanes<E> potential_energy<E>(const Mechanism<E>&, const Lanes<E>*, Arena);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(float)

}  // namespace catena::CATENA_LEVEL
