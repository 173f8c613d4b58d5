// Directions of all joints of a tree as twists at the world's origin, for what is made of them.
#pragma once

#include "catena/kinematics/kinematics_kernels.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {

// In tree coordinates, in the arena.
template <class T>
kernels::AllJacobians<T> all_jacobians(const Mechanism<Constant<T>>& m, std::span<const T> q,
                                       Arena& arena) {
  const T* tree_q = tree_positions(m, q, arena);
  Pose<T>* X_WB = arena.take<Pose<T>>(m.bodies.size());
  T* J = arena.take<T>(6 * index(m.tree_nv));
  run_kernel<T, kernels::PosesAndJacobians<T>>(&m, tree_q, arena, X_WB, J);
  return {X_WB, J};
}

}  // namespace catena
