// Newton-Euler dynamics with 4x4 matrices in the base frame: joint actions and motor forces.
#pragma once

#include <span>

#include "catena/formulations/homogeneous/matrices.hpp"
#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena::homogeneous {

// Scalars of scratch memory for any function of this method.
template <class T>
std::size_t room(const Mechanism<T>& m);

// On tree coordinates, as formulations/tree_method.hpp asks.
template <class T>
void inverse_dynamics(const Mechanism<T>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau);

// Position, velocity and acceleration matrices of all bodies, absolute and in frame (0), that of
// body 0.
//   reads   m, q [nq], qd [nv], qdd [nv] (empty means zero)
//   writes  w (made with room(m)), M_0, W_0, H_0 [num_bodies each]; gravity is not in H_0
//   throws  SizeError
template <class T>
void link_motions(const Mechanism<T>& m, std::span<const T> q, std::span<const T> qd,
                  std::span<const T> qdd, Workspace<T>& w, std::span<Position<T>> M_0,
                  std::span<Velocity<T>> W_0, std::span<Acceleration<T>> H_0);

// Psi_i, the sum of all actions (inertia, weight, external) on body i and what it carries, in frame
// (0). The joint's parent exerts -Psi_i, and the motor -Psi_i ⊗ L_i. Psi_0 [0] is the sum over all
// bodies: the ground exerts its opposite.
//   reads   as link_motions, and Fext_B [num_bodies] or empty: wrench on each body at Bo, in B
//   writes  w (made with room(m)), Psi_0 [num_bodies]
//   throws  SizeError
template <class T>
void joint_actions(const Mechanism<T>& m, std::span<const T> q, std::span<const T> qd,
                   std::span<const T> qdd, std::span<const Force<T>> Fext_B, Workspace<T>& w,
                   std::span<Action<T>> Psi_0);

}  // namespace catena::homogeneous
