// Newton-Euler dynamics with homogeneous matrices in the base frame [Legnani et al. 1996, 2.3].
//   M_0i = M_0p M_pi                        W_0i = W_0p + W_pi
//   H_0i = H_0p + H_pi + 2 W_0p W_pi        W_pi = Σ L q',  H_pi = Σ L q'' + (Σ L q')²
//   Psi_i = Σ_j skew((H_g - H_0j) J_j) + Phi_j, over body i and all that it carries
//   tau_i = -Psi_i ⊗ L_i
#include "catena/formulations/homogeneous/inverse_dynamics.hpp"

#include "catena/formulations/homogeneous/links.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::homogeneous {
namespace {

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

template <class T>
struct Kernel {
  static void run(const Mechanism<T>* mechanism, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* tau, Action<T>* Psi) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const Links<T> links = place_links(m, q, arena);
    Velocity<T>* W = arena.take<Velocity<T>>(index(nb));
    Acceleration<T>* H = arena.take<Acceleration<T>>(index(nb));
    const bool all = Psi != nullptr;  // the ground's sum, too
    if (!all) Psi = arena.take<Action<T>>(index(nb));

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
      Psi[i] = b.massless ? nothing : -skew(h, change_frame(links.M_0[i], local_inertia(b)));
      if (Fext_B != nullptr) Psi[i] = Psi[i] + change_frame(links.M_0[i], action(Fext_B[i]));
    }
    for (int i = nb - 1; i > 0; --i) {  // tip to base; a child is done before its parent
      const auto& b = m.bodies[index(i)];
      const int nv = num_velocities(b.kind);
      for (int v = b.v; v < b.v + nv; ++v) tau[v] = -work(Psi[i], links.L_0[v]);
      if (b.parent != 0 || all) Psi[b.parent] = Psi[b.parent] + Psi[i];
    }
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
CATENA_FOR_EACH_CONSTANT(CATENA_INSTANTIATE)

}  // namespace catena::homogeneous
