#include "catena/kinematics/configuration.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "catena/model/coordinates.hpp"
#include "catena/scalar/sincos.hpp"

namespace catena {
namespace {

template <class C>
struct Quaternion {
  C x, y, z, w;
};

template <class C>
Quaternion<C> operator*(const Quaternion<C>& a, const Quaternion<C>& b) {
  return {
      a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
      a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

template <class C>
Quaternion<C> conjugate(const Quaternion<C>& a) {
  return {-a.x, -a.y, -a.z, a.w};
}

template <class C>
Vec3<C> turn(const Quaternion<C>& a, const Vec3<C>& v) {
  const Vec3<C> u{a.x, a.y, a.z};
  const Vec3<C> t = C(2) * cross(u, v);
  return v + a.w * t + cross(u, t);
}

inline void sine_cosine(double x, double& s, double& c) { s = std::sin(x), c = std::cos(x); }
inline void sine_cosine(float x, float& s, float& c) { s = std::sin(x), c = std::cos(x); }
template <class C>
void sine_cosine(const C& x, C& s, C& c) {
  sincos(x, s, c);
}
// atan2 to the scalar's own precision: one Newton step on the double result triples its digits.
template <class C>
C arc_tangent(const C& y, const C& x) {
  C angle(std::atan2(to_double(y), to_double(x)));
  if constexpr (!is_plain<C>) {
    C s, c;
    sine_cosine(angle, s, c);
    const C r = sqrt(x * x + y * y);
    const C e = (y * c - x * s) / r;  // sine of what is missing
    angle = angle + e + e * e * e / C(6);
  }
  return angle;
}
template <class C>
bool is_small(const C& squared) {  // where the series below is exact to rounding
  const double threshold = std::is_same_v<C, double> || std::is_same_v<C, Counting> ? 1e-6
                           : std::is_same_v<C, float>                               ? 1e-3
                                                                                    : 1e-10;
  return to_double(squared) < threshold;
}

// The turn by the rotation vector v.
template <class C>
Quaternion<C> exponential(const Vec3<C>& v) {
  const C squared = dot(v, v);
  C k, w;  // sin(|v|/2)/|v|, cos(|v|/2)
  if (is_small(squared)) {
    const C h = squared / C(4);
    k = (C(1) - h / C(6) + h * h / C(120)) / C(2);
    w = C(1) - h / C(2) + h * h / C(24);
    if constexpr (!is_plain<C>) k = k - h * h * h / C(10080), w = w - h * h * h / C(720);
  } else {
    const C angle = sqrt(squared);
    C s;
    sine_cosine(C(angle / C(2)), s, w);
    k = s / angle;
  }
  return {k * v.x, k * v.y, k * v.z, w};
}

// The rotation vector of a turn, the short way round.
template <class C>
Vec3<C> logarithm(Quaternion<C> a) {
  if (to_double(a.w) < 0) a = {-a.x, -a.y, -a.z, -a.w};
  const Vec3<C> u{a.x, a.y, a.z};
  const C squared = dot(u, u);
  if (is_small(squared)) {  // 2 asin(s)/s
    C k = C(2) + squared / C(3) + C(3) * squared * squared / C(20);
    if constexpr (!is_plain<C>) k = k + C(5) * squared * squared * squared / C(56);
    return k * u;
  }
  const C s = sqrt(squared);
  return (C(2) * arc_tangent(s, a.w) / s) * u;
}

// (1 - cos t)/t² and (t - sin t)/t³ for t² = squared.
template <class C>
void turning_factors(const C& squared, C& b, C& c) {
  if (is_small(squared)) {
    b = C(1) / C(2) - squared / C(24) + squared * squared / C(720);
    c = C(1) / C(6) - squared / C(120) + squared * squared / C(5040);
    return;
  }
  const C t = sqrt(squared);
  C s, k, half_s, half_c;
  sine_cosine(t, s, k);
  sine_cosine(C(t / C(2)), half_s, half_c);
  b = C(2) * half_s * half_s / squared;
  c = (t - s) / (squared * t);
}

// The displacement of a frame that moves for unit time with the constant twist (w, v) of its own.
template <class C>
Vec3<C> displacement(const Vec3<C>& w, const Vec3<C>& v) {
  C b, c;
  turning_factors<C>(dot(w, w), b, c);
  const Vec3<C> wv = cross(w, v);
  return v + b * wv + c * cross(w, wv);
}

// The v of displacement(w, v) = p: V⁻¹ p = p - w x p / 2 + k w x (w x p).
template <class C>
Vec3<C> velocity_of_displacement(const Vec3<C>& w, const Vec3<C>& p) {
  const C squared = dot(w, w);
  C k;
  if (is_small(squared)) {
    k = C(1) / C(12) + squared / C(720) + squared * squared / C(30240);
  } else {
    const C t = sqrt(squared);
    C s, c;
    sine_cosine(C(t / C(2)), s, c);
    k = (C(1) - t * c / (C(2) * s)) / squared;
  }
  const Vec3<C> wp = cross(w, p);
  return p - (C(1) / C(2)) * wp + k * cross(w, wp);
}

template <class C>
Quaternion<C> quaternion_at(std::span<const C> q, std::size_t i) {
  return {q[i], q[i + 1], q[i + 2], q[i + 3]};
}
template <class C>
void put(std::span<C> q, std::size_t i, const Quaternion<C>& a) {
  q[i] = a.x, q[i + 1] = a.y, q[i + 2] = a.z, q[i + 3] = a.w;
}
template <class C>
void put(std::span<C> q, std::size_t i, const Vec3<C>& a) {
  q[i] = a.x, q[i + 1] = a.y, q[i + 2] = a.z;
}
template <class C>
Vec3<C> vector_at(std::span<const C> q, std::size_t i) {
  return {q[i], q[i + 1], q[i + 2]};
}

// Where a joint's quaternion starts among its coordinates, or -1.
int quaternion_offset(JointKind kind) {
  return kind == JointKind::spherical ? 0 : kind == JointKind::free ? 3 : -1;
}

// Uniform in [0, 1), the same on every machine.
double uniform(std::mt19937_64& generator) {
  return static_cast<double>(generator() >> 11) * 0x1p-53;
}

}  // namespace

template <class C>
void neutral_configuration(const Mechanism<C>& m, std::span<C> q) {
  check_size("q", q.size(), index(m.nq));
  for (C& x : q) x = C(0);
  for (const JointInfo& j : m.names->joints) {
    if (quaternion_offset(j.kind) >= 0) q[index(j.q + quaternion_offset(j.kind) + 3)] = C(1);
  }
}

void random_configuration(const Mechanism<double>& m, std::mt19937_64& generator,
                          std::span<double> q) {
  check_size("q", q.size(), index(m.nq));
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nq == 0) continue;
    const int attitude = quaternion_offset(j.kind);
    for (int k = 0; k < j.nq; ++k) {
      const bool angle = j.kind == JointKind::revolute || j.kind == JointKind::screw ||
                         j.kind == JointKind::universal ||
                         (j.kind == JointKind::cylindrical && k == 0) ||
                         (j.kind == JointKind::planar && k == 2);
      double lower = angle ? -M_PI : -1, upper = -lower;
      if (j.nq == 1 && std::isfinite(j.limits.lower)) lower = j.limits.lower;
      if (j.nq == 1 && std::isfinite(j.limits.upper)) upper = j.limits.upper;
      // A single limit beyond the usual range: as wide a range next to it.
      if (lower > upper && !std::isfinite(j.limits.upper)) upper = lower + (angle ? 2 * M_PI : 2);
      if (lower > upper) lower = upper - (angle ? 2 * M_PI : 2);
      q[index(j.q + k)] = lower + (upper - lower) * uniform(generator);
    }
    if (attitude < 0) continue;
    // Four normal deviates, normalised, are uniform on the sphere.
    double a[4], length = 0;
    for (double& x : a) {
      const double r = std::sqrt(-2 * std::log(1 - uniform(generator)));
      x = r * std::cos(2 * M_PI * uniform(generator));
      length += x * x;
    }
    for (int k = 0; k < 4; ++k) q[index(j.q + attitude + k)] = a[k] / std::sqrt(length);
  }
}

template <class C>
C normalise_configuration(const Mechanism<C>& m, std::span<C> q) {
  check_size("q", q.size(), index(m.nq));
  C worst(0);
  for (const JointInfo& j : m.names->joints) {
    if (quaternion_offset(j.kind) < 0) continue;
    const std::size_t at = index(j.q + quaternion_offset(j.kind));
    const Quaternion<C> a = quaternion_at(std::span<const C>(q), at);
    const C length = sqrt(a.x * a.x + a.y * a.y + a.z * a.z + a.w * a.w);
    const C off = to_double(length) > 1 ? length - C(1) : C(1) - length;
    if (!(to_double(off) <= to_double(worst))) worst = off;
    put(q, at, Quaternion<C>{a.x / length, a.y / length, a.z / length, a.w / length});
  }
  return worst;
}

template <class C>
void integrate_configuration(const Mechanism<C>& m, std::span<const C> q, std::span<const C> v,
                             std::span<C> result) {
  check_size("q", q.size(), index(m.nq));
  check_size("v", v.size(), index(m.nv));
  check_size("result", result.size(), index(m.nq));
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nq == 0) continue;
    const std::size_t iq = index(j.q), iv = index(j.v);
    if (quaternion_offset(j.kind) < 0) {
      for (int k = 0; k < j.nq; ++k) result[iq + index(k)] = q[iq + index(k)] + v[iv + index(k)];
      continue;
    }
    const std::size_t at = iq + index(quaternion_offset(j.kind));
    const Quaternion<C> a = quaternion_at(q, at);
    const Vec3<C> w = vector_at(v, iv);
    if (j.kind == JointKind::free) {
      put(result, iq, vector_at(q, iq) + turn(a, displacement(w, vector_at(v, iv + 3))));
    }
    Quaternion<C> b = a * exponential(w);
    // One step of Newton keeps the unit length to rounding without a square root.
    const C fix = (C(3) - (b.x * b.x + b.y * b.y + b.z * b.z + b.w * b.w)) / C(2);
    put(result, at, Quaternion<C>{fix * b.x, fix * b.y, fix * b.z, fix * b.w});
  }
}

template <class C>
void difference_configuration(const Mechanism<C>& m, std::span<const C> from, std::span<const C> to,
                              std::span<C> v) {
  check_size("from", from.size(), index(m.nq));
  check_size("to", to.size(), index(m.nq));
  check_size("v", v.size(), index(m.nv));
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nq == 0) continue;
    const std::size_t iq = index(j.q), iv = index(j.v);
    if (quaternion_offset(j.kind) < 0) {
      for (int k = 0; k < j.nq; ++k) v[iv + index(k)] = to[iq + index(k)] - from[iq + index(k)];
      continue;
    }
    const std::size_t at = iq + index(quaternion_offset(j.kind));
    const Quaternion<C> a = quaternion_at(from, at);
    const Vec3<C> w = logarithm(conjugate(a) * quaternion_at(to, at));
    put(v, iv, w);
    if (j.kind == JointKind::free) {
      const Vec3<C> p = turn(conjugate(a), vector_at(to, iq) - vector_at(from, iq));
      put(v, iv + 3, velocity_of_displacement(w, p));
    }
  }
}

#define CATENA_INSTANTIATE(C)                                                        \
  template void neutral_configuration<C>(const Mechanism<C>&, std::span<C>);         \
  template C normalise_configuration<C>(const Mechanism<C>&, std::span<C>);          \
  template void integrate_configuration<C>(const Mechanism<C>&, std::span<const C>,  \
                                           std::span<const C>, std::span<C>);        \
  template void difference_configuration<C>(const Mechanism<C>&, std::span<const C>, \
                                            std::span<const C>, std::span<C>);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
