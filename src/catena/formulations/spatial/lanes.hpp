// Several neighbours at once: numbers of one kind that lie side by side, for plain scalars by
// fours. A scalar that is a pack of states already, or that counts or refers, goes one by one.
#pragma once

#include "catena/model/coordinates.hpp"
#include "catena/spatial/spatial.hpp"

namespace catena {

template <class T>
using Lane = std::conditional_t<is_plain<T>, Pack<T, 4>, T>;
template <class T>
inline constexpr int lanes = is_plain<T> ? 4 : 1;

// The number at `from` in all lanes. Its neighbours are read, too, so that it takes one
// instruction.
template <class T>
Lane<T> in_all_lanes(const T* from) {
  if constexpr (is_plain<T>) {
    const typename Lane<T>::Vector x = Lane<T>::load(from).lanes;
    return Lane<T>(__builtin_shufflevector(x, x, 0, 0, 0, 0));
  } else {
    return *from;
  }
}
template <class T>
Lane<T> load_lanes(const T* from) {
  if constexpr (is_plain<T>)
    return Lane<T>::load(from);
  else
    return *from;
}
template <class T>
void store_lanes(T* to, const Lane<T>& x) {
  if constexpr (is_plain<T>)
    x.store(to);
  else
    *to = x;
}
// Of the lanes of x the first `count`, at least one; the others at `to` are read and stay.
template <class T>
void store_lanes(T* to, const Lane<T>& x, int count) {
  if constexpr (is_plain<T>) {
    if (count >= lanes<T>) return x.store(to);
    using Integer = std::conditional_t<sizeof(T) == 8, std::int64_t, std::int32_t>;
    alignas(64) static constexpr Integer taken[8] = {-1, -1, -1, -1, 0, 0, 0, 0};
    const auto mask = Pack<Integer, 4>::load(taken + 4 - count).lanes;
    const typename Lane<T>::Vector mixed = mask ? x.lanes : Lane<T>::load(to).lanes;
    Lane<T>(mixed).store(to);
  } else {
    static_cast<void>(count);
    *to = x;
  }
}

// Room for a row of n entries that lanes may read and write beyond its end.
inline std::size_t padded(int n) { return (index(n) + 11) / 4 * 4; }

// n entries, rounded up to whole lanes; and exactly n.
template <class T>
void clear_lanes(T* to, std::size_t n) {
  for (std::size_t i = 0; i < n; i += lanes<T>) store_lanes(to + i, Lane<T>(Constant<T>(0)));
}
template <class T>
void clear(T* to, std::size_t n) {
  const std::size_t whole = n / lanes<T> * lanes<T>;
  clear_lanes(to, whole);
  for (std::size_t i = whole; i < n; ++i) to[i] = T(0);
}
template <class T>
void copy_row(const T* from, T* to, int n) {
  int i = 0;
  for (; i + lanes<T> <= n; i += lanes<T>) store_lanes(to + i, load_lanes(from + i));
  if constexpr (is_plain<T>) {  // a loop would become a call
    if (i < n) to[i] = from[i];
    if (i + 1 < n) to[i + 1] = from[i + 1];
    if (i + 2 < n) to[i + 2] = from[i + 2];
  }
}

template <class T>
void transpose_four(typename Lane<T>::Vector* r) {
  using V = typename Lane<T>::Vector;
  const V a = __builtin_shufflevector(r[0], r[1], 0, 4, 2, 6),
          b = __builtin_shufflevector(r[0], r[1], 1, 5, 3, 7);
  const V c = __builtin_shufflevector(r[2], r[3], 0, 4, 2, 6),
          d = __builtin_shufflevector(r[2], r[3], 1, 5, 3, 7);
  r[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  r[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  r[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  r[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}

// A table with a column for each velocity and a row for each component. Plain numbers lie row by
// row, so that lanes read neighbours; columns beyond the last may be read, but mean nothing. Packs
// lie column by column: one is read after the other, and rows of them would meet in the cache.
template <class T>
class Columns {
 public:
  Columns() = default;
  Columns(int rows, int columns, Arena& arena) {
    if constexpr (is_plain<T>) {
      row_ = padded(columns), data_ = arena.take<T>(index(rows) * row_);
      // what is left over in memory may be slow to compute with
      for (int r = 0; r < rows; ++r) store_lanes(place(r, columns), Lane<T>(T(0)));
    } else {
      column_ = index(rows), data_ = arena.take<T>(column_ * index(columns));
    }
  }

  T* place(int r, int c) const {
    if constexpr (is_plain<T>)
      return data_ + index(r) * row_ + c;
    else
      return data_ + index(c) * column_ + r;
  }
  T& at(int r, int c) const { return *place(r, c); }

  // Components r, r + 1, r + 2 of one column, and of the lanes from column c on.
  Vec3<T> vector(int r, int c) const { return {at(r, c), at(r + 1, c), at(r + 2, c)}; }
  void put(int r, int c, const Vec3<T>& v) const {
    at(r, c) = v.x, at(r + 1, c) = v.y, at(r + 2, c) = v.z;
  }
  Lane<T> lane(int r, int c) const { return load_lanes(place(r, c)); }
  Vec3<Lane<T>> vectors(int r, int c) const { return {lane(r, c), lane(r + 1, c), lane(r + 2, c)}; }
  void put_lane(int r, int c, const Lane<T>& x) const { store_lanes(place(r, c), x); }
  void put_lanes(int r, int c, const Vec3<Lane<T>>& v) const {
    put_lane(r, c, v.x), put_lane(r + 1, c, v.y), put_lane(r + 2, c, v.z);
  }

 private:
  std::size_t row_ = 0, column_ = 0;  // how far one is from the next
  T* data_ = nullptr;
};

// A table with a row for each body. Its rows are read and written by lanes of four components.
template <class T>
class BodyRows {
 public:
  BodyRows(int rows, int columns, Arena& arena)
      : step_(index(columns)), data_(arena.take<T>(index(rows) * index(columns))) {}
  T* row(int i) const { return data_ + index(i) * step_; }

 private:
  std::size_t step_;
  T* data_;
};

// Four lanes each of which is made of one component: the numbers at from[0], from[1] ... side by
// side, then their neighbours. Of scalars that go one by one there is from[0] alone.
template <class T, class S>
void load_four(const S* const* from, int first, Lane<T>* x) {
  if constexpr (is_plain<T>) {
    typename Lane<T>::Vector r[4];
    for (int k = 0; k < 4; ++k) r[k] = Lane<T>::load(from[k] + first).lanes;
    transpose_four<T>(r);
    for (int k = 0; k < 4; ++k) x[k] = Lane<T>(r[k]);
  } else {
    for (int k = 0; k < 4; ++k) x[k] = T(from[0][first + k]);
  }
}
template <class T>
void store_four(T* const* to, int first, const Lane<T>* x) {
  if constexpr (is_plain<T>) {
    typename Lane<T>::Vector r[4];
    for (int k = 0; k < 4; ++k) r[k] = x[k].lanes;
    transpose_four<T>(r);
    for (int k = 0; k < 4; ++k) Lane<T>(r[k]).store(to[k] + first);
  } else {
    for (int k = 0; k < 4; ++k) to[0][first + k] = x[k];
  }
}

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
