// The generalized inertia matrix, element by element, in the axes of the bodies:
//   M~_i = M_i + sum B_{c,i}ᵀ M~_c B_{c,i} over the children c                 (23b)
//   i_ij = p_iᵀ M~_i B_ij p_j = (B_ijᵀ M~_i p_i)ᵀ p_j for j at or above i      (24)
#include "catena/formulations/denoc/inertia_matrix.hpp"

#include <algorithm>

#include "catena/formulations/denoc/directions.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::denoc {
namespace {

template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, Arena arena, T* I) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies(), nv = m.tree_nv;
    const JointPositions<T> at = joint_positions(m, q, arena);
    Inertia<T>* composite = arena.take<Inertia<T>>(index(nb));
    for (int i = 1; i < nb; ++i) composite[i] = rigid<T>(m.bodies[index(i)]);
    Force<T>* column = arena.take<Force<T>>(index(nv));  // B_ijᵀ M~_i p_i, at body j
    for (int i = nb - 1; i > 0; --i) {                   // tip to base
      const auto& b = m.bodies[index(i)];
      const auto row = [&](int v) { return I + index(v) * index(nv); };
      with_joint(b.kind, [&](auto joint) {
        for (int k = 0; k < joint.nv; ++k)
          column[b.v + k] = mass_times<T>(joint, b, k, composite[i]);
        for (int v = b.v; v < b.subtree_end_v; ++v) project(joint, b, column[v], row(v));
        if (b.parent == 0) return;
        const auto X = transform_of<T>(joint, b, at);
        for (int v = b.v; v < b.subtree_end_v; ++v) column[v] = X.to_parent(column[v]);
        composite[b.parent] = composite[b.parent] + X.to_parent(composite[i]);
      });
    }
    for (int i = 1; i < nv; ++i) {
      for (int j = 0; j < i; ++j)
        I[index(j) * index(nv) + index(i)] = I[index(i) * index(nv) + index(j)];
    }
  }
};

}  // namespace

template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, const T* q, Arena arena, T* M) {
  if (m.branched) std::fill(M, M + index(m.tree_nv) * index(m.tree_nv), T(0));
  run_kernel<T, Kernel<T>>(&m, q, arena, M);
}

#define CATENA_INSTANTIATE(T) \
  template void inertia_matrix<T>(const Mechanism<Constant<T>>&, const T*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::denoc
