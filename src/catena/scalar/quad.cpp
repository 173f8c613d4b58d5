#include "catena/scalar/quad.hpp"

#if CATENA_HAS_QUAD
#include <cmath>

namespace catena {

// Newton's iteration doubles the digits of the double-precision root.
Quad sqrt(Quad x) {
  const double start = std::sqrt(static_cast<double>(x));
  if (!(start > 0) || std::isinf(start)) return start;
  Quad r = start;
  for (int i = 0; i < 3; ++i) r = (r + x / r) / 2;
  return r;
}

// Taylor series after reduction to |r| <= pi/16: x = n pi/2 + r in two parts of pi/2, then three
// halvings of the angle, undone by the double-angle formulas on (sin, cos - 1).
void sincos(Quad x, Quad& s, Quad& c) {
  // pi/2 as a sum: the products of the first two parts with |n| < 2^53 are exact in 113 bits.
  const Quad p1 = 0x1.921fb54442d18p+0;
  const Quad p2 = 0x1.1a62633145c07p-54;
  const Quad p3 = Quad(-0x1.f1976b7ed8fbcp-110) + Quad(0x1.4cf98e804177dp-164);
  const Quad n = std::nearbyint(static_cast<double>(x) * 0x1.45f306dc9c883p-1);
  Quad r = ((x - n * p1) - n * p2) - n * p3;
  r /= 8;
  const Quad r2 = r * r;
  Quad term = r, sine = r;
  Quad term_c = -r2 / 2, cosine_m1 = -r2 / 2;
  for (int k = 1; k < 16; ++k) {
    term *= -r2 / ((2 * k) * (2 * k + 1));
    sine += term;
    term_c *= -r2 / ((2 * k + 1) * (2 * k + 2));
    cosine_m1 += term_c;
  }
  for (int k = 0; k < 3; ++k) {  // sin 2a = 2 sin a (1 + m), cos 2a - 1 = -2 sin² a
    const Quad sine2 = 2 * sine * (1 + cosine_m1);
    cosine_m1 = -2 * sine * sine;
    sine = sine2;
  }
  const Quad cosine = 1 + cosine_m1;
  const long long quadrant = static_cast<long long>(n) & 3;
  switch (quadrant) {
    case 0:
      s = sine, c = cosine;
      break;
    case 1:
      s = cosine, c = -sine;
      break;
    case 2:
      s = -sine, c = -cosine;
      break;
    default:
      s = -cosine, c = sine;
      break;
  }
}

}  // namespace catena
#endif
