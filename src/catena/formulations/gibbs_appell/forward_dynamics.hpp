// Forward dynamics: bias vector, inertia matrix and its factors [Mata et al. 2002, section 4.2].
#pragma once

#include "catena/model/workspace.hpp"

namespace catena::gibbs_appell {

// qdd of D qdd = tau - bias (17), with the drive inertia on the diagonal of D. On tree coordinates.
//   reads   m, q [tree_nq], qd, tau [tree_nv], Fext_B [num_bodies] or null
//   writes  arena, qdd [tree_nv]
//   returns -1, or the first velocity along which the mechanism has no inertia
template <class T>
int forward_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd);

// x = D⁻¹ f. f and x may be the same memory.
template <class T>
int solve_inertia(const Mechanism<Constant<T>>& m, const T* q, const T* f, Arena arena, T* x);

}  // namespace catena::gibbs_appell
