// Generalized inertia matrix from the masses of composite bodies [Saha 1999, 4.1].
#pragma once

#include "catena/formulations/denoc/inverse_dynamics.hpp"

namespace catena::denoc {

// i_ij = p_iᵀ M~_i B_ij p_j (24), both triangles, in O(n d) for a tree of depth d; zero between
// branches.
//   reads   m, q in tree coordinates
//   writes  M [tree_nv * tree_nv]; scratch memory of the arena
template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, const T* q, Arena arena, T* M);

}  // namespace catena::denoc
