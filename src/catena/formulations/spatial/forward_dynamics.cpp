#include "catena/formulations/spatial/forward_dynamics.hpp"

#include "catena/formulations/dense.hpp"
#include "catena/formulations/spatial/forward_dynamics_kernel.hpp"
#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/scalar/isa.hpp"
#include "catena/scalar/symbolic.hpp"

namespace catena {
namespace {

// Mimic joints close the tree: the coupled inertia matrix is factored as a whole.
template <class T>
ForwardStatus coupled_dynamics(const Mechanism<Constant<T>>& m, std::span<const T> q,
                               std::span<const T> qd, std::span<const T> tau,
                               std::span<const Force<T>> Fext_B, bool at_rest, Workspace<T>& w,
                               std::span<T> qdd) {
  Arena outer = w.outer_arena();
  T* h = outer.template take<T>(index(m.nv));
  T* M = outer.template take<T>(index(m.nv) * index(m.nv));
  for (int v = 0; v < m.nv; ++v) h[v] = T(0);
  if (!at_rest) inverse_dynamics<T>(m, q, qd, {}, Fext_B, w, std::span<T>(h, index(m.nv)));
  inertia_matrix<T>(m, q, w, std::span<T>(M, index(m.nv) * index(m.nv)));
  for (int v = 0; v < m.nv; ++v) qdd[index(v)] = (tau.empty() ? T(0) : tau[index(v)]) - h[v];
  const int bad = solve_dense(M, qdd.data(), m.nv);
  if (bad < 0) return {};
  for (int v = 0; v < m.tree_nv; ++v) {
    if (m.v_map[index(v)].index == bad) return {v};
  }
  return {0};
}

template <class T>
ForwardStatus solve(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                    std::span<const T> tau, std::span<const Force<T>> Fext_B, bool at_rest,
                    Workspace<T>& w, std::span<T> qdd) {
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), index(m.nv));
  if (!tau.empty()) check_size("tau", tau.size(), index(m.nv));
  if (!Fext_B.empty()) check_size("Fext_B", Fext_B.size(), m.bodies.size());
  check_size("qdd", qdd.size(), index(m.nv));
  if (m.coupled) return coupled_dynamics(m, q, qd, tau, Fext_B, at_rest, w, qdd);
  Arena arena = w.arena();
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_tau = tree_rates(m, tau, arena);
  LostPivots<T> lost;
  run_kernel<T, kernels::ForwardDynamics<T>>(&m, q.data(), tree_qd, tree_tau,
                                             Fext_B.empty() ? nullptr : Fext_B.data(), at_rest,
                                             arena, qdd.data(), &lost);
  return {lost.first};
}

}  // namespace

template <class T>
ForwardStatus forward_dynamics(const Mechanism<Constant<T>>& m, std::span<const T> q,
                               std::span<const T> qd, std::span<const T> tau,
                               std::span<const Force<T>> Fext_B, Workspace<T>& w,
                               std::span<T> qdd) {
  return solve<T>(m, q, qd, tau, Fext_B, false, w, qdd);
}

template <class T>
ForwardStatus solve_inertia(const Mechanism<Constant<T>>& m, std::span<const T> q,
                            std::span<const T> f, Workspace<T>& w, std::span<T> x) {
  return solve<T>(m, q, {}, f, {}, true, w, x);
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template ForwardStatus forward_dynamics<T>(                                                    \
      const Mechanism<Constant<T>>&, std::span<const T>, std::span<const T>, std::span<const T>, \
      std::span<const Force<T>>, Workspace<T>&, std::span<T>);                                   \
  template ForwardStatus solve_inertia<T>(const Mechanism<Constant<T>>&, std::span<const T>,     \
                                          std::span<const T>, Workspace<T>&, std::span<T>);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(Symbolic)

}  // namespace catena
