// Derivatives by differences in quadruple precision.
#pragma once

#include <functional>
#include <vector>

#include "catena/scalar/scalar.hpp"

#if CATENA_HAS_QUAD
namespace catena::oracle {

// d/dt f at t = 0, eighth order: the error is about 1e-40 of the ninth derivative.
inline std::vector<Quad> derivative(const std::function<std::vector<Quad>(Quad)>& f) {
  const Quad h = 1e-5;
  const Quad weights[] = {Quad(4) / 5, -Quad(1) / 5, Quad(4) / 105, -Quad(1) / 280};
  std::vector<Quad> sum;
  for (int k = 1; k <= 4; ++k) {
    const std::vector<Quad> a = f(k * h), b = f(-k * h);
    if (sum.empty()) sum.assign(a.size(), 0);
    for (std::size_t i = 0; i < a.size(); ++i) sum[i] += weights[k - 1] * (a[i] - b[i]) / h;
  }
  return sum;
}

}  // namespace catena::oracle
#endif
