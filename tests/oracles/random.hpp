// Random numbers that are the same on every machine: no standard distribution takes part.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "catena/spatial/spatial.hpp"

namespace catena::oracle {

class Random {
 public:
  explicit Random(std::uint64_t seed) : generator_(seed) {}

  double uniform(double low = -1, double high = 1) {
    return low + (high - low) * (static_cast<double>(generator_() >> 11) * 0x1p-53);
  }
  int below(int n) { return static_cast<int>(generator_() % static_cast<std::uint64_t>(n)); }
  bool chance(double probability) { return uniform(0, 1) < probability; }

  Vec3<double> vector(double size = 1) {
    const double x = uniform(-size, size), y = uniform(-size, size), z = uniform(-size, size);
    return {x, y, z};
  }
  Vec3<double> unit() {
    while (true) {
      const Vec3<double> v = vector();
      const double r2 = dot(v, v);
      if (r2 > 0.01 && r2 < 1) return (1 / std::sqrt(r2)) * v;
    }
  }
  // A unit quaternion x y z w, uniformly distributed.
  std::vector<double> quaternion() {
    while (true) {
      std::vector<double> e(4);
      double r2 = 0;
      for (double& x : e) x = uniform(), r2 += x * x;
      if (r2 < 0.01 || r2 > 1) continue;
      for (double& x : e) x /= std::sqrt(r2);
      return e;
    }
  }
  Mat3<double> rotation() {
    const std::vector<double> e = quaternion();
    const double x = e[0], y = e[1], z = e[2], w = e[3];
    return {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
            {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
            {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
  }
  Pose<double> pose(double reach = 0.5) {
    const Mat3<double> R = rotation();
    return {R, vector(reach)};
  }
  // Now and then a pose with zeros in it, as people write them.
  Pose<double> written_pose(double reach = 0.5) {
    if (chance(0.6)) return pose(reach);
    Pose<double> X;
    if (chance(0.5)) X.R = {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}};
    if (chance(0.7)) X.p = {uniform(-reach, reach), 0, 0};
    return X;
  }
  Vec3<double> written_axis() {
    if (chance(0.6)) return unit();
    const double sign = chance(0.5) ? 1 : -1;
    const int k = below(3);
    return {k == 0 ? sign : 0, k == 1 ? sign : 0, k == 2 ? sign : 0};
  }

  std::mt19937_64& generator() { return generator_; }

 private:
  std::mt19937_64 generator_;
};

}  // namespace catena::oracle
