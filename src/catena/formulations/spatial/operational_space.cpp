#include "catena/formulations/spatial/operational_space.hpp"

#include "catena/formulations/dense.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/kinematics/jacobians.hpp"

namespace catena {

template <class T>
ForwardStatus operational_space(const Mechanism<Constant<T>>& m, std::span<const T> q, int body,
                                const Pose<Constant<T>>& X_BF, Axes axes, Workspace<T>& w,
                                const OperationalSpace<T>& out) {
  const std::size_t n = index(m.nv);
  check_size("response", out.response.size(), 6 * n);
  check_size("mobility", out.mobility.size(), 36);
  frame_jacobian<T>(m, q, body, X_BF, axes, w, out.J);
  for (std::size_t r = 0; r < 6; ++r) {
    const std::span<T> x = out.response.subspan(r * n, n);
    for (std::size_t k = 0; k < n; ++k) x[k] = out.J[6 * k + r];
    const ForwardStatus status = solve_inertia<T>(m, q, x, w, x);
    if (!status) return status;
    for (std::size_t s = 0; s < 6; ++s) {
      T sum(0);
      for (std::size_t k = 0; k < n; ++k) sum = sum + out.J[6 * k + s] * x[k];
      out.mobility[6 * r + s] = sum;
    }
  }
  for (std::size_t r = 1; r < 6; ++r) {
    for (std::size_t s = 0; s < r; ++s) out.mobility[6 * r + s] = out.mobility[6 * s + r];
  }
  return {};
}

template <class T>
int invert_mobility(std::span<T> mobility) {
  check_size("mobility", mobility.size(), 36);
  T inverse[36];
  int bad = -1;
  for (int r = 0; r < 6; ++r) {
    T M[36], x[6];
    for (std::size_t k = 0; k < 36; ++k) M[k] = mobility[k];
    for (int k = 0; k < 6; ++k) x[k] = T(k == r ? 1 : 0);
    bad = solve_dense(M, x, 6);
    for (int k = 0; k < 6; ++k) inverse[6 * r + k] = x[k];
  }
  for (std::size_t k = 0; k < 36; ++k) mobility[k] = inverse[k];
  return bad;
}

#define CATENA_INSTANTIATE(T)                                                                     \
  template ForwardStatus operational_space<T>(const Mechanism<Constant<T>>&, std::span<const T>,  \
                                              int, const Pose<Constant<T>>&, Axes, Workspace<T>&, \
                                              const OperationalSpace<T>&);                        \
  template int invert_mobility<T>(std::span<T>);
CATENA_FOR_EACH_DERIVED_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
