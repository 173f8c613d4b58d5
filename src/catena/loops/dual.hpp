// A number and its derivative along one direction: what is computed with them is differentiated.
#pragma once

#include <cmath>

namespace catena {

struct Dual {
  double value = 0, slope = 0;

  Dual() = default;
  Dual(double v) : value(v) {}  // a constant
  Dual(double v, double d) : value(v), slope(d) {}

  friend Dual operator+(const Dual& a, const Dual& b) {
    return {a.value + b.value, a.slope + b.slope};
  }
  friend Dual operator-(const Dual& a, const Dual& b) {
    return {a.value - b.value, a.slope - b.slope};
  }
  friend Dual operator-(const Dual& a) { return {-a.value, -a.slope}; }
  friend Dual operator*(const Dual& a, const Dual& b) {
    return {a.value * b.value, a.slope * b.value + a.value * b.slope};
  }
  friend Dual operator/(const Dual& a, const Dual& b) {
    const double q = a.value / b.value;
    return {q, (a.slope - q * b.slope) / b.value};
  }
};

inline Dual sqrt(const Dual& a) {
  const double r = std::sqrt(a.value);
  return {r, a.slope / (2 * r)};
}

}  // namespace catena
