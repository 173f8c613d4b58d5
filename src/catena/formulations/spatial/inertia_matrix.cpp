#include "catena/formulations/spatial/inertia_matrix.hpp"

#include <algorithm>

#include "catena/formulations/spatial/inertia_matrix_kernel.hpp"
#include "catena/scalar/isa.hpp"
#include "catena/scalar/symbolic.hpp"

namespace catena {
namespace {

template <class T>
void tree_inertia_matrix(const Mechanism<Constant<T>>& m, const T* tree_q, Triangle triangle,
                         Arena arena, T* M) {
  const std::size_t n = index(m.tree_nv);
  if (m.branched) std::fill(M, M + n * n, T(0));  // branches do not feel each other
  if (m.deep)
    run_kernel<T, kernels::DeepInertiaMatrix<T>>(&m, tree_q, arena, M);
  else
    run_kernel<T, kernels::ShallowInertiaMatrix<T>>(&m, tree_q, arena, M);
  for (std::size_t i = 0; m.has_armature && i < n; ++i) {
    M[i * (n + 1)] = M[i * (n + 1)] + m.armature[i];
  }
  if (triangle == Triangle::both) run_kernel<T, kernels::MirrorInertiaMatrix<T>>(M, m.tree_nv);
}

}  // namespace

template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                    std::span<T> M, Triangle triangle) {
  check_size("q", q.size(), index(m.nq));
  check_size("M", M.size(), index(m.nv) * index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  if (!m.coupled) return tree_inertia_matrix(m, tree_q, triangle, arena, M.data());
  // Gᵀ M_tree G
  T* tree_M = arena.take<T>(index(m.tree_nv) * index(m.tree_nv));
  tree_inertia_matrix(m, tree_q, Triangle::both, arena, tree_M);
  for (T& entry : M) entry = T(0);
  for (int i = 0; i < m.tree_nv; ++i) {
    for (int j = 0; j < m.tree_nv; ++j) {
      const auto& a = m.v_map[index(i)];
      const auto& b = m.v_map[index(j)];
      T& entry = M[index(a.index) * index(m.nv) + index(b.index)];
      entry = entry + a.ratio * (b.ratio * tree_M[index(i) * index(m.tree_nv) + index(j)]);
    }
  }
  for (int i = 1; i < m.nv; ++i) {  // sums in another order round differently
    for (int j = 0; j < i; ++j)
      M[index(i) * index(m.nv) + index(j)] = M[index(j) * index(m.nv) + index(i)];
  }
}

#define CATENA_INSTANTIATE(T)                                                        \
  template void inertia_matrix<T>(const Mechanism<Constant<T>>&, std::span<const T>, \
                                  Workspace<T>&, std::span<T>, Triangle);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(Symbolic)

}  // namespace catena
