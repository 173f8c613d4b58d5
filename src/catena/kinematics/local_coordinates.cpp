#include "catena/kinematics/local_coordinates.hpp"

#include <cmath>

#include "catena/kinematics/turn_series.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using V = Vec3<double>;

V at(std::span<const double> x, int i) { return {x[index(i)], x[index(i + 1)], x[index(i + 2)]}; }
void put(std::span<double> x, int i, const V& a) {
  x[index(i)] = a.x, x[index(i + 1)] = a.y, x[index(i + 2)] = a.z;
}

// A function of ad_u on so(3): 1 + a ad + b ad², with b and its derivative by s = |w|².
// On se(3) the lower left block is its derivative in the direction of the linear part.
struct Factors {
  double a, da, b, db;
};

// sum of c[k] s^k and its derivative
template <std::size_t N>
void series(const std::array<double, N>& c, double s, double& value, double& derivative) {
  value = c[N - 1], derivative = 0;
  for (std::size_t k = N - 1; k-- > 0;) {
    derivative = derivative * s + value;
    value = value * s + c[k];
  }
}

// ad / (1 - exp(-ad)) = 1 + ad/2 + b ad², b = (1 - t/2 cot t/2)/t²
Factors rate_factors(double s) {
  Factors f{0.5, 0, 0, 0};
  if (s < 1) {
    series(turn_series::cotangent, s, f.b, f.db);
    return f;
  }
  const double t = std::sqrt(s), half = t / 2, cot = std::cos(half) / std::sin(half);
  const double g = half * cot, dg = (cot / 2 - half / (2 * std::pow(std::sin(half), 2))) / (2 * t);
  f.b = (1 - g) / s, f.db = (-dg - f.b) / s;
  return f;
}

// (1 - exp(-ad)) / ad = 1 - a ad + b ad², a = (1 - cos t)/t², b = (t - sin t)/t³
Factors velocity_factors(double s) {
  Factors f{};
  if (s < 1) {
    series(turn_series::cosine, s, f.a, f.da);
    series(turn_series::sine, s, f.b, f.db);
  } else {
    const double t = std::sqrt(s), sine = std::sin(t), cosine = std::cos(t);
    f.a = (1 - cosine) / s, f.da = (sine / (2 * t) - f.a) / s;
    f.b = (1 - sine / t) / s, f.db = ((sine / t - cosine) / (2 * s) - f.b) / s;
  }
  f.a = -f.a, f.da = -f.da;
  return f;
}

// (1 + a w x + b w x w x) v, or the transpose, which turns the other way.
V apply(const Factors& f, const V& w, const V& v, double sign) {
  const V wv = cross(w, v);
  return v + sign * f.a * wv + f.b * cross(w, wv);
}
// The derivative of that matrix in the direction d of w, times v; or its transpose.
V apply_derivative(const Factors& f, const V& w, const V& d, const V& v, double sign) {
  const double ds = 2 * dot(w, d);
  const V wv = cross(w, v), dv = cross(d, v);
  return sign * f.a * dv + sign * ds * f.da * wv + f.b * (cross(d, wv) + cross(w, dv)) +
         ds * f.db * cross(w, wv);
}

void copy(const JointInfo& j, std::span<const double> from, std::span<double> to) {
  for (int k = 0; k < j.nv; ++k) to[index(j.v + k)] = from[index(j.v + k)];
}

bool has_quaternion(const JointInfo& j) {
  return j.kind == JointKind::spherical || j.kind == JointKind::free;
}

void transposed(const Mechanism<double>& m, Factors (*factors)(double), std::span<const double> u,
                std::span<const double> p, std::span<double> result) {
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nv == 0) continue;
    if (!has_quaternion(j)) {
      copy(j, p, result);
      continue;
    }
    const V w = at(u, j.v), n = at(p, j.v);
    const Factors f = factors(dot(w, w));
    V moment = apply(f, w, n, -1);
    if (j.kind == JointKind::free) {
      const V force = at(p, j.v + 3);
      moment = moment + apply_derivative(f, w, at(u, j.v + 3), force, -1);
      put(result, j.v + 3, apply(f, w, force, -1));
    }
    put(result, j.v, moment);
  }
}

}  // namespace

void local_rate(const Mechanism<double>& m, std::span<const double> u, std::span<const double> v,
                std::span<double> rate) {
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nv == 0) continue;
    if (!has_quaternion(j)) {
      copy(j, v, rate);
      continue;
    }
    const V w = at(u, j.v), turning = at(v, j.v);
    const Factors f = rate_factors(dot(w, w));
    put(rate, j.v, apply(f, w, turning, 1));
    if (j.kind == JointKind::free)
      put(rate, j.v + 3,
          apply(f, w, at(v, j.v + 3), 1) + apply_derivative(f, w, at(u, j.v + 3), turning, 1));
  }
}

void local_rate_transposed(const Mechanism<double>& m, std::span<const double> u,
                           std::span<const double> p, std::span<double> result) {
  transposed(m, rate_factors, u, p, result);
}

void velocity_of_rate_transposed(const Mechanism<double>& m, std::span<const double> u,
                                 std::span<const double> p, std::span<double> result) {
  transposed(m, velocity_factors, u, p, result);
}

void momentum_turning(const Mechanism<double>& m, std::span<const double> v,
                      std::span<const double> p, std::span<double> result) {
  for (double& x : result) x = 0;
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nv == 0 || !has_quaternion(j)) continue;
    const V w = at(v, j.v);
    V moment = cross(w, at(p, j.v));
    if (j.kind == JointKind::free) {
      moment = moment + cross(at(v, j.v + 3), at(p, j.v + 3));
      put(result, j.v + 3, cross(w, at(p, j.v + 3)));
    }
    put(result, j.v, moment);
  }
}

void position_rate(const Mechanism<double>& m, std::span<const double> q, std::span<const double> v,
                   std::span<double> rate) {
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nq == 0) continue;
    if (!has_quaternion(j)) {
      for (int k = 0; k < j.nq; ++k) rate[index(j.q + k)] = v[index(j.v + k)];
      continue;
    }
    const int first = j.kind == JointKind::free ? j.q + 3 : j.q;
    const V e = at(q, first), w = at(v, j.v);  // the vector part; its derivative is a w/2
    const double s = q[index(first + 3)];
    put(rate, first, 0.5 * (s * w + cross(e, w)));
    rate[index(first + 3)] = -0.5 * dot(e, w);
    if (j.kind == JointKind::free) {
      const V l = at(v, j.v + 3), t = 2. * cross(e, l);
      put(rate, j.q, l + s * t + cross(e, t));
    }
  }
}

}  // namespace catena
