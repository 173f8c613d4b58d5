// Inertia matrix: the second derivatives of the Gibbs function by the generalized accelerations
// [Mata et al. 2002, sections 3 and 4.2].
#pragma once

#include "catena/model/workspace.hpp"

namespace catena::gibbs_appell {

// M = d²G/dqdd², in O(n d) for a tree of depth d; both triangles, without drive inertia.
//   reads   m, q [tree_nq]
//   writes  arena, M [tree_nv * tree_nv]
template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, const T* q, Arena arena, T* M);

}  // namespace catena::gibbs_appell
