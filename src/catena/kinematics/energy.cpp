#include "catena/kinematics/energy.hpp"

#include "catena/kinematics/kinematics_kernels.hpp"
#include "catena/scalar/symbolic.hpp"

namespace catena {

template <class T>
T kinetic_energy(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                 Workspace<T>& w) {
  check_size("q", q.size(), index(m.nq));
  check_size("qd", qd.size(), index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  return kernels::kinetic_energy(m, tree_q, tree_qd, arena);
}

template <class T>
T potential_energy(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w) {
  check_size("q", q.size(), index(m.nq));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  return kernels::potential_energy(m, tree_q, arena);
}

template <class T>
Force<T> momentum(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                  Workspace<T>& w) {
  check_size("q", q.size(), index(m.nq));
  check_size("qd", qd.size(), index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  const Vec3<T> zero{T(0), T(0), T(0)};
  Force<T> h{zero, zero};
  kernels::for_each_body<T>(m, tree_q, tree_qd, arena,
                            [&](int i, const Motion<T>& V, const Pose<T>& X_WB) {
                              h += transform(X_WB, m.bodies[index(i)].M * V);
                            });
  return h;
}

#define CATENA_INSTANTIATE(T)                                                       \
  template T kinetic_energy<T>(const Mechanism<Constant<T>>&, std::span<const T>,   \
                               std::span<const T>, Workspace<T>&);                  \
  template T potential_energy<T>(const Mechanism<Constant<T>>&, std::span<const T>, \
                                 Workspace<T>&);                                    \
  template Force<T> momentum<T>(const Mechanism<Constant<T>>&, std::span<const T>,  \
                                std::span<const T>, Workspace<T>&);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(Symbolic)

}  // namespace catena
