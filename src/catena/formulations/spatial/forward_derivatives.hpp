// Derivatives of forward dynamics.
#pragma once

#include <span>

#include "catena/formulations/forward_status.hpp"
#include "catena/formulations/spatial/inverse_derivatives.hpp"

namespace catena {

// Where derivatives are written, all by rows.
template <class T>
struct ForwardDerivatives {
  std::span<T> qdd;        // [nv], the acceleration itself
  std::span<T> dqdd_dq;    // [nv * nv]
  std::span<T> dqdd_dv;    // [nv * nv]
  std::span<T> dqdd_dtau;  // [nv * nv], the inverse of the inertia matrix
};

// Of qdd = forward_dynamics(q, v, tau, Fext): with M qdd = tau - h,
//   dqdd/dtau = M⁻¹,  dqdd/dq = -M⁻¹ dtau/dq,  dqdd/dv = -M⁻¹ dtau/dv,
// where dtau/dq, dtau/dv are those of inverse dynamics at qdd. Changes of q, wrenches and friction
// are understood as there.
//   reads   m, q [nq], qd [nv], tau [nv] (empty means zero), Fext_B [num_bodies] or empty
//   writes  w, made as Workspace<T>(m, derivatives_room<T>(m)); out, not meaningful unless the
//           status is good
//   throws  SizeError if a span does not fit the mechanism; nothing else
template <class T>
ForwardStatus forward_dynamics_derivatives(const Mechanism<Constant<T>>& m, std::span<const T> q,
                                           std::span<const T> qd, std::span<const T> tau,
                                           std::span<const Force<T>> Fext_B, Workspace<T>& w,
                                           const ForwardDerivatives<T>& out);

}  // namespace catena
