// Forward dynamics: the inertia matrix is written down and factored.
#pragma once

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena::homogeneous {

// On tree coordinates, as formulations/tree_method.hpp asks. Return -1 or the first massless
// velocity.
template <class T>
int forward_dynamics(const Mechanism<T>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd);
template <class T>
int solve_inertia(const Mechanism<T>& m, const T* q, const T* f, Arena arena, T* x);

}  // namespace catena::homogeneous
