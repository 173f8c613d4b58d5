#include "catena/batch/lanes/level.hpp"
#include "catena/formulations/spatial/derivatives_kernel.hpp"

namespace catena::CATENA_LEVEL {

template <class E>
CATENA_LANES void tree_inverse_derivatives(const Mechanism<E>& m, const Lanes<E>* q,
                                           const Lanes<E>* qd, const Lanes<E>* qdd,
                                           const Force<Lanes<E>>* Fext_B, Arena arena,
                                           const Square<Lanes<E>>& out) {
  kernels::InverseDerivatives<Lanes<E>>::run(&m, q, qd, qdd, Fext_B, arena, out.dq, out.dv, out.dx);
}

template <class E>
void inverse_derivatives(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                         const Lanes<E>* qdd, const Force<Lanes<E>>* Fext_B, Arena arena,
                         const Square<Lanes<E>>& out) {
  using T = Lanes<E>;
  if (!m.coupled) return tree_inverse_derivatives<E>(m, q, qd, qdd, Fext_B, arena, out);
  const std::size_t n = index(m.nv), tree_n = index(m.tree_nv);
  const T* tree_q = tree_positions<T>(m, {q, index(m.nq)}, arena);
  const T* tree_qd = tree_rates<T>(m, {qd, n}, arena);
  const T* tree_qdd = tree_rates<T>(m, {qdd, n}, arena);
  T* const all = arena.take<T>(3 * tree_n * tree_n);
  const Square<T> tree{all, all + tree_n * tree_n, all + 2 * tree_n * tree_n};
  tree_inverse_derivatives<E>(m, tree_q, tree_qd, tree_qdd, Fext_B, arena, tree);
  gather_square<T>(m, tree.dq, {out.dq, n * n});
  gather_square<T>(m, tree.dv, {out.dv, n * n});
  gather_square<T>(m, tree.dx, {out.dx, n * n});
}

template <class E>
CATENA_LANES void tree_forward_derivatives(const Mechanism<E>& m, const Lanes<E>* q,
                                           const Lanes<E>* qd, const Lanes<E>* tau,
                                           const Force<Lanes<E>>* Fext_B, Arena arena,
                                           Lanes<E>* qdd, const Square<Lanes<E>>& out,
                                           LostPivots<Lanes<E>>& lost) {
  kernels::ForwardDerivatives<Lanes<E>>::run(&m, q, qd, tau, Fext_B, arena, qdd, out.dq, out.dv,
                                             out.dx, &lost);
}

template <class E>
LostPivots<Lanes<E>> forward_derivatives(const Mechanism<E>& m, const Lanes<E>* q,
                                         const Lanes<E>* qd, const Lanes<E>* tau,
                                         const Force<Lanes<E>>* Fext_B, Arena arena, Lanes<E>* qdd,
                                         const Square<Lanes<E>>& out) {
  LostPivots<Lanes<E>> lost;
  if (!m.coupled) {
    tree_forward_derivatives<E>(m, q, qd, tau, Fext_B, arena, qdd, out, lost);
    return lost;
  }
  lost = forward_dynamics<E>(m, q, qd, tau, Fext_B, arena, qdd);
  inverse_derivatives<E>(m, q, qd, qdd, Fext_B, arena, out);
  kernels::CoupledForwardDerivatives<Lanes<E>>::run(m.nv, arena, out.dq, out.dv, out.dx, &lost);
  return lost;
}

#define CATENA_INSTANTIATE(E)                                                                 \
  template void inverse_derivatives<E>(const Mechanism<E>&, const Lanes<E>*, const Lanes<E>*, \
                                       const Lanes<E>*, const Force<Lanes<E>>*, Arena,        \
                                       const Square<Lanes<E>>&);                              \
  template LostPivots<Lanes<E>> forward_derivatives<E>(                                       \
      const Mechanism<E>&, const Lanes<E>*, const Lanes<E>*, const Lanes<E>*,                 \
      const Force<Lanes<E>>*, Arena, Lanes<E>*, const Square<Lanes<E>>&);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(float)

}  // namespace catena::CATENA_LEVEL
