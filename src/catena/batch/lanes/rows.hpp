// Between rows of numbers, one state each, and packs, one number of several states each.
#pragma once

#include <cstddef>
#include <utility>

#include "catena/batch/lanes/level.hpp"

#if defined(__AVX__)
#include <immintrin.h>
#endif

namespace catena::CATENA_LEVEL {

#if defined(__AVX2__) && !defined(__AVX512F__)
// All bits set in the first n of N lanes.
template <int N>
__m256i first_lanes(int n) {
  if constexpr (N == 4)
    return _mm256_cmpgt_epi64(_mm256_set1_epi64x(n), _mm256_setr_epi64x(0, 1, 2, 3));
  else
    return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
#endif

// The first n numbers at `from`, and the way back. Of the lanes beyond nothing is promised.
template <class T>
T load_some(const typename T::Element* from, int n) {
  constexpr bool is_double = sizeof(typename T::Element) == 8;
#if defined(__AVX512F__)
  if constexpr (is_double)
    return T(_mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1), from));
  else
    return T(_mm512_maskz_loadu_ps(static_cast<__mmask16>((1u << n) - 1), from));
#elif defined(__AVX2__)
  if constexpr (is_double)
    return T(_mm256_maskload_pd(from, first_lanes<4>(n)));
  else
    return T(_mm256_maskload_ps(from, first_lanes<8>(n)));
#else
  static_cast<void>(is_double);
  T r{};
  for (int i = 0; i < n; ++i) r.lanes[i] = from[i];
  return r;
#endif
}
template <class T>
void store_some(const T& x, typename T::Element* to, int n) {
  constexpr bool is_double = sizeof(typename T::Element) == 8;
#if defined(__AVX512F__)
  if constexpr (is_double)
    _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1u << n) - 1), x.lanes);
  else
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1u << n) - 1), x.lanes);
#elif defined(__AVX2__)
  if constexpr (is_double)
    _mm256_maskstore_pd(to, first_lanes<4>(n), x.lanes);
  else
    _mm256_maskstore_ps(to, first_lanes<8>(n), x.lanes);
#else
  static_cast<void>(is_double);
  for (int i = 0; i < n; ++i) to[i] = x.lanes[i];
#endif
}

// Exchanges the H x H blocks beside the diagonal of each 2H x 2H block.
template <int H, class V, std::size_t... I>
void exchange_blocks(V& a, V& b, std::index_sequence<I...>) {
  constexpr int size = sizeof...(I);
  const V low = __builtin_shufflevector(a, b, (I & H ? size + int(I) - H : int(I))...);
  b = __builtin_shufflevector(a, b, (I & H ? size + int(I) : int(I) + H)...);
  a = low;
}
// Rows become columns: log2(size) rounds of exchanges.
template <class T, int H = T::size / 2>
void transpose(T (&rows)[T::size]) {
#pragma GCC unroll 16
  for (int i = 0; i < T::size; ++i) {
    if ((i & H) == 0)
      exchange_blocks<H>(rows[i].lanes, rows[i + H].lanes, std::make_index_sequence<T::size>());
  }
  if constexpr (H > 1) transpose<T, H / 2>(rows);
}

// columns[k] = number k of `count` states with `width` numbers each, in rows that begin `stride`
// numbers apart; the lanes beyond repeat the last state.
template <class T>
CATENA_LANES void load_rows(const typename T::Element* rows, std::ptrdiff_t stride, int width,
                            int count, T* columns) {
  const auto row = [&](int i) { return rows + (i < count ? i : count - 1) * stride; };
  int k = 0;
  for (; k + T::size <= width; k += T::size) {
    T block[T::size];
#pragma GCC unroll 16
    for (int i = 0; i < T::size; ++i) block[i] = T::load(row(i) + k);
    transpose(block);
#pragma GCC unroll 16
    for (int i = 0; i < T::size; ++i) columns[k + i] = block[i];
  }
  const int rest = width - k;
  if (rest == 0) return;
  T block[T::size];
#pragma GCC unroll 16
  for (int i = 0; i < T::size; ++i) block[i] = load_some<T>(row(i) + k, rest);
  transpose(block);
#pragma GCC unroll 16
  for (int i = 0; i < T::size; ++i) {
    if (i < rest) columns[k + i] = block[i];
  }
}

template <class T>
void load_rows(const typename T::Element* rows, int width, int count, T* columns) {
  load_rows(rows, width, width, count, columns);
}

// The way back: the first `count` lanes of the columns become rows, `stride` numbers apart.
template <class T>
CATENA_LANES void store_rows(const T* columns, int width, int count, typename T::Element* rows,
                             std::ptrdiff_t stride) {
  int k = 0;
  for (; k + T::size <= width; k += T::size) {
    T block[T::size];
#pragma GCC unroll 16
    for (int i = 0; i < T::size; ++i) block[i] = columns[k + i];
    transpose(block);
#pragma GCC unroll 16
    for (int i = 0; i < T::size; ++i) {
      if (i < count) block[i].store(rows + i * stride + k);
    }
  }
  const int rest = width - k;
  if (rest == 0) return;
  T block[T::size];
#pragma GCC unroll 16
  for (int i = 0; i < T::size; ++i) block[i] = columns[k + (i < rest ? i : 0)];
  transpose(block);
#pragma GCC unroll 16
  for (int i = 0; i < T::size; ++i) {
    if (i < count) store_some(block[i], rows + i * stride + k, rest);
  }
}
template <class T>
void store_rows(const T* columns, int width, int count, typename T::Element* rows) {
  store_rows(columns, width, count, rows, width);
}

}  // namespace catena::CATENA_LEVEL
