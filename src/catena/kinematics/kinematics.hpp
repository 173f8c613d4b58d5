// Kinematics: where the bodies are and how they move.
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// The axes that a twist, an acceleration or a Jacobian of a frame F is given in.
enum class Axes {
  frame,          // at Fo, axes of F
  world_aligned,  // at Fo, axes of the world
  world,          // of the point of the body that is at the world's origin, axes of the world
};

// Poses of all bodies of the mechanism.
//   reads   m, q [nq]
//   writes  w, X_WB [num_bodies]
//   throws  SizeError
template <class T>
void body_poses(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                std::span<Pose<T>> X_WB);

// Poses, twists at Bo in B, and accelerations [alpha; a of Bo] in B (classical: a ball at rest on a
// turning table has a centripetal one; gravity is not in it).
//   reads   m, q [nq], qd [nv], qdd [nv] (empty means zero)
//   writes  w, X_WB, V_WB_B, A_WB_B [num_bodies each]
//   throws  SizeError
template <class T>
void body_motions(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                  std::span<const T> qdd, Workspace<T>& w, std::span<Pose<T>> X_WB,
                  std::span<Motion<T>> V_WB_B, std::span<Motion<T>> A_WB_B);

// The same for a frame fixed on a body at X_BF.
template <class T>
Pose<T> frame_pose(const Pose<T>& X_WB, const Pose<Constant<T>>& X_BF) {
  return X_WB * X_BF;
}
// The twist of F from that of its body.
template <class T>
Motion<T> frame_twist(const Pose<T>& X_WB, const Motion<T>& V_WB_B, const Pose<Constant<T>>& X_BF,
                      Axes axes);
// The time derivative of that twist's components, in the same axes, so that it equals J qdd + Jdot
// qd: for world_aligned the angular acceleration and the (classical) acceleration of Fo, for frame
// and world the spatial acceleration.
template <class T>
Motion<T> frame_acceleration(const Pose<T>& X_WB, const Motion<T>& V_WB_B, const Motion<T>& A_WB_B,
                             const Pose<Constant<T>>& X_BF, Axes axes);

}  // namespace catena
