// Numbers as people write them: "-90 deg", "pi/2", "30 mm", "2*(0.1 + 0.05)", "10 kg*mm^2".
#pragma once

#include <string>
#include <string_view>

namespace catena {

// Exponents of the base units. The radian is one, so that an angle cannot pass for a length.
struct Dimension {
  int kg = 0, m = 0, s = 0, rad = 0;
  friend bool operator==(const Dimension&, const Dimension&) = default;
};

namespace dimension {
inline constexpr Dimension number{};
inline constexpr Dimension angle{0, 0, 0, 1};
inline constexpr Dimension length{0, 1, 0, 0};
inline constexpr Dimension mass{1, 0, 0, 0};
inline constexpr Dimension inertia{1, 2, 0, 0};
inline constexpr Dimension acceleration{0, 1, -2, 0};
inline constexpr Dimension force{1, 1, -2, 0};
inline constexpr Dimension torque{1, 2, -2, 0};
inline constexpr Dimension length_per_angle{0, 1, 0, -1};
}  // namespace dimension

constexpr Dimension operator*(Dimension a, Dimension b) {
  return {a.kg + b.kg, a.m + b.m, a.s + b.s, a.rad + b.rad};
}
constexpr Dimension operator/(Dimension a, Dimension b) {
  return {a.kg - b.kg, a.m - b.m, a.s - b.s, a.rad - b.rad};
}
inline constexpr Dimension per_second{0, 0, -1, 0};

// What is wrong with a number, without its place.
struct QuantityError {
  std::string problem;
  std::string remedy;
};

// The value in SI units. A number without a unit is in SI units already, and N m passes for N
// m/rad. A single number is the nearest double; a number with one unit is rounded at most twice.
//   throws  QuantityError if `text` is no expression, not finite or of another dimension
double evaluate(std::string_view text, Dimension expected);

}  // namespace catena
