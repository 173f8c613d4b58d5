#include "catena/loops/closure.hpp"

#include <cmath>
#include <type_traits>

#include "catena/loops/dual.hpp"
#include "catena/scalar/symbolic.hpp"

namespace catena {
namespace {

constexpr double pi = 3.14159265358979323846;

// Everything a row is made of, in world axes.
template <class T>
struct Geometry {
  Vec3<T> p1, p2, d, a, b;
  Geometry(const ClosureRow& row, const Closure& c, const Pose<T>& X_W1, const Pose<T>& X_W2)
      : p1(X_W1.p + X_W1.R * c.X_1.p),
        p2(X_W2.p + X_W2.R * c.X_2.p),
        d(p2 - p1),
        a(X_W1.R * row.a),
        b(X_W2.R * row.b) {}
};

// How far body 2 has turned about the axis of a screw, between -pi and pi.
double screw_angle(const ClosureRow& row, const Geometry<double>& g, const Pose<double>& X_W1) {
  return std::atan2(dot(g.b, X_W1.R * row.y), dot(g.b, X_W1.R * row.x));
}

}  // namespace

std::pair<Vec3<double>, Vec3<double>> normals(const Vec3<double>& u) {
  const Vec3<double> other = std::abs(u.x) < 0.6 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0};
  Vec3<double> x = other - dot(other, u) * u;
  x = (1 / std::sqrt(dot(x, x))) * x;
  return {x, cross(u, x)};
}

double closure_value(const ClosureRow& row, const Closure& c, const Pose<double>& X_W1,
                     const Pose<double>& X_W2) {
  const Geometry<double> g(row, c, X_W1, X_W2);
  switch (row.kind) {
    case RowKind::point:
      return dot(g.d, g.a);
    case RowKind::direction:
      return dot(g.a, g.b) - row.parameter;
    case RowKind::distance:
      return (dot(g.d, g.d) - row.parameter * row.parameter) / (2 * row.parameter);
    case RowKind::screw: {
      const double turn = 2 * pi * row.parameter;
      const double off = dot(g.d, g.a) - row.parameter * screw_angle(row, g, X_W1);
      return off - turn * std::round(off / turn);
    }
  }
  return 0;
}

template <class T>
Force<T> closure_wrench(const ClosureRow& row, const Closure& c, const Pose<T>& X_W1,
                        const Pose<T>& X_W2) {
  const Geometry<T> g(row, c, X_W1, X_W2);
  switch (row.kind) {
    case RowKind::point:
      return {cross(g.p2, g.a), g.a};
    case RowKind::direction:
      return {cross(g.b, g.a), {T(0), T(0), T(0)}};
    case RowKind::distance: {
      const Vec3<T> f = (1 / row.parameter) * g.d;
      return {cross(g.p2, f), f};
    }
    case RowKind::screw:
      return {cross(g.p2, g.a) - row.parameter * g.a, g.a};
  }
  return {};
}

namespace {

template <class T>
T second_derivative(const ClosureRow& row, const Closure& c, const BodyInWorldOf<T>& one,
                    const BodyInWorldOf<T>& two) {
  const Geometry<T> g(row, c, one.X, two.X);
  const auto velocity = [](const BodyInWorldOf<T>& B, const Vec3<T>& p) {
    return B.v + cross(B.w, p - B.X.p);
  };
  const auto acceleration = [](const BodyInWorldOf<T>& B, const Vec3<T>& p) {
    const Vec3<T> r = p - B.X.p;
    return B.a + cross(B.alpha, r) + cross(B.w, cross(B.w, r));
  };
  const Vec3<T> dd = velocity(two, g.p2) - velocity(one, g.p1);
  const Vec3<T> ddd = acceleration(two, g.p2) - acceleration(one, g.p1);
  const Vec3<T> da = cross(one.w, g.a), db = cross(two.w, g.b);
  const Vec3<T> dda = cross(one.alpha, g.a) + cross(one.w, da);
  const Vec3<T> ddb = cross(two.alpha, g.b) + cross(two.w, db);
  const T along = dot(ddd, g.a) + 2.0 * dot(dd, da) + dot(g.d, dda);
  switch (row.kind) {
    case RowKind::point:
      return along;
    case RowKind::direction:
      return dot(dda, g.b) + 2.0 * dot(da, db) + dot(g.a, ddb);
    case RowKind::distance:
      return (dot(ddd, g.d) + dot(dd, dd)) / row.parameter;
    case RowKind::screw:
      return along - row.parameter * (dot(two.alpha - one.alpha, g.a) + dot(two.w - one.w, da));
  }
  return T(0);
}

// The power of a row's unit wrench on the motion of a body.
double power(const Force<double>& W, const BodyInWorld& B) {
  return dot(W.n, B.w) + dot(W.f, B.v - cross(B.w, B.X.p));
}

}  // namespace

template <class T>
T closure_acceleration(const ClosureRow& row, const Closure& c, const BodyInWorldOf<T>& one,
                       const BodyInWorldOf<T>& two) {
  const T a = second_derivative(row, c, one, two);
  if constexpr (std::is_same_v<T, double>) {
    if (row.rate_gain == 0 && row.value_gain == 0) return a;
    const Force<double> W = closure_wrench(row, c, one.X, two.X);
    return a + row.rate_gain * (power(W, two) - power(W, one)) +
           row.value_gain * closure_value(row, c, one.X, two.X);
  } else {
    return a;
  }
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template Force<T> closure_wrench<T>(const ClosureRow&, const Closure&, const Pose<T>&,         \
                                      const Pose<T>&);                                           \
  template T closure_acceleration<T>(const ClosureRow&, const Closure&, const BodyInWorldOf<T>&, \
                                     const BodyInWorldOf<T>&);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(Symbolic)
CATENA_INSTANTIATE(Dual)

std::vector<ClosureRow> closure_rows(const Closure& c, int index, double pitch, double length) {
  std::vector<ClosureRow> rows;
  const Vec3<double> z = c.axis;
  const auto [x, y] = normals(z);
  const auto on1 = [&](const Vec3<double>& v) { return c.X_1.R * v; };
  const auto on2 = [&](const Vec3<double>& v) { return c.X_2.R * v; };
  const auto point = [&](const Vec3<double>& v) {
    rows.push_back({RowKind::point, index, on1(v), {}, {}, {}, 0});
  };
  const auto direction = [&](const Vec3<double>& u, const Vec3<double>& v, double cosine = 0) {
    rows.push_back({RowKind::direction, index, on1(u), on2(v), {}, {}, cosine});
  };
  const auto same_point = [&] { point(x), point(y), point(z); };
  const auto same_axis = [&] { direction(x, z), direction(y, z); };
  if (c.rod) {
    rows.push_back({RowKind::distance, index, {}, {}, {}, {}, length});
    return rows;
  }
  switch (c.kind) {
    case JointKind::spherical:
      same_point();
      break;
    case JointKind::revolute:
      same_point(), same_axis();
      break;
    case JointKind::universal:
      same_point(), direction(c.axis, c.axis2, dot(c.axis, c.axis2));
      break;
    case JointKind::fixed:
      same_point(), same_axis(), direction(x, y);
      break;
    case JointKind::prismatic:
      point(x), point(y), same_axis(), direction(x, y);
      break;
    case JointKind::cylindrical:
      point(x), point(y), same_axis();
      break;
    case JointKind::screw:
      point(x), point(y), same_axis();
      rows.push_back({RowKind::screw, index, on1(z), on2(x), on1(x), on1(y), pitch});
      break;
    case JointKind::planar:
      point(z), same_axis();
      break;
    case JointKind::free:
      break;
  }
  return rows;
}

}  // namespace catena
