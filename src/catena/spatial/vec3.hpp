// Three-vectors, 3x3 matrices and symmetric 3x3 matrices over any scalar.
//
// Plain value types without hidden cost: every operation is a few multiplications and additions
// written out, so that a scalar that counts, a pack of lanes or a symbol sees exactly those. Copies
// are written out, too: copied as blocks of memory, numbers that were just computed one by one
// would have to wait until they have all reached the cache.
#pragma once

namespace catena {

template <class T>
struct Vec3 {
  T x{}, y{}, z{};

  constexpr Vec3() = default;
  constexpr Vec3(const T& a, const T& b, const T& c) : x(a), y(b), z(c) {}
  constexpr Vec3(const Vec3& o) : x(o.x), y(o.y), z(o.z) {}
  constexpr Vec3& operator=(const Vec3& o) {
    x = o.x, y = o.y, z = o.z;
    return *this;
  }
  Vec3& operator+=(const Vec3& b) {
    x = x + b.x, y = y + b.y, z = z + b.z;
    return *this;
  }
  Vec3& operator-=(const Vec3& b) {
    x = x - b.x, y = y - b.y, z = z - b.z;
    return *this;
  }
  friend Vec3 operator+(const Vec3& a, const Vec3& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec3 operator-(const Vec3& a, const Vec3& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec3 operator-(const Vec3& a) { return {-a.x, -a.y, -a.z}; }
};

// Products take the two operands' scalars apart: constants of a model may be plain numbers where
// the state is a pack.
template <class S, class T>
auto operator*(const S& s, const Vec3<T>& v) -> Vec3<decltype(s * v.x)> {
  return {s * v.x, s * v.y, s * v.z};
}
template <class A, class B>
auto dot(const Vec3<A>& a, const Vec3<B>& b) -> decltype(a.x * b.x) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class A, class B>
auto cross(const Vec3<A>& a, const Vec3<B>& b) -> Vec3<decltype(a.x * b.x)> {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
// s + a x b, in six fused operations.
template <class T, class A, class B>
Vec3<T> add_cross(const Vec3<T>& s, const Vec3<A>& a, const Vec3<B>& b) {
  return {s.x + a.y * b.z - a.z * b.y, s.y + a.z * b.x - a.x * b.z, s.z + a.x * b.y - a.y * b.x};
}

// A general 3x3 matrix, by columns: x, y and z are the images of the unit vectors.
template <class T>
struct Mat3 {
  Vec3<T> x{T(1), T(0), T(0)}, y{T(0), T(1), T(0)}, z{T(0), T(0), T(1)};
};

template <class A, class B>
auto operator*(const Mat3<A>& m, const Vec3<B>& v) -> Vec3<decltype(m.x.x * v.x)> {
  return {m.x.x * v.x + m.y.x * v.y + m.z.x * v.z, m.x.y * v.x + m.y.y * v.y + m.z.y * v.z,
          m.x.z * v.x + m.y.z * v.y + m.z.z * v.z};
}
// s + m v
template <class T, class A, class B>
Vec3<T> add_product(const Vec3<T>& s, const Mat3<A>& m, const Vec3<B>& v) {
  return {s.x + m.x.x * v.x + m.y.x * v.y + m.z.x * v.z,
          s.y + m.x.y * v.x + m.y.y * v.y + m.z.y * v.z,
          s.z + m.x.z * v.x + m.y.z * v.y + m.z.z * v.z};
}
// mᵀ v
template <class A, class B>
auto transpose_times(const Mat3<A>& m, const Vec3<B>& v) -> Vec3<decltype(m.x.x * v.x)> {
  return {dot(m.x, v), dot(m.y, v), dot(m.z, v)};
}
template <class A, class B>
auto operator*(const Mat3<A>& m, const Mat3<B>& n) -> Mat3<decltype(m.x.x * n.x.x)> {
  return {m * n.x, m * n.y, m * n.z};
}
template <class T>
Mat3<T> transpose(const Mat3<T>& m) {
  return {{m.x.x, m.y.x, m.z.x}, {m.x.y, m.y.y, m.z.y}, {m.x.z, m.y.z, m.z.z}};
}

// A symmetric 3x3 matrix by its upper triangle.
template <class T>
struct Sym3 {
  T xx{}, xy{}, xz{}, yy{}, yz{}, zz{};

  constexpr Sym3() = default;
  constexpr Sym3(const T& a, const T& b, const T& c, const T& d, const T& e, const T& f)
      : xx(a), xy(b), xz(c), yy(d), yz(e), zz(f) {}
  constexpr Sym3(const Sym3& o) : xx(o.xx), xy(o.xy), xz(o.xz), yy(o.yy), yz(o.yz), zz(o.zz) {}
  constexpr Sym3& operator=(const Sym3& o) {
    xx = o.xx, xy = o.xy, xz = o.xz, yy = o.yy, yz = o.yz, zz = o.zz;
    return *this;
  }
  friend Sym3 operator+(const Sym3& a, const Sym3& b) {
    return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
  }
};

template <class A, class B>
auto operator*(const Sym3<A>& s, const Vec3<B>& v) -> Vec3<decltype(s.xx * v.x)> {
  return {s.xx * v.x + s.xy * v.y + s.xz * v.z, s.xy * v.x + s.yy * v.y + s.yz * v.z,
          s.xz * v.x + s.yz * v.y + s.zz * v.z};
}

// R S Rᵀ
template <class A, class B>
auto rotate(const Mat3<A>& R, const Sym3<B>& S) -> Sym3<decltype(R.x.x * S.xx)> {
  using T = decltype(R.x.x * S.xx);
  // columns of R S
  const Vec3<T> cx = R * Vec3<B>{S.xx, S.xy, S.xz};
  const Vec3<T> cy = R * Vec3<B>{S.xy, S.yy, S.yz};
  const Vec3<T> cz = R * Vec3<B>{S.xz, S.yz, S.zz};
  auto entry = [&](T rx, T ry, T rz, T ax, T ay, T az) { return rx * ax + ry * ay + rz * az; };
  return {
      entry(R.x.x, R.y.x, R.z.x, cx.x, cy.x, cz.x), entry(R.x.y, R.y.y, R.z.y, cx.x, cy.x, cz.x),
      entry(R.x.z, R.y.z, R.z.z, cx.x, cy.x, cz.x), entry(R.x.y, R.y.y, R.z.y, cx.y, cy.y, cz.y),
      entry(R.x.z, R.y.z, R.z.z, cx.y, cy.y, cz.y), entry(R.x.z, R.y.z, R.z.z, cx.z, cy.z, cz.z)};
}

}  // namespace catena
