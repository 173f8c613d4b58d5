#include "catena/formulations/spatial/inverse_dynamics.hpp"

#include "catena/formulations/spatial/inverse_dynamics_kernel.hpp"
#include "catena/scalar/isa.hpp"
#include "catena/scalar/symbolic.hpp"

namespace catena {

template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                      std::span<const T> qdd, std::span<const Force<T>> Fext_B, Workspace<T>& w,
                      std::span<T> tau, std::span<Force<T>> F_PB_B) {
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), index(m.nv));
  if (!qdd.empty()) check_size("qdd", qdd.size(), index(m.nv));
  if (!Fext_B.empty()) check_size("Fext_B", Fext_B.size(), m.bodies.size());
  if (!F_PB_B.empty()) check_size("F_PB_B", F_PB_B.size(), m.bodies.size());
  check_size("tau", tau.size(), index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_qdd = tree_rates(m, qdd, arena);
  T* tree_tau = tree_forces(m, tau, arena);
  run_kernel<T, kernels::InverseDynamics<T>>(&m, tree_q, tree_qd, tree_qdd,
                                             Fext_B.empty() ? nullptr : Fext_B.data(), arena,
                                             tree_tau, F_PB_B.empty() ? nullptr : F_PB_B.data());
  gather_forces(m, tree_tau, tau);
}

template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                      std::span<const T> qdd, std::span<const Force<T>> Fext_B, Workspace<T>& w,
                      std::span<T> tau) {
  inverse_dynamics<T>(m, q, qd, qdd, Fext_B, w, tau, {});
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template void inverse_dynamics<T>(const Mechanism<Constant<T>>&, std::span<const T>,           \
                                    std::span<const T>, std::span<const T>,                      \
                                    std::span<const Force<T>>, Workspace<T>&, std::span<T>);     \
  template void inverse_dynamics<T>(                                                             \
      const Mechanism<Constant<T>>&, std::span<const T>, std::span<const T>, std::span<const T>, \
      std::span<const Force<T>>, Workspace<T>&, std::span<T>, std::span<Force<T>>);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(Symbolic)

}  // namespace catena
