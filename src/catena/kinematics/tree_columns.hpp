// Directions of all joints of a tree as twists at the world's origin, for what is made of them.
#pragma once

#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {

template <class T>
void put_column(T* J, int k, const Motion<T>& S) {
  T* column = J + 6 * k;
  column[0] = S.w.x, column[1] = S.w.y, column[2] = S.w.z;
  column[3] = S.v.x, column[4] = S.v.y, column[5] = S.v.z;
}

// Poses, and every joint direction at the world's origin in world axes.
template <class T>
struct TreeColumnsKernel {
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

template <class T>
struct TreeColumns {
  const Pose<T>* X_WB;
  const T* J;
  Motion<T> column(int k) const {
    const T* c = J + 6 * k;
    return {{c[0], c[1], c[2]}, {c[3], c[4], c[5]}};
  }
};

// In tree coordinates, in the arena.
template <class T>
TreeColumns<T> tree_columns(const Mechanism<Constant<T>>& m, std::span<const T> q, Arena& arena) {
  const T* tree_q = tree_positions(m, q, arena);
  Pose<T>* X_WB = arena.take<Pose<T>>(m.bodies.size());
  T* J = arena.take<T>(6 * index(m.tree_nv));
  run_kernel<T, TreeColumnsKernel<T>>(&m, tree_q, arena, X_WB, J);
  return {X_WB, J};
}

// The last velocity that moves a body: its own joint's, or that of the nearest joint below it.
template <class C>
int last_velocity(const Mechanism<C>& m, int body) {
  for (int b = body; b > 0; b = m.bodies[index(b)].parent) {
    const int nv = num_velocities(m.bodies[index(b)].kind);
    if (nv > 0) return m.bodies[index(b)].v + nv - 1;
  }
  return -1;
}

}  // namespace catena
