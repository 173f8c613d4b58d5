// Derivatives of the motion of a frame by positions, velocities and accelerations.
#pragma once

#include <span>

#include "catena/kinematics/kinematics.hpp"

namespace catena {

// All matrices are [6 nv] by columns: entry (r, k) at 6 k + r.
template <class T>
struct FrameDerivatives {
  std::span<T> J;      // of the twist by v, and of the acceleration by a. Of the pose by q, too: a
                       // change of coordinate k moves the frame along column k
  std::span<T> dV_dq;  // of the twist by q
  std::span<T> dA_dq;  // of the acceleration by q ...
  std::span<T> dA_dv;  // ... and by v
};

// For a frame fixed on body `body` at X_BF: derivatives of the components that frame_twist() and
// frame_acceleration() give in these axes. A change of q is one along the joint velocities.
//   reads   m, q [nq], qd [nv], qdd [nv] (empty means zero)
//   writes  w, out
//   throws  SizeError if a span does not fit the mechanism; nothing else
template <class T>
void frame_derivatives(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                       std::span<const T> qdd, int body, const Pose<Constant<T>>& X_BF, Axes axes,
                       Workspace<T>& w, const FrameDerivatives<T>& out);

}  // namespace catena
