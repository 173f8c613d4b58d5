// Derivatives of inverse dynamics.
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// What an external wrench does while positions change: it keeps its components in the axes of its
// frame, or in those of the world.
enum class WrenchAxes { frame, world };

// dtau/dq, dtau/dv and dtau/da = M of tau = inverse_dynamics(q, v, a, Fext), in O(n d) for a tree
// of depth d. A change of q is one along the joint velocities: q moved by
// integrate_configuration(), which for quaternions is a turn in the moving frame. External wrenches
// stay as they are in the axes of their body. Coulomb friction has no derivative at rest and none
// (zero) anywhere else.
//   reads   m, q [nq], qd [nv], qdd [nv] (empty means zero), Fext_B [num_bodies] or empty
//   writes  w (with mimic joints made with derivatives_room); dtau_dq, dtau_dv, M [nv * nv], by
//           rows: entry (i, j), the change of tau_i with coordinate j, is at i * nv + j; M may be
//           empty
//   throws  SizeError if a span does not fit the mechanism; nothing else
template <class T>
void inverse_dynamics_derivatives(const Mechanism<Constant<T>>& m, std::span<const T> q,
                                  std::span<const T> qd, std::span<const T> qdd,
                                  std::span<const Force<T>> Fext_B, Workspace<T>& w,
                                  std::span<T> dtau_dq, std::span<T> dtau_dv, std::span<T> M);

// Adds to dtau_dq what changes if one of the wrenches in Fext_B stays as it is in world axes
// instead: n_W, f_W on body `body` at its point p_B.
template <class T>
void hold_wrench_in_world(const Mechanism<Constant<T>>& m, std::span<const T> q, int body,
                          const Vec3<Constant<T>>& p_B, const Force<T>& F_W, Workspace<T>& w,
                          std::span<T> dtau_dq);

// Scalars of scratch memory: O(n) for inverse dynamics without mimic joints, and three matrices
// more otherwise.
template <class T>
std::size_t derivatives_room(const Mechanism<Constant<T>>& m) {
  const std::size_t n = static_cast<std::size_t>(m.num_bodies() + m.tree_nv + 16);
  const std::size_t tree = static_cast<std::size_t>(m.tree_nv) + 8;
  return 160 * n + 3 * tree * tree;
}

}  // namespace catena
