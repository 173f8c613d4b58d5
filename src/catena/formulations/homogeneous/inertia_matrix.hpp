// The inertia matrix from screws and pseudo-inertias in the base frame.
#pragma once

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena::homogeneous {

// M(q), both triangles, on tree coordinates, as formulations/tree_method.hpp asks.
template <class T>
void inertia_matrix(const Mechanism<T>& m, const T* q, Arena arena, T* M);

}  // namespace catena::homogeneous
