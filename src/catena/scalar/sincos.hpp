// Sine and cosine of many angles at once.
//
// The lanes of a pack share one reduction and two polynomials; the error is below 1 ulp. Angles
// beyond 1e5 rad go to the C library, lane by lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "catena/scalar/scalar.hpp"

namespace catena {

// -1 where something holds, else 0.
template <class P>
using Lanes = typename Pack<std::int64_t, P::size>::Vector;

// Right in the lanes up to 1e5 rad; sets `far` in the others (and where x is not a number).
template <class P>
inline void sincos_near(const P& x, P& s, P& c, Lanes<P>& far) {
  using V = typename P::Vector;
  using I = Lanes<P>;
  // pi/2 in two parts of 33 bits and a tail: n times a part is exact for |n| < 2^20.
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  constexpr double p1 = 0x1.921fb54400000p+0, p2 = 0x1.0b4611a600000p-34;
  constexpr double p2_tail = 0x1.3198a2e037073p-69;
  constexpr double shifter = 0x1.8p+52;  // adding it leaves the nearest integer in the low bits

  const V shifted = x.lanes * two_over_pi + shifter;
  const V n = shifted - shifter;
  I quadrant;
  __builtin_memcpy(&quadrant, &shifted, sizeof quadrant);
  // r + tail = x - n pi/2, where |tail| is below an ulp of r
  const V t = x.lanes - n * p1;
  const V w = n * p2;
  const V r = t - w;
  const V tail = ((t - r) - w) - n * p2_tail;
  const V z = r * r, z2 = z * z, z4 = z2 * z2;

  // sin r = r + r z (S1 + z S2 + ...), cos r = 1 - z/2 + z² (C1 + z C2 + ...), minimax on |r| <=
  // pi/4, summed in pairs for short waits
  const V ps = (-1.66666666666666324348e-01 + z * 8.33333333332248946124e-03) +
               z2 * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06) +
               z4 * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
  const V sine = r + (r * z * ps + tail * (1.0 - 0.5 * z));
  const V pc = (4.16666666666666019037e-02 + z * -1.38888888888741095749e-03) +
               z2 * (2.48015872894767294178e-05 + z * -2.75573143513906633035e-07) +
               z4 * (2.08757232129817482790e-09 + z * -1.13596475577881948265e-11);
  const V half = 0.5 * z;
  const V most = 1.0 - half;
  const V cosine = most + (((1.0 - most) - half) + (z2 * pc - r * tail));

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
  far |= ~(size <= 1e5);
}
// Whether it holds in some lane.
template <class P>
inline bool any(const Lanes<P>& lanes) {
  struct Halves {
    typename Pack<std::int64_t, P::size / 2>::Vector low, high;
  };
  if constexpr (P::size == 2) {
    return (lanes[0] | lanes[1]) != 0;
  } else {
    const Halves h = __builtin_bit_cast(Halves, lanes);
    using Half = Pack<double, P::size / 2, P>;
    return any<Half>(h.low | h.high);
  }
}

template <int N, class L>
inline void sincos(const Pack<double, N, L>& x, Pack<double, N, L>& s, Pack<double, N, L>& c) {
  using P = Pack<double, N, L>;
  Lanes<P> far{};
  sincos_near(x, s, c, far);
  if (!__builtin_expect(any<P>(far), 0)) return;
  for (int i = 0; i < N; ++i) {
    if (far[i] == 0) continue;
    s.lanes[i] = __builtin_sin(x.lanes[i]);
    c.lanes[i] = __builtin_cos(x.lanes[i]);
  }
}

// Single precision through double: correctly rounded in all but the rarest cases.
template <int N, class L>
inline void sincos(const Pack<float, N, L>& x, Pack<float, N, L>& s, Pack<float, N, L>& c) {
  constexpr int lanes = N / 2;
  for (int first = 0; first < N; first += lanes) {
    Pack<double, lanes, L> xd, sd, cd;
    for (int i = 0; i < lanes; ++i) xd.lanes[i] = static_cast<double>(x.lanes[first + i]);
    sincos(xd, sd, cd);
    for (int i = 0; i < lanes; ++i) {
      s.lanes[first + i] = static_cast<float>(sd.lanes[i]);
      c.lanes[first + i] = static_cast<float>(cd.lanes[i]);
    }
  }
}

// Sines and cosines of angles that come one by one: packs look only once, at the end, whether one of
// the angles was far.
template <class T>
class SinesAndCosines {
 public:
  void add(const T& x, T& s, T& c) { sincos(x, s, c); }
  bool any_far() const { return false; }
};
template <int N, class L>
class SinesAndCosines<Pack<double, N, L>> {
 public:
  using T = Pack<double, N, L>;
  void add(const T& x, T& s, T& c) { sincos_near(x, s, c, far_); }
  // Some results are wrong: compute them again by sincos().
  bool any_far() const { return __builtin_expect(any<T>(far_), 0); }

 private:
  Lanes<T> far_{};
};

// s[i], c[i] = sin, cos (x[i] + offset[i]) for i < n. s and c have room for n rounded up to whole
// packs of four.
template <class T>
void sincos_all(const T* x, const Constant<T>* offset, T* s, T* c, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) sincos(x[i] + offset[i], s[i], c[i]);
}
template <class E>
requires is_plain<E>
void sincos_all(const E* x, const E* offset, E* s, E* c, std::size_t n) {
  using Pack4 = Pack<double, 4>;  // the widest that plain numbers are compiled for
  Lanes<Pack4> far{};
  const auto four = [&far](const E* xi, const E* oi, E* si, E* ci) {
    Pack4 sine, cosine;
    if constexpr (std::is_same_v<E, double>) {
      sincos_near(Pack4::load(xi) + Pack4::load(oi), sine, cosine, far);
      sine.store(si), cosine.store(ci);
    } else {
      Pack4 angle;
      for (int k = 0; k < 4; ++k) angle.lanes[k] = static_cast<double>(xi[k] + oi[k]);
      sincos_near(angle, sine, cosine, far);
      for (int k = 0; k < 4; ++k) si[k] = static_cast<E>(sine.lanes[k]);
      for (int k = 0; k < 4; ++k) ci[k] = static_cast<E>(cosine.lanes[k]);
    }
  };
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) four(x + i, offset + i, s + i, c + i);
  if (i < n && n > 4) {
    four(x + n - 4, offset + n - 4, s + n - 4, c + n - 4);  // overlaps the last four
  } else if (i < n) {
    E few[4] = {}, few_offset[4] = {};
    for (std::size_t k = 0; k < n; ++k) few[k] = x[k], few_offset[k] = offset[k];
    four(few, few_offset, s, c);
  }
  if (!__builtin_expect(any<Pack4>(far), 0)) return;
  for (i = 0; i < n; ++i) {
    const double angle = static_cast<double>(x[i] + offset[i]);
    if (angle >= -1e5 && angle <= 1e5) continue;
    s[i] = static_cast<E>(__builtin_sin(angle)), c[i] = static_cast<E>(__builtin_cos(angle));
  }
}

}  // namespace catena
