// Sparse factorisations by reverse elimination along the branches [Featherstone 2005; the UDUᵀ
// factors are those of Saha 1999 for serial chains].
#include "catena/formulations/spatial/factorization.hpp"

#include <limits>

#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

// The velocity above k whose entries can differ from zero.
template <class C>
int above(const Mechanism<C>& m, int k) {
  return m.coupled ? k - 1 : m.parent_of_v[index(k)];
}

template <class C>
struct Matrix {
  C* data;
  int n;
  C& operator()(int i, int j) const { return data[index(i) * index(n) + index(j)]; }
};

template <class C>
bool is_positive(const C& pivot) {
  return to_double(pivot) > 0;
}

}  // namespace

template <class C>
int factor_ltl(const Mechanism<C>& m, std::span<C> M) {
  check_size("M", M.size(), index(m.nv) * index(m.nv));
  const Matrix<C> H{M.data(), m.nv};
  int bad = -1;
  for (int k = m.nv - 1; k >= 0; --k) {  // tips to base
    if (!is_positive(H(k, k)) && bad < 0) bad = k;
    H(k, k) = sqrt(H(k, k));
    const C scale = C(1) / H(k, k);
    for (int i = above(m, k); i >= 0; i = above(m, i)) H(k, i) = H(k, i) * scale;
    for (int i = above(m, k); i >= 0; i = above(m, i)) {
      for (int j = i; j >= 0; j = above(m, j)) H(i, j) = H(i, j) - H(k, i) * H(k, j);
    }
  }
  for (int i = 0; i < m.nv; ++i) {
    for (int j = i + 1; j < m.nv; ++j) H(i, j) = C(0);
  }
  return bad;
}

template <class C>
void solve_ltl(const Mechanism<C>& m, std::span<const C> L, std::span<C> x) {
  check_size("L", L.size(), index(m.nv) * index(m.nv));
  check_size("x", x.size(), index(m.nv));
  const Matrix<const C> H{L.data(), m.nv};
  for (int k = m.nv - 1; k >= 0; --k) {  // Lᵀ y = x
    x[index(k)] = x[index(k)] / H(k, k);
    for (int i = above(m, k); i >= 0; i = above(m, i)) {
      x[index(i)] = x[index(i)] - H(k, i) * x[index(k)];
    }
  }
  for (int k = 0; k < m.nv; ++k) {  // L x = y
    for (int i = above(m, k); i >= 0; i = above(m, i)) {
      x[index(k)] = x[index(k)] - H(k, i) * x[index(i)];
    }
    x[index(k)] = x[index(k)] / H(k, k);
  }
}

template <class C>
int factor_udut(const Mechanism<C>& m, std::span<C> M) {
  check_size("M", M.size(), index(m.nv) * index(m.nv));
  const Matrix<C> H{M.data(), m.nv};
  int bad = -1;
  for (int k = m.nv - 1; k >= 0; --k) {  // tips to base
    if (!is_positive(H(k, k)) && bad < 0) bad = k;
    const C scale = C(1) / H(k, k);
    for (int i = above(m, k); i >= 0; i = above(m, i)) {
      const C u = H(i, k) * scale;
      for (int j = i; j >= 0; j = above(m, j)) H(j, i) = H(j, i) - u * H(j, k);
      H(i, k) = u;
    }
  }
  for (int i = 0; i < m.nv; ++i) {
    for (int j = 0; j < i; ++j) H(i, j) = C(0);
  }
  return bad;
}

template <class C>
void solve_udut(const Mechanism<C>& m, std::span<const C> UD, std::span<C> x) {
  check_size("UD", UD.size(), index(m.nv) * index(m.nv));
  check_size("x", x.size(), index(m.nv));
  const Matrix<const C> H{UD.data(), m.nv};
  for (int k = m.nv - 1; k >= 0; --k) {  // U y = x
    for (int i = above(m, k); i >= 0; i = above(m, i)) {
      x[index(i)] = x[index(i)] - H(i, k) * x[index(k)];
    }
  }
  for (int k = 0; k < m.nv; ++k) {  // D Uᵀ x = y
    x[index(k)] = x[index(k)] / H(k, k);
    for (int i = above(m, k); i >= 0; i = above(m, i)) {
      x[index(k)] = x[index(k)] - H(i, k) * x[index(i)];
    }
  }
}

#define CATENA_INSTANTIATE(C)                                                        \
  template int factor_ltl<C>(const Mechanism<C>&, std::span<C>);                     \
  template void solve_ltl<C>(const Mechanism<C>&, std::span<const C>, std::span<C>); \
  template int factor_udut<C>(const Mechanism<C>&, std::span<C>);                    \
  template void solve_udut<C>(const Mechanism<C>&, std::span<const C>, std::span<C>);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
