// The inverse of a matrix with the pattern of a tree, in place, without fill-in.
//
// M = Lᵀ D L by elimination from the tips to the base [Featherstone 2005], with L unit lower
// triangular and entries between a velocity and those above it alone. K = L⁻¹ has the same pattern,
// and M⁻¹ = K D⁻¹ Kᵀ.
#pragma once

#include "catena/formulations/forward_status.hpp"
#include "catena/formulations/spatial/lanes.hpp"

namespace catena {

// Which velocity stands on which: by velocity the one above it (or -1), the first of the neighbours
// up to it that stand on each other, and the end of those that stand on it.
struct TreePattern {
  const int* parent;
  const int* run_begin;
  const int* subtree_end;

  template <class Visit>
  void for_each_run(int v, Visit visit) const {
    while (v >= 0) {
      const int first = run_begin[v];
      visit(first, v);
      v = parent[first];
    }
  }
};

template <class T>
struct TreeInverse {
  using V = Lane<T>;
  static constexpr int width = lanes<T>;

  const TreePattern pattern;
  const int n;
  T* const M;          // by rows; the lower triangle is read, all is overwritten
  T* const inverse_D;  // [n]

  T* row(int i) const { return M + index(i) * index(n); }

  // row[0 ... last] -= factor * other, at `last` and what is above it.
  void subtract(T* to, const T& factor, const T* other, int last) const {
    const V f(factor);
    pattern.for_each_run(last, [&](int first, int end) {
      for (int j = first; j <= end; j += width) {
        const int count = end - j + 1;
        store_lanes(to + j, load_lanes(to + j, count) - f * load_lanes(other + j, count), count);
      }
    });
  }

  // M becomes L below the diagonal. Returns the first velocity, from the tips, whose pivot is lost
  // in rounding, or -1.
  int factor() const {
    int bad = -1;
    for (int k = 0; k < n; ++k) inverse_D[k] = row(k)[k];
    for (int k = n - 1; k >= 0; --k) {
      T* const mine = row(k);
      if constexpr (spacing<T> > 0) {
        if (bad < 0 && !(mine[k] > T(16 * spacing<T>) * inverse_D[k])) bad = k;
      }
      inverse_D[k] = T(1) / mine[k];
      for (int i = pattern.parent[k]; i >= 0; i = pattern.parent[i]) {
        const T a = mine[i] * inverse_D[k];
        subtract(row(i), a, mine, i);
        mine[i] = a;
      }
    }
    return bad;
  }

  // x = M⁻¹ x, with L.
  void solve(T* x) const {
    for (int k = n - 1; k >= 0; --k) {
      for (int i = pattern.parent[k]; i >= 0; i = pattern.parent[i]) x[i] = x[i] - row(k)[i] * x[k];
    }
    for (int k = 0; k < n; ++k) {
      T sum = x[k] * inverse_D[k];
      for (int i = pattern.parent[k]; i >= 0; i = pattern.parent[i]) sum = sum - row(k)[i] * x[i];
      x[k] = sum;
    }
  }

  // L becomes K, below the diagonal: K_k = -L_k - sum of K_ki L_i, nearest i first.
  void invert_factor() const {
    for (int k = n - 1; k >= 0; --k) {
      T* const mine = row(k);
      for (int i = pattern.parent[k]; i >= 0; i = pattern.parent[i]) mine[i] = -mine[i];
      for (int i = pattern.parent[k]; i >= 0; i = pattern.parent[i]) {
        subtract(mine, mine[i], row(i), pattern.parent[i]);
      }
    }
  }

  // X = -M⁻¹ X for a matrix by rows, with K.
  void negative_solve(T* X) const {
    constexpr int block = 2 * width;  // columns that stay in registers
    for (int c = 0; c < n; c += block) {
      const int left = n - c;
      const auto load = [&](const T* from, V* x) {
        x[0] = load_lanes(from + c, left), x[1] = load_lanes(from + c + width, left - width);
      };
      const auto store = [&](T* to, const V* x) {
        store_lanes(to + c, x[0], left);
        store_lanes(to + c + width, x[1], left - width);
      };
      for (int i = 0; i < n; ++i) {  // D⁻¹ Kᵀ X; rows after i are still X
        T* const mine = X + index(i) * index(n);
        V sum[2], other[2];
        load(mine, sum);
        for (int k = i + 1, end = pattern.subtree_end[i]; k < end; ++k) {
          const V f(row(k)[i]);
          load(X + index(k) * index(n), other);
          sum[0] = sum[0] + f * other[0], sum[1] = sum[1] + f * other[1];
        }
        const V scale(-inverse_D[i]);
        sum[0] = scale * sum[0], sum[1] = scale * sum[1];
        store(mine, sum);
      }
      for (int i = n - 1; i >= 0; --i) {  // K times that; rows before i are not yet multiplied
        T* const mine = X + index(i) * index(n);
        V sum[2], other[2];
        load(mine, sum);
        for (int k = pattern.parent[i]; k >= 0; k = pattern.parent[k]) {
          const V f(row(i)[k]);
          load(X + index(k) * index(n), other);
          sum[0] = sum[0] + f * other[0], sum[1] = sum[1] + f * other[1];
        }
        store(mine, sum);
      }
    }
  }
  // K becomes M⁻¹. First D⁻¹ Kᵀ fills the upper triangle, then row i, from the diagonal on, gathers
  // K_ik times row k of it, last row first.
  void multiply_factors() const {
    for (int k = 0; k < n; ++k) {
      T* const mine = row(k);
      mine[k] = inverse_D[k];
      for (int j = k + 1; j < pattern.subtree_end[k]; ++j) mine[j] = row(j)[k] * inverse_D[k];
      for (int j = pattern.subtree_end[k]; j < n; ++j) mine[j] = T(0);
    }
    for (int i = n - 1; i >= 0; --i) {
      T* const mine = row(i);
      for (int k = pattern.parent[i]; k >= 0; k = pattern.parent[k]) {
        const V f(mine[k]);
        const T* const other = row(k);
        for (int j = i, end = pattern.subtree_end[k]; j < end; j += width) {
          const int count = end - j;
          store_lanes(mine + j, load_lanes(mine + j, count) + f * load_lanes(other + j, count),
                      count);
        }
      }
      for (int j = 0; j < i; ++j) mine[j] = T(0);
    }
    for (int i = 0; i < n; ++i) {
      for (int j = i + 1; j < n; ++j) row(j)[i] = row(i)[j];
    }
  }
};

}  // namespace catena
