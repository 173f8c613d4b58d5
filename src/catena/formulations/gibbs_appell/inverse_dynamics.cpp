// The algorithm of Mata et al. 2002, section 4.1, for trees with any joints.
// Frames: P parent body, B this body; all vectors of a body are in B. Bo stands for s_i there.
#include "catena/formulations/gibbs_appell/inverse_dynamics.hpp"

#include "catena/formulations/gibbs_appell/euler_tensor.hpp"
#include "catena/formulations/gibbs_appell/frames.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::gibbs_appell {
namespace {

template <class T>
struct BodyMotion {
  Vec3<T> w, alpha, a;
  AngularAcceleration<T> W;
};

// Step 1: angular velocity, angular acceleration and acceleration of Po become those of B.
template <class T, class J, class Frame>
void carry(J joint, const MechanismBody<Constant<T>>& b, const Frame& frame, const T* qd,
           const T* qdd, BodyMotion<T>& of) {
  const T o(0);
  const Vec3<T> a_P = add_product(of.a, of.W.O, frame.position());
  Vec3<T> alpha{o, o, o}, a{o, o, o};
  of.w = frame.to_child(of.w);
  add_rates(joint, b, qd, of.w, alpha, a);
  add_motion(joint, b, qdd, alpha, a);
  of.alpha = alpha + frame.to_child(of.alpha);
  of.a = a + frame.to_child(a_P);
}
// The same from the ground, which does not turn.
template <class T, class J, class Frame>
void leave_ground(J joint, const MechanismBody<Constant<T>>& b, const Frame& frame, const T* qd,
                  const T* qdd, const Vec3<T>& a_0, BodyMotion<T>& of) {
  const T o(0);
  of.w = of.alpha = of.a = {o, o, o};
  add_rates(joint, b, qd, of.w, of.alpha, of.a);
  add_motion(joint, b, qdd, of.alpha, of.a);
  of.a = of.a + frame.to_child(a_0);
}

// Step 2: f = m rdd (9) and, about Bo, t + r x f (10). Of a body that stands on the ground by a
// revolute joint only the moment about z is formed.
template <class T>
Force<T> forces(const MechanismBody<Constant<T>>& b, const BodyMotion<T>& of) {
  const T o(0);
  Force<T> F{{o, o, o}, {o, o, o}};
  if (b.massless) return F;
  const Vec3<Constant<T>>& h = b.M.h;
  if (only_z(b)) {
    F.n.z = moment_z(of.W, b.E) + (h.x * of.a.y - h.y * of.a.x);
  } else {
    F.f = add_product(b.M.m * of.a, of.W.O, h);
    F.n = add_cross(moment(of.W, b.E), h, of.a);
  }
  return F;
}

template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* tau) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const JointPositions<T> at = joint_positions(m, q, arena);
    BodyMotion<T>* motions = arena.take<BodyMotion<T>>(index(m.branched ? nb : 1));
    Force<T>* F_B = arena.take<Force<T>>(index(nb));

    // Gravity enters once: the ground is accelerated upwards.
    const auto& g = m.gravity_0;
    const Vec3<T> a_0{T(-g.x), T(-g.y), T(-g.z)};
    BodyMotion<T> of{};
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = m.bodies[index(i)];
      if (b.parent != i - 1 && b.parent != 0) of = motions[b.parent];
      with_joint(b.kind, [&](auto joint) {
        const auto frame = frame_of<T>(joint, b, at);
        if (b.parent == 0)
          leave_ground(joint, b, frame, qd, qdd, a_0, of);
        else
          carry(joint, b, frame, qd, qdd, of);
      });
      of.W = angular_acceleration(of.w, of.alpha);
      if (m.branched) motions[i] = of;
      F_B[i] = forces(b, of);
      if (Fext_B != nullptr) F_B[i] = F_B[i] - Fext_B[i];
    }
    for (int i = nb - 1; i > 0; --i) {  // tip to base, step 3
      const auto& b = m.bodies[index(i)];
      with_joint(b.kind, [&](auto joint) {
        const Force<T> F = F_B[i];
        project(joint, b, F, tau);
        if (b.parent == 0) return;
        Force<T>& sum = F_B[b.parent];
        const auto frame = frame_of<T>(joint, b, at);
        if (only_z(m.bodies[index(b.parent)]))
          frame.add_z_to_parent(sum.n.z, F);
        else
          frame.add_to_parent(sum, F);
      });
    }
  }
};

}  // namespace

template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau) {
  run_kernel<T, Kernel<T>>(&m, q, qd, qdd, Fext_B, arena, tau);
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template void inverse_dynamics<T>(const Mechanism<Constant<T>>&, const T*, const T*, const T*, \
                                    const Force<T>*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::gibbs_appell
