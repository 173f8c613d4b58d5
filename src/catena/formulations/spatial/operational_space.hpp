// Operational space: how a frame answers to forces on it.
#pragma once

#include <span>

#include "catena/formulations/forward_status.hpp"
#include "catena/kinematics/kinematics.hpp"

namespace catena {

template <class T>
struct OperationalSpace {
  std::span<T> J;         // [6 nv]: V = J v, by columns of six
  std::span<T> response;  // [6 nv]: M⁻¹ Jᵀ, by columns of nv: joint accelerations per force
  std::span<T> mobility;  // [36]: J M⁻¹ Jᵀ, the acceleration of the frame per wrench on it; its
                          // inverse is the operational-space inertia
};

// For a frame fixed on body `body` at X_BF.
//   reads   m, q [nq]
//   writes  w, out; response and mobility are not meaningful unless the status is good
//   throws  SizeError if a span does not fit; nothing else
template <class T>
ForwardStatus operational_space(const Mechanism<Constant<T>>& m, std::span<const T> q, int body,
                                const Pose<Constant<T>>& X_BF, Axes axes, Workspace<T>& w,
                                const OperationalSpace<T>& out);

// Turns the mobility into the inertia, in place. Returns -1, or the first direction (0 to 5) along
// which the frame cannot move on its own: then there is no finite inertia.
template <class T>
int invert_mobility(std::span<T> mobility);

}  // namespace catena
