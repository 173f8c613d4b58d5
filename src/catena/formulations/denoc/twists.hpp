// Forward recursion of twist rates, about the bodies' origins [Saha, Recursive Dynamics Algorithms,
// 2.4.1].
//
//   t_i = A_{i,i-1} t_{i-1} + p_i qd_i
//   t'_i = A_{i,i-1} t'_{i-1} + A'_{i,i-1} t_{i-1} + p_i qdd_i + W_i p_i qd_i
//   w*_i = M_i t'_i + W_i M_i E_i t_i - wext_i                                         (5)
//
// with A_{i,i-1} = [1 0; a_{i,i-1}x 1] (11d). Everything is in the body's own axes. A' t needs the
// angular velocity alone, A'_{i,i-1} t_{i-1} = [0; w x (w x a_{i-1,i})], so that no linear velocity
// is computed.
#pragma once

#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::denoc {

// Angular velocity, and twist rate [alpha; a] of the body's origin.
template <class T>
struct TwistRate {
  Vec3<T> w, alpha, a;
};

// (M_i t'_i + W_i M_i E_i t_i) of one body (4a-b), where U = alphax + wx wx:
//   n = I alpha + w x I w + h x a,  f = m a + U h
template <class T>
Force<T> inertia_wrench(const MechanismBody<Constant<T>>& b, const TwistRate<T>& t,
                        const Mat3<T>& U) {
  const Vec3<T> n = b.M.I * t.alpha;
  return {add_cross(add_cross(n, t.w, b.M.I * t.w), b.M.h, t.a),
          add_product(b.M.m * t.a, U, b.M.h)};
}

// One step of the recursion, from the parent's twist rate (and its U) to the body's own.
template <bool accelerated, class T, class J, class X>
void carry_twist(J joint, const MechanismBody<Constant<T>>& b, const X& X_PB, const T* qd,
                 const T* qdd, const Mat3<T>& U, TwistRate<T>& t) {
  const T o(0);
  const Vec3<T> a_P = add_product(t.a, U, X_PB.position());
  Vec3<T> alpha{o, o, o}, a{o, o, o};  // p qdd + W p qd
  t.w = X_PB.to_child(t.w);
  add_rates(joint, b, qd, t.w, alpha, a);
  if constexpr (accelerated) add_motion(joint, b, qdd, alpha, a);
  t.alpha = X_PB.add_to_child(alpha, t.alpha);
  t.a = X_PB.add_to_child(a, a_P);
}
// The first step: the ground does not turn; it accelerates against gravity (17).
template <bool accelerated, class T, class J, class X>
void start_twist(J joint, const MechanismBody<Constant<T>>& b, const X& X_0B, const T* qd,
                 const T* qdd, const Vec3<T>& a_0, TwistRate<T>& t) {
  const T o(0);
  t = {{o, o, o}, {o, o, o}, {o, o, o}};
  add_rates(joint, b, qd, t.w, t.alpha, t.a);
  if constexpr (accelerated) add_motion(joint, b, qdd, t.alpha, t.a);
  t.a = X_0B.add_to_child(t.a, a_0);
}

// w*_i of every body; qdd is read only if accelerated. F [num_bodies]; F[0] is zero.
template <bool accelerated, class T>
void inertia_wrenches(const Mechanism<Constant<T>>& m, const JointPositions<T>& at, const T* qd,
                      const T* qdd, const Force<T>* Fext_B, Arena& arena, Force<T>* F) {
  const int nb = m.num_bodies();
  const auto* bodies = m.bodies.data();
  TwistRate<T>* twists = m.branched ? arena.take<TwistRate<T>>(index(nb)) : nullptr;
  const T o(0);
  const Vec3<T> zero{o, o, o};
  const Vec3<T> a_0{T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)};
  F[0] = {zero, zero};
  TwistRate<T> t{zero, zero, a_0};
  Mat3<T> U;
  for (int i = 1; i < nb; ++i) {  // base to tip
    const auto& b = bodies[i];
    if (b.parent != i - 1 && b.parent != 0) {
      t = twists[b.parent];
      U = acceleration_matrix(t.w, t.alpha);
    }
    with_joint(b.kind, [&](auto joint) {
      const auto X = transform_of<T>(joint, b, at);
      if (b.parent == 0)
        start_twist<accelerated>(joint, b, X, qd, qdd, a_0, t);
      else
        carry_twist<accelerated>(joint, b, X, qd, qdd, U, t);
    });
    if (m.branched) twists[i] = t;
    U = acceleration_matrix(t.w, t.alpha);
    Force<T> w{zero, zero};
    if (!b.massless) w = inertia_wrench<T>(b, t, U);
    if (Fext_B != nullptr) w = w - Fext_B[i];
    F[i] = w;
  }
}

}  // namespace catena::denoc
