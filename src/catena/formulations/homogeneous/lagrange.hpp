// Lagrangian dynamics by traces of 4x4 matrices.
#pragma once

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena::lagrange {

// All on tree coordinates, as formulations/tree_method.hpp asks.
template <class T>
std::size_t room(const Mechanism<T>& m);
template <class T>
void inverse_dynamics(const Mechanism<T>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau);
template <class T>
void inertia_matrix(const Mechanism<T>& m, const T* q, Arena arena, T* M);
template <class T>
int forward_dynamics(const Mechanism<T>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd);
template <class T>
int solve_inertia(const Mechanism<T>& m, const T* q, const T* f, Arena arena, T* x);

}  // namespace catena::lagrange
