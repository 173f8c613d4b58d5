#include "catena/batch/lanes/level.hpp"
#include "catena/formulations/spatial/inertia_matrix_kernel.hpp"

namespace catena::CATENA_LEVEL {

// Of the tree, rotors included.
template <class E>
CATENA_LANES void tree_inertia_matrix(const Mechanism<E>& m, const Lanes<E>* q, Arena arena,
                                      Lanes<E>* M) {
  using T = Lanes<E>;
  if (m.deep)
    kernels::DeepInertiaMatrix<T>::run(&m, q, arena, M);
  else
    kernels::ShallowInertiaMatrix<T>::run(&m, q, arena, M);
  for (int v = 0; m.has_armature && v < m.tree_nv; ++v) {
    T& entry = M[index(v) * index(m.tree_nv + 1)];
    entry = entry + T(m.armature[index(v)]);
  }
}

template <class E>
void inertia_matrix(const Mechanism<E>& m, const Lanes<E>* q, Arena arena, Lanes<E>* M) {
  using T = Lanes<E>;
  if (!m.coupled) return tree_inertia_matrix(m, q, arena, M);
  // Gᵀ M_tree G
  const std::size_t n = index(m.nv), tree_n = index(m.tree_nv);
  T* tree_M = arena.take<T>(tree_n * tree_n);
  for (std::size_t k = 0; k < tree_n * tree_n; ++k) tree_M[k] = T(E(0));
  const T* tree_q = tree_positions<T>(m, {q, index(m.nq)}, arena);
  tree_inertia_matrix<E>(m, tree_q, arena, tree_M);
  for (std::size_t k = 0; k < n * n; ++k) M[k] = T(E(0));
  for (std::size_t i = 0; i < tree_n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const auto& a = m.v_map[i];
      const auto& b = m.v_map[j];
      const T part = T(a.ratio * b.ratio) * tree_M[i * tree_n + j];
      const auto add = [&](int r, int c) {
        if (r >= c) M[index(r) * n + index(c)] += part;
      };
      add(a.index, b.index);
      if (i != j) add(b.index, a.index);
    }
  }
}

#define CATENA_INSTANTIATE(E) \
  template void inertia_matrix<E>(const Mechanism<E>&, const Lanes<E>*, Arena, Lanes<E>*);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(float)

}  // namespace catena::CATENA_LEVEL
