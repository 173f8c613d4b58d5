// Forward dynamics: M q'' = tau - h, with h the forces of inverse dynamics at q'' = 0, by LDLᵀ.
#include "catena/formulations/homogeneous/forward_dynamics.hpp"

#include "catena/formulations/dense.hpp"
#include "catena/formulations/homogeneous/newton_euler.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::homogeneous {
namespace {

// qd null: x = M⁻¹ f.
template <class T>
struct Kernel {
  static void run(const Mechanism<T>* mechanism, const T* q, const T* qd, const T* f,
                  const Force<T>* Fext_B, Arena arena, T* x, int* bad) {
    const auto& m = *mechanism;
    const std::size_t n = index(m.tree_nv);
    const Links<T> links = place_links(m, q, arena);
    PseudoInertia<T>* J_0 = place_inertias(m, links, arena);
    for (std::size_t v = 0; v < n; ++v) x[v] = f[v];
    T* M = arena.take<T>(n * n);
    if (qd != nullptr) {
      T* none = arena.take<T>(n);
      T* h = arena.take<T>(n);
      Action<T>* Psi = arena.take<Action<T>>(index(m.num_bodies()));
      for (std::size_t v = 0; v < n; ++v) none[v] = T(0);
      newton_euler<T>(m, links, J_0, qd, none, Fext_B, arena, h, Psi, false);
      for (std::size_t v = 0; v < n; ++v) x[v] = x[v] - h[v];
    }
    add_up_inertias(m, J_0);
    matrix_by_actions<T>(m, links, J_0, M);
    for (std::size_t v = 0; m.has_armature && v < n; ++v) {
      M[v * (n + 1)] = M[v * (n + 1)] + m.armature[v];
    }
    *bad = solve_dense(M, x, m.tree_nv);
  }
};

}  // namespace

template <class T>
int forward_dynamics(const Mechanism<T>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd) {
  int bad = -1;
  run_kernel<T, Kernel<T>>(&m, q, qd, tau, Fext_B, arena, qdd, &bad);
  return bad;
}

template <class T>
int solve_inertia(const Mechanism<T>& m, const T* q, const T* f, Arena arena, T* x) {
  int bad = -1;
  run_kernel<T, Kernel<T>>(&m, q, static_cast<const T*>(nullptr), f,
                           static_cast<const Force<T>*>(nullptr), arena, x, &bad);
  return bad;
}

#define CATENA_INSTANTIATE(T)                                                         \
  template int forward_dynamics<T>(const Mechanism<T>&, const T*, const T*, const T*, \
                                   const Force<T>*, Arena, T*);                       \
  template int solve_inertia<T>(const Mechanism<T>&, const T*, const T*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::homogeneous
