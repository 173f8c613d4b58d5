// Rotations that readers and writers use.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/model/model.hpp"

namespace catena {
namespace {

TEST(Rotations, RpyComesBackAtAndNearGimbalLock) {
  for (const double off : {0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-6, 1e-3, 0.5}) {
    for (const double sign : {-1.0, 1.0}) {
      // a product, so that the matrix carries the rounding of real models
      const Mat3<double> R = rotation_from_rpy(0.3, sign * (std::acos(-1.0) / 2 - off), -1.2) *
                             rotation_about({1, 0, 0}, 0.7);
      const Vec3<double> rpy = rpy_from_rotation(R);
      const Mat3<double> back = rotation_from_rpy(rpy.x, rpy.y, rpy.z);
      for (const auto& [a, b] : {std::pair{R.x, back.x}, {R.y, back.y}, {R.z, back.z}}) {
        const Vec3<double> d = a - b;
        EXPECT_LT(std::sqrt(dot(d, d)), 1e-15) << off;
      }
    }
  }
}

}  // namespace
}  // namespace catena
