// Forward dynamics from the augmented system in all accelerations and all constraint forces.
#pragma once

#include "catena/model/workspace.hpp"

namespace catena::global_analysis {

// The accelerations of the joints, in O(n). Returns -1, or the first velocity coordinate along
// which the mechanism has no inertia.
//   reads   m, q, qd, tau in tree coordinates, Fext_B [num_bodies] or null
//   writes  arena, qdd [tree_nv]
template <class T>
int forward_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd);

// x = M(q)⁻¹ f: the same at rest, without gravity.
template <class T>
int solve_inertia(const Mechanism<Constant<T>>& m, const T* q, const T* f, Arena arena, T* x);

// The same as forward_dynamics, and the other unknowns of the system.
//   writes  A [num_bodies], the classical accelerations [alpha; a of Bo] of all bodies in B, with
//           the ground accelerated against gravity, and F_PB_B [num_bodies], what the joint exerts
//           on B at Bo in B: T beta, besides the joint's own force tau - (drive inertia) qdd
template <class T>
int augmented_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                       const Force<T>* Fext_B, Arena arena, T* qdd, Motion<T>* A, Force<T>* F_PB_B);

}  // namespace catena::global_analysis
