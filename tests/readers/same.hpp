// Poses that are equal but for the rounding of rotations.
#pragma once

#include <gtest/gtest.h>

#include "catena/spatial/spatial.hpp"

namespace catena {

inline void expect_same(const Vec3<double>& a, const Vec3<double>& b, double tolerance) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}
// `tolerance` is for rotations, which URDF writes as angles.
inline void expect_same(const Pose<double>& a, const Pose<double>& b, double tolerance) {
  expect_same(a.p, b.p, 0);
  expect_same(a.R.x, b.R.x, tolerance);
  expect_same(a.R.y, b.R.y, tolerance);
  expect_same(a.R.z, b.R.z, tolerance);
}

}  // namespace catena
