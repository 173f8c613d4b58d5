// Sine and cosine of many angles at once.
//
// The lanes of a pack share one reduction and two polynomials; the error is below 1 ulp (packs of
// float: 1.5). Angles beyond 1e5 rad go to the C library, lane by lane.
#pragma once

#include <cstddef>
#include <cstdint>

#include "catena/scalar/scalar.hpp"

namespace catena {

// -1 where something holds, else 0: integers as wide as the numbers.
template <class P>
using Lanes =
    typename Pack<std::conditional_t<sizeof(typename P::Element) == 8, std::int64_t, std::int32_t>,
                  P::size>::Vector;

// Right in the lanes up to 1e5 rad; sets `far` in the others (and where x is not a number).
template <int N, class L>
inline void sincos_near(const Pack<double, N, L>& x, Pack<double, N, L>& s, Pack<double, N, L>& c,
                        Lanes<Pack<double, N, L>>& far) {
  using P = Pack<double, N, L>;
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

// Single precision, within 1.5 ulp: the angle is reduced in double, half of the lanes at a time,
// and the polynomials are evaluated in float.
template <int N, class L>
inline void sincos_near(const Pack<float, N, L>& x, Pack<float, N, L>& s, Pack<float, N, L>& c,
                        Lanes<Pack<float, N, L>>& far) {
  using V = typename Pack<float, N, L>::Vector;
  using I = Lanes<Pack<float, N, L>>;
  using D = typename Pack<double, N / 2, L>::Vector;
  struct Halves {
    typename Pack<float, N / 2, L>::Vector half[2];
  };
  struct Quadrants {
    typename Pack<std::int32_t, N / 2, L>::Vector half[2];
  };
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1, shifter = 0x1.8p+52;
  constexpr double p1 = 0x1.921fb54400000p+0, p2 = 0x1.0b4611a600000p-34;
  Halves parts = __builtin_bit_cast(Halves, x.lanes);
  Quadrants quadrants;
#pragma GCC unroll 2
  for (int h = 0; h < 2; ++h) {
    const D xd = __builtin_convertvector(parts.half[h], D);
    const D n = (xd * two_over_pi + shifter) - shifter;
    parts.half[h] =
        __builtin_convertvector((xd - n * p1) - n * p2, typename Pack<float, N / 2, L>::Vector);
    quadrants.half[h] = __builtin_convertvector(n, typename Pack<std::int32_t, N / 2, L>::Vector);
  }
  const V r = __builtin_bit_cast(V, parts), z = r * r;
  const I quadrant = __builtin_bit_cast(I, quadrants);
  const V sine = r + r * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f));
  const V pc = 4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f);
  const V half = 0.5f * z, most = 1.0f - half;
  const V cosine = most + (((1.0f - most) - half) + z * z * pc);
  const I swap = (quadrant & 1) != 0;
  const V a = swap ? cosine : sine, b = swap ? sine : cosine;
  s.lanes = __builtin_bit_cast(V, __builtin_bit_cast(I, a) ^ ((quadrant & 2) << 30));
  c.lanes = __builtin_bit_cast(V, __builtin_bit_cast(I, b) ^ (((quadrant + 1) & 2) << 30));
  const V size = x.lanes < 0.0f ? -x.lanes : x.lanes;
  far |= ~(size <= 1e5f);
}

// Whether it holds in some lane.
template <class P>
inline bool any(const Lanes<P>& lanes) {
  using Half = Pack<typename P::Element, P::size / 2, P>;
  struct Halves {
    Lanes<Half> low, high;
  };
  if constexpr (P::size == 2) {
    return (lanes[0] | lanes[1]) != 0;
  } else {
    const Halves h = __builtin_bit_cast(Halves, lanes);
    return any<Half>(h.low | h.high);
  }
}

template <class E, int N, class L>
inline void sincos(const Pack<E, N, L>& x, Pack<E, N, L>& s, Pack<E, N, L>& c) {
  using P = Pack<E, N, L>;
  Lanes<P> far{};
  sincos_near(x, s, c, far);
  if (!__builtin_expect(any<P>(far), 0)) return;
  for (int i = 0; i < N; ++i) {
    if (far[i] == 0) continue;
    const double angle = static_cast<double>(x.lanes[i]);
    s.lanes[i] = static_cast<E>(__builtin_sin(angle));
    c.lanes[i] = static_cast<E>(__builtin_cos(angle));
  }
}

// Sines and cosines of angles that come one by one: packs look only once, at the end, whether one
// of the angles was far.
template <class T>
class SinesAndCosines {
 public:
  void add(const T& x, T& s, T& c) { sincos(x, s, c); }
  bool any_far() const { return false; }
};
template <class E, int N, class L>
class SinesAndCosines<Pack<E, N, L>> {
 public:
  using T = Pack<E, N, L>;
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
