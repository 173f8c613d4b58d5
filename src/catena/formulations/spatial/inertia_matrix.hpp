// Inertia matrix: M(q) in tau = M(q) qdd + h(q, qd).
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// Which part of a symmetric matrix is written. Of the other triangle nothing is promised.
enum class Triangle { both, lower };

// The symmetric matrix, in O(n d) for a tree of depth d, rotors included.
//   reads   m, q [nq]
//   writes  w, M [nv * nv]
//   throws  SizeError if a span does not fit the mechanism; nothing else
template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                    std::span<T> M, Triangle triangle = Triangle::both);

}  // namespace catena
