// The global vectors and matrices of a tree in one common frame, where no transformation is left:
// [Featherstone & Orin 2000, 3.5].
//
// The common frame O has the axes of body 0 and stands at the origin of body 1, so that a mechanism
// far from the world's origin loses no digits. Of the incidence matrix P (6x6 blocks: 1 on the
// diagonal, -1 at (i, parent of i)) only its two solves are ever needed; they are sums along the
// tree.
#pragma once

#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::global_analysis {

// x := P⁻¹ x: every body adds what its parent has. x[0] is the ground.
template <class V>
void solve_incidence(const int* parent, int nb, V* x) {
  for (int i = 1; i < nb; ++i) x[i] = x[parent[i]] + x[i];
}
// x := P⁻ᵀ x: every body hands what it has to its parent, tips first. x[0] is not written.
template <class V>
void solve_transposed(const int* parent, int nb, V* x) {
  for (int i = nb - 1; i > 0; --i) {
    if (parent[i] != 0) x[parent[i]] = x[parent[i]] + x[i];
  }
}

template <class T>
struct CommonFrame {
  int* parent;
  Pose<T>* X;    // X_OB by body; X[0] is the ground
  Motion<T>* H;  // the columns of H, by velocity coordinate: a body's own 6 rows of them
};

// Poses and joint directions at q.
template <class T>
CommonFrame<T> common_frame(const Mechanism<Constant<T>>& m, const T* q, Arena& arena) {
  const int nb = m.num_bodies();
  const JointPositions<T> at = joint_positions(m, q, arena);
  CommonFrame<T> r{arena.take<int>(index(nb)), arena.take<Pose<T>>(index(nb)),
                   arena.take<Motion<T>>(index(m.tree_nv))};
  const T o(0), one(1);
  r.X[0] = {{{one, o, o}, {o, one, o}, {o, o, one}}, {o, o, o}};
  for (int i = 1; i < nb; ++i) {
    const auto& b = m.bodies[index(i)];
    r.parent[i] = b.parent;
    with_joint(b.kind, [&](auto joint) {
      r.X[i] = transform_of<T>(joint, b, at).after(r.X[b.parent]);
      if (i == 1) {  // O is here, and the ground somewhere else
        r.X[0].p = -r.X[1].p;
        r.X[1].p = {o, o, o};
      }
      for (int k = 0; k < joint.nv; ++k) r.H[b.v + k] = direction(joint, b, k, r.X[i]);
    });
  }
  return r;
}

// I of body i in the common frame.
template <class T>
Inertia<T> common_inertia(const MechanismBody<Constant<T>>& b, const Pose<T>& X_OB) {
  return transform(X_OB, b.M);
}

template <class T>
Motion<T> scaled(const Motion<T>& h, const T& x) {
  return {x * h.w, x * h.v};
}
// v x h and v x* f
template <class T>
Motion<T> cross_motion(const Motion<T>& v, const Motion<T>& h) {
  return {cross(v.w, h.w), add_cross(cross(v.w, h.v), v.v, h.w)};
}
template <class T>
Force<T> cross_force(const Motion<T>& v, const Force<T>& f) {
  return {add_cross(cross(v.w, f.n), v.v, f.f), cross(v.w, f.f)};
}

// Scalars of scratch memory that any algorithm of this folder takes on such a tree.
template <class T>
std::size_t common_room(const Mechanism<Constant<T>>& m) {
  return 110 * (m.bodies.size() + 8) + 40 * index(m.tree_nv + 8) + 4 * index(m.tree_nq + 8);
}

}  // namespace catena::global_analysis
