// Forward dynamics by the decoupled natural orthogonal complement: RFDSIM [Saha 1999, 5.2].
#pragma once

#include "catena/formulations/denoc/inverse_dynamics.hpp"

namespace catena::denoc {

// All vectors in tree coordinates; m.armature stands on the diagonal of the inertia matrix. Both
// take O(n), and return -1 or a velocity along which the mechanism has no inertia.

// U D Uᵀ qdd = phi, phi = tau - C qd - gravity, where C qd comes from RIDIM without qdd.
//   reads   m, q, qd, tau, Fext_B [num_bodies] or null
//   writes  qdd; scratch memory of the arena
template <class T>
int forward_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd);

// U D Uᵀ x = phi in three steps.
template <class T>
int solve_inertia(const Mechanism<Constant<T>>& m, const T* q, const T* phi, Arena arena, T* x);

}  // namespace catena::denoc
