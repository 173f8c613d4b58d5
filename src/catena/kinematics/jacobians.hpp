// Jacobians: how frames and the mass centre move per unit of joint velocity.
#pragma once

#include <span>

#include "catena/kinematics/kinematics.hpp"

namespace catena {

// Matrices are stored by columns, six numbers [w; v] per velocity: entry (r, k) is J[6 k + r].

// Poses of all bodies, and the direction of every joint velocity as a twist at the world's origin
// in world axes, whether or not it moves a given body. The quickest way to all Jacobians at once:
// the Jacobian of any body is made of the columns of the joints between it and the ground.
//   writes  w, X_WB [num_bodies], J_W [6 nv]
template <class T>
void poses_and_jacobians(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                         std::span<Pose<T>> X_WB, std::span<T> J_W);

// The Jacobian of a frame fixed on body `body` at X_BF: V_WF = J qd.
//   writes  w, J [6 nv]
template <class T>
void frame_jacobian(const Mechanism<Constant<T>>& m, std::span<const T> q, int body,
                    const Pose<Constant<T>>& X_BF, Axes axes, Workspace<T>& w, std::span<T> J);

// Its time derivative at qd: d/dt V_WF = J qdd + Jdot qd, with components in the same axes.
template <class T>
void frame_jacobian_rate(const Mechanism<Constant<T>>& m, std::span<const T> q,
                         std::span<const T> qd, int body, const Pose<Constant<T>>& X_BF, Axes axes,
                         Workspace<T>& w, std::span<T> Jdot);

// The mass centre of everything that moves, in the world, and its Jacobian [3 nv] (by columns of
// three); J may be empty. Throws NumericalError if nothing has a mass.
template <class T>
Vec3<T> mass_centre(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                    std::span<T> J);

}  // namespace catena
