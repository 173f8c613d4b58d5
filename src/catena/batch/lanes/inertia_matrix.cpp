#include "catena/batch/lanes/rows.hpp"
#include "catena/formulations/spatial/inertia_matrix_kernel.hpp"

namespace catena::CATENA_LEVEL {

template <class E>
CATENA_LANES void shallow_inertia_matrix(const Mechanism<E>& m, const Lanes<E>* q, Arena arena,
                                         Lanes<E>* M) {
  kernels::ShallowInertiaMatrix<Lanes<E>>::run(&m, q, arena, M);
}
template <class E>
CATENA_LANES void deep_inertia_matrix(const Mechanism<E>& m, const Lanes<E>* q, Arena arena,
                                      Lanes<E>* M) {
  kernels::DeepInertiaMatrix<Lanes<E>>::run(&m, q, arena, M);
}

// Of the tree, rotors included.
template <class E>
void tree_inertia_matrix(const Mechanism<E>& m, const Lanes<E>* q, Arena arena, Lanes<E>* M) {
  if (m.deep)
    deep_inertia_matrix(m, q, arena, M);
  else
    shallow_inertia_matrix(m, q, arena, M);
  for (int v = 0; m.has_armature && v < m.tree_nv; ++v)
    M[index(v) * index(m.tree_nv + 1)] += Lanes<E>(m.armature[index(v)]);
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

// Row by row, each stored as soon as it is there.
template <class E>
CATENA_LANES void store_lower_rows(const Mechanism<E>& m, const Lanes<E>* q, int count, Arena arena,
                                   E* out) {
  using T = Lanes<E>;
  const int n = m.nv;
  // Later rows write only to places that earlier ones do not reach: zeros stay where they belong.
  T* row = arena.take<T>(index(n));
  for (int k = 0; k < n; ++k) row[k] = T(E(0));
  kernels::DeepInertiaMatrix<T>::row_by_row(m, q, arena, [&](int j, auto fill) {
    fill(row);
    if (m.has_armature) row[j] += T(m.armature[index(j)]);
    store_rows(row, j + 1, count, out + j * n, n * n);
  });
}

template <class E>
void store_inertia_matrix(const Mechanism<E>& m, const Lanes<E>* q, int count, Triangle triangle,
                          Arena arena, E* out) {
  using T = Lanes<E>;
  const int n = m.nv;
  const bool lower = triangle == Triangle::lower;
  if (lower && m.deep && !m.coupled) return store_lower_rows(m, q, count, arena, out);
  T* M = arena.take<T>(index(n) * index(n));
  for (int k = 0; m.branched && k < n * n; ++k) M[k] = T(E(0));
  inertia_matrix<E>(m, q, arena, M);
  if (lower) {
    for (int i = 0; i < n; ++i) store_rows(M + i * n, i + 1, count, out + i * n, n * n);
    return;
  }
  for (int i = 1; i < n; ++i) {
    for (int j = 0; j < i; ++j) M[j * n + i] = M[i * n + j];
  }
  store_rows(M, n * n, count, out, n * n);
}

#define CATENA_INSTANTIATE(E)                                                                \
  template void inertia_matrix<E>(const Mechanism<E>&, const Lanes<E>*, Arena, Lanes<E>*);   \
  template void store_inertia_matrix<E>(const Mechanism<E>&, const Lanes<E>*, int, Triangle, \
                                        Arena, E*);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(float)

}  // namespace catena::CATENA_LEVEL
