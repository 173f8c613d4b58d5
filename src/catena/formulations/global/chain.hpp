// The blocks of the constraint force equation (28), joint by joint, in the joint's own axes.
#pragma once

#include "catena/formulations/global/block.hpp"
#include "catena/formulations/global/joint_basis.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"

namespace catena::constraint_force {

using global_analysis::component;
using global_analysis::free_axis;
using global_analysis::is_held;
using global_analysis::shear;

// A body without its joints: I⁻¹ = [J  -J c~; c~ J  1/m - c~ J c~] about Bo, c being its mass
// centre and J the inverse of the inertia about that, and the acceleration I⁻¹ (f_a - v x I v).
template <class T>
struct LooseBody {
  Sym3<T> J;
  Vec3<T> c;
  T inverse_m;
  Motion<T> a;
};

// Which axes of [Psi T] the N unknowns of a joint stand for. Joints with fewer constraints than N
// have dead unknowns, which are zero. A free axis with a drive inertia is alive, too.
struct Slots {
  int axis[6];
  bool alive[6];
};
template <int N>
constexpr Slots slots(Primitive kind) {
  Slots r{};
  int count = 0;
  const auto add = [&](int axis, bool alive) {
    if (count < N) r.axis[count] = axis, r.alive[count] = alive, ++count;
  };
  if constexpr (N == 6) {
    for (int axis = 0; axis < 6; ++axis) {
      with_joint(kind, [&](auto joint) { add(axis, is_held(joint, axis)); });
    }
  } else {
    for (const bool alive : {true, false}) {
      for (int axis = 0; axis < 6; ++axis) {
        with_joint(kind, [&](auto joint) {
          if (is_held(joint, axis) == alive) add(axis, alive);
        });
      }
    }
  }
  return r;
}

template <class T>
Sym3<T> inverse(const Sym3<T>& S) {
  const T xx = S.yy * S.zz - S.yz * S.yz, xy = S.xz * S.yz - S.xy * S.zz;
  const T xz = S.xy * S.yz - S.xz * S.yy;
  const T d = T(1) / (S.xx * xx + S.xy * xy + S.xz * xz);
  return {d * xx,
          d * xy,
          d * xz,
          d * (S.xx * S.zz - S.xz * S.xz),
          d * (S.xy * S.xz - S.xx * S.yz),
          d * (S.xx * S.yy - S.xy * S.xy)};
}

// I⁻¹ F
template <class T>
Motion<T> accelerate(const LooseBody<T>& B, const Force<T>& F) {
  const Vec3<T> w = B.J * (F.n - cross(B.c, F.f));
  return {w, B.inverse_m * F.f + cross(B.c, w)};
}

// The columns of I⁻¹ for unit moments and unit forces.
template <class T>
void columns_of_inverse(const Sym3<T>& J, const Vec3<T>& c, const T& inverse_m, Motion<T>* Y) {
  const Vec3<T> x{J.xx, J.xy, J.xz}, y{J.xy, J.yy, J.yz}, z{J.xz, J.yz, J.zz};
  const Vec3<T> gx = cross(c, x), gy = cross(c, y), gz = cross(c, z);
  Y[0] = {x, gx}, Y[1] = {y, gy}, Y[2] = {z, gz};
  const Vec3<T> fx{gx.x, gy.x, gz.x}, fy{gx.y, gy.y, gz.y}, fz{gx.z, gy.z, gz.z};
  Y[3] = {fx, cross(c, fx)}, Y[4] = {fy, cross(c, fy)}, Y[5] = {fz, cross(c, fz)};
  Y[3].v.x = Y[3].v.x + inverse_m;
  Y[4].v.y = Y[4].v.y + inverse_m;
  Y[5].v.z = Y[5].v.z + inverse_m;
}

// What a joint contributes to (28): its row of the block tridiagonal matrix and of the right side.
template <class T, int N>
struct JointRow {
  Block<T, N> A;  // its own block, T_jᵀ (I_j⁻¹ + I_{j-1}⁻¹) T_j: the lower triangle
  Block<T, N> C;  // the block of joint j - 1 (rows) and this one (columns), -T_{j-1}ᵀ I_{j-1}⁻¹ T_j
  Column<T, N> r;
};

// The chain as a row of links: bodies that stand still on another one and have no mass (frames of
// compile(), tools) are left out, and what acts on them acts on the link that carries them.
template <class T>
struct Chain {
  const Mechanism<Constant<T>>* mechanism;
  int num_links;
  const T* qd;
  const T* tau;
  const Force<T>* Fext_B;
  int* link;            // the body of link 1 ... num_links; one past the last body after them
  Pose<T>* X;           // of link i in link i - 1
  Vec3<T>* w;           // angular velocities
  Motion<T>* c;         // a_i - a_{i-1} = c + H qdd
  LooseBody<T>* loose;  // loose[0].a is the acceleration of the ground

  static bool is_link(const MechanismBody<Constant<T>>& b) {
    return !(b.massless && b.kind == Primitive::fixed);
  }
  const MechanismBody<Constant<T>>& body(int i) const { return mechanism->bodies[index(link[i])]; }

  // Base to tip, all at once: links, X, w and c.
  void write_motion(const JointPositions<T>& at) {
    const T o(0), one(1);
    const Vec3<T> zero{o, o, o};
    const Pose<T> still{{{one, o, o}, {o, one, o}, {o, o, one}}, zero};
    Pose<T> carrier = still;  // of the last body in the last link
    int i = 0;
    w[0] = zero;
    for (int k = 1; k < mechanism->num_bodies(); ++k) {
      const auto& b = mechanism->bodies[index(k)];
      with_joint(b.kind,
                 [&](auto joint) { carrier = transform_of<T>(joint, b, at).after(carrier); });
      if (!is_link(b)) continue;
      link[++i] = k;
      X[i] = carrier;
      carrier = still;
      const Vec3<T>& w_P = w[i - 1];
      Vec3<T> alpha = zero, a = transpose_times(X[i].R, cross(w_P, cross(w_P, X[i].p)));
      w[i] = transpose_times(X[i].R, w_P);
      with_joint(b.kind, [&](auto joint) { add_rates(joint, b, qd, w[i], alpha, a); });
      c[i] = {alpha, a};
    }
    link[i + 1] = mechanism->num_bodies();
  }

  // External wrenches on link i and on what stands on it.
  Force<T> external(int i, const JointPositions<T>& at) const {
    Force<T> F = Fext_B[link[i]];
    if (link[i + 1] == link[i] + 1) return F;
    const T o(0), one(1);
    Pose<T> X_LB{{{one, o, o}, {o, one, o}, {o, o, one}}, {o, o, o}};
    for (int k = link[i] + 1; k < link[i + 1]; ++k) {
      X_LB = transform_of<T>(FixedJoint{}, mechanism->bodies[index(k)], at).after(X_LB);
      F += transform(X_LB, Fext_B[k]);
    }
    return F;
  }

  // Psi tau of joint i, in body i.
  Force<T> drive(int i) const {
    const T o(0);
    const auto& b = body(i);
    Force<T> F{{o, o, o}, {o, o, o}};
    with_joint(b.kind, [&](auto joint) {
      for (int k = 0; k < joint.nv; ++k) component(F, free_axis(joint, k)) = tau[b.v + k];
    });
    return F;
  }
  LooseBody<T> loosen(int i, const JointPositions<T>& at) const {
    const auto& M = body(i).M;
    LooseBody<T> B;
    B.inverse_m = T(1) / M.m;
    B.c = B.inverse_m * M.h;
    const Vec3<T>&s = B.c, p = {s.x * M.h.x, s.y * M.h.y, s.z * M.h.z};
    B.J = constraint_force::inverse(Sym3<T>{M.I.xx - p.y - p.z, M.I.xy + s.x * M.h.y,
                                            M.I.xz + s.x * M.h.z, M.I.yy - p.x - p.z,
                                            M.I.yz + s.y * M.h.z, M.I.zz - p.x - p.y});
    Force<T> F = drive(i);
    F = F - Force<T>{cross(w[i], M.I * w[i]), cross(w[i], cross(w[i], M.h))};
    if (Fext_B != nullptr) F += external(i, at);
    if (i < num_links) F = F - transform(X[i + 1], drive(i + 1));
    B.a = accelerate(B, F);
    return B;
  }

  // Tᵀ V in the slots of joint j: writes alive ones.
  template <int N>
  void in_slots(int j, const Slots& s, Motion<T> V, T* x, int stride) const {
    if (body(j).kind == Primitive::screw) shear(V, body(j).pitch);
    const T all[6] = {V.w.x, V.w.y, V.w.z, V.v.x, V.v.y, V.v.z};
#pragma GCC unroll 6
    for (int k = 0; k < N; ++k) x[k * stride] = s.alive[k] ? all[s.axis[k]] : T(0);
  }
  // T beta of joint j.
  template <int N>
  Force<T> constraint(int j, const Column<T, N>& beta) const {
    const Slots s = slots<N>(body(j).kind);
    T all[6] = {T(0), T(0), T(0), T(0), T(0), T(0)};
#pragma GCC unroll 6
    for (int k = 0; k < N; ++k) all[s.axis[k]] = beta.x[k];
    Force<T> F{{all[0], all[1], all[2]}, {all[3], all[4], all[5]}};
    if (body(j).kind == Primitive::screw) shear(F, -body(j).pitch);
    return F;
  }
  template <int N>
  Slots alive_slots(int j) const {
    Slots s = slots<N>(body(j).kind);
    if constexpr (N == 6) {
      with_joint(body(j).kind, [&](auto joint) {
        for (int k = 0; k < joint.nv; ++k) {
          s.alive[free_axis(joint, k)] = to_double(mechanism->armature[index(body(j).v + k)]) != 0;
        }
      });
    }
    return s;
  }

  // Row j for the bodies P = j - 1 and B = j.
  template <int N>
  JointRow<T, N> row(int j, const LooseBody<T>& P, const LooseBody<T>& B) const {
    const auto& b = body(j);
    JointRow<T, N> r;
    const Slots s = alive_slots<N>(j), above = j > 1 ? alive_slots<N>(j - 1) : s;
    Motion<T> Y[6], Y_P[6], on_P[6];  // I_B⁻¹; I_P⁻¹ at Bo, in B; the same, felt at Po, in P
    columns_of_inverse(B.J, B.c, B.inverse_m, Y);
    const Motion<T> bias = c[j] - B.a + to_child(X[j], P.a);
    if (j > 1) {
      const Mat3<T>& R = X[j].R;
      columns_of_inverse(rotate(catena::transpose(R), P.J), transpose_times(R, P.c - X[j].p),
                         P.inverse_m, Y_P);
#pragma GCC unroll 1
      for (int k = 0; k < 6; ++k) {
        Motion<T> V = Y_P[k];
        if (k == 5 && b.kind == Primitive::screw) V = less(V, b.pitch, Y_P[2]);
        const Force<T> moved = transform(X[j], Force<T>{V.v, V.w});
        on_P[k] = {moved.f, moved.n};
        Y[k] = Y[k] + Y_P[k];
      }
    }
    if (b.kind == Primitive::screw) Y[5] = less(Y[5], b.pitch, Y[2]);
    in_slots<N>(j, s, bias, r.r.x, 1);
#pragma GCC unroll 1
    for (int k = 0; k < N; ++k) {
      if (s.alive[k]) {
        in_slots<N>(j, s, Y[s.axis[k]], &r.A.x[0][k], N);
        if (j > 1) {
          const Motion<T>& V = on_P[s.axis[k]];
          in_slots<N>(j - 1, above, {-V.w, -V.v}, &r.C.x[0][k], N);
        }
      } else {
#pragma GCC unroll 6
        for (int i = 0; i < N; ++i) r.A.x[i][k] = r.C.x[i][k] = T(0);
        r.A.x[k][k] = T(1);
      }
    }
    if constexpr (N == 6) add_drives(j, s, r.A);
    return r;
  }

 private:
  static Motion<T> less(const Motion<T>& a, const Constant<T>& x, const Motion<T>& b) {
    return {a.w - x * b.w, a.v - x * b.v};
  }
  // A drive inertia lets its axis yield: qdd = -beta / J.
  void add_drives(int j, const Slots& s, Block<T, 6>& A) const {
    const auto& b = body(j);
    with_joint(b.kind, [&](auto joint) {
      for (int k = 0; k < joint.nv; ++k) {
        const int axis = free_axis(joint, k);
        if (!s.alive[axis]) continue;
        A.x[axis][axis] = A.x[axis][axis] + T(1) / mechanism->armature[index(b.v + k)];
      }
    });
  }
};

}  // namespace catena::constraint_force
