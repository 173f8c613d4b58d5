// Articulated-body inertia: the symmetric 6x6 matrix of a body whose subtree may move.
//   [n; f] = [A H; Hᵀ C] [alpha; a]
#pragma once

#include "catena/spatial/spatial.hpp"

namespace catena {

template <class T>
struct Articulated {
  Sym3<T> A{};
  Mat3<T> H{};  // by columns
  Sym3<T> C{};
};

template <class T>
Force<T> operator*(const Articulated<T>& I, const Motion<T>& a) {
  return {I.A * a.w + I.H * a.v, transpose_times(I.H, a.w) + I.C * a.v};
}

template <class T>
void operator+=(Articulated<T>& a, const Articulated<T>& b) {
  a.A = a.A + b.A;
  a.H = {a.H.x + b.H.x, a.H.y + b.H.y, a.H.z + b.H.z};
  a.C = a.C + b.C;
}

// I - U (d U)ᵀ, where d is the reciprocal of the pivot.
template <class T>
void subtract_outer(Articulated<T>& I, const Force<T>& U, const T& d) {
  const Vec3<T> n = d * U.n, f = d * U.f;
  I.A = {I.A.xx - n.x * U.n.x, I.A.xy - n.x * U.n.y, I.A.xz - n.x * U.n.z,
         I.A.yy - n.y * U.n.y, I.A.yz - n.y * U.n.z, I.A.zz - n.z * U.n.z};
  I.H = {{I.H.x.x - n.x * U.f.x, I.H.x.y - n.y * U.f.x, I.H.x.z - n.z * U.f.x},
         {I.H.y.x - n.x * U.f.y, I.H.y.y - n.y * U.f.y, I.H.y.z - n.z * U.f.y},
         {I.H.z.x - n.x * U.f.z, I.H.z.y - n.y * U.f.z, I.H.z.z - n.z * U.f.z}};
  I.C = {I.C.xx - f.x * U.f.x, I.C.xy - f.x * U.f.y, I.C.xz - f.x * U.f.z,
         I.C.yy - f.y * U.f.y, I.C.yz - f.y * U.f.z, I.C.zz - f.z * U.f.z};
}

// The same inertia about Po, where Bo = p in P, axes parallel:
//   n_P = n_B + p x f, a_B = a_P + alpha x p   =>   H' = H + p~ C,  A' = A + p~ H'ᵀ + H p~ᵀ
template <class T>
Articulated<T> shift(const Articulated<T>& I, const Vec3<T>& p) {
  const Vec3<T> cx = cross(p, Vec3<T>{I.C.xx, I.C.xy, I.C.xz});
  const Vec3<T> cy = cross(p, Vec3<T>{I.C.xy, I.C.yy, I.C.yz});
  const Vec3<T> cz = cross(p, Vec3<T>{I.C.xz, I.C.yz, I.C.zz});
  const Mat3<T> H{I.H.x + cx, I.H.y + cy, I.H.z + cz};
  // columns of p~ H'ᵀ, of which column k is p x (row k of H'); H p~ᵀ is the same with H, transposed
  const Vec3<T> ux = cross(p, Vec3<T>{H.x.x, H.y.x, H.z.x});
  const Vec3<T> uy = cross(p, Vec3<T>{H.x.y, H.y.y, H.z.y});
  const Vec3<T> uz = cross(p, Vec3<T>{H.x.z, H.y.z, H.z.z});
  const Vec3<T> vx = cross(p, Vec3<T>{I.H.x.x, I.H.y.x, I.H.z.x});
  const Vec3<T> vy = cross(p, Vec3<T>{I.H.x.y, I.H.y.y, I.H.z.y});
  const Vec3<T> vz = cross(p, Vec3<T>{I.H.x.z, I.H.y.z, I.H.z.z});
  return {{I.A.xx + ux.x + vx.x, I.A.xy + uy.x + vx.y, I.A.xz + uz.x + vx.z, I.A.yy + uy.y + vy.y,
           I.A.yz + uz.y + vy.z, I.A.zz + uz.z + vz.z},
          H,
          I.C};
}

template <class T>
Articulated<T> rotate(const Mat3<T>& R, const Articulated<T>& I) {
  const Mat3<T> RH = R * I.H;  // then times Rᵀ: column k of H Rᵀ mixes columns by row k of R
  auto column = [&](T a, T b, T c) { return a * RH.x + b * RH.y + c * RH.z; };
  return {rotate(R, I.A),
          {column(R.x.x, R.y.x, R.z.x), column(R.x.y, R.y.y, R.z.y), column(R.x.z, R.y.z, R.z.z)},
          rotate(R, I.C)};
}

// Rotations about a coordinate axis by (c, s), as the frames of a mechanism have them: v_P = R v_B.
template <class T, class S>
Vec3<T> turn_x(const S& c, const S& s, const Vec3<T>& v) {
  return {v.x, c * v.y - s * v.z, s * v.y + c * v.z};
}
template <class T, class S>
Vec3<T> turn_z(const S& c, const S& s, const Vec3<T>& v) {
  return {c * v.x - s * v.y, s * v.x + c * v.y, v.z};
}
// R S Rᵀ in the plane of the turn:
//   a' = a - e, b' = b + e, e = s (s (a - b) + 2 c ab),  ab' = c s (a - b) + (c² - s²) ab
template <class T, class S>
Sym3<T> turn_z(const S& c, const S& s, const Sym3<T>& m) {
  const T g = s * (m.xx - m.yy) + (c + c) * m.xy;
  const T e = s * g;
  return {m.xx - e, c * g - m.xy, c * m.xz - s * m.yz, m.yy + e, s * m.xz + c * m.yz, m.zz};
}
template <class T, class S>
Sym3<T> turn_x(const S& c, const S& s, const Sym3<T>& m) {
  const T g = s * (m.yy - m.zz) + (c + c) * m.yz;
  const T e = s * g;
  return {m.xx, c * m.xy - s * m.xz, s * m.xy + c * m.xz, m.yy - e, c * g - m.yz, m.zz + e};
}
template <class T, class S>
Mat3<T> turn_z(const S& c, const S& s, const Mat3<T>& m) {
  const Vec3<T> x = turn_z(c, s, m.x), y = turn_z(c, s, m.y);
  return {c * x - s * y, s * x + c * y, turn_z(c, s, m.z)};
}
template <class T, class S>
Mat3<T> turn_x(const S& c, const S& s, const Mat3<T>& m) {
  const Vec3<T> y = turn_x(c, s, m.y), z = turn_x(c, s, m.z);
  return {turn_x(c, s, m.x), c * y - s * z, s * y + c * z};
}

}  // namespace catena
