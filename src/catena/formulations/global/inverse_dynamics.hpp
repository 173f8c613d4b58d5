// Inverse dynamics by the global equations of motion.
#pragma once

#include "catena/model/workspace.hpp"

namespace catena::global_analysis {

// Scalars of scratch memory, for any function of the method.
template <class T>
std::size_t room(const Mechanism<Constant<T>>& m);

// tau = Hᵀ P⁻ᵀ (I a + v x I v - f_ext), a = P⁻¹ (H qdd + Hdot qd), v = P⁻¹ H qd, in O(n).
//   reads   m, q, qd, qdd in tree coordinates, Fext_B [num_bodies] or null
//   writes  arena, tau [tree_nv]
template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau);

}  // namespace catena::global_analysis
