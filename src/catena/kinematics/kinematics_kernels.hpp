// What one state and packs of states share: recursions from base to tip, in tree coordinates.
#pragma once

#include "catena/kinematics/kinematics.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::kernels {

template <class T>
struct Poses {
  static void run(const Mechanism<Constant<T>>* m, const T* q, Arena arena, Pose<T>* X_WB) {
    const JointPositions<T> at = joint_positions(*m, q, arena);
    X_WB[0] = world_pose<T>(*m);
    for (int i = 1; i < m->num_bodies(); ++i) {  // base to tip
      const auto& b = m->bodies[index(i)];
      with_joint(b.kind, [&](auto joint) {
        X_WB[i] = transform_of<T>(joint, b, at).after(X_WB[b.parent]);
      });
    }
  }
};

// Calls f(body index, its twist at Bo in B, X_WB) from base to tip.
template <class T, class F>
void for_each_body(const Mechanism<Constant<T>>& m, const T* q, const T* qd, Arena arena, F f) {
  const JointPositions<T> at = joint_positions(m, q, arena);
  Pose<T>* X_WB = arena.take<Pose<T>>(m.bodies.size());
  Motion<T>* V = arena.take<Motion<T>>(m.bodies.size());
  const Vec3<T> zero{T(0), T(0), T(0)};
  X_WB[0] = world_pose<T>(m);
  V[0] = {zero, zero};
  for (int i = 1; i < m.num_bodies(); ++i) {
    const auto& b = m.bodies[index(i)];
    with_joint(b.kind, [&](auto joint) {
      const auto X = transform_of<T>(joint, b, at);
      X_WB[i] = X.after(X_WB[b.parent]);
      V[i] = X.to_child(V[b.parent]);
      add_motion(joint, b, qd, V[i].w, V[i].v);
    });
    f(i, V[i], X_WB[i]);
  }
}

template <class T>
void put_column(T* J, int k, const Motion<T>& S) {
  T* column = J + 6 * k;
  column[0] = S.w.x, column[1] = S.w.y, column[2] = S.w.z;
  column[3] = S.v.x, column[4] = S.v.y, column[5] = S.v.z;
}

template <class T>
void add_column(std::span<T> J, int k, Constant<T> ratio, const Motion<T>& S) {
  T* column = J.data() + 6 * k;
  column[0] = column[0] + ratio * S.w.x, column[1] = column[1] + ratio * S.w.y;
  column[2] = column[2] + ratio * S.w.z, column[3] = column[3] + ratio * S.v.x;
  column[4] = column[4] + ratio * S.v.y, column[5] = column[5] + ratio * S.v.z;
}

// Poses, and every joint direction at the world's origin in world axes.
template <class T>
struct PosesAndJacobians {
  static void run(const Mechanism<Constant<T>>* m, const T* q, Arena arena, Pose<T>* X_WB, T* J) {
    const JointPositions<T> at = joint_positions(*m, q, arena);
    const auto* bodies = m->bodies.data();
    X_WB[0] = world_pose<T>(*m);
    for (int i = 1; i < m->num_bodies(); ++i) {  // base to tip
      const auto& b = bodies[i];
      with_joint(b.kind, [&](auto joint) {
        const Pose<T> X = transform_of<T>(joint, b, at).after(X_WB[b.parent]);
        X_WB[i] = X;
        for (int k = 0; k < joint.nv; ++k) put_column(J, b.v + k, direction(joint, b, k, X));
      });
    }
  }
};

// A twist (or joint direction) at the world's origin, moved to Fo at p and turned into axes R.
template <class T>
Motion<T> at_frame(const Motion<T>& S, const Pose<T>& X_WF, Axes axes) {
  if (axes == Axes::world) return S;
  const Vec3<T> v = S.v + cross(S.w, X_WF.p);
  if (axes == Axes::world_aligned) return {S.w, v};
  return {transpose_times(X_WF.R, S.w), transpose_times(X_WF.R, v)};
}

template <class T>
struct AllJacobians {
  const Pose<T>* X_WB;
  const T* J;
  Motion<T> column(int k) const {
    const T* c = J + 6 * k;
    return {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
  }
};

// The last velocity that moves a body: its own joint's, or that of the nearest joint below it.
template <class C>
int last_velocity(const Mechanism<C>& m, int body) {
  for (int b = body; b > 0; b = m.bodies[index(b)].parent) {
    const int nv = num_velocities(m.bodies[index(b)].kind);
    if (nv > 0) return m.bodies[index(b)].v + nv - 1;
  }
  return -1;
}

// The Jacobian of a frame on a body, in the user's coordinates.
template <class T>
void frame_jacobian(const Mechanism<Constant<T>>& m, const AllJacobians<T>& all, int body,
                    const Pose<Constant<T>>& X_BF, Axes axes, std::span<T> J) {
  const Pose<T> X_WF = all.X_WB[body] * X_BF;
  for (T& entry : J) entry = T(0);
  for (int k = last_velocity(m, body); k >= 0; k = m.parent_of_v[index(k)]) {
    const auto& map = m.v_map[index(k)];
    add_column(J, map.index, map.ratio, at_frame(all.column(k), X_WF, axes));
  }
}

// 1/2 qdᵀ M qd, rotors included.
template <class T>
T kinetic_energy(const Mechanism<Constant<T>>& m, const T* q, const T* qd, Arena arena) {
  T twice(0);
  for_each_body<T>(m, q, qd, arena, [&](int i, const Motion<T>& V, const Pose<T>&) {
    twice = twice + dot(V, m.bodies[index(i)].M * V);
  });
  for (int v = 0; v < m.tree_nv; ++v) {
    twice = twice + m.armature[index(v)] * (qd[v] * qd[v]);
  }
  return T(0.5) * twice;
}

// Gravity and joint springs.
template <class T>
T potential_energy(const Mechanism<Constant<T>>& m, const T* q, Arena arena) {
  const T* rest = tree_rates<T>(m, {}, arena);
  T energy(0);
  for_each_body<T>(m, q, rest, arena, [&](int i, const Motion<T>&, const Pose<T>& X_WB) {
    const auto& M = m.bodies[index(i)].M;
    energy = energy - dot(M.m * X_WB.p + X_WB.R * M.h, m.gravity);
  });
  for (int v = 0; v < m.tree_nv; ++v) {
    if (m.q_of_v[index(v)] < 0) continue;
    const T stretch = q[m.q_of_v[index(v)]] - m.rest[index(v)];
    energy = energy + T(0.5) * (m.stiffness[index(v)] * (stretch * stretch));
  }
  return energy;
}

}  // namespace catena::kernels
