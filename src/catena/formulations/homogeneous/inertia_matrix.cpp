// The inertia matrix by actions: M_im = skew(L_i J_i) ⊗ L_m (newton_euler.hpp).
#include "catena/formulations/homogeneous/inertia_matrix.hpp"

#include "catena/formulations/homogeneous/newton_euler.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::homogeneous {
namespace {

template <class T>
struct Kernel {
  static void run(const Mechanism<T>* mechanism, const T* q, Arena arena, T* M) {
    const auto& m = *mechanism;
    const Links<T> links = place_links(m, q, arena);
    PseudoInertia<T>* J_0 = place_inertias(m, links, arena);
    add_up_inertias(m, J_0);
    matrix_by_actions<T>(m, links, J_0, M);
  }
};

}  // namespace

template <class T>
void inertia_matrix(const Mechanism<T>& m, const T* q, Arena arena, T* M) {
  run_kernel<T, Kernel<T>>(&m, q, arena, M);
}

#define CATENA_INSTANTIATE(T) \
  template void inertia_matrix<T>(const Mechanism<T>&, const T*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::homogeneous
