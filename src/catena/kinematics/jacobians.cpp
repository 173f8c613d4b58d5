#include "catena/kinematics/jacobians.hpp"

#include "catena/kinematics/all_jacobians.hpp"
#include "catena/scalar/symbolic.hpp"

namespace catena {
template <class T>
void poses_and_jacobians(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                         std::span<Pose<T>> X_WB, std::span<T> J_W) {
  check_size("q", q.size(), index(m.nq));
  check_size("X_WB", X_WB.size(), m.bodies.size());
  check_size("J_W", J_W.size(), 6 * index(m.nv));
  Arena arena = w.arena();
  if (!m.coupled)
    return run_kernel<T, kernels::PosesAndJacobians<T>>(&m, q.data(), arena, X_WB.data(),
                                                        J_W.data());
  const kernels::AllJacobians<T> all = all_jacobians(m, q, arena);
  for (std::size_t b = 0; b < X_WB.size(); ++b) X_WB[b] = all.X_WB[b];
  for (T& entry : J_W) entry = T(0);
  for (int k = 0; k < m.tree_nv; ++k) {
    kernels::add_column(J_W, m.v_map[index(k)].index, m.v_map[index(k)].ratio, all.column(k));
  }
}

template <class T>
void frame_jacobian(const Mechanism<Constant<T>>& m, std::span<const T> q, int body,
                    const Pose<Constant<T>>& X_BF, Axes axes, Workspace<T>& w, std::span<T> J) {
  check_size("q", q.size(), index(m.nq));
  check_size("J", J.size(), 6 * index(m.nv));
  Arena arena = w.arena();
  const kernels::AllJacobians<T> all = all_jacobians(m, q, arena);
  kernels::frame_jacobian(m, all, body, X_BF, axes, J);
}

// A joint direction is fixed in its body: at the world's origin it changes by V x S, with V the
// twist of that body. Moving it to Fo adds w x (velocity of Fo), turning it into F takes the
// turning of F away.
template <class T>
void frame_jacobian_rate(const Mechanism<Constant<T>>& m, std::span<const T> q,
                         std::span<const T> qd, int body, const Pose<Constant<T>>& X_BF, Axes axes,
                         Workspace<T>& w, std::span<T> Jdot) {
  check_size("q", q.size(), index(m.nq));
  check_size("qd", qd.size(), index(m.nv));
  check_size("Jdot", Jdot.size(), 6 * index(m.nv));
  Arena arena = w.arena();
  const T* tree_qd = tree_rates(m, qd, arena);
  const kernels::AllJacobians<T> all = all_jacobians(m, q, arena);
  const Pose<T> X_WF = all.X_WB[body] * X_BF;
  const Vec3<T> zero{T(0), T(0), T(0)};
  // Twists at the world's origin of the bodies along the path, from the tip's downwards.
  Motion<T> V{zero, zero};
  for (int k = kernels::last_velocity(m, body); k >= 0; k = m.parent_of_v[index(k)]) {
    const Motion<T> S = all.column(k);
    V = {V.w + tree_qd[k] * S.w, V.v + tree_qd[k] * S.v};
  }
  const Motion<T> V_F = V;
  const Vec3<T> velocity = V_F.v + cross(V_F.w, X_WF.p);  // of Fo
  for (T& entry : Jdot) entry = T(0);
  int moving = -1;      // the body whose twist V_B is
  Motion<T> V_B = V;    // of the body that direction k is fixed in
  Motion<T> below = V;  // V less the directions already passed
  for (int k = kernels::last_velocity(m, body); k >= 0; k = m.parent_of_v[index(k)]) {
    const Motion<T> S = all.column(k);
    if (m.body_of_v[index(k)] != moving) moving = m.body_of_v[index(k)], V_B = below;
    Motion<T> D{cross(V_B.w, S.w), cross(V_B.w, S.v) + cross(V_B.v, S.w)};
    if (axes != Axes::world) {
      D.v = D.v + cross(D.w, X_WF.p) + cross(S.w, velocity);
      if (axes == Axes::frame) {
        const Vec3<T> v = S.v + cross(S.w, X_WF.p);
        D = {transpose_times(X_WF.R, D.w - cross(V_F.w, S.w)),
             transpose_times(X_WF.R, D.v - cross(V_F.w, v))};
      }
    }
    const auto& map = m.v_map[index(k)];
    kernels::add_column(Jdot, map.index, map.ratio, D);
    below = {below.w - tree_qd[k] * S.w, below.v - tree_qd[k] * S.v};
  }
}

template <class T>
Vec3<T> mass_centre(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                    std::span<T> J) {
  check_size("q", q.size(), index(m.nq));
  if (!J.empty()) check_size("J", J.size(), 3 * index(m.nv));
  Arena arena = w.arena();
  const kernels::AllJacobians<T> all = all_jacobians(m, q, arena);
  // First moments of subtrees about the world's origin.
  const int nb = m.num_bodies();
  T* mass = arena.take<T>(index(nb));
  Vec3<T>* h = arena.take<Vec3<T>>(index(nb));
  mass[0] = T(0), h[0] = {T(0), T(0), T(0)};
  for (int i = 1; i < nb; ++i) {
    const auto& M = m.bodies[index(i)].M;
    mass[i] = T(M.m);
    h[i] = M.m * all.X_WB[i].p + all.X_WB[i].R * M.h;
  }
  for (int i = nb - 1; i > 0; --i) {
    const int p = m.bodies[index(i)].parent;
    mass[p] = mass[p] + mass[i], h[p] = h[p] + h[i];
  }
  if (!(to_double(mass[0]) > 0)) throw NumericalError("mass centre: no body that moves has a mass");
  const T whole = T(1) / mass[0];
  for (T& entry : J) entry = T(0);
  for (int k = 0; !J.empty() && k < m.tree_nv; ++k) {
    const Motion<T> S = all.column(k);
    const int b = m.body_of_v[index(k)];
    const Vec3<T> v = whole * (mass[b] * S.v + cross(S.w, h[b]));
    const auto& map = m.v_map[index(k)];
    T* column = J.data() + 3 * map.index;
    column[0] = column[0] + map.ratio * v.x, column[1] = column[1] + map.ratio * v.y;
    column[2] = column[2] + map.ratio * v.z;
  }
  return whole * h[0];
}

#define CATENA_INSTANTIATE(T)                                                                   \
  template void poses_and_jacobians<T>(const Mechanism<Constant<T>>&, std::span<const T>,       \
                                       Workspace<T>&, std::span<Pose<T>>, std::span<T>);        \
  template void frame_jacobian<T>(const Mechanism<Constant<T>>&, std::span<const T>, int,       \
                                  const Pose<Constant<T>>&, Axes, Workspace<T>&, std::span<T>); \
  template void frame_jacobian_rate<T>(const Mechanism<Constant<T>>&, std::span<const T>,       \
                                       std::span<const T>, int, const Pose<Constant<T>>&, Axes, \
                                       Workspace<T>&, std::span<T>);                            \
  template Vec3<T> mass_centre<T>(const Mechanism<Constant<T>>&, std::span<const T>,            \
                                  Workspace<T>&, std::span<T>);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(Symbolic)

}  // namespace catena
