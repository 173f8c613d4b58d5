// The step B_{i,i-1} over a revolute joint, for the fewest operations: two turns in a plane and a
// shift by (px, py, 0) between them. Nothing is prepared that a single use would not repay.
#pragma once

#include "catena/model/joints.hpp"

namespace catena::denoc {

// A symmetric and a general matrix turned in a plane by (c, s):
//   | a b |      | a - e   t - q |     g = s (a - d) + c (b + q)
//   | q d |  ->  | t - b   d + e |     e = s g,  t = c g
template <class T, class S>
void turn_block(const S& c, const S& s, T& a, T& b, T& q, T& d) {
  const T g = s * (a - d) + c * (b + q), e = s * g, t = c * g, old_b = b;
  a = a - e, d = d + e, b = t - q, q = t - old_b;
}
template <class T, class S>
void turn_block(const S& c, const S& s, T& a, T& b, T& d) {
  const T g = s * (a - d) + c * (b + b), e = s * g;
  a = a - e, d = d + e, b = c * g - b;
}
template <class T, class S>
void turn_pair(const S& c, const S& s, T& x, T& y) {
  const T old_x = x;
  x = c * x - s * y, y = s * old_x + c * y;
}

template <class T>
struct RevoluteStep {
  using C = Constant<T>;
  const MechanismBody<C>& b;
  T c, s;

  // B_{i,i-1} mu
  Motion<T> to_child(const Motion<T>& mu) const {
    const Vec3<T> w = turn_x(b.ca, C(-b.sa), mu.w);
    Vec3<T> v = turn_x(b.ca, C(-b.sa), mu.v);
    v = {v.x - b.py * w.z, v.y + b.px * w.z, v.z + (b.py * w.x - b.px * w.y)};
    return {turn_z(c, T(-s), w), turn_z(c, T(-s), v)};
  }
  // sum + B_{i,i-1}ᵀ F
  void add_to_parent(Force<T>& sum, const Force<T>& F) const {
    const Vec3<T> f = turn_z(c, s, F.f);
    Vec3<T> n = turn_z(c, s, F.n);
    n = {n.x + b.py * f.z, n.y - b.px * f.z, n.z + (b.px * f.y - b.py * f.x)};
    sum.n = sum.n + turn_x(b.ca, b.sa, n);
    sum.f = sum.f + turn_x(b.ca, b.sa, f);
  }
  // Its moment about the parent's z alone.
  T moment_about_z(const Force<T>& F) const {
    const Vec3<T> f = turn_z(c, s, F.f);
    const T ny = s * F.n.x + c * F.n.y - b.px * f.z;
    return b.sa * ny + b.ca * (F.n.z + (b.px * f.y - b.py * f.x));
  }

  // B_{i,i-1}ᵀ M B_{i,i-1} for an M that has nothing about z: row and column z of A and row z of H
  // are zero and are not read.
  Articulated<T> to_parent(const Articulated<T>& M) const {
    T axx = M.A.xx, axy = M.A.xy, ayy = M.A.yy;
    turn_block(c, s, axx, axy, ayy);
    // H by entries: row, column
    T hxx = M.H.x.x, hxy = M.H.y.x, hyx = M.H.x.y, hyy = M.H.y.y, hxz = M.H.z.x, hyz = M.H.z.y;
    turn_block(c, s, hxx, hxy, hyx, hyy);
    turn_pair(c, s, hxz, hyz);
    Sym3<T> K = M.C;
    turn_block(c, s, K.xx, K.xy, K.yy);
    turn_pair(c, s, K.xz, K.yz);

    // H' = H + p~ C,  A' = A + p~ H'ᵀ + H p~ᵀ with p = (px, py, 0)
    const C &x = b.px, &y = b.py;
    const T xxz = x * K.xz, yxz = y * K.xz, xyz = x * K.yz, yyz = y * K.yz;
    Mat3<T> H{{hxx + yxz, hyx - xxz, x * K.xy - y * K.xx},
              {hxy + yyz, hyy - xyz, x * K.yy - y * K.xy},
              {hxz + y * K.zz, hyz - x * K.zz, xyz - yxz}};
    Sym3<T> A{axx + y * (hxz + H.z.x), axy + y * H.z.y - x * hxz,   y * (H.z.z - hxx) + x * hxy,
              ayy - x * (hyz + H.z.y), x * (hyy - H.z.z) - y * hyx, x * H.y.z - y * H.x.z};

    turn_block(b.ca, b.sa, A.yy, A.yz, A.zz);
    turn_pair(b.ca, b.sa, A.xy, A.xz);
    turn_block(b.ca, b.sa, H.y.y, H.z.y, H.y.z, H.z.z);
    turn_pair(b.ca, b.sa, H.x.y, H.x.z);
    turn_pair(b.ca, b.sa, H.y.x, H.z.x);
    turn_block(b.ca, b.sa, K.yy, K.yz, K.zz);
    turn_pair(b.ca, b.sa, K.xy, K.xz);
    return {A, H, K};
  }
  // Of it only the moment of inertia about the parent's z.
  T inertia_about_z(const Articulated<T>& M) const {
    const T ga = s * (M.A.xx - M.A.yy) + c * (M.A.xy + M.A.xy);
    const T ayy = M.A.yy + s * ga;
    T hxx = M.H.x.x, hxy = M.H.y.x, hyx = M.H.x.y, hyy = M.H.y.y;
    const T g = s * (hxx - hyy) + c * (hxy + hyx);
    const T new_hyx = c * g - hxy, new_hyy = hyy + s * g, hyz = s * M.H.z.x + c * M.H.z.y;
    Sym3<T> K = M.C;
    turn_block(c, s, K.xx, K.xy, K.yy);
    turn_pair(c, s, K.xz, K.yz);
    const C &x = b.px, &y = b.py;
    const T yy = ayy - x * (hyz + hyz - x * K.zz);
    const T yz = x * (new_hyy - (x * K.yz - y * K.xz)) - y * new_hyx;
    const T zz = x * (x * K.yy - y * K.xy) - y * (x * K.xy - y * K.xx);
    return zz + b.sa * (b.sa * (yy - zz) + b.ca * (yz + yz));
  }
};

}  // namespace catena::denoc
