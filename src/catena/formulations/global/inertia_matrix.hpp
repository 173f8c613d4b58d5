// The inertia matrix by its Newton-Euler factors.
#pragma once

#include "catena/model/workspace.hpp"

namespace catena::global_analysis {

// M = Hᵀ P⁻ᵀ I P⁻¹ H, both triangles, in O(n d) for a tree of depth d, besides the zeros.
//   reads   m, q in tree coordinates
//   writes  arena, M [tree_nv * tree_nv]
template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, const T* q, Arena arena, T* M);

}  // namespace catena::global_analysis
