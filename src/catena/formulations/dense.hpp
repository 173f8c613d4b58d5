// Dense symmetric systems, for methods that write the inertia matrix down.
#pragma once

#include "catena/formulations/forward_status.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {

// M = L D Lᵀ without square roots: of M the lower triangle is read, and all of it overwritten: Lᵀ
// above, L D below, D⁻¹ on the diagonal. Returns -1, or the first row whose pivot is lost in
// rounding.
template <class T>
int factor_dense(T* M, int n) {
  const auto at = [&](int i, int j) -> T& { return M[index(i) * index(n) + index(j)]; };
  int bad = -1;
  for (int k = 0; k < n; ++k) {
    const T D = at(k, k);
    if constexpr (spacing < T >> 0) {
      T before = D;  // of the eliminations
      for (int j = 0; j < k; ++j) before = before + at(j, k) * at(k, j);
      if (!(D > T(64 * spacing<T>) * before) && bad < 0) bad = k;
    }
    at(k, k) = T(1) / D;
    for (int i = k + 1; i < n; ++i) {
      const T l = at(i, k) * at(k, k);
      for (int j = k + 1; j <= i; ++j) at(i, j) = at(i, j) - l * at(j, k);
      at(k, i) = l;
    }
  }
  return bad;
}

// M x = f with these factors; x holds f on entry.
template <class T>
void solve_factored(const T* M, T* x, int n) {
  const auto at = [&](int i, int j) { return M[index(i) * index(n) + index(j)]; };
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i; ++k) x[i] = x[i] - at(k, i) * x[k];
  }
  for (int i = n - 1; i >= 0; --i) {
    x[i] = x[i] * at(i, i);
    for (int k = i + 1; k < n; ++k) x[i] = x[i] - at(i, k) * x[k];
  }
}

// M x = f, both at once.
template <class T>
int solve_dense(T* M, T* x, int n) {
  const int bad = factor_dense(M, n);
  solve_factored(M, x, n);
  return bad;
}

}  // namespace catena
