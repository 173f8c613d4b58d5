// Recursive Newton-Euler algorithm in body coordinates [Featherstone & Orin 2000, 3.1].
// Frames: W world, P parent body, B this body. Accelerations are the classical ones of Bo, so that
// no linear velocity is needed.
#pragma once

#include "catena/formulations/passive.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::kernels {

template <class T>
struct BodyMotion {
  Vec3<T> w, alpha, a;
};

template <class T>
struct InverseDynamics {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* tau, Force<T>* F_PB_B) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const auto* bodies = m.bodies.data();
    const JointPositions<T> at = joint_positions(m, q, arena);
    BodyMotion<T>* motion = arena.take<BodyMotion<T>>(index(nb));
    const bool keep = F_PB_B != nullptr || m.branched;  // sums of forces are read again
    if (F_PB_B == nullptr) F_PB_B = arena.take<Force<T>>(index(nb));

    // Gravity enters once: the world is accelerated upwards, so no body needs a weight.
    const T o(0);
    const Vec3<T> zero{o, o, o};
    motion[0] = {zero, zero, {T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)}};
    F_PB_B[0] = {zero, zero};

    Vec3<T> w = zero, alpha = zero, a = motion[0].a;  // of body i - 1, then of body i
    Mat3<T> U;
    Force<T> F{zero, zero};
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = bodies[i];
      if (b.parent != i - 1) {
        const BodyMotion<T>& P = motion[b.parent];
        w = P.w, alpha = P.alpha, a = P.a;
        U = acceleration_matrix(w, alpha);
      }
      with_joint_and_alpha<T>(b, [&](auto joint) {
        const auto X = transform_of<T>(joint, b, at);
        if (b.parent == 0)
          leave_ground(joint, b, X, qd, qdd, motion[0].a, w, alpha, a);
        else
          carry_motion(joint, b, X, qd, qdd, U, w, alpha, a);
      });
      U = acceleration_matrix(w, alpha);
      if (m.branched) motion[i] = {w, alpha, a};
      // Newton-Euler about Bo: a point r of B accelerates by a + U r
      F = {zero, zero};
      if (!b.massless) {
        F.f = add_product(b.M.m * a, U, b.M.h);
        F.n = add_cross(moment(U, b.E), b.M.h, a);
      }
      if (Fext_B != nullptr) F = F - Fext_B[i];
      F_PB_B[i] = F;
    }
    for (int i = nb - 1; i > 0; --i) {  // tip to base; a child is done before its parent
      const auto& b = bodies[i];
      Force<T> sum = F_PB_B[b.parent];
      with_joint_and_alpha<T>(b, [&](auto joint) {
        project(joint, b, F, tau);
        if (b.parent != 0 || keep) transform_of<T>(joint, b, at).add_to_parent(sum, F);
      });
      if (keep) F_PB_B[b.parent] = sum;
      F = sum;
      if (b.parent != i - 1) F = F_PB_B[i - 1];
    }
    if (m.has_armature) {
      for (int v = 0; v < m.tree_nv; ++v) tau[v] = tau[v] + m.armature[index(v)] * qdd[v];
    }
    if (m.has_passive) add_passive_forces(m, q, qd, tau);
  }
};

}  // namespace catena::kernels
