// Dense symmetric systems, for methods that write the inertia matrix down.
#pragma once

#include "catena/formulations/forward_status.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {

// M = L D Lᵀ without square roots: of M the lower triangle is read, and all of it overwritten: Lᵀ
// above, L D below, D⁻¹ on the diagonal. `lost` meets the pivot of every row.
template <class T>
void factor_dense(T* M, int n, LostPivots<T>& lost) {
  const auto at = [&](int i, int j) -> T& { return M[index(i) * index(n) + index(j)]; };
  for (int k = 0; k < n; ++k) {
    const T D = at(k, k);
    const auto before = [&] {  // the eliminations
      T sum = D;
      for (int j = 0; j < k; ++j) sum = sum + at(j, k) * at(k, j);
      return sum;
    };
    lost.meet(D, before, k, 64);
    at(k, k) = T(1) / D;
    for (int i = k + 1; i < n; ++i) {
      const T l = at(i, k) * at(k, k);
      for (int j = k + 1; j <= i; ++j) at(i, j) = at(i, j) - l * at(j, k);
      at(k, i) = l;
    }
  }
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

// M x = f, both at once. x holds f on entry.
template <class T>
void solve_dense(T* M, T* x, int n, LostPivots<T>& lost) {
  factor_dense(M, n, lost);
  solve_factored(M, x, n);
}
// The same; returns -1, or the first row whose pivot is lost in rounding.
template <class T>
int solve_dense(T* M, T* x, int n) {
  LostPivots<T> lost;
  solve_dense(M, x, n, lost);
  return lost.first;
}

}  // namespace catena
