// The 4x4 matrices of the homogeneous approach [Legnani et al. 1996, part 2] and SPACELIB's
// operations on them.
//
//        | R p |       | ũ b |       | w̃ v |       | G a |       | E  h |         | c̃  f |
//   M =  | 0 1 |   L = | 0 0 |   W = | 0 0 |   H = | 0 0 |   J = | hᵀ m |   Phi = |-fᵀ 0 |
//
// Position, unit screw, velocity, acceleration, pseudo-inertia, action; x̃ y = x × y. Zeros, ones
// and what symmetry repeats are not stored: an operation costs what the other entries cost. The
// frame an entry refers to is the caller's: names end in _0 for the base frame (0).
#pragma once

#include <array>

#include "catena/spatial/spatial.hpp"

namespace catena::homogeneous {

// A 4x4 matrix with all its entries, for printing and for checks: at(row, column), from 0.
template <class T>
struct Matrix4 {
  std::array<T, 16> entries{};
  T& at(int i, int j) { return entries[static_cast<std::size_t>(4 * i + j)]; }
  const T& at(int i, int j) const { return entries[static_cast<std::size_t>(4 * i + j)]; }
};

// M: where a frame is. Points transform as P_0 = M P; inverse(M) = | Rᵀ -Rᵀp |. It is the pose of
// spatial/.
template <class T>
using Position = Pose<T>;

// L: the unit screw of a joint, b = -ũ t + pitch u for a point t of its axis [eq. (1)].
template <class T>
struct Screw {
  Vec3<T> u{}, b{};
};

// W: angular velocity, and the velocity of the body's point that is at the origin: P' = W P.
template <class T>
struct Velocity {
  Vec3<T> w{}, v{};
};

// H = W' + W²: G = w̃' + w̃ w̃, and the acceleration of the body's point at the origin: P'' = H P.
template <class T>
struct Acceleration {
  Mat3<T> G{{T(0), T(0), T(0)}, {T(0), T(0), T(0)}, {T(0), T(0), T(0)}};
  Vec3<T> a{T(0), T(0), T(0)};
};

// J: the integral of P Pᵀ dm. E has the integrals of x², x y, ...: not the usual moments of
// inertia.
template <class T>
struct PseudoInertia {
  Sym3<T> E{};
  Vec3<T> h{};
  T m{};
};

// Phi: moment about the origin and force.
template <class T>
struct Action {
  Vec3<T> c{}, f{};
};

// ---- sums and multiples ----

template <class T>
Velocity<T> operator+(const Velocity<T>& a, const Velocity<T>& b) {
  return {a.w + b.w, a.v + b.v};
}
template <class T>
Velocity<T> operator-(const Velocity<T>& a, const Velocity<T>& b) {
  return {a.w - b.w, a.v - b.v};
}
template <class T>
Acceleration<T> operator+(const Acceleration<T>& a, const Acceleration<T>& b) {
  return {{a.G.x + b.G.x, a.G.y + b.G.y, a.G.z + b.G.z}, a.a + b.a};
}
template <class T>
Acceleration<T> operator-(const Acceleration<T>& a, const Acceleration<T>& b) {
  return {{a.G.x - b.G.x, a.G.y - b.G.y, a.G.z - b.G.z}, a.a - b.a};
}
template <class T>
Action<T> operator+(const Action<T>& a, const Action<T>& b) {
  return {a.c + b.c, a.f + b.f};
}
template <class T>
Action<T> operator-(const Action<T>& a, const Action<T>& b) {
  return {a.c - b.c, a.f - b.f};
}
template <class T>
Action<T> operator-(const Action<T>& a) {
  return {-a.c, -a.f};
}
template <class T>
PseudoInertia<T> operator+(const PseudoInertia<T>& a, const PseudoInertia<T>& b) {
  return {a.E + b.E, a.h + b.h, a.m + b.m};
}
// L q' = W
template <class T>
Velocity<T> operator*(const Screw<T>& L, const T& rate) {
  return {rate * L.u, rate * L.b};
}
template <class T>
Velocity<T> operator*(const T& s, const Velocity<T>& W) {
  return {s * W.w, s * W.v};
}
// The matrix W' of an acceleration at rest: H = L q'' + ...
template <class T>
void add_rate(Acceleration<T>& H, const Velocity<T>& rate) {
  const Vec3<T>& w = rate.w;
  H.G.x.y = H.G.x.y + w.z, H.G.x.z = H.G.x.z - w.y;
  H.G.y.x = H.G.y.x - w.z, H.G.y.z = H.G.y.z + w.x;
  H.G.z.x = H.G.z.x + w.y, H.G.z.y = H.G.z.y - w.x;
  H.a = H.a + rate.v;
}

// ---- products ----

// V W: with ṽ w̃ = w vᵀ - (v·w) 1, the term 2 V W of the theorem of Coriolis and the square of a
// velocity.
template <class T>
Acceleration<T> operator*(const Velocity<T>& V, const Velocity<T>& W) {
  const Vec3<T>&v = V.w, &w = W.w;
  const T xx = v.x * w.x, yy = v.y * w.y, zz = v.z * w.z;
  return {{{-(yy + zz), v.x * w.y, v.x * w.z},
           {v.y * w.x, -(xx + zz), v.y * w.z},
           {v.z * w.x, v.z * w.y, -(xx + yy)}},
          cross(v, W.v)};
}
// W², whose products of rotation are symmetric.
template <class T>
Acceleration<T> square(const Velocity<T>& W) {
  const Vec3<T>& w = W.w;
  const T xx = w.x * w.x, yy = w.y * w.y, zz = w.z * w.z;
  const T xy = w.x * w.y, xz = w.x * w.z, yz = w.y * w.z;
  return {{{-(yy + zz), xy, xz}, {xy, -(xx + zz), yz}, {xz, yz, -(xx + yy)}}, cross(w, W.v)};
}
// V W - W V: how a screw that is fixed on a body moving with V changes [9.2]. Again a velocity
// matrix.
template <class T>
Velocity<T> commutator(const Velocity<T>& V, const Velocity<T>& W) {
  return {cross(V.w, W.w), add_cross(cross(V.w, W.v), V.v, W.w)};
}

// The product H J or L J without its last row, which is zero: X = | X3 x |.
template <class T>
struct Moments {
  Mat3<T> X{};
  Vec3<T> x{};
};
template <class T>
Moments<T> operator+(const Moments<T>& a, const Moments<T>& b) {
  return {{a.X.x + b.X.x, a.X.y + b.X.y, a.X.z + b.X.z}, a.x + b.x};
}
template <class T, class C>
Moments<T> operator*(const Acceleration<T>& H, const PseudoInertia<C>& J) {
  const Sym3<C>& E = J.E;
  const auto column = [&](const C& x, const C& y, const C& z, const C& h) {
    return add_product(h * H.a, H.G, Vec3<C>{x, y, z});
  };
  return {{column(E.xx, E.xy, E.xz, J.h.x), column(E.xy, E.yy, E.yz, J.h.y),
           column(E.xz, E.yz, E.zz, J.h.z)},
          add_product(J.m * H.a, H.G, J.h)};
}
template <class T, class C>
Moments<T> operator*(const Screw<T>& L, const PseudoInertia<C>& J) {
  const Sym3<C>& E = J.E;
  const auto column = [&](const C& x, const C& y, const C& z, const C& h) {
    return add_cross(h * L.b, L.u, Vec3<C>{x, y, z});
  };
  return {{column(E.xx, E.xy, E.xz, J.h.x), column(E.xy, E.yy, E.yz, J.h.y),
           column(E.xz, E.yz, E.zz, J.h.z)},
          add_cross(J.m * L.b, L.u, J.h)};
}

// ---- from and to actions ----

// skew(X) = X - Xᵀ
template <class T>
Action<T> skew(const Moments<T>& X) {
  return {{X.X.y.z - X.X.z.y, X.X.z.x - X.X.x.z, X.X.x.y - X.X.y.x}, X.x};
}
// skew(H J) at once: the diagonal of H J is not needed.
template <class T, class C>
Action<T> skew(const Acceleration<T>& H, const PseudoInertia<C>& J) {
  return {add_cross(moment(H.G, J.E), J.h, H.a), add_product(J.m * H.a, H.G, J.h)};
}
// skew(L J): the momentum of a body that moves with the unit screw L.
template <class T, class C>
Action<T> skew(const Screw<T>& L, const PseudoInertia<C>& J) {
  return skew(L * J);
}
// Phi ⊗ L: the work of an action on a unit displacement [eq. (10)].
template <class T>
T work(const Action<T>& Phi, const Screw<T>& L) {
  return dot(Phi.c, L.u) + dot(Phi.f, L.b);
}
// Trace(X Lᵀ) for X = H J or L J; equal to skew(X) ⊗ L.
template <class T>
T trace(const Moments<T>& X, const Screw<T>& L) {
  return (X.X.y.z - X.X.z.y) * L.u.x + (X.X.z.x - X.X.x.z) * L.u.y + (X.X.x.y - X.X.y.x) * L.u.z +
         dot(X.x, L.b);
}
// ½ Trace(W J Wᵀ): kinetic energy [eq. (8)].
template <class T, class C>
T kinetic_energy(const Velocity<T>& W, const PseudoInertia<C>& J) {
  const Screw<T> L{W.w, W.v};
  return trace(L * J, L) / T(2);
}
// -Trace(H_g J): potential energy [eq. (9)].
template <class T, class C>
T potential_energy(const Vec3<T>& gravity, const PseudoInertia<C>& J) {
  return -dot(gravity, J.h);
}

// ---- change of frame: X given in frame (k), in frame (0) for M = M_0k ----

// M L M⁻¹ : u_0 = R u, b_0 = R b + p × u_0
template <class A, class B>
auto change_frame(const Position<A>& M, const Screw<B>& L) -> Screw<decltype(M.p.x * L.b.x)> {
  const auto u = M.R * L.u;
  return {u, add_cross(M.R * L.b, M.p, u)};
}
template <class A, class B>
auto change_frame(const Position<A>& M, const Velocity<B>& W) -> Velocity<decltype(M.p.x * W.v.x)> {
  const auto w = M.R * W.w;
  return {w, add_cross(M.R * W.v, M.p, w)};
}
// M H M⁻¹ : G_0 = R G Rᵀ, a_0 = R a - G_0 p
template <class T>
Acceleration<T> change_frame(const Position<T>& M, const Acceleration<T>& H) {
  const Mat3<T> G = M.R * H.G * transpose(M.R);
  return {G, M.R * H.a - G * M.p};
}
// M J Mᵀ : E_0 = R E Rᵀ + (R h) pᵀ + p h_0ᵀ, h_0 = R h + m p
template <class A, class B>
auto change_frame(const Position<A>& M, const PseudoInertia<B>& J)
    -> PseudoInertia<decltype(M.p.x * J.m)> {
  using T = decltype(M.p.x * J.m);
  const Vec3<T> g = M.R * J.h;
  const Vec3<A>& p = M.p;
  const Vec3<T> h = g + J.m * p;
  const Sym3<T> E = rotate(M.R, J.E);
  return {
      {E.xx + g.x * p.x + p.x * h.x, E.xy + g.x * p.y + p.x * h.y, E.xz + g.x * p.z + p.x * h.z,
       E.yy + g.y * p.y + p.y * h.y, E.yz + g.y * p.z + p.y * h.z, E.zz + g.z * p.z + p.z * h.z},
      h,
      T(J.m)};
}
// M Phi Mᵀ : f_0 = R f, c_0 = R c + p × f_0
template <class A, class B>
auto change_frame(const Position<A>& M, const Action<B>& Phi) -> Action<decltype(M.p.x * Phi.f.x)> {
  const auto f = M.R * Phi.f;
  return {add_cross(M.R * Phi.c, M.p, f), f};
}

// ---- to and from the words of spatial/ ----

// A twist at a frame's origin in its axes is the velocity matrix in that frame, and back.
template <class T>
Velocity<T> velocity(const Motion<T>& V) {
  return {V.w, V.v};
}
template <class T>
Motion<T> motion(const Velocity<T>& W) {
  return {W.w, W.v};
}
template <class T>
Motion<T> motion(const Screw<T>& L) {
  return {L.u, L.b};
}
template <class T>
Screw<T> screw(const Motion<T>& S) {
  return {S.w, S.v};
}
// H in the axes and at the origin of a frame fixed on the body: w, and [alpha; a of the origin].
template <class T>
Acceleration<T> acceleration(const Vec3<T>& w, const Motion<T>& A) {
  return {acceleration_matrix(w, A.w), A.v};
}
// The angular acceleration in H, and the acceleration of the origin.
template <class T>
Motion<T> motion(const Acceleration<T>& H) {
  const T half = T(1) / T(2);
  return {half * Vec3<T>{H.G.y.z - H.G.z.y, H.G.z.x - H.G.x.z, H.G.x.y - H.G.y.x}, H.a};
}
template <class T>
Action<T> action(const Force<T>& F) {
  return {F.n, F.f};
}
template <class T>
Force<T> force(const Action<T>& Phi) {
  return {Phi.c, Phi.f};
}
template <class T>
PseudoInertia<T> pseudo_inertia(const Inertia<T>& M) {
  return {euler_tensor(M.I), M.h, M.m};
}
// I = tr(E) 1 - E
template <class T>
Inertia<T> inertia(const PseudoInertia<T>& J) {
  const Sym3<T>& E = J.E;
  return {J.m, J.h, {E.yy + E.zz, -E.xy, -E.xz, E.xx + E.zz, -E.yz, E.xx + E.yy}};
}

// ---- all sixteen entries ----

namespace detail {
template <class T>
Matrix4<T> block(const Mat3<T>& A, const Vec3<T>& c, const Vec3<T>& r, const T& s) {
  return {{A.x.x, A.y.x, A.z.x, c.x, A.x.y, A.y.y, A.z.y, c.y, A.x.z, A.y.z, A.z.z, c.z, r.x, r.y,
           r.z, s}};
}
template <class T>
Mat3<T> tilde(const Vec3<T>& u) {
  const T o(0);
  return {{o, u.z, -u.y}, {-u.z, o, u.x}, {u.y, -u.x, o}};
}
}  // namespace detail
template <class T>
Matrix4<T> matrix(const Position<T>& M) {
  return detail::block(M.R, M.p, Vec3<T>{T(0), T(0), T(0)}, T(1));
}
template <class T>
Matrix4<T> matrix(const Screw<T>& L) {
  return detail::block(detail::tilde(L.u), L.b, Vec3<T>{T(0), T(0), T(0)}, T(0));
}
template <class T>
Matrix4<T> matrix(const Velocity<T>& W) {
  return detail::block(detail::tilde(W.w), W.v, Vec3<T>{T(0), T(0), T(0)}, T(0));
}
template <class T>
Matrix4<T> matrix(const Acceleration<T>& H) {
  return detail::block(H.G, H.a, Vec3<T>{T(0), T(0), T(0)}, T(0));
}
template <class T>
Matrix4<T> matrix(const PseudoInertia<T>& J) {
  const Sym3<T>& E = J.E;
  return detail::block(Mat3<T>{{E.xx, E.xy, E.xz}, {E.xy, E.yy, E.yz}, {E.xz, E.yz, E.zz}}, J.h,
                       J.h, J.m);
}
template <class T>
Matrix4<T> matrix(const Action<T>& Phi) {
  return detail::block(detail::tilde(Phi.c), Phi.f, -Phi.f, T(0));
}

}  // namespace catena::homogeneous
