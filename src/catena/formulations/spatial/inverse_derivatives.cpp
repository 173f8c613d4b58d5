#include "catena/formulations/spatial/inverse_derivatives.hpp"

#include <algorithm>

#include "catena/formulations/spatial/derivative_passes.hpp"
#include "catena/kinematics/jacobians.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {
namespace {

template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* m, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* dq, T* dv, T* M) {
    const JointPositions<T> at = joint_positions(*m, q, arena);
    const DerivativePasses<T> passes(*m, arena);
    passes.place(at, qd);
    passes.accelerate(qd, qdd);
    passes.weigh(Fext_B);
    passes.gather();
    passes.multiply_inertia();
    passes.multiply();
    passes.write_derivatives(dq, dv);
    if (m->has_passive) passes.add_passive(dq, dv);
    if (M == nullptr) return;
    passes.write_inertia(M, true);
    if (m->has_armature) passes.add_armature(M);
  }
};

}  // namespace

template <class T>
void inverse_dynamics_derivatives(const Mechanism<Constant<T>>& m, std::span<const T> q,
                                  std::span<const T> qd, std::span<const T> qdd,
                                  std::span<const Force<T>> Fext_B, Workspace<T>& w,
                                  std::span<T> dtau_dq, std::span<T> dtau_dv, std::span<T> M) {
  const std::size_t n = index(m.nv), tree_n = index(m.tree_nv);
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), n);
  if (!qdd.empty()) check_size("qdd", qdd.size(), n);
  if (!Fext_B.empty()) check_size("Fext_B", Fext_B.size(), m.bodies.size());
  check_size("dtau_dq", dtau_dq.size(), n * n);
  check_size("dtau_dv", dtau_dv.size(), n * n);
  if (!M.empty()) check_size("M", M.size(), n * n);
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_qdd = tree_rates(m, qdd, arena);
  std::span<T> user[] = {dtau_dq, dtau_dv, M};
  T* tree[3];
  for (int k = 0; k < 3; ++k) {
    tree[k] = user[k].empty() ? nullptr : user[k].data();
    if (tree[k] == nullptr) continue;
    if (m.coupled) tree[k] = arena.take<T>(tree_n * tree_n);
    if (m.branched) std::fill(tree[k], tree[k] + tree_n * tree_n, T(0));
  }
  run_kernel<T, Kernel<T>>(&m, tree_q, tree_qd, tree_qdd, Fext_B.empty() ? nullptr : Fext_B.data(),
                           arena, tree[0], tree[1], tree[2]);
  for (int k = 0; m.coupled && k < 3; ++k) {
    if (tree[k] != nullptr) gather_square(m, static_cast<const T*>(tree[k]), user[k]);
  }
}

// dtau_i/dq_j changes by w_i · (w_j x n) + v_i · (w_j x f), with w and v the columns of the
// Jacobian at the point where the wrench acts.
template <class T>
void hold_wrench_in_world(const Mechanism<Constant<T>>& m, std::span<const T> q, int body,
                          const Vec3<Constant<T>>& p_B, const Force<T>& F_W, Workspace<T>& w,
                          std::span<T> dtau_dq) {
  const std::size_t n = index(m.nv);
  check_size("dtau_dq", dtau_dq.size(), n * n);
  Arena arena = w.outer_arena();
  const std::span<T> J(arena.take<T>(6 * n), 6 * n);
  frame_jacobian<T>(m, q, body, Pose<Constant<T>>{{}, p_B}, Axes::world_aligned, w, J);
  const auto part = [&](std::size_t k) { return Vec3<T>{J[k], J[k + 1], J[k + 2]}; };
  for (std::size_t j = 0; j < n; ++j) {
    const Vec3<T> n_j = cross(part(6 * j), F_W.n), f_j = cross(part(6 * j), F_W.f);
    for (std::size_t i = 0; i < n; ++i) {
      T& entry = dtau_dq[i * n + j];
      entry = entry + dot(part(6 * i), n_j) + dot(part(6 * i + 3), f_j);
    }
  }
}

#define CATENA_INSTANTIATE(T)                                                                     \
  template void inverse_dynamics_derivatives<T>(                                                  \
      const Mechanism<Constant<T>>&, std::span<const T>, std::span<const T>, std::span<const T>,  \
      std::span<const Force<T>>, Workspace<T>&, std::span<T>, std::span<T>, std::span<T>);        \
  template void hold_wrench_in_world<T>(const Mechanism<Constant<T>>&, std::span<const T>, int,   \
                                        const Vec3<Constant<T>>&, const Force<T>&, Workspace<T>&, \
                                        std::span<T>);
CATENA_FOR_EACH_DERIVED_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
