// Newton-Euler dynamics with homogeneous matrices in the base frame [Legnani et al. 1996, 2.3].
//   M_0i = M_0p M_pi                        W_0i = W_0p + W_pi
//   H_0i = H_0p + H_pi + 2 W_0p W_pi        W_pi = Σ L q',  H_pi = Σ L q'' + (Σ L q')²
//   Psi_i = Σ_j skew((H_g - H_0j) J_j) + Phi_j, over body i and all that it carries
//   tau_i = -Psi_i ⊗ L_i
#include "catena/formulations/homogeneous/inverse_dynamics.hpp"

#include "catena/formulations/homogeneous/newton_euler.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::homogeneous {
namespace {

template <class T>
struct Kernel {
  static void run(const Mechanism<T>* mechanism, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* tau, Action<T>* Psi) {
    const auto& m = *mechanism;
    const Links<T> links = place_links(m, q, arena);
    const PseudoInertia<T>* J_0 = place_inertias(m, links, arena);
    const bool all = Psi != nullptr;
    if (!all) Psi = arena.take<Action<T>>(index(m.num_bodies()));
    newton_euler(m, links, J_0, qd, qdd, Fext_B, arena, tau, Psi, all);
  }
};

template <class T>
struct MotionKernel {
  static void run(const Mechanism<T>* mechanism, const T* q, const T* qd, const T* qdd, Arena arena,
                  Position<T>* M, Velocity<T>* W, Acceleration<T>* H) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const Links<T> links = place_links(m, q, arena);
    const T o(0);
    M[0] = links.M_0[0];
    W[0] = {{o, o, o}, {o, o, o}};
    H[0] = Acceleration<T>{};
    for (int i = 1; i < nb; ++i) {
      const auto& b = m.bodies[index(i)];
      M[i] = links.M_0[i], W[i] = W[b.parent], H[i] = H[b.parent];
      step(b, links.L_0, qd, qdd, W[i], H[i]);
    }
  }
};

}  // namespace

template <class T>
std::size_t room(const Mechanism<T>& m) {
  const std::size_t n = index(m.tree_nv) + 8;
  return Links<T>::room(m) + 40 * index(m.num_bodies()) + n * n + 8 * n + 512;
}

template <class T>
void inverse_dynamics(const Mechanism<T>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau) {
  run_kernel<T, Kernel<T>>(&m, q, qd, qdd, Fext_B, arena, tau, static_cast<Action<T>*>(nullptr));
}

template <class T>
void link_motions(const Mechanism<T>& m, std::span<const T> q, std::span<const T> qd,
                  std::span<const T> qdd, Workspace<T>& w, std::span<Position<T>> M_0,
                  std::span<Velocity<T>> W_0, std::span<Acceleration<T>> H_0) {
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), index(m.nv));
  if (!qdd.empty()) check_size("qdd", qdd.size(), index(m.nv));
  check_size("M_0", M_0.size(), m.bodies.size());
  check_size("W_0", W_0.size(), m.bodies.size());
  check_size("H_0", H_0.size(), m.bodies.size());
  Arena arena = w.arena();
  const T* tree_q = tree_positions<T>(m, q, arena);
  const T* tree_qd = tree_rates<T>(m, qd, arena);
  const T* tree_qdd = tree_rates<T>(m, qdd, arena);
  run_kernel<T, MotionKernel<T>>(&m, tree_q, tree_qd, tree_qdd, arena, M_0.data(), W_0.data(),
                                 H_0.data());
}

template <class T>
void joint_actions(const Mechanism<T>& m, std::span<const T> q, std::span<const T> qd,
                   std::span<const T> qdd, std::span<const Force<T>> Fext_B, Workspace<T>& w,
                   std::span<Action<T>> Psi_0) {
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), index(m.nv));
  if (!qdd.empty()) check_size("qdd", qdd.size(), index(m.nv));
  if (!Fext_B.empty()) check_size("Fext_B", Fext_B.size(), m.bodies.size());
  check_size("Psi_0", Psi_0.size(), m.bodies.size());
  Arena arena = w.arena();
  const T* tree_q = tree_positions<T>(m, q, arena);
  const T* tree_qd = tree_rates<T>(m, qd, arena);
  const T* tree_qdd = tree_rates<T>(m, qdd, arena);
  T* tau = arena.take<T>(index(m.tree_nv));
  run_kernel<T, Kernel<T>>(&m, tree_q, tree_qd, tree_qdd, Fext_B.empty() ? nullptr : Fext_B.data(),
                           arena, tau, Psi_0.data());
}

#define CATENA_INSTANTIATE(T)                                                                  \
  template std::size_t room<T>(const Mechanism<T>&);                                           \
  template void inverse_dynamics<T>(const Mechanism<T>&, const T*, const T*, const T*,         \
                                    const Force<T>*, Arena, T*);                               \
  template void link_motions<T>(const Mechanism<T>&, std::span<const T>, std::span<const T>,   \
                                std::span<const T>, Workspace<T>&, std::span<Position<T>>,     \
                                std::span<Velocity<T>>, std::span<Acceleration<T>>);           \
  template void joint_actions<T>(const Mechanism<T>&, std::span<const T>, std::span<const T>,  \
                                 std::span<const T>, std::span<const Force<T>>, Workspace<T>&, \
                                 std::span<Action<T>>);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::homogeneous
