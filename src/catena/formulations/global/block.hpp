// Small dense blocks of a block tridiagonal matrix.
#pragma once

namespace catena::constraint_force {

// N x N numbers, by rows.
template <class T, int N>
struct Block {
  T x[N][N];
};
template <class T, int N>
struct Column {
  T x[N];
};

template <class T, int N>
Block<T, N> transpose(const Block<T, N>& A) {
  Block<T, N> r;
  for (int i = 0; i < N; ++i) {
    for (int j = 0; j < N; ++j) r.x[i][j] = A.x[j][i];
  }
  return r;
}

// L D Lᵀ of a symmetric block, of which the lower triangle is read: L below the diagonal, 1/D on
// it.
template <class T, int N>
void factor(Block<T, N>& A) {
#pragma GCC unroll 6
  for (int k = 0; k < N; ++k) {
    const T d = T(1) / A.x[k][k];
    A.x[k][k] = d;
    T l[N];
#pragma GCC unroll 6
    for (int i = k + 1; i < N; ++i) l[i] = A.x[i][k] * d;
#pragma GCC unroll 6
    for (int i = k + 1; i < N; ++i) {
#pragma GCC unroll 6
      for (int j = k + 1; j <= i; ++j) A.x[i][j] = A.x[i][j] - l[i] * A.x[j][k];
    }
#pragma GCC unroll 6
    for (int i = k + 1; i < N; ++i) A.x[i][k] = l[i];
  }
}

// x := A⁻¹ x with these factors, for any number of columns. V is a row of x.
template <class T, int N, class V>
void solve(const Block<T, N>& A, V (&x)[N]) {
#pragma GCC unroll 6
  for (int i = 1; i < N; ++i) {
#pragma GCC unroll 6
    for (int k = 0; k < i; ++k) x[i] = x[i] - A.x[i][k] * x[k];
  }
#pragma GCC unroll 6
  for (int i = N - 1; i >= 0; --i) {
    x[i] = A.x[i][i] * x[i];
#pragma GCC unroll 6
    for (int k = i + 1; k < N; ++k) x[i] = x[i] - A.x[k][i] * x[k];
  }
}
template <class T, int N>
Block<T, N> solved(const Block<T, N>& A, const Block<T, N>& B) {
  Block<T, N> r;
#pragma GCC unroll 1
  for (int j = 0; j < N; ++j) {
    T x[N];
#pragma GCC unroll 6
    for (int i = 0; i < N; ++i) x[i] = B.x[i][j];
    solve<T, N, T>(A, x);
#pragma GCC unroll 6
    for (int i = 0; i < N; ++i) r.x[i][j] = x[i];
  }
  return r;
}

// S - Aᵀ B: the lower triangle, which is all of it if that is symmetric; and all of it.
template <class T, int N>
void subtract_symmetric(Block<T, N>& S, const Block<T, N>& A, const Block<T, N>& B) {
#pragma GCC unroll 1
  for (int i = 0; i < N; ++i) {
#pragma GCC unroll 6
    for (int j = 0; j < N; ++j) {
      if (j > i) continue;
#pragma GCC unroll 6
      for (int k = 0; k < N; ++k) S.x[i][j] = S.x[i][j] - A.x[k][i] * B.x[k][j];
    }
  }
}
template <class T, int N>
Block<T, N> minus_product(const Block<T, N>& A, const Block<T, N>& B) {
  Block<T, N> S;
#pragma GCC unroll 1
  for (int i = 0; i < N; ++i) {
#pragma GCC unroll 6
    for (int j = 0; j < N; ++j) {
      T sum = -(A.x[0][i] * B.x[0][j]);
#pragma GCC unroll 6
      for (int k = 1; k < N; ++k) sum = sum - A.x[k][i] * B.x[k][j];
      S.x[i][j] = sum;
    }
  }
  return S;
}
// r - Aᵀ z and r - A z
template <class T, int N>
void subtract_transposed(Column<T, N>& r, const Block<T, N>& A, const Column<T, N>& z) {
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) {
#pragma GCC unroll 6
    for (int k = 0; k < N; ++k) r.x[i] = r.x[i] - A.x[k][i] * z.x[k];
  }
}
template <class T, int N>
void subtract(Column<T, N>& r, const Block<T, N>& A, const Column<T, N>& z) {
#pragma GCC unroll 6
  for (int i = 0; i < N; ++i) {
#pragma GCC unroll 6
    for (int k = 0; k < N; ++k) r.x[i] = r.x[i] - A.x[i][k] * z.x[k];
  }
}

}  // namespace catena::constraint_force
