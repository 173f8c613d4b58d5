// The recursion of Newton-Euler dynamics in the base frame, and the inertia matrix by actions, on
// placed links.
#pragma once

#include "catena/formulations/homogeneous/links.hpp"

namespace catena::homogeneous {

// One step from parent to child. H_pi + 2 W_0p W_pi = Σ L q'' + (2 W_0p + W_pi) W_pi: one product.
template <class T>
void step(const MechanismBody<T>& b, const Screw<T>* L_0, const T* qd, const T* qdd, Velocity<T>& W,
          Acceleration<T>& H) {
  with_joint(b.kind, [&](auto joint) {
    if constexpr (joint.nv > 0) {
      const Velocity<T> W_PB = along_screws(b, joint.nv, L_0, qd);
      const Velocity<T> left{(W.w + W.w) + W_PB.w,
                             W_PB.v};  // of the first factor the rotation counts
      H = H + left * W_PB;
      add_rate(H, along_screws(b, joint.nv, L_0, qdd));
      W = W + W_PB;
    }
  });
}

// tau_i = -Psi_i ⊗ L_i. Psi [num_bodies] is scratch, or with `all` a result: then the ground's sum
// is Psi[0].
template <class T>
void newton_euler(const Mechanism<T>& m, const Links<T>& links, const PseudoInertia<T>* J_0,
                  const T* qd, const T* qdd, const Force<T>* Fext_B, Arena arena, T* tau,
                  Action<T>* Psi, bool all) {
  const int nb = m.num_bodies();
  Velocity<T>* W = arena.take<Velocity<T>>(index(nb));
  Acceleration<T>* H = arena.take<Acceleration<T>>(index(nb));
  const T o(0);
  const Vec3<T> zero{o, o, o};
  const Action<T> nothing{zero, zero};
  // Gravity enters once: H stands for H - H_g.
  W[0] = {zero, zero};
  H[0] = Acceleration<T>{};
  H[0].a = -m.gravity_0;
  Psi[0] = nothing;
  for (int i = 1; i < nb; ++i) {  // base to tip
    const auto& b = m.bodies[index(i)];
    Velocity<T> w = W[b.parent];
    Acceleration<T> h = H[b.parent];
    step(b, links.L_0, qd, qdd, w, h);
    W[i] = w, H[i] = h;
    Psi[i] = b.massless ? nothing : -skew(h, J_0[i]);
    if (Fext_B != nullptr) Psi[i] = Psi[i] + change_frame(links.M_0[i], action(Fext_B[i]));
  }
  for (int i = nb - 1; i > 0; --i) {  // tip to base; a child is done before its parent
    const auto& b = m.bodies[index(i)];
    const int nv = num_velocities(b.kind);
    for (int v = b.v; v < b.v + nv; ++v) tau[v] = -work(Psi[i], links.L_0[v]);
    if (b.parent != 0 || all) Psi[b.parent] = Psi[b.parent] + Psi[i];
  }
}

// A unit acceleration of joint i alone moves all that joint i carries with H = L_i, which takes the
// action skew(L_i J), J the sum of the inertias; its work along the screw of a joint m before it is
// the entry:
//   M_im = skew(L_i J_i) ⊗ L_m
// J_0 has the sums of add_up_inertias().
template <class T>
void matrix_by_actions(const Mechanism<T>& m, const Links<T>& links, const PseudoInertia<T>* J_0,
                       T* M) {
  const std::size_t n = index(m.tree_nv);
  for (std::size_t k = 0; k < n * n; ++k) M[k] = T(0);
  for (int i = 0; i < m.tree_nv; ++i) {
    const Action<T> Phi = skew(links.L_0[i], J_0[m.body_of_v[index(i)]]);
    for (int k = i; k >= 0; k = m.parent_of_v[index(k)]) {
      const T entry = work(Phi, links.L_0[k]);
      M[index(i) * n + index(k)] = entry;
      M[index(k) * n + index(i)] = entry;
    }
  }
}

}  // namespace catena::homogeneous
