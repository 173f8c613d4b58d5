// The algorithm of Mata et al. 2002, section 4.1, for trees with any joints.
// Frames: P parent body, B this body; all vectors of a body are in B. Bo stands for s_i there.
#include "catena/formulations/gibbs_appell/inverse_dynamics.hpp"

#include "catena/formulations/gibbs_appell/frames.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::gibbs_appell {
namespace {

// Omega = alpha~ + w~² (12), and the differences of its diagonal, which are those of the squares of
// w. Every product is formed once.
template <class T>
struct AngularAcceleration {
  Mat3<T> O;         // by columns
  Vec3<T> diagonal;  // Oyy - Ozz, Ozz - Oxx, Oxx - Oyy
};
template <class T>
AngularAcceleration<T> angular_acceleration(const Vec3<T>& w, const Vec3<T>& alpha) {
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const T xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {{{-(yy + zz), xy + alpha.z, xz - alpha.y},
           {xy - alpha.z, -(xx + zz), yz + alpha.x},
           {xz + alpha.y, yz - alpha.x, -(xx + yy)}},
          {yy - zz, zz - xx, xx - yy}};
}

// The moment of B about Bo, as far as it does not come with the acceleration of Bo. Its tensor is
// Omega J - (Omega J)ᵀ (10) with the Euler tensor J (11), here taken about Bo.
template <class T, class C>
T moment_z(const AngularAcceleration<T>& W, const Sym3<C>& J) {
  const Mat3<T>& O = W.O;
  return (O.x.y * J.xx - O.y.x * J.yy) + (O.z.y * J.xz - O.z.x * J.yz) - W.diagonal.z * J.xy;
}
template <class T, class C>
Vec3<T> moment(const AngularAcceleration<T>& W, const Sym3<C>& J) {
  const Mat3<T>& O = W.O;
  return {(O.y.z * J.yy - O.z.y * J.zz) + (O.x.z * J.xy - O.x.y * J.xz) - W.diagonal.x * J.yz,
          (O.z.x * J.zz - O.x.z * J.xx) + (O.y.x * J.yz - O.y.z * J.xy) - W.diagonal.y * J.xz,
          moment_z(W, J)};
}

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
CATENA_FOR_EACH_CONSTANT(CATENA_INSTANTIATE)

}  // namespace catena::gibbs_appell
