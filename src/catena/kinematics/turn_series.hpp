// Power series of the functions that a turn by an angle t brings along, in s = t²; for s < 1 to the
// last place. (Not inline: the lanes of every instruction set have their own.)
#pragma once

#include <array>
#include <cstddef>

namespace catena::turn_series {

// sin(t/2)/t
[[maybe_unused]] constexpr std::array half_sine{
    1. / 2,         -1. / 48,          1. / 3840,           -1. / 645120,
    1. / 185794560, -1. / 81749606400, 1. / 51011754393600.};
// cos(t/2)
[[maybe_unused]] constexpr std::array half_cosine{1.,
                                                  -1. / 8,
                                                  1. / 384,
                                                  -1. / 46080,
                                                  1. / 10321920,
                                                  -1. / 3715891200.,
                                                  1. / 1961990553600.,
                                                  -1. / 1428329123020800.};
// (1 - cos t)/t²
constexpr std::array cosine{1. / 2,
                            -1. / 24,
                            1. / 720,
                            -1. / 40320,
                            1. / 3628800,
                            -1. / 479001600.,
                            1. / 87178291200.,
                            -1. / 20922789888000.,
                            1. / 6402373705728000.};
// (t - sin t)/t³
constexpr std::array sine{1. / 6,
                          -1. / 120,
                          1. / 5040,
                          -1. / 362880,
                          1. / 39916800.,
                          -1. / 6227020800.,
                          1. / 1307674368000.,
                          -1. / 355687428096000.,
                          1. / 121645100408832000.};
// (1 - t/2 cot t/2)/t²: Bernoulli numbers, |B_2k|/(2k)!
constexpr std::array cotangent{1. / 12,
                               1. / 720,
                               1. / 30240,
                               1. / 1209600,
                               1. / 47900160,
                               691. / 1307674368000,
                               1. / 74724249600,
                               3617. / 10670622842880000,
                               43867. / 5109094217170944000,
                               174611. / 802857662698291200000.};

// The derivative of a series by s.
template <std::size_t N>
constexpr std::array<double, N - 1> derivative(const std::array<double, N>& c) {
  std::array<double, N - 1> d{};
  for (std::size_t k = 1; k < N; ++k) d[k - 1] = static_cast<double>(k) * c[k];
  return d;
}

}  // namespace catena::turn_series
