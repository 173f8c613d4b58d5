// Several neighbours at once: numbers of one kind that lie side by side, for plain scalars by fours.
// A scalar that is a pack of states already, or that counts or refers, goes one by one.
#pragma once

#include "catena/model/coordinates.hpp"
#include "catena/spatial/spatial.hpp"

namespace catena {

template <class T>
using Lane = std::conditional_t<is_plain<T>, Pack<T, 4>, T>;
template <class T>
inline constexpr int lanes = is_plain<T> ? 4 : 1;

template <class T>
Lane<T> load_lanes(const T* from) {
  if constexpr (is_plain<T>)
    return Lane<T>::load(from);
  else
    return *from;
}
// The first `count` of them, which may be none or more than there are lanes; the others are zero.
template <class T>
Lane<T> load_lanes(const T* from, int count) {
  if constexpr (is_plain<T>) {
    if (count < lanes<T>) {
      T some[lanes<T>] = {};
      for (int i = 0; i < count; ++i) some[i] = from[i];
      return Lane<T>::load(some);
    }
  } else if (count <= 0) {
    return T(0);
  }
  return load_lanes(from);
}
// Of the lanes of x the first `count`.
template <class T>
void store_lanes(T* to, const Lane<T>& x, int count) {
  if constexpr (is_plain<T>) {
    if (count >= lanes<T>) return x.store(to);
    T all[lanes<T>];
    x.store(all);
    for (int i = 0; i < count; ++i) to[i] = all[i];
  } else if (count > 0) {
    *to = x;
  }
}

// A table with a column for each velocity (or body) and a row for each component; columns beyond the
// last may be read by lanes, but mean nothing.
template <class T>
class Columns {
 public:
  Columns() = default;
  Columns(int rows, int columns, Arena& arena)
      : stride_((index(columns) + 7) / 4 * 4), data_(arena.take<T>(index(rows) * stride_)) {}

  T* row(int r) const { return data_ + index(r) * stride_; }
  T& at(int r, int c) const { return row(r)[c]; }

  // Components r, r + 1, r + 2 of one column, and of the lanes from column c on.
  Vec3<T> vector(int r, int c) const { return {at(r, c), at(r + 1, c), at(r + 2, c)}; }
  void put(int r, int c, const Vec3<T>& v) const {
    at(r, c) = v.x, at(r + 1, c) = v.y, at(r + 2, c) = v.z;
  }
  Lane<T> lane(int r, int c) const { return load_lanes(row(r) + c); }
  Vec3<Lane<T>> vectors(int r, int c) const { return {lane(r, c), lane(r + 1, c), lane(r + 2, c)}; }
  void put_lane(int r, int c, const Lane<T>& x) const { store_lanes(row(r) + c, x, lanes<T>); }
  void put_lanes(int r, int c, const Vec3<Lane<T>>& v) const {
    put_lane(r, c, v.x), put_lane(r + 1, c, v.y), put_lane(r + 2, c, v.z);
  }

 private:
  std::size_t stride_ = 0;
  T* data_ = nullptr;
};

// visit(first, last) for every run of neighbours among `v` and the velocities above it, nearest
// first.
template <class C, class Visit>
void for_each_run(const Mechanism<C>& m, int v, Visit visit) {
  while (v >= 0) {
    const int first = m.run_begin_v[index(v)];
    visit(first, v);
    v = m.parent_of_v[index(first)];
  }
}

}  // namespace catena
