// The inertia matrix by actions: a unit acceleration of joint i alone moves all that joint i
// carries with H = L_i, which takes the action skew(L_i J), J the sum of the inertias; its work
// along a screw below it is the entry,
//   M_im = skew(L_i J_i) ⊗ L_m     for every joint m between the ground and joint i.
#include "catena/formulations/homogeneous/inertia_matrix.hpp"

#include "catena/formulations/homogeneous/links.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::homogeneous {
namespace {

template <class T>
struct Kernel {
  static void run(const Mechanism<T>* mechanism, const T* q, Arena arena, T* M) {
    const auto& m = *mechanism;
    const std::size_t n = index(m.tree_nv);
    const Links<T> links = place_links(m, q, arena);
    const PseudoInertia<T>* J_0 = composite_inertias(m, links, arena);
    for (std::size_t k = 0; k < n * n; ++k) M[k] = T(0);
    for (int i = 0; i < m.tree_nv; ++i) {
      const Action<T> Phi = skew(links.L_0[i], J_0[m.body_of_v[index(i)]]);
      for (int k = i; k >= 0; k = m.parent_of_v[index(k)]) {
        const T entry = work(Phi, links.L_0[k]);
        M[index(i) * n + index(k)] = entry;
        M[index(k) * n + index(i)] = entry;
      }
    }
  }
};

}  // namespace

template <class T>
void inertia_matrix(const Mechanism<T>& m, const T* q, Arena arena, T* M) {
  run_kernel<T, Kernel<T>>(&m, q, arena, M);
}

#define CATENA_INSTANTIATE(T) \
  template void inertia_matrix<T>(const Mechanism<T>&, const T*, Arena, T*);
CATENA_FOR_EACH_CONSTANT(CATENA_INSTANTIATE)

}  // namespace catena::homogeneous
