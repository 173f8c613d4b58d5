#include "catena/formulations/spatial/forward_derivatives.hpp"

#include "catena/formulations/spatial/derivatives_kernel.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {
template <class T>
ForwardStatus forward_dynamics_derivatives(const Mechanism<Constant<T>>& m, std::span<const T> q,
                                           std::span<const T> qd, std::span<const T> tau,
                                           std::span<const Force<T>> Fext_B, Workspace<T>& w,
                                           const ForwardDerivatives<T>& out) {
  const std::size_t n = index(m.nv);
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), n);
  if (!tau.empty()) check_size("tau", tau.size(), n);
  if (!Fext_B.empty()) check_size("Fext_B", Fext_B.size(), m.bodies.size());
  check_size("qdd", out.qdd.size(), n);
  check_size("dqdd_dq", out.dqdd_dq.size(), n * n);
  check_size("dqdd_dv", out.dqdd_dv.size(), n * n);
  check_size("dqdd_dtau", out.dqdd_dtau.size(), n * n);
  T *dq = out.dqdd_dq.data(), *dv = out.dqdd_dv.data(), *M = out.dqdd_dtau.data();
  LostPivots<T> lost;
  if (m.coupled) {
    const ForwardStatus status = forward_dynamics<T>(m, q, qd, tau, Fext_B, w, out.qdd);
    if (!status) return status;
    inverse_dynamics_derivatives<T>(m, q, qd, out.qdd, Fext_B, w, out.dqdd_dq, out.dqdd_dv,
                                    out.dqdd_dtau);
    run_kernel<T, kernels::CoupledForwardDerivatives<T>>(m.nv, w.arena(), dq, dv, M, &lost);
    return {};
  }
  Arena arena = w.arena();
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_tau = tree_rates(m, tau, arena);
  run_kernel<T, kernels::ForwardDerivatives<T>>(&m, q.data(), tree_qd, tree_tau,
                                                Fext_B.empty() ? nullptr : Fext_B.data(), arena,
                                                out.qdd.data(), dq, dv, M, &lost);
  return {lost.first};
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template ForwardStatus forward_dynamics_derivatives<T>(                                        \
      const Mechanism<Constant<T>>&, std::span<const T>, std::span<const T>, std::span<const T>, \
      std::span<const Force<T>>, Workspace<T>&, const ForwardDerivatives<T>&);
CATENA_FOR_EACH_DERIVED_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(float)

}  // namespace catena
