// Passive joint forces: springs, viscous and Coulomb friction.
#pragma once

#include "catena/model/coordinates.hpp"

namespace catena {

// forces += stiffness (q - rest) + viscous qd + coulomb sign(qd), in tree coordinates.
template <class T>
void add_passive_forces(const Mechanism<Constant<T>>& m, const T* q, const T* qd, T* forces) {
  for (int v = 0; v < m.tree_nv; ++v) {
    const std::size_t k = index(v);
    T f = m.viscous[k] * qd[v] + m.coulomb[k] * sign(qd[v]);
    if (m.q_of_v[k] >= 0) f = f + m.stiffness[k] * (q[m.q_of_v[k]] - m.rest[k]);
    forces[v] = forces[v] + f;
  }
}

}  // namespace catena
