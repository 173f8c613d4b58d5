// Global analysis, inertia matrix [Featherstone & Orin 2000, 3.5]: M = Hᵀ P⁻ᵀ I P⁻¹ H.
// Column j of P⁻¹ H is h_j on the subtree of its body and zero elsewhere, and so the block of
// P⁻ᵀ I P⁻¹ between a body and one above it is the sum of I over the lower one's subtree.
#include "catena/formulations/global/inertia_matrix.hpp"

#include "catena/formulations/global/common_frame.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::global_analysis {
namespace {

template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, Arena arena, T* M) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const std::size_t n = index(m.tree_nv);
    const T o(0);
    const CommonFrame<T> frame = common_frame(m, q, arena);

    // P⁻ᵀ I P⁻¹: sums over subtrees
    Inertia<T>* I = arena.take<Inertia<T>>(index(nb));
    for (int i = 1; i < nb; ++i) {
      const auto& b = m.bodies[index(i)];
      I[i] = b.massless ? Inertia<T>{o, {o, o, o}, {o, o, o, o, o, o}}
                        : common_inertia<T>(b, frame.X[i]);
    }
    solve_transposed(frame.parent, nb, I);

    for (std::size_t k = 0; k < n * n; ++k) M[k] = o;
    for (int j = 0; j < m.tree_nv; ++j) {
      const Force<T> f = I[m.body_of_v[index(j)]] * frame.H[j];
      for (int i = j; i >= 0; i = m.parent_of_v[index(i)]) {
        M[index(i) * n + index(j)] = M[index(j) * n + index(i)] = dot(frame.H[i], f);
      }
    }
  }
};

}  // namespace

template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, const T* q, Arena arena, T* M) {
  run_kernel<T, Kernel<T>>(&m, q, arena, M);
}

#define CATENA_INSTANTIATE(T) \
  template void inertia_matrix<T>(const Mechanism<Constant<T>>&, const T*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::global_analysis
