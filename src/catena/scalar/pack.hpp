// A pack of lanes: one arithmetic type that holds N states at once.
//
// Built on the compiler's vector types, which every instruction set can run: a pack of four doubles
// is one 256-bit register where the processor has them, two of 128 bits elsewhere. No branch on a
// lane's value is possible.
#pragma once

#include <cmath>
#include <cstddef>

namespace catena {

// Aligned to its size whatever the caller's instruction set is: kernels for wide registers rely on
// it.
template <class E, int N>
struct alignas(N * sizeof(E)) Pack {
  using Element = E;
  static constexpr int size = N;
  typedef E Vector __attribute__((vector_size(N * sizeof(E))));

  Vector lanes;

  Pack() : lanes{} {}
  Pack(E e) : lanes(Vector{} + e) {}  // a constant in all lanes
  explicit Pack(const Vector& v) : lanes(v) {}
  static Pack load(const E* from) {
    Pack p;
    __builtin_memcpy(&p.lanes, from, sizeof(Vector));
    return p;
  }
  void store(E* to) const { __builtin_memcpy(to, &lanes, sizeof(Vector)); }

  E operator[](int i) const { return lanes[i]; }
  void set(int i, E e) { lanes[i] = e; }

  friend Pack operator+(const Pack& a, const Pack& b) { return Pack(a.lanes + b.lanes); }
  friend Pack operator-(const Pack& a, const Pack& b) { return Pack(a.lanes - b.lanes); }
  friend Pack operator*(const Pack& a, const Pack& b) { return Pack(a.lanes * b.lanes); }
  friend Pack operator/(const Pack& a, const Pack& b) { return Pack(a.lanes / b.lanes); }
  friend Pack operator-(const Pack& a) { return Pack(-a.lanes); }
  Pack& operator+=(const Pack& b) { return lanes += b.lanes, *this; }
  Pack& operator-=(const Pack& b) { return lanes -= b.lanes, *this; }
  Pack& operator*=(const Pack& b) { return lanes *= b.lanes, *this; }
};

template <class E, int N>
Pack<E, N> sqrt(const Pack<E, N>& a) {
  Pack<E, N> r;
  for (int i = 0; i < N; ++i) r.lanes[i] = std::sqrt(a.lanes[i]);
  return r;
}

// -1, 0 or 1, lane by lane.
template <class E, int N>
Pack<E, N> sign(const Pack<E, N>& a) {
  using V = typename Pack<E, N>::Vector;
  const V zero{}, one = Pack<E, N>(E(1)).lanes;
  return Pack<E, N>((a.lanes > zero ? one : zero) - (a.lanes < zero ? one : zero));
}

}  // namespace catena
