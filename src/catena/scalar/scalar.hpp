// The closed list of scalars that the algorithms are instantiated for.
//
// An algorithm is written once over a scalar T. The constants of a mechanism have the type
// Constant<T>: packs of lanes share plain numbers, every other scalar uses itself.
#pragma once

#include <cmath>
#include <type_traits>

#include "catena/scalar/counting.hpp"
#include "catena/scalar/pack.hpp"
#include "catena/scalar/quad.hpp"

namespace catena {

class Symbolic;  // scalar/symbolic.hpp

template <class T>
struct ConstantOf {
  using Type = T;
};
template <class E, int N, class L>
struct ConstantOf<Pack<E, N, L>> {
  using Type = E;
};
template <class T>
using Constant = typename ConstantOf<T>::Type;

// Plain numbers of the processor: one state, one lane.
template <class T>
inline constexpr bool is_plain = std::is_same_v<T, double> || std::is_same_v<T, float>;

// Symbols care for the number of operations alone, not for how long they wait for one another.
template <class T>
inline constexpr bool is_symbolic = std::is_same_v<T, Symbolic>;

template <class T>
inline constexpr bool is_pack = !std::is_same_v<T, Constant<T>>;

inline double sqrt(double x) { return std::sqrt(x); }
inline float sqrt(float x) { return std::sqrt(x); }
inline double sign(double x) { return (x > 0) - (x < 0); }
inline float sign(float x) { return static_cast<float>((x > 0) - (x < 0)); }

// The plain number a scalar stands for (the first lane of a pack).
inline double to_double(double x) { return x; }
inline double to_double(float x) { return static_cast<double>(x); }
inline double to_double(const Counting& x) { return x.value(); }
template <class E, int N, class L>
double to_double(const Pack<E, N, L>& x) {
  return static_cast<double>(x[0]);
}
#if CATENA_HAS_QUAD
inline double to_double(Quad x) { return static_cast<double>(x); }
#endif

}  // namespace catena

// Applies MACRO(T) to every scalar of the list. (Symbolic is added where code is generated from;
// packs have files of their own, batch/lanes.)
#if CATENA_HAS_QUAD
#define CATENA_FOR_EACH_SCALAR(MACRO) \
  MACRO(double) MACRO(float) MACRO(::catena::Counting) MACRO(::catena::Quad)
// What derivatives, regressors and the like are computed in.
#define CATENA_FOR_EACH_DERIVED_SCALAR(MACRO) MACRO(double) MACRO(::catena::Quad)
#else
#define CATENA_FOR_EACH_SCALAR(MACRO) MACRO(double) MACRO(float) MACRO(::catena::Counting)
#define CATENA_FOR_EACH_DERIVED_SCALAR(MACRO) MACRO(double)
#endif
