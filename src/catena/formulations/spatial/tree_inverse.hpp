// The inverse of a matrix with the pattern of a tree, in place, without fill-in.
//
// M = Lᵀ D L by elimination from the tips to the base [Featherstone 2005], with L unit lower
// triangular and entries between a velocity and those above it alone. K = L⁻¹ has the same pattern,
// and M⁻¹ = K D⁻¹ Kᵀ.
#pragma once

#include <algorithm>

#include "catena/formulations/forward_status.hpp"
#include "catena/formulations/spatial/lanes.hpp"

namespace catena {

// Which velocity stands on which: by velocity the one above it (or -1), the first of the neighbours
// up to it that stand on each other, the first of its tree, and the end of those that stand on it.
struct TreePattern {
  const int* parent;
  const int* run_begin;
  const int* root;
  const int* subtree_end;
};

// Rows of padded(n); what is between branches is zero.
template <class T>
struct TreeInverse {
  using V = Lane<T>;
  static constexpr int width = lanes<T>;

  const TreePattern pattern;
  const int n;
  T* const M;          // of the lower triangle on entry; all is overwritten
  T* const inverse_D;  // [padded(n)]
  const std::size_t step = padded(n);

  T* row(int i) const { return M + index(i) * step; }

  // M becomes L below the diagonal. `lost` meets the pivots, from the tips.
  void factor(LostPivots<T>& lost) const {
    for (int k = 0; k < n; ++k) inverse_D[k] = row(k)[k];
    for (int k = n - 1; k >= 0; --k) {
      T* const mine = row(k);
      lost.meet(
          mine[k], [&] { return inverse_D[k]; }, k);
      inverse_D[k] = T(1) / mine[k];
      const V scale = in_all_lanes(inverse_D + k);
      for (int i = pattern.parent[k]; i >= 0; i = pattern.parent[i]) {
        const V f = in_all_lanes(mine + i) * scale;
        T* const other = row(i);  // what is right of its diagonal may become anything
        for (int j = pattern.root[i]; j <= i; j += width)
          store_lanes(other + j, load_lanes(other + j) - f * load_lanes(mine + j));
        mine[i] = mine[i] * inverse_D[k];
      }
    }
  }

  // L becomes K below the diagonal: K_k = -L_k - sum of K_ki L_i, nearest i first.
  void invert_factor() const {
    for (int k = n - 1; k >= 0; --k) {
      T* const mine = row(k);
      for (int i = pattern.parent[k]; i >= 0; i = pattern.parent[i]) mine[i] = -mine[i];
      for (int i = pattern.parent[k]; i >= 0; i = pattern.parent[i]) {
        const int last = pattern.parent[i];
        if (last < 0) break;
        const V f = in_all_lanes(mine + i);
        const T* const other = row(i);
        for (int j = pattern.root[i]; j <= last; j += width)
          store_lanes(mine + j, load_lanes(mine + j) - f * load_lanes(other + j), last - j + 1);
      }
    }
  }

  // x = M⁻¹ f, with K; f is overwritten.
  void solve(T* f, T* x) const {
    for (int i = 0; i < n; ++i) {  // D⁻¹ Kᵀ f
      T sum = f[i];
      const T* factor = row(i) + i;
      for (int k = i + 1, end = pattern.subtree_end[i]; k < end; ++k)
        sum = sum + *(factor += step) * f[k];
      f[i] = sum * inverse_D[i];
    }
    for (int i = 0; i < n; ++i) {
      T sum = f[i];
      for (int k = pattern.parent[i]; k >= 0; k = pattern.parent[k]) sum = sum + row(i)[k] * f[k];
      x[i] = sum;
    }
  }

  // Columns that are solved for together: the same ones of two matrices. Wide blocks keep what they
  // add up in many registers and take few turns.
  struct Block {
    T *X, *Y;
    std::size_t stride;
    T* x(int i) const { return X + index(i) * stride; }
    T* y(int i) const { return Y + index(i) * stride; }
  };
  struct Narrow {  // a row of a block, in registers
    static constexpr int columns = 2 * width;
    V a, b, c, d;
    Narrow(const T* x, const T* y)
        : a(load_lanes(x)), b(load_lanes(x + width)), c(load_lanes(y)), d(load_lanes(y + width)) {}
    void add(const V& f, const T* x, const T* y) {
      a = a + f * load_lanes(x), b = b + f * load_lanes(x + width);
      c = c + f * load_lanes(y), d = d + f * load_lanes(y + width);
    }
    void scale(const V& f) { a = f * a, b = f * b, c = f * c, d = f * d; }
    void store(T* x, T* y) const {
      store_lanes(x, a), store_lanes(x + width, b);
      store_lanes(y, c), store_lanes(y + width, d);
    }
  };
  struct Wide {
    static constexpr int half = Narrow::columns, columns = 2 * half;
    Narrow p, q;
    Wide(const T* x, const T* y) : p(x, y), q(x + half, y + half) {}
    void add(const V& f, const T* x, const T* y) { p.add(f, x, y), q.add(f, x + half, y + half); }
    void scale(const V& f) { p.scale(f), q.scale(f); }
    void store(T* x, T* y) const { p.store(x, y), q.store(x + half, y + half); }
  };

  // X = -M⁻¹ X and Y = -M⁻¹ Y, with K, for matrices with rows of n that have the pattern of the
  // tree: entries between branches are zero. Columns that do not fill a block are taken to the
  // scratch memory [2 * Wide::columns * n].
  void negative_solve(T* X, T* Y, T* scratch) const {
    const bool branched = n > 0 && pattern.run_begin[n - 1] > 0;  // else all stand on one another
    int c = 0;
    if (!branched) {
      for (; c + Wide::columns <= n; c += Wide::columns)
        solve_block<Wide>({X + c, Y + c, index(n)}, c, c + Wide::columns);
    }
    for (; c + Narrow::columns <= n; c += Narrow::columns)
      solve_block<Narrow>({X + c, Y + c, index(n)}, c, c + Narrow::columns);
    if (c == n) return;
    const int left = n - c;
    const Block B{scratch, scratch + Wide::columns, 2 * Wide::columns};
    for (int i = 0; i < n; ++i) {
      copy_row(X + index(i) * index(n) + c, B.x(i), left);
      copy_row(Y + index(i) * index(n) + c, B.y(i), left);
    }
    solve_block<Narrow>(B, c, n);
    for (int i = 0; i < n; ++i) {
      copy_row(B.x(i), X + index(i) * index(n) + c, left);
      copy_row(B.y(i), Y + index(i) * index(n) + c, left);
    }
  }

  // Of columns c ... e - 1 only the rows above c, and from c to the end of what stands on those
  // columns, are not zero; and so after the first half.
  template <class Sum>
  void solve_block(const Block& B, int c, int e) const {
    int end = e;
    for (int j = c; j < e; ++j) end = std::max(end, pattern.subtree_end[j]);
    const auto above = [&](int i) { return i < c && pattern.subtree_end[i] > c; };
    for (int i = 0; i < end; ++i) {  // -D⁻¹ Kᵀ X; rows after i are still X
      if (i < c && !above(i)) continue;
      Sum sum(B.x(i), B.y(i));
      const auto add = [&](int first, int last) {
        const T *factor = row(first) + i, *x = B.x(first), *y = B.y(first);
        for (int k = first; k < last; ++k) {
          sum.add(in_all_lanes(factor), x, y);
          factor += step, x += B.stride, y += B.stride;
        }
      };
      const int last = std::min(end, pattern.subtree_end[i]);
      for (int k = pattern.parent[c]; k > i; k = pattern.parent[k]) add(k, k + 1);
      add(std::max(i + 1, c), last);
      sum.scale(-in_all_lanes(inverse_D + i));
      sum.store(B.x(i), B.y(i));
    }
    for (int i = n - 1; i >= 0; --i) {  // K times that; rows before i are not yet multiplied
      int last = pattern.parent[i];
      if (i >= end || (i < c && !above(i))) {
        while (last >= 0 && !above(last)) last = pattern.parent[last];
      }
      if (last < 0) continue;
      Sum sum(B.x(i), B.y(i));
      while (last >= 0) {
        const int first = pattern.run_begin[last];
        const T *factor = row(i) + first, *x = B.x(first), *y = B.y(first);
        for (int k = first; k <= last; ++k) {
          sum.add(in_all_lanes(factor), x, y);
          ++factor, x += B.stride, y += B.stride;
        }
        last = pattern.parent[first];
      }
      sum.store(B.x(i), B.y(i));
    }
  }

  // K becomes M⁻¹ in the upper triangle. First D⁻¹ Kᵀ fills it, then row i, from the diagonal on,
  // gathers K_ik times row k of that, last row first.
  void multiply_factors() const {
    for (int k = 0; k < n; ++k) {
      T* const mine = row(k);
      mine[k] = inverse_D[k];
      const T* below = mine + k;
      for (int j = k + 1; j < pattern.subtree_end[k]; ++j)
        mine[j] = *(below += step) * inverse_D[k];
      for (int j = pattern.subtree_end[k]; j < n; ++j) mine[j] = T(0);
    }
    for (int i = n - 1; i >= 0; --i) {
      T* const mine = row(i);
      for (int j = i; j < n; j += 2 * width) {
        V a = load_lanes(mine + j), b = load_lanes(mine + j + width);
        for (int k = pattern.parent[i]; k >= 0; k = pattern.parent[k]) {
          const V f = in_all_lanes(mine + k);
          a = a + f * load_lanes(row(k) + j), b = b + f * load_lanes(row(k) + j + width);
        }
        store_lanes(mine + j, a), store_lanes(mine + j + width, b);
      }
    }
  }
};

}  // namespace catena
