#include "catena/batch/lanes/rows.hpp"
#include "catena/formulations/spatial/derivatives_kernel.hpp"

namespace catena::CATENA_LEVEL {

// Mimic joints: Gᵀ times the matrices of the tree, times G.
template <class E>
void coupled_inverse_derivatives(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                                 const Lanes<E>* qdd, const Force<Lanes<E>>* Fext_B, Arena arena,
                                 const Square<Lanes<E>>& out) {
  using T = Lanes<E>;
  const std::size_t n = index(m.nv), tree_n = index(m.tree_nv);
  const T* tree_q = tree_positions<T>(m, {q, index(m.nq)}, arena);
  const T* tree_qd = tree_rates<T>(m, {qd, n}, arena);
  const T* tree_qdd = tree_rates<T>(m, {qdd, n}, arena);
  T* const all = arena.take<T>(3 * tree_n * tree_n);
  const Square<T> tree{all, all + tree_n * tree_n, all + 2 * tree_n * tree_n};
  kernels::InverseDerivatives<T>::run(&m, tree_q, tree_qd, tree_qdd, Fext_B, arena, tree.dq,
                                      tree.dv, tree.dx);
  gather_square<T>(m, tree.dq, {out.dq, n * n});
  gather_square<T>(m, tree.dv, {out.dv, n * n});
  gather_square<T>(m, tree.dx, {out.dx, n * n});
}

// Row by row, each stored as soon as it is there.
template <class E>
CATENA_LANES void store_derivative_rows(const Mechanism<E>& m, const Lanes<E>* q,
                                        const Lanes<E>* qd, const Lanes<E>* qdd,
                                        const Force<Lanes<E>>* Fext_B, int count, Arena arena,
                                        const Square<E>& out) {
  using T = Lanes<E>;
  const int n = m.nv;
  kernels::InverseDerivatives<T>::row_by_row(m, q, qd, qdd, Fext_B, arena,
                                             [&](int i, const T* dq, const T* dv, const T* M) {
                                               store_rows(dq, n, count, out.dq + i * n, n * n);
                                               store_rows(dv, n, count, out.dv + i * n, n * n);
                                               store_rows(M, n, count, out.dx + i * n, n * n);
                                             });
}

template <class E>
void store_inverse_derivatives(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                               const Lanes<E>* qdd, const Force<Lanes<E>>* Fext_B, int count,
                               Arena arena, const Square<E>& out) {
  using T = Lanes<E>;
  if (!m.coupled) return store_derivative_rows<E>(m, q, qd, qdd, Fext_B, count, arena, out);
  const int size = m.nv * m.nv;
  T* const all = arena.take<T>(3 * index(size));
  const Square<T> lanes{all, all + size, all + 2 * size};
  coupled_inverse_derivatives<E>(m, q, qd, qdd, Fext_B, arena, lanes);
  store_rows(lanes.dq, size, count, out.dq);
  store_rows(lanes.dv, size, count, out.dv);
  store_rows(lanes.dx, size, count, out.dx);
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
  coupled_inverse_derivatives<E>(m, q, qd, qdd, Fext_B, arena, out);
  kernels::CoupledForwardDerivatives<Lanes<E>>::run(m.nv, arena, out.dq, out.dv, out.dx, &lost);
  return lost;
}

#define CATENA_INSTANTIATE(E)                                                 \
  template void store_inverse_derivatives<E>(                                 \
      const Mechanism<E>&, const Lanes<E>*, const Lanes<E>*, const Lanes<E>*, \
      const Force<Lanes<E>>*, int, Arena, const Square<E>&);                  \
  template LostPivots<Lanes<E>> forward_derivatives<E>(                       \
      const Mechanism<E>&, const Lanes<E>*, const Lanes<E>*, const Lanes<E>*, \
      const Force<Lanes<E>>*, Arena, Lanes<E>*, const Square<Lanes<E>>&);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(float)

}  // namespace catena::CATENA_LEVEL
