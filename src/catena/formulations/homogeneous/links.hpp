// Where the links and the screws of their joints are in the base frame: what every algorithm of
// this folder begins with.
#pragma once

#include "catena/formulations/homogeneous/matrices.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::homogeneous {

template <class T>
PseudoInertia<T> local_inertia(const MechanismBody<T>& b) {
  return {b.E, b.M.h, b.M.m};
}

template <class T>
struct Links {
  Position<T>* M_0;  // by body
  Screw<T>* L_0;     // by velocity: a joint with several directions has several screws

  // Scalars of memory.
  static std::size_t room(const Mechanism<T>& m) {
    return 12 * index(m.num_bodies()) + 12 * m.X_PJ.size() + 6 * index(m.tree_nv) +
           2 * index(m.tree_nq + 8);
  }
};

// M_0i = M_0p M_pi, and L_i in (0) = M_0i L_i M_0i⁻¹ (the axis is fixed in both links of the
// joint).
template <class T>
Links<T> place_links(const Mechanism<T>& m, const T* q, Arena& arena) {
  const int nb = m.num_bodies();
  const JointPositions<T> at = joint_positions<T>(m, q, arena);
  const Links<T> links{arena.take<Position<T>>(index(nb)), arena.take<Screw<T>>(index(m.tree_nv))};
  links.M_0[0] = Position<T>{Mat3<T>{}, Vec3<T>{T(0), T(0), T(0)}};
  for (int i = 1; i < nb; ++i) {
    const auto& b = m.bodies[index(i)];
    with_joint(b.kind, [&](auto joint) {
      links.M_0[i] = transform_of<T>(joint, b, at).after(links.M_0[b.parent]);
      for (int k = 0; k < joint.nv; ++k) {
        links.L_0[b.v + k] = screw(direction(joint, b, k, links.M_0[i]));
      }
    });
  }
  return links;
}

// Σ L x over the directions of a body's joint: W of the joint from its rates, W' from its
// accelerations.
template <class T>
Velocity<T> along_screws(const MechanismBody<T>& b, int nv, const Screw<T>* L_0, const T* x) {
  const T o(0);
  Velocity<T> sum{{o, o, o}, {o, o, o}};
  for (int k = 0; k < nv; ++k) sum = sum + L_0[b.v + k] * x[b.v + k];
  return sum;
}

// The inertias of the bodies in (0): M_0i J_i M_0iᵀ. Entry 0 is not written, nor are those of
// massless bodies.
template <class T>
PseudoInertia<T>* place_inertias(const Mechanism<T>& m, const Links<T>& links, Arena& arena) {
  PseudoInertia<T>* J_0 = arena.take<PseudoInertia<T>>(index(m.num_bodies()));
  for (int i = 1; i < m.num_bodies(); ++i) {
    const auto& b = m.bodies[index(i)];
    if (!b.massless) J_0[i] = change_frame(links.M_0[i], local_inertia(b));
  }
  return J_0;
}

// J_0[i] becomes the sum over body i and all that it carries.
template <class T>
void add_up_inertias(const Mechanism<T>& m, PseudoInertia<T>* J_0) {
  const T o(0);
  for (int i = 1; i < m.num_bodies(); ++i) {
    if (m.bodies[index(i)].massless) J_0[i] = {{o, o, o, o, o, o}, {o, o, o}, o};
  }
  for (int i = m.num_bodies() - 1; i > 0; --i) {
    const int p = m.bodies[index(i)].parent;
    if (p != 0) J_0[p] = J_0[p] + J_0[i];
  }
}

}  // namespace catena::homogeneous
