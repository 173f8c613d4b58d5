// The constraint force algorithm: forward dynamics of a chain from its joints' constraint forces.
#pragma once

#include <string>

#include "catena/formulations/global/inertia_matrix.hpp"
#include "catena/formulations/global/inverse_dynamics.hpp"
#include "catena/model/workspace.hpp"

namespace catena::constraint_force {

// The algorithm does not have these two; a row of the table is made of all.
using global_analysis::inertia_matrix;
using global_analysis::inverse_dynamics;

// Why the algorithm cannot do this mechanism, and which method can; empty if it can.
template <class T>
std::string refusal(const Mechanism<Constant<T>>& m);

// Scalars of scratch memory, O(n), for up to most_parts(m) parts.
template <class T>
std::size_t room(const Mechanism<Constant<T>>& m);

// How many parts of the chain are worth it on this machine, and how many are possible.
template <class T>
int good_parts(const Mechanism<Constant<T>>& m);
template <class T>
int most_parts(const Mechanism<Constant<T>>& m);

// The accelerations of the joints in O(n): the chain is cut into `parts` (at least 1, at most
// most_parts(m)), each of which one thread eliminates. Returns -1: the system always has a
// solution. The same number of parts gives the same bits, whoever computes them.
//   reads   m, for which refusal(m) is empty, q, qd, tau, Fext_B [num_bodies] or null
//   writes  arena, qdd [tree_nv]
template <class T>
int constraint_force_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd,
                              const T* tau, const Force<T>* Fext_B, int parts, Arena arena, T* qdd);

// The same with good_parts(m).
template <class T>
int forward_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd);

// x = M(q)⁻¹ f: the same at rest, without gravity.
template <class T>
int solve_inertia(const Mechanism<Constant<T>>& m, const T* q, const T* f, Arena arena, T* x);

}  // namespace catena::constraint_force
