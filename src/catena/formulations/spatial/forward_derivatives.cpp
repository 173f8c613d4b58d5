#include "catena/formulations/spatial/forward_derivatives.hpp"

#include <algorithm>

#include "catena/formulations/passive.hpp"
#include "catena/formulations/spatial/derivative_passes.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/tree_inverse.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {
namespace {

// dq, dv, M hold dtau/dq, dtau/dv and M on entry.
template <class T>
void finish(const TreeInverse<T>& M, T* dq, T* dv) {
  M.invert_factor();
  M.negative_solve(dq);
  M.negative_solve(dv);
  M.multiply_factors();
}

// The inertia matrix and the bias forces give the accelerations; these change what the bias forces
// were made of, and the derivatives follow.
template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, const T* qd, const T* tau,
                  const Force<T>* Fext_B, Arena arena, T* qdd, T* dq, T* dv, T* M_of_q, int* bad) {
    const auto& m = *mechanism;
    const int n = m.tree_nv;
    int* ends = arena.take<int>(index(n));
    T* inverse_D = arena.take<T>(index(n));
    for (int v = 0; v < n; ++v) ends[v] = m.bodies[index(m.body_of_v[index(v)])].subtree_end_v;
    const JointPositions<T> at = joint_positions(m, q, arena);
    const DerivativePasses<T> passes(m, arena);
    passes.place(at, qd);
    passes.accelerate(qd, nullptr);
    passes.weigh(Fext_B);
    passes.gather();
    passes.multiply_inertia();
    passes.write_inertia(M_of_q, false);
    if (m.has_armature) passes.add_armature(M_of_q);
    const TreeInverse<T> M{
        {m.parent_of_v.data(), m.run_begin_v.data(), ends}, n, M_of_q, inverse_D};
    *bad = M.factor();
    for (int v = 0; v < n; ++v) qdd[v] = T(0);
    if (m.has_passive) add_passive_forces(m, q, qd, qdd);
    for (int v = 0; v < n; ++v) qdd[v] = tau[v] - qdd[v] - passes.force_along(v);
    M.solve(qdd);
    passes.change_acceleration(qdd);
    passes.multiply();
    passes.write_derivatives(dq, dv);
    if (m.has_passive) passes.add_passive(dq, dv);
    finish(M, dq, dv);
  }
};

// Mimic joints: the coupled matrix is full.
template <class T>
struct CoupledKernel {
  static void run(int n, Arena arena, T* dq, T* dv, T* M_of_q) {
    int* parent = arena.take<int>(index(n));
    int* begin = arena.take<int>(index(n));
    int* ends = arena.take<int>(index(n));
    for (int v = 0; v < n; ++v) parent[v] = v - 1, begin[v] = 0, ends[v] = n;
    const TreeInverse<T> M{{parent, begin, ends}, n, M_of_q, arena.take<T>(index(n))};
    M.factor();
    finish(M, dq, dv);
  }
};

}  // namespace

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
  if (m.coupled) {
    const ForwardStatus status = forward_dynamics<T>(m, q, qd, tau, Fext_B, w, out.qdd);
    if (!status) return status;
    inverse_dynamics_derivatives<T>(m, q, qd, out.qdd, Fext_B, w, out.dqdd_dq, out.dqdd_dv,
                                    out.dqdd_dtau);
    run_kernel<T, CoupledKernel<T>>(m.nv, w.arena(), dq, dv, M);
    return {};
  }
  Arena arena = w.arena();
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_tau = tree_rates(m, tau, arena);
  if (m.branched) {  // branches do not feel each other
    for (T* matrix : {dq, dv, M}) std::fill(matrix, matrix + n * n, T(0));
  }
  int bad = -1;
  run_kernel<T, Kernel<T>>(&m, q.data(), tree_qd, tree_tau,
                           Fext_B.empty() ? nullptr : Fext_B.data(), arena, out.qdd.data(), dq, dv,
                           M, &bad);
  return {bad};
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template ForwardStatus forward_dynamics_derivatives<T>(                                        \
      const Mechanism<Constant<T>>&, std::span<const T>, std::span<const T>, std::span<const T>, \
      std::span<const Force<T>>, Workspace<T>&, const ForwardDerivatives<T>&);
CATENA_FOR_EACH_DERIVED_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
