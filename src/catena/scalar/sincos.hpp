// Sine and cosine of many angles at once.
//
// The lanes of a pack share one reduction and two polynomials; the error is below 1 ulp. Angles beyond
// 2^20 quarter turns go to the C library, lane by lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "catena/scalar/scalar.hpp"

namespace catena {

template <int N>
inline void sincos(const Pack<double, N>& x, Pack<double, N>& s, Pack<double, N>& c) {
  using V = typename Pack<double, N>::Vector;
  using I = typename Pack<std::int64_t, N>::Vector;
  // pi/2 in three parts of 33 bits and a tail: n times a part is exact for |n| < 2^20.
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  constexpr double p1 = 0x1.921fb54400000p+0, p2 = 0x1.0b4611a600000p-34;
  constexpr double p2_tail = 0x1.3198a2e037073p-69;
  constexpr double shifter = 0x1.8p+52;  // adding it leaves the nearest integer in the low bits

  const V shifted = x.lanes * two_over_pi + shifter;
  const V n = shifted - shifter;
  I quadrant;
  __builtin_memcpy(&quadrant, &shifted, sizeof quadrant);
  // r + r_tail = x - n pi/2
  const V t = x.lanes - n * p1;
  const V w0 = n * p2;
  const V u = t - w0;
  const V w = n * p2_tail - ((t - u) - w0);
  const V r = u - w;
  const V r_tail = (u - r) - w;
  const V z = r * r;

  // sin r = r + r³ (S1 + z S2 + ...), cos r = 1 - z/2 + z² (C1 + ...), minimax on |r| <= pi/4
  const V ps = 8.33333333332248946124e-03 +
               z * (-1.98412698298579493134e-04 +
                    z * (2.75573137070700676789e-06 +
                         z * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10)));
  const V v = z * r;
  const V sine = r - ((z * (0.5 * r_tail - v * ps) - r_tail) - v * -1.66666666666666324348e-01);
  const V pc = z * (4.16666666666666019037e-02 +
                    z * (-1.38888888888741095749e-03 +
                         z * (2.48015872894767294178e-05 +
                              z * (-2.75573143513906633035e-07 +
                                   z * (2.08757232129817482790e-09 +
                                        z * -1.13596475577881948265e-11)))));
  const V hz = 0.5 * z;
  const V one_minus = 1.0 - hz;
  const V cosine = one_minus + (((1.0 - one_minus) - hz) + (z * pc - r * r_tail));

  const I swap = (quadrant & 1) != 0;
  const V a = swap ? cosine : sine, b = swap ? sine : cosine;
  I a_bits, b_bits;
  __builtin_memcpy(&a_bits, &a, sizeof a);
  __builtin_memcpy(&b_bits, &b, sizeof b);
  a_bits ^= (quadrant & 2) << 62;
  b_bits ^= ((quadrant + 1) & 2) << 62;
  __builtin_memcpy(&s.lanes, &a_bits, sizeof a);
  __builtin_memcpy(&c.lanes, &b_bits, sizeof b);

  const V size = x.lanes < 0.0 ? -x.lanes : x.lanes;
  const I near = size <= 1.6e6;  // false for NaN
  std::int64_t all = -1;
  for (int i = 0; i < N; ++i) all &= near[i];
  if (__builtin_expect(all == 0, 0)) {
    for (int i = 0; i < N; ++i) {
      if (near[i]) continue;
      s.lanes[i] = __builtin_sin(x.lanes[i]);
      c.lanes[i] = __builtin_cos(x.lanes[i]);
    }
  }
}

// Single precision through double: correctly rounded in all but the rarest cases.
inline void sincos(const PackF& x, PackF& s, PackF& c) {
  for (int half = 0; half < 16; half += 8) {
    PackD xd, sd, cd;
    for (int i = 0; i < 8; ++i) xd.lanes[i] = static_cast<double>(x.lanes[half + i]);
    sincos(xd, sd, cd);
    for (int i = 0; i < 8; ++i) {
      s.lanes[half + i] = static_cast<float>(sd.lanes[i]);
      c.lanes[half + i] = static_cast<float>(cd.lanes[i]);
    }
  }
}

// s[i], c[i] = sin, cos x[i] for i < n. Arrays of double and float have room for whole packs: they
// are read and written up to the next multiple of eight.
template <class T>
void sincos_all(const T* x, T* s, T* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sincos(x[i], s[i], c[i]);
}
template <>
inline void sincos_all(const double* x, double* s, double* c, std::size_t n) {
  using Pack4 = Pack<double, 4>;  // the widest that plain numbers are compiled for
  for (std::size_t i = 0; i < n; i += 4) {
    Pack4 si, ci;
    sincos(Pack4::load(x + i), si, ci);
    si.store(s + i);
    ci.store(c + i);
  }
}
template <>
inline void sincos_all(const float* x, float* s, float* c, std::size_t n) {
  for (std::size_t i = 0; i < n; i += 8) {
    PackD xd, si, ci;
    for (int k = 0; k < 8; ++k) xd.lanes[k] = static_cast<double>(x[i + static_cast<std::size_t>(k)]);
    sincos(xd, si, ci);
    for (int k = 0; k < 8; ++k) {
      s[i + static_cast<std::size_t>(k)] = static_cast<float>(si.lanes[k]);
      c[i + static_cast<std::size_t>(k)] = static_cast<float>(ci.lanes[k]);
    }
  }
}

}  // namespace catena
