// Vectors and matrices of a model as Eigen's, for the oracles.
#pragma once

#include "oracles/naive.hpp"

namespace catena::oracle {

inline Vec vec(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
inline Mat mat(const Mat3<double>& m) {
  Mat r;
  r << m.x.x, m.y.x, m.z.x, m.x.y, m.y.y, m.z.y, m.x.z, m.y.z, m.z.z;
  return r;
}
inline Mat mat(const Sym3<double>& m) {
  Mat r;
  r << m.xx, m.xy, m.xz, m.xy, m.yy, m.yz, m.xz, m.yz, m.zz;
  return r;
}
inline Mat tilde(const Vec& v) {
  Mat r;
  r << 0, -v.z(), v.y(), v.z(), 0, -v.x(), -v.y(), v.x(), 0;
  return r;
}

}  // namespace catena::oracle
