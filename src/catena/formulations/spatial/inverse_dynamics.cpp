// Recursive Newton-Euler algorithm in body coordinates [Featherstone & Orin 2000, 3.1].
// Frames: W world, P parent body, B this body. Accelerations are the classical ones of Bo, so that
// no linear velocity is needed.
#include "catena/formulations/spatial/inverse_dynamics.hpp"

#include "catena/formulations/passive.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {
namespace {

template <class T>
struct BodyMotion {
  Vec3<T> w, alpha, a;
};

template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* tau, Force<T>* F_PB_B) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const auto* bodies = m.bodies.data();
    const JointPositions<T> at = joint_positions(m, q, arena);
    BodyMotion<T>* motion = arena.take<BodyMotion<T>>(index(nb));
    const bool keep = F_PB_B != nullptr || m.branched;  // sums of forces are read again
    if (F_PB_B == nullptr) F_PB_B = arena.take<Force<T>>(index(nb));

    // Gravity enters once: the world is accelerated upwards, so no body needs a weight.
    const T o(0);
    const Vec3<T> zero{o, o, o};
    motion[0] = {zero, zero, {T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)}};
    F_PB_B[0] = {zero, zero};

    Vec3<T> w = zero, alpha = zero, a = motion[0].a;  // of body i - 1, then of body i
    Mat3<T> U;
    Force<T> F{zero, zero};
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = bodies[i];
      if (b.parent != i - 1) {
        const BodyMotion<T>& P = motion[b.parent];
        w = P.w, alpha = P.alpha, a = P.a;
        U = acceleration_matrix(w, alpha);
      }
      with_joint_and_alpha<T>(b, [&](auto joint) {
        const auto X = transform_of<T>(joint, b, at);
        if (b.parent == 0)
          leave_ground(joint, b, X, qd, qdd, motion[0].a, w, alpha, a);
        else
          carry_motion(joint, b, X, qd, qdd, U, w, alpha, a);
      });
      U = acceleration_matrix(w, alpha);
      if (m.branched) motion[i] = {w, alpha, a};
      // Newton-Euler about Bo: a point r of B accelerates by a + U r
      F = {zero, zero};
      if (!b.massless) {
        F.f = add_product(b.M.m * a, U, b.M.h);
        F.n = add_cross(moment(U, b.E), b.M.h, a);
      }
      if (Fext_B != nullptr) F = F - Fext_B[i];
      F_PB_B[i] = F;
    }
    for (int i = nb - 1; i > 0; --i) {  // tip to base; a child is done before its parent
      const auto& b = bodies[i];
      Force<T> sum = F_PB_B[b.parent];
      with_joint_and_alpha<T>(b, [&](auto joint) {
        project(joint, b, F, tau);
        if (b.parent != 0 || keep) transform_of<T>(joint, b, at).add_to_parent(sum, F);
      });
      if (keep) F_PB_B[b.parent] = sum;
      F = sum;
      if (b.parent != i - 1) F = F_PB_B[i - 1];
    }
    if (m.has_armature) {
      for (int v = 0; v < m.tree_nv; ++v) tau[v] = tau[v] + m.armature[index(v)] * qdd[v];
    }
    if (m.has_passive) add_passive_forces(m, q, qd, tau);
  }
};

}  // namespace

template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                      std::span<const T> qdd, std::span<const Force<T>> Fext_B, Workspace<T>& w,
                      std::span<T> tau, std::span<Force<T>> F_PB_B) {
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), index(m.nv));
  if (!qdd.empty()) check_size("qdd", qdd.size(), index(m.nv));
  if (!Fext_B.empty()) check_size("Fext_B", Fext_B.size(), m.bodies.size());
  if (!F_PB_B.empty()) check_size("F_PB_B", F_PB_B.size(), m.bodies.size());
  check_size("tau", tau.size(), index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_qdd = tree_rates(m, qdd, arena);
  T* tree_tau = tree_forces(m, tau, arena);
  run_kernel<T, Kernel<T>>(&m, tree_q, tree_qd, tree_qdd, Fext_B.empty() ? nullptr : Fext_B.data(),
                           arena, tree_tau, F_PB_B.empty() ? nullptr : F_PB_B.data());
  gather_forces(m, tree_tau, tau);
}

template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                      std::span<const T> qdd, std::span<const Force<T>> Fext_B, Workspace<T>& w,
                      std::span<T> tau) {
  inverse_dynamics<T>(m, q, qd, qdd, Fext_B, w, tau, {});
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template void inverse_dynamics<T>(const Mechanism<Constant<T>>&, std::span<const T>,           \
                                    std::span<const T>, std::span<const T>,                      \
                                    std::span<const Force<T>>, Workspace<T>&, std::span<T>);     \
  template void inverse_dynamics<T>(                                                             \
      const Mechanism<Constant<T>>&, std::span<const T>, std::span<const T>, std::span<const T>, \
      std::span<const Force<T>>, Workspace<T>&, std::span<T>, std::span<Force<T>>);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
