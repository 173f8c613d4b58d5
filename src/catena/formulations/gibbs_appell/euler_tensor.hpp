// The moment on a turning body by its Euler tensor [Mata et al. 2002, (10)-(12)].
#pragma once

#include "catena/spatial/spatial.hpp"

namespace catena::gibbs_appell {

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

// The moment of a body with the Euler tensor J (11) about the origin that J is taken about, as far
// as it does not come with the acceleration of that origin. Its tensor is Omega J - (Omega J)ᵀ
// (10).
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

}  // namespace catena::gibbs_appell
