// Inverse dynamics from the Gibbs function: each generalized force is its derivative by one
// generalized acceleration [Mata et al. 2002, sections 2 and 4.1].
#pragma once

#include "catena/model/workspace.hpp"

namespace catena::gibbs_appell {

// Scalars of scratch memory that any function of this method needs, at most.
template <class T>
std::size_t room(const Mechanism<Constant<T>>& m);

// tau = dG/dqdd - sum_b J_bᵀ Fext_b, in O(n). On tree coordinates; springs, friction and drive
// inertia are not in it.
//   reads   m, q [tree_nq], qd, qdd [tree_nv], Fext_B [num_bodies] at Bo in B, or null
//   writes  arena, tau [tree_nv]
template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau);

}  // namespace catena::gibbs_appell
