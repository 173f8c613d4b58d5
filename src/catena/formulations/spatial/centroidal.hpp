// Centroidal momentum: the momentum of the whole mechanism about its mass centre.
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// A(q) with [angular momentum about the mass centre; linear momentum] = A v, in world axes, and its
// rate: d/dt (A v) = A a + Adot v, which is what all forces from outside amount to. Rotors have no
// part in it.
//   reads   m, q [nq], qd [nv]
//   writes  w, A, Adot [6 * nv], by columns: entry (r, k) is A[6 k + r]
//   returns the mass centre in the world
//   throws  SizeError if a span does not fit; NumericalError if nothing that moves has a mass
template <class T>
Vec3<T> centroidal_momentum(const Mechanism<Constant<T>>& m, std::span<const T> q,
                            std::span<const T> qd, Workspace<T>& w, std::span<T> A,
                            std::span<T> Adot);

}  // namespace catena
