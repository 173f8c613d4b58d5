// What forward dynamics found besides numbers.
#pragma once

#include <string>

#include "catena/model/mechanism.hpp"

namespace catena {

// What a numerical kernel found: -1, or the first velocity coordinate (of the tree) along which the
// mechanism has no inertia, so that its acceleration does not exist.
struct [[nodiscard]] ForwardStatus {
  int massless_velocity = -1;
  explicit operator bool() const { return massless_velocity < 0; }
};

// "joint 'wrist_roll' carries no inertia at this state; ..." for a status that is not good.
template <class C>
std::string describe(const Mechanism<C>& m, const ForwardStatus& status);

// The spacing of numbers next to 1, for the scalars that can branch on a value; 0 for the others.
template <class T>
inline constexpr double spacing = 0;
template <>
inline constexpr double spacing<double> = 0x1p-52;
template <>
inline constexpr double spacing<float> = 0x1p-23;
#if CATENA_HAS_QUAD
template <>
inline constexpr double spacing<Quad> = 0x1p-112;
#endif

// The pivots of an elimination that are lost in rounding: the first, where a scalar can branch.
// Packs know only in which lanes there was one: `lanes` is then not zero.
template <class T>
struct LostPivots {
  int first = -1;

  // A pivot D of velocity v, what is left of quantities of size scale(): it is lost if it is not
  // above so many units of their last place.
  template <class Scale>
  void meet(const T& D, Scale scale, int v, int units = 16) {
    if constexpr (spacing < T >> 0) {
      if (!(D > T(units * spacing<T>) * scale()) && first < 0) first = v;
    }
  }
};
template <class E, int N, class L>
struct LostPivots<Pack<E, N, L>> {
  using T = Pack<E, N, L>;
  static constexpr int first = -1;
  T lanes{};

  template <class Scale>
  void meet(const T& D, Scale scale, int, int units = 16) {
    lanes += T(E(1)) - greater(D, T(static_cast<E>(units * spacing<E>)) * scale());
  }
};

}  // namespace catena
