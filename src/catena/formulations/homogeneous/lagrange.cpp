// Lagrangian dynamics with homogeneous matrices in the base frame [Legnani et al. 1996, 3].
//   t = Σ ½ Trace(W_h J_h W_hᵀ),  v = -Σ Trace(H_g J_h)                                    [(8),
//   (9)] M_im = Σ_h Trace(L_i J_h L_mᵀ) over the bodies that both joints move = Trace(L_i J L_mᵀ),
//   J their sum C_i = Σ_h Trace[(H~_h - H_g) J_h L_iᵀ] over the bodies that joint i moves =
//   Trace(Y_i L_iᵀ), Y_i the sum Q_i = Σ_h Phi_h ⊗ L_i [(10)] tau = M q'' + C - Q
// H~ is the acceleration without joint accelerations, from the derivatives of the screws [9.2]:
//   H~ = Σ_j (W_p L_j - L_j W_p) q'_j + W²,  W_p of the body before joint j
#include "catena/formulations/homogeneous/lagrange.hpp"

#include "catena/formulations/dense.hpp"
#include "catena/formulations/homogeneous/links.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::lagrange {
namespace {

using namespace homogeneous;

// J_0: the sums over the subtrees.
template <class T>
void mass_matrix(const Mechanism<T>& m, const Links<T>& links, const PseudoInertia<T>* J_0, T* M) {
  const std::size_t n = index(m.tree_nv);
  for (std::size_t k = 0; k < n * n; ++k) M[k] = T(0);
  for (int i = 0; i < m.tree_nv; ++i) {
    const Moments<T> LJ = links.L_0[i] * J_0[m.body_of_v[index(i)]];
    for (int k = i; k >= 0; k = m.parent_of_v[index(k)]) {
      const T entry = trace(LJ, links.L_0[k]);
      M[index(i) * n + index(k)] = entry;
      M[index(k) * n + index(i)] = entry;
    }
  }
}

// What is left of the motion and of the actions, by body.
template <class T>
struct State {
  Velocity<T> W;
  Velocity<T> rate;  // Σ L' q': the derivative of W at q'' = 0
  Moments<T> Y;      // (H~ - H_g) J, of the subtree after the second pass
  Action<T> Phi;     // external, of the subtree after the second pass
};

// C - Q. J_0: of the bodies.
template <class T>
void bias(const Mechanism<T>& m, const Links<T>& links, const PseudoInertia<T>* J_0, const T* qd,
          const Force<T>* Fext_B, Arena arena, T* C) {
  const int nb = m.num_bodies();
  State<T>* state = arena.take<State<T>>(index(nb));
  const T o(0);
  const Vec3<T> zero{o, o, o};
  state[0].W = state[0].rate = {zero, zero};
  for (int i = 1; i < nb; ++i) {  // base to tip
    const auto& b = m.bodies[index(i)];
    const State<T>& P = state[b.parent];
    State<T>& B = state[i];
    B.W = P.W, B.rate = P.rate;
    with_joint(b.kind, [&](auto joint) {
      if constexpr (joint.nv > 0) {
        const Velocity<T> W_PB = along_screws(b, joint.nv, links.L_0, qd);
        if (b.parent != 0) B.rate = B.rate + commutator(P.W, W_PB);
        B.W = B.W + W_PB;
      }
    });
    B.Y = {{zero, zero, zero}, zero};
    if (!b.massless) {
      Acceleration<T> H = square(B.W);
      add_rate(H, B.rate);
      H.a = H.a - m.gravity_0;
      B.Y = H * J_0[i];
    }
    if (Fext_B != nullptr) B.Phi = change_frame(links.M_0[i], action(Fext_B[i]));
  }
  for (int i = nb - 1; i > 0; --i) {  // tip to base; a child is done before its parent
    const auto& b = m.bodies[index(i)];
    const State<T>& B = state[i];
    const int nv = num_velocities(b.kind);
    for (int v = b.v; v < b.v + nv; ++v) {
      C[v] = trace(B.Y, links.L_0[v]);
      if (Fext_B != nullptr) C[v] = C[v] - work(B.Phi, links.L_0[v]);
    }
    if (b.parent == 0) continue;
    State<T>& P = state[b.parent];
    P.Y = P.Y + B.Y;
    if (Fext_B != nullptr) P.Phi = P.Phi + B.Phi;
  }
}

template <class T>
struct InverseKernel {
  static void run(const Mechanism<T>* mechanism, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* tau) {
    const auto& m = *mechanism;
    const std::size_t n = index(m.tree_nv);
    const Links<T> links = place_links(m, q, arena);
    T* M = arena.take<T>(n * n);
    PseudoInertia<T>* J_0 = place_inertias(m, links, arena);
    bias<T>(m, links, J_0, qd, Fext_B, arena, tau);
    add_up_inertias(m, J_0);
    mass_matrix<T>(m, links, J_0, M);
    for (int i = 0; i < m.tree_nv; ++i) {
      for (int k = i; k >= 0; k = m.parent_of_v[index(k)]) {
        const T entry = M[index(i) * n + index(k)];
        tau[i] = tau[i] + entry * qdd[k];
        if (k != i) tau[k] = tau[k] + entry * qdd[i];
      }
    }
  }
};

template <class T>
struct MatrixKernel {
  static void run(const Mechanism<T>* mechanism, const T* q, Arena arena, T* M) {
    const Links<T> links = place_links(*mechanism, q, arena);
    PseudoInertia<T>* J_0 = place_inertias(*mechanism, links, arena);
    add_up_inertias(*mechanism, J_0);
    mass_matrix<T>(*mechanism, links, J_0, M);
  }
};

// qd null: x = M⁻¹ f.
template <class T>
struct ForwardKernel {
  static void run(const Mechanism<T>* mechanism, const T* q, const T* qd, const T* f,
                  const Force<T>* Fext_B, Arena arena, T* x, int* bad) {
    const auto& m = *mechanism;
    const std::size_t n = index(m.tree_nv);
    const Links<T> links = place_links(m, q, arena);
    T* M = arena.take<T>(n * n);
    T* C = arena.take<T>(n);
    PseudoInertia<T>* J_0 = place_inertias(m, links, arena);
    if (qd != nullptr) bias<T>(m, links, J_0, qd, Fext_B, arena, C);
    add_up_inertias(m, J_0);
    mass_matrix<T>(m, links, J_0, M);
    for (std::size_t v = 0; v < n; ++v) x[v] = qd != nullptr ? T(f[v] - C[v]) : f[v];
    for (std::size_t v = 0; m.has_armature && v < n; ++v) {
      M[v * (n + 1)] = M[v * (n + 1)] + m.armature[v];
    }
    *bad = solve_dense(M, x, m.tree_nv);
  }
};

}  // namespace

template <class T>
std::size_t room(const Mechanism<T>& m) {
  const std::size_t n = index(m.tree_nv) + 8;
  return Links<T>::room(m) + 56 * index(m.num_bodies()) + n * n + 8 * n + 512;
}

template <class T>
void inverse_dynamics(const Mechanism<T>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau) {
  run_kernel<T, InverseKernel<T>>(&m, q, qd, qdd, Fext_B, arena, tau);
}
template <class T>
void inertia_matrix(const Mechanism<T>& m, const T* q, Arena arena, T* M) {
  run_kernel<T, MatrixKernel<T>>(&m, q, arena, M);
}
template <class T>
int forward_dynamics(const Mechanism<T>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd) {
  int bad = -1;
  run_kernel<T, ForwardKernel<T>>(&m, q, qd, tau, Fext_B, arena, qdd, &bad);
  return bad;
}
template <class T>
int solve_inertia(const Mechanism<T>& m, const T* q, const T* f, Arena arena, T* x) {
  int bad = -1;
  run_kernel<T, ForwardKernel<T>>(&m, q, static_cast<const T*>(nullptr), f,
                                  static_cast<const Force<T>*>(nullptr), arena, x, &bad);
  return bad;
}

#define CATENA_INSTANTIATE(T)                                                          \
  template std::size_t room<T>(const Mechanism<T>&);                                   \
  template void inverse_dynamics<T>(const Mechanism<T>&, const T*, const T*, const T*, \
                                    const Force<T>*, Arena, T*);                       \
  template void inertia_matrix<T>(const Mechanism<T>&, const T*, Arena, T*);           \
  template int forward_dynamics<T>(const Mechanism<T>&, const T*, const T*, const T*,  \
                                   const Force<T>*, Arena, T*);                        \
  template int solve_inertia<T>(const Mechanism<T>&, const T*, const T*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::lagrange
