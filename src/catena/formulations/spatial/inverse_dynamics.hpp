// Inverse dynamics: which joint forces produce a given motion.
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// tau = M(q) qdd + h(q, qd) - sum_b J_bᵀ Fext_b, in O(n). h holds Coriolis, gravity, springs,
// damping and friction; M the rotors.
//   reads   m, q [nq], qd [nv], qdd [nv] (empty means zero), Fext_B [num_bodies] or empty: wrench
//   on
//           each body of the mechanism, at Bo, in B
//   writes  w, tau [nv]
//   throws  SizeError if a span does not fit the mechanism; nothing else
template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                      std::span<const T> qdd, std::span<const Force<T>> Fext_B, Workspace<T>& w,
                      std::span<T> tau);

// The same, and the wrench F_PB_B that each body's parent exerts on it through its joint, at Bo.
//   writes  w, tau [nv], F_PB_B [num_bodies]; entry 0 is what the first joints
//           together receive from the ground, at the origin of body 0, in its frame (X_W0)
template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                      std::span<const T> qdd, std::span<const Force<T>> Fext_B, Workspace<T>& w,
                      std::span<T> tau, std::span<Force<T>> F_PB_B);

// h(q, qd): inverse dynamics with zero acceleration.
template <class T>
void bias_forces(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                 Workspace<T>& w, std::span<T> tau) {
  inverse_dynamics<T>(m, q, qd, {}, {}, w, tau);
}

// g(q): inverse dynamics at rest (with springs).
template <class T>
void gravity_forces(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                    std::span<T> tau) {
  inverse_dynamics<T>(m, q, {}, {}, {}, w, tau);
}

}  // namespace catena
