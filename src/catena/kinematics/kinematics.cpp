#include "catena/kinematics/kinematics.hpp"

#include "catena/kinematics/kinematics_kernels.hpp"
#include "catena/scalar/isa.hpp"
#include "catena/scalar/symbolic.hpp"

namespace catena {
namespace {

template <class T>
struct MotionsKernel {
  static void run(const Mechanism<Constant<T>>* m, const T* q, const T* qd, const T* qdd,
                  Arena arena, Pose<T>* X_WB, Motion<T>* V, Motion<T>* A) {
    const JointPositions<T> at = joint_positions(*m, q, arena);
    const Vec3<T> zero{T(0), T(0), T(0)};
    X_WB[0] = world_pose<T>(*m);
    V[0] = A[0] = {zero, zero};
    for (int i = 1; i < m->num_bodies(); ++i) {  // base to tip
      const auto& b = m->bodies[index(i)];
      with_joint(b.kind, [&](auto joint) {
        const auto X = transform_of<T>(joint, b, at);
        X_WB[i] = X.after(X_WB[b.parent]);
        V[i] = X.to_child(V[b.parent]);
        add_motion(joint, b, qd, V[i].w, V[i].v);
        Vec3<T> w = V[b.parent].w, alpha = A[b.parent].w, a = A[b.parent].v;
        carry_motion(joint, b, X, qd, qdd, acceleration_matrix(w, alpha), w, alpha, a);
        A[i] = {alpha, a};
      });
    }
  }
};

}  // namespace

template <class T>
void body_poses(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w,
                std::span<Pose<T>> X_WB) {
  check_size("q", q.size(), index(m.nq));
  check_size("X_WB", X_WB.size(), m.bodies.size());
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  run_kernel<T, kernels::Poses<T>>(&m, tree_q, arena, X_WB.data());
}

template <class T>
void body_motions(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                  std::span<const T> qdd, Workspace<T>& w, std::span<Pose<T>> X_WB,
                  std::span<Motion<T>> V_WB_B, std::span<Motion<T>> A_WB_B) {
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), index(m.nv));
  if (!qdd.empty()) check_size("qdd", qdd.size(), index(m.nv));
  check_size("X_WB", X_WB.size(), m.bodies.size());
  check_size("V_WB_B", V_WB_B.size(), m.bodies.size());
  check_size("A_WB_B", A_WB_B.size(), m.bodies.size());
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_qdd = tree_rates(m, qdd, arena);
  run_kernel<T, MotionsKernel<T>>(&m, tree_q, tree_qd, tree_qdd, arena, X_WB.data(), V_WB_B.data(),
                                  A_WB_B.data());
}

template <class T>
Motion<T> frame_twist(const Pose<T>& X_WB, const Motion<T>& V_WB_B, const Pose<Constant<T>>& X_BF,
                      Axes axes) {
  // the velocity of Fo, in B
  const Motion<T> V{V_WB_B.w, V_WB_B.v + cross(V_WB_B.w, X_BF.p)};
  if (axes == Axes::frame) return {transpose_times(X_BF.R, V.w), transpose_times(X_BF.R, V.v)};
  const Vec3<T> w = X_WB.R * V.w, v = X_WB.R * V.v;
  if (axes == Axes::world_aligned) return {w, v};
  return {w, v + cross(X_WB * X_BF.p, w)};
}

template <class T>
Motion<T> frame_acceleration(const Pose<T>& X_WB, const Motion<T>& V_WB_B, const Motion<T>& A_WB_B,
                             const Pose<Constant<T>>& X_BF, Axes axes) {
  const Vec3<T>& w = V_WB_B.w;
  const Vec3<T> a = A_WB_B.v + cross(A_WB_B.w, X_BF.p) + cross(w, cross(w, X_BF.p));
  if (axes == Axes::frame) {
    // components of the twist in F change by the turning of F as well: d/dt v = a - w x v
    const Vec3<T> v = V_WB_B.v + cross(w, X_BF.p);
    return {transpose_times(X_BF.R, A_WB_B.w), transpose_times(X_BF.R, a - cross(w, v))};
  }
  const Vec3<T> alpha_W = X_WB.R * A_WB_B.w, a_W = X_WB.R * a;
  if (axes == Axes::world_aligned) return {alpha_W, a_W};
  // v0 = v + p x w  =>  d/dt v0 = a + v x w + p x alpha
  const Vec3<T> w_W = X_WB.R * w, v_W = X_WB.R * (V_WB_B.v + cross(w, X_BF.p));
  return {alpha_W, a_W + cross(v_W, w_W) + cross(X_WB * X_BF.p, alpha_W)};
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template void body_poses<T>(const Mechanism<Constant<T>>&, std::span<const T>, Workspace<T>&,  \
                              std::span<Pose<T>>);                                               \
  template void body_motions<T>(const Mechanism<Constant<T>>&, std::span<const T>,               \
                                std::span<const T>, std::span<const T>, Workspace<T>&,           \
                                std::span<Pose<T>>, std::span<Motion<T>>, std::span<Motion<T>>); \
  template Motion<T> frame_twist<T>(const Pose<T>&, const Motion<T>&, const Pose<Constant<T>>&,  \
                                    Axes);                                                       \
  template Motion<T> frame_acceleration<T>(const Pose<T>&, const Motion<T>&, const Motion<T>&,   \
                                           const Pose<Constant<T>>&, Axes);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(Symbolic)

}  // namespace catena
