// Coriolis matrix: C(q, v) in tau = M a + C v + g.
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// The matrix with C v the Coriolis and centrifugal forces and dM/dt - 2 C skew-symmetric, in O(n d)
// for a tree of depth d.
//   reads   m, q [nq], qd [nv]
//   writes  w (with mimic joints made with derivatives_room), C [nv * nv], by rows
//   throws  SizeError if a span does not fit the mechanism; nothing else
template <class T>
void coriolis_matrix(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                     Workspace<T>& w, std::span<T> C);

}  // namespace catena
