// Poses, twists, wrenches and inertias: the words of rigid body dynamics.
//
// Frames: X_PB is the pose of B in P; V_WB_B the twist of B in W, expressed in B, at Bo; F_PB_B the
// wrench that P exerts on B, at Bo, in B. The angular part always comes first.
#pragma once

#include "catena/spatial/vec3.hpp"

namespace catena {

// The pose of a frame B in a frame P: v_P = R v_B, and Bo = p in P.
template <class T>
struct Pose {
  Mat3<T> R{};
  Vec3<T> p{};
};

template <class A, class B>
auto operator*(const Pose<A>& X_AB, const Pose<B>& X_BC) -> Pose<decltype(X_AB.p.x * X_BC.p.x)> {
  return {X_AB.R * X_BC.R, X_AB.p + X_AB.R * X_BC.p};
}
// The position in A of a point given in B.
template <class A, class B>
auto operator*(const Pose<A>& X_AB, const Vec3<B>& p_B) -> Vec3<decltype(X_AB.p.x * p_B.x)> {
  return X_AB.p + X_AB.R * p_B;
}
template <class T>
Pose<T> inverse(const Pose<T>& X_AB) {
  return {transpose(X_AB.R), -transpose_times(X_AB.R, X_AB.p)};
}

// Twist or its rate: angular velocity, and linear velocity of the frame's origin.
template <class T>
struct Motion {
  Vec3<T> w, v;
  friend Motion operator+(const Motion& a, const Motion& b) { return {a.w + b.w, a.v + b.v}; }
  friend Motion operator-(const Motion& a, const Motion& b) { return {a.w - b.w, a.v - b.v}; }
};

// Wrench: moment about the frame's origin, and force.
template <class T>
struct Force {
  Vec3<T> n, f;
  friend Force operator+(const Force& a, const Force& b) { return {a.n + b.n, a.f + b.f}; }
  friend Force operator-(const Force& a, const Force& b) { return {a.n - b.n, a.f - b.f}; }
  Force& operator+=(const Force& b) {
    n += b.n, f += b.f;
    return *this;
  }
};

template <class A, class B>
auto dot(const Motion<A>& V, const Force<B>& F) {
  return dot(V.w, F.n) + dot(V.v, F.f);
}

// A wrench given at Bo in B, at Po in P.
template <class A, class B>
auto transform(const Pose<A>& X_PB, const Force<B>& F_B) -> Force<decltype(X_PB.p.x * F_B.f.x)> {
  const auto f_P = X_PB.R * F_B.f;
  return {X_PB.R * F_B.n + cross(X_PB.p, f_P), f_P};
}
// A twist of P (at Po, in P) seen at Bo of the same rigid body, in B.
template <class A, class B>
auto to_child(const Pose<A>& X_PB, const Motion<B>& V_P) -> Motion<decltype(X_PB.p.x * V_P.v.x)> {
  return {transpose_times(X_PB.R, V_P.w), transpose_times(X_PB.R, V_P.v + cross(V_P.w, X_PB.p))};
}

// Spatial inertia about Bo in B: mass, first moment h = m c, and moments of inertia about Bo.
template <class T>
struct Inertia {
  T m{};
  Vec3<T> h{};
  Sym3<T> I{};

  friend Inertia operator+(const Inertia& a, const Inertia& b) {
    return {a.m + b.m, a.h + b.h, a.I + b.I};
  }
};

// A point r of a turning body accelerates by U r relative to the origin: U = [alpha]x + [w]x [w]x.
template <class T>
Mat3<T> acceleration_matrix(const Vec3<T>& w, const Vec3<T>& alpha) {
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  return {{-(yy + zz), w.x * w.y + alpha.z, w.x * w.z - alpha.y},
          {w.x * w.y - alpha.z, -(xx + zz), w.y * w.z + alpha.x},
          {w.x * w.z + alpha.y, w.y * w.z - alpha.x, -(xx + yy)}};
}

// The Euler tensor E, the integral of r rᵀ dm, of a body with moments of inertia I.
template <class T>
Sym3<T> euler_tensor(const Sym3<T>& I) {
  const T half_trace = (I.xx + I.yy + I.zz) / T(2);
  return {half_trace - I.xx, -I.xy, -I.xz, half_trace - I.yy, -I.yz, half_trace - I.zz};
}

// The integral of r x (U r) dm: I alpha + w x I w for U = acceleration_matrix(w, alpha).
template <class T, class C>
Vec3<T> moment(const Mat3<T>& U, const Sym3<C>& E) {
  return {
      (U.x.z * E.xy + U.y.z * E.yy + U.z.z * E.yz) - (U.x.y * E.xz + U.y.y * E.yz + U.z.y * E.zz),
      (U.x.x * E.xz + U.y.x * E.yz + U.z.x * E.zz) - (U.x.z * E.xx + U.y.z * E.xy + U.z.z * E.xz),
      (U.x.y * E.xx + U.y.y * E.xy + U.z.y * E.xz) - (U.x.x * E.xy + U.y.x * E.yy + U.z.x * E.yz)};
}

// M A (or M V): [I w + h x v; m v + w x h]
template <class A, class B>
auto operator*(const Inertia<A>& M, const Motion<B>& a) -> Force<decltype(M.m * a.v.x)> {
  return {M.I * a.w + cross(M.h, a.v), M.m * a.v + cross(a.w, M.h)};
}

// The same body's inertia about Po in P. With c = R h + m p:
//   I_P = R I Rᵀ + 2 (p·Rh) 1 - p (Rh)ᵀ - (Rh) pᵀ + m (p·p 1 - p pᵀ)
template <class A, class B>
auto transform(const Pose<A>& X_PB, const Inertia<B>& M) -> Inertia<decltype(X_PB.p.x * M.m)> {
  using T = decltype(X_PB.p.x * M.m);
  const Vec3<T> h = X_PB.R * M.h;
  const Vec3<T> g = h + h + M.m * X_PB.p;  // 2 R h + m p
  const auto& p = X_PB.p;
  const T d = dot(p, g);
  Sym3<T> I = rotate(X_PB.R, M.I);
  I.xx = I.xx + d - p.x * g.x;
  I.yy = I.yy + d - p.y * g.y;
  I.zz = I.zz + d - p.z * g.z;
  I.xy = I.xy - p.x * h.y - h.x * p.y - M.m * p.x * p.y;
  I.xz = I.xz - p.x * h.z - h.x * p.z - M.m * p.x * p.z;
  I.yz = I.yz - p.y * h.z - h.y * p.z - M.m * p.y * p.z;
  return {M.m, h + M.m * p, I};
}

// From mass, mass centre and moments about the mass centre, all in body axes.
template <class T>
Inertia<T> inertia_from_com(T m, const Vec3<T>& c, const Sym3<T>& I_com) {
  return transform(Pose<T>{Mat3<T>{}, c}, Inertia<T>{m, Vec3<T>{T(0), T(0), T(0)}, I_com});
}

}  // namespace catena
