// A pack of lanes: one arithmetic type that holds N states at once.
//
// Built on the compiler's vector types, which every instruction set can run: a pack of four doubles
// is one 256-bit register where the processor has them, two of 128 bits elsewhere. No branch on a
// lane's value is possible.
//
// Code that is compiled for one instruction set alone (batch/lanes) gives its packs a Level of
// their own: the type then stands in the name of every function that is made of it, and the linker
// cannot take one level's for another's.
#pragma once

#include <cmath>
#include <cstddef>

namespace catena {

// Aligned to its size whatever the caller's instruction set is: kernels for wide registers rely on
// it.
template <class E, int N, class Level = void>
struct alignas(N * sizeof(E)) Pack {
  using Element = E;
  static constexpr int size = N;
  typedef E Vector __attribute__((vector_size(N * sizeof(E))));

  Vector lanes;

  Pack() = default;                   // lanes are left as they are; Pack{} is zero
  Pack(E e) : lanes(e - Vector{}) {}  // a constant in all lanes
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

template <class E, int N, class L>
Pack<E, N, L> sqrt(const Pack<E, N, L>& a) {
  Pack<E, N, L> r;
  for (int i = 0; i < N; ++i) r.lanes[i] = std::sqrt(a.lanes[i]);
  return r;
}

// 1 in the lanes where a is greater than b, else 0 (where one is not a number, too).
template <class E, int N, class L>
Pack<E, N, L> greater(const Pack<E, N, L>& a, const Pack<E, N, L>& b) {
  const Pack<E, N, L> zero(E(0)), one(E(1));
  return Pack<E, N, L>(a.lanes > b.lanes ? one.lanes : zero.lanes);
}

// -1, 0 or 1, lane by lane.
template <class E, int N, class L>
Pack<E, N, L> sign(const Pack<E, N, L>& a) {
  const Pack<E, N, L> zero(E(0));
  return greater(a, zero) - greater(zero, a);
}

}  // namespace catena
