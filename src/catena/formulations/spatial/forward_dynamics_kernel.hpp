// Articulated body algorithm in body coordinates [Featherstone & Orin 2000, 3.3].
// With classical accelerations A = [alpha; a of Bo] the equations keep their linear form,
//   A_B = X A_P + zeta + S qdd,   F = M A + beta,
// and their velocity terms zeta, beta need the angular velocity alone. A joint with several
// directions is eliminated one direction at a time.
#pragma once

#include "catena/formulations/forward_status.hpp"
#include "catena/formulations/passive.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::kernels {

// What pass one leaves for the others.
template <class T>
struct BodyState {
  Vec3<T> w;
  Motion<T> zeta;  // velocity-dependent acceleration
  Force<T> p;      // bias force of the articulated body
};

// One eliminated direction: qdd = (u - U · A) / D.
template <class T>
struct Pivot {
  Force<T> U;
  T inverse_D, u;
};

// U = I S for direction k of the joint.
template <class T, class J>
Force<T> inertia_along(J, const MechanismBody<Constant<T>>& b, int k, const Articulated<T>& I) {
  static_cast<void>(b);
  auto angular = [&](int axis) -> Force<T> {
    if (axis == 0) return {{I.A.xx, I.A.xy, I.A.xz}, {I.H.x.x, I.H.y.x, I.H.z.x}};
    if (axis == 1) return {{I.A.xy, I.A.yy, I.A.yz}, {I.H.x.y, I.H.y.y, I.H.z.y}};
    return {{I.A.xz, I.A.yz, I.A.zz}, {I.H.x.z, I.H.y.z, I.H.z.z}};
  };
  auto linear = [&](int axis) -> Force<T> {
    if (axis == 0) return {I.H.x, {I.C.xx, I.C.xy, I.C.xz}};
    if (axis == 1) return {I.H.y, {I.C.xy, I.C.yy, I.C.yz}};
    return {I.H.z, {I.C.xz, I.C.yz, I.C.zz}};
  };
  if constexpr (J::along_z) {
    if constexpr (J::turns && J::slides) {
      const Force<T> n = angular(2), f = linear(2);
      return {n.n + b.pitch * f.n, n.f + b.pitch * f.f};
    }
    if constexpr (J::turns && !J::slides) return angular(2);
    return linear(2);
  } else {
    return k < 3 ? angular(k) : linear(k - 3);
  }
}

// Sᵀ F for direction k.
template <class T, class J>
T along(J, const MechanismBody<Constant<T>>& b, int k, const Force<T>& F) {
  static_cast<void>(b);
  if constexpr (J::along_z) {
    if constexpr (J::turns && J::slides) return F.n.z + b.pitch * F.f.z;
    if constexpr (J::turns && !J::slides) return F.n.z;
    return F.f.z;
  } else {
    const Vec3<T>& v = k < 3 ? F.n : F.f;
    return k % 3 == 0 ? v.x : k % 3 == 1 ? v.y : v.z;
  }
}

// The rounding level of a pivot: where D is not above it, the joint moves nothing.
template <class T>
T pivot_scale(const Articulated<T>& I) {
  return (I.A.xx + I.A.yy + I.A.zz) + (I.C.xx + I.C.yy + I.C.zz);
}

// I + M for a rigid body, whose zeros need no addition.
template <class T, class C>
void add_rigid(Articulated<T>& I, const Inertia<C>& M) {
  I.A = {I.A.xx + M.I.xx, I.A.xy + M.I.xy, I.A.xz + M.I.xz,
         I.A.yy + M.I.yy, I.A.yz + M.I.yz, I.A.zz + M.I.zz};
  I.H.x.y = I.H.x.y + M.h.z, I.H.x.z = I.H.x.z - M.h.y;
  I.H.y.x = I.H.y.x - M.h.z, I.H.y.z = I.H.y.z + M.h.x;
  I.H.z.x = I.H.z.x + M.h.y, I.H.z.y = I.H.z.y - M.h.x;
  I.C.xx = I.C.xx + M.m, I.C.yy = I.C.yy + M.m, I.C.zz = I.C.zz + M.m;
}

// Eliminates direction k of a joint: I and p become what the parent feels of them.
template <class T, class J>
Pivot<T> eliminate(J joint, const MechanismBody<Constant<T>>& b, int k, const T& force,
                   const Constant<T>& armature, Articulated<T>& I, Force<T>& p,
                   LostPivots<T>& lost) {
  const Force<T> U = inertia_along(joint, b, k, I);
  const T D = along(joint, b, k, U) + armature;
  lost.meet(
      D, [&] { return pivot_scale(I); }, b.v + k);
  const T inverse_D = T(1) / D;
  const T u = force - along(joint, b, k, p);
  subtract_outer(I, U, inverse_D);
  const T scaled = inverse_D * u;
  p = {p.n + scaled * U.n, p.f + scaled * U.f};
  return {U, inverse_D, u};
}

// The same for a revolute joint without drive inertia: nothing about z is left, and p.n.z is
// exactly the joint's force. Row and column z of A and row z of H are left as they were; nobody
// reads them. The pivot is scaled: U and u over D, U.n.z is 1 and not read.
template <class T>
Pivot<T> pivot_z(int v, const T& force, const Articulated<T>& I, const Force<T>& p,
                 LostPivots<T>& lost) {
  const T D = I.A.zz;
  lost.meet(
      D, [&] { return pivot_scale(I); }, v);
  const T inverse_D = T(1) / D, u = force - p.n.z;
  return {
      {{inverse_D * I.A.xz, inverse_D * I.A.yz, D}, inverse_D * Vec3<T>{I.H.x.z, I.H.y.z, I.H.z.z}},
      inverse_D,
      inverse_D * u};
}
template <class T>
Pivot<T> eliminate_z(int joint, const T& force, Articulated<T>& I, Force<T>& p,
                     LostPivots<T>& lost) {
  const Pivot<T> pivot = pivot_z(joint, force, I, p, lost);
  const T &nx = pivot.U.n.x, &ny = pivot.U.n.y, u = force - p.n.z;
  const Vec3<T>&f = pivot.U.f, n{I.A.xz, I.A.yz, I.A.zz}, v{I.H.x.z, I.H.y.z, I.H.z.z};
  I.A.xx = I.A.xx - nx * n.x, I.A.xy = I.A.xy - nx * n.y, I.A.yy = I.A.yy - ny * n.y;
  I.H.x.x = I.H.x.x - nx * v.x, I.H.x.y = I.H.x.y - ny * v.x;
  I.H.y.x = I.H.y.x - nx * v.y, I.H.y.y = I.H.y.y - ny * v.y;
  I.H.z.x = I.H.z.x - nx * v.z, I.H.z.y = I.H.z.y - ny * v.z;
  I.C = {I.C.xx - f.x * v.x, I.C.xy - f.x * v.y, I.C.xz - f.x * v.z,
         I.C.yy - f.y * v.y, I.C.yz - f.y * v.z, I.C.zz - f.z * v.z};
  p.n = {p.n.x + nx * u, p.n.y + ny * u, force};
  p.f = p.f + u * f;
  return pivot;
}
// The acceleration of such a joint. What depends on the angular acceleration alone goes first.
template <class T>
T acceleration_z(const Pivot<T>& pivot, const Motion<T>& a) {
  const auto& [n, f] = pivot.U;
  return (pivot.u - (a.w.z + n.x * a.w.x + n.y * a.w.y)) - dot(f, a.v);
}
// p + I zeta for such an inertia; zeta has no angular part about z.
template <class T>
void add_bias_without_z(const Articulated<T>& I, const Motion<T>& zeta, Force<T>& p) {
  const T wx = zeta.w.x, wy = zeta.w.y;
  const Vec3<T>& a = zeta.v;
  const Mat3<T>& H = I.H;
  p.n.x = p.n.x + I.A.xx * wx + I.A.xy * wy + H.x.x * a.x + H.y.x * a.y + H.z.x * a.z;
  p.n.y = p.n.y + I.A.xy * wx + I.A.yy * wy + H.x.y * a.x + H.y.y * a.y + H.z.y * a.z;
  p.f.x = p.f.x + H.x.x * wx + H.x.y * wy + I.C.xx * a.x + I.C.xy * a.y + I.C.xz * a.z;
  p.f.y = p.f.y + H.y.x * wx + H.y.y * wy + I.C.xy * a.x + I.C.yy * a.y + I.C.yz * a.z;
  p.f.z = p.f.z + H.z.x * wx + H.z.y * wy + I.C.xz * a.x + I.C.yz * a.y + I.C.zz * a.z;
}

template <class T>
struct ForwardDynamics {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, const T* qd, const T* tau,
                  const Force<T>* Fext_B, bool at_rest, Arena arena, T* qdd,
                  LostPivots<T>* lost_pivots) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const auto* bodies = m.bodies.data();
    const T o(0);
    const Vec3<T> zero{o, o, o};
    const JointPositions<T> at = joint_positions(m, q, arena);
    BodyState<T>* state = arena.take<BodyState<T>>(index(nb));
    Pivot<T>* pivots = arena.take<Pivot<T>>(index(m.tree_nv));
    if (m.has_passive && !at_rest) {
      T* force = arena.take<T>(index(m.tree_nv));
      for (int v = 0; v < m.tree_nv; ++v) force[v] = o;
      add_passive_forces(m, q, qd, force);
      for (int v = 0; v < m.tree_nv; ++v) force[v] = tau[v] - force[v];
      tau = force;
    }

    Vec3<T> w = zero;
    state[0].w = zero;
    for (int i = 1; i < nb; ++i) {  // base to tip: velocities and bias terms
      const auto& b = bodies[i];
      if (b.parent != i - 1) w = state[b.parent].w;
      Vec3<T> alpha = zero, a;
      with_joint_and_alpha<T>(b, [&](auto joint) {
        if (b.parent == 0)  // the ground rests
          w = a = zero;
        else
          transform_of<T>(joint, b, at).carry_velocity(w, a);
        add_rates(joint, b, qd, w, alpha, a);
      });
      BodyState<T>& B = state[i];
      B.w = w;
      B.zeta = {alpha, a};
      B.p = {cross(w, b.M.I * w), cross(w, cross(w, b.M.h))};
      if (Fext_B != nullptr) B.p = B.p - Fext_B[i];
    }

    // Articulated inertias, tip to base: I belongs to body i; what other children hand down to a
    // branching body waits in `handed`.
    const Articulated<T> none{{o, o, o, o, o, o}, {zero, zero, zero}, {o, o, o, o, o, o}};
    Articulated<T>* handed = m.branched ? arena.take<Articulated<T>>(index(nb)) : nullptr;
    Articulated<T> I = none;
    Force<T> p = state[nb - 1].p;
    LostPivots<T> lost;
    for (int i = nb - 1; i > 0; --i) {
      const auto& b = bodies[i];
      add_rigid(I, b.M);
      Articulated<T> up = none;
      Force<T> sum = state[b.parent].p;
      with_joint_and_alpha<T>(b, [&](auto joint) {
        using J = decltype(joint);
        const auto X = transform_of<T>(joint, b, at);
        if constexpr (J::along_z && J::turns && !J::slides) {
          if (!m.has_armature) {
            if (b.parent == 0) {  // nobody feels what is left
              pivots[b.v] = pivot_z(b.v, tau[b.v], I, p, lost);
              return;
            }
            pivots[b.v] = eliminate_z(b.v, tau[b.v], I, p, lost);
            add_bias_without_z(I, state[i].zeta, p);
            up = X.to_parent_without_z(I);
            X.add_to_parent(sum, p);
            return;
          }
        }
        for (int k = 0; k < joint.nv; ++k) {
          const int v = b.v + k;
          pivots[v] = eliminate(joint, b, k, tau[v], m.armature[index(v)], I, p, lost);
        }
        if (b.parent == 0) return;
        p = p + I * state[i].zeta;
        up = X.to_parent(I);
        X.add_to_parent(sum, p);
      });
      const bool last_child = b.subtree_end == bodies[b.parent].subtree_end;  // it comes by first
      if (b.parent == i - 1) {
        I = up;
        if (!last_child && b.parent != 0) I += handed[b.parent];
        p = sum;
      } else {
        state[b.parent].p = sum;
        if (b.parent != 0 && last_child) handed[b.parent] = up;
        if (b.parent != 0 && !last_child) handed[b.parent] += up;
        I = none;
        p = state[i - 1].p;
      }
    }

    Motion<T>* A = arena.take<Motion<T>>(index(nb));
    Motion<T> a{zero, zero};
    if (!at_rest) a.v = {T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)};
    A[0] = a;
    for (int i = 1; i < nb; ++i) {  // base to tip: accelerations
      const auto& b = bodies[i];
      if (b.parent != i - 1) a = A[b.parent];
      with_joint_and_alpha<T>(b, [&](auto joint) {
        using J = decltype(joint);
        a = transform_of<T>(joint, b, at).to_child(a) + state[i].zeta;
        if constexpr (J::along_z && J::turns && !J::slides) {
          if (!m.has_armature) {
            qdd[b.v] = acceleration_z(pivots[b.v], a);
            a.w.z = a.w.z + qdd[b.v];
            return;
          }
        }
        for (int k = joint.nv - 1; k >= 0; --k) {
          const Pivot<T>& pivot = pivots[b.v + k];
          const T acceleration = (pivot.u - dot(a, pivot.U)) * pivot.inverse_D;
          qdd[b.v + k] = acceleration;
          add_direction(joint, b, k, acceleration, a.w, a.v);
        }
      });
      if (m.branched) A[i] = a;
    }
    *lost_pivots = lost;
  }
};

}  // namespace catena::kernels
