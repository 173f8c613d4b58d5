// Fixed steps of several trajectories at once, by the schemes of the simulation's integrators:
// Runge-Kutta in local coordinates of each step (Munthe-Kaas), and semi-implicit Euler.
#include <cmath>

#include "catena/batch/lanes/level.hpp"
#include "catena/kinematics/turn_series.hpp"
#include "catena/model/coordinates.hpp"

namespace catena::CATENA_LEVEL {
namespace {

// A function of s = |w|², for the turn w of a joint in a step: a power series where s < 1, its
// closed form in the lanes beyond.
template <class T, std::size_t N, class Far>
T by_series(const std::array<double, N>& c, const T& s, Far far) {
  using E = typename T::Element;
  T sum(static_cast<E>(c[N - 1]));
  for (std::size_t k = N - 1; k-- > 0;) sum = sum * s + T(static_cast<E>(c[k]));
  for (int i = 0; i < T::size; ++i) {
    if (!(s[i] < E(1))) sum.set(i, static_cast<E>(far(static_cast<double>(s[i]))));
  }
  return sum;
}

// sin(t/2)/t and cos(t/2)
template <class T>
T half_sine(const T& s) {
  return by_series(turn_series::half_sine, s,
                   [](double x) { return std::sin(std::sqrt(x) / 2) / std::sqrt(x); });
}
template <class T>
T half_cosine(const T& s) {
  return by_series(turn_series::half_cosine, s,
                   [](double x) { return std::cos(std::sqrt(x) / 2); });
}
// (1 - cos t)/t² and (t - sin t)/t³
template <class T>
T turn_b(const T& s) {
  return by_series(turn_series::cosine, s, [](double x) {
    const double half = std::sin(std::sqrt(x) / 2);
    return 2 * half * half / x;
  });
}
template <class T>
T turn_c(const T& s) {
  return by_series(turn_series::sine, s, [](double x) {
    const double t = std::sqrt(x);
    return (t - std::sin(t)) / (x * t);
  });
}
// (1 - t/2 cot t/2)/t² and its derivative by s
double rate_b_far(double s) {
  const double half = std::sqrt(s) / 2;
  return (1 - half * std::cos(half) / std::sin(half)) / s;
}
template <class T>
T rate_b(const T& s) {
  return by_series(turn_series::cotangent, s, rate_b_far);
}
template <class T>
T rate_db(const T& s) {
  constexpr auto c = turn_series::derivative(turn_series::cotangent);
  return by_series(c, s, [](double x) {
    const double t = std::sqrt(x), half = t / 2, cot = std::cos(half) / std::sin(half);
    const double dg = (cot / 2 - half / (2 * std::sin(half) * std::sin(half))) / (2 * t);
    return (-dg - rate_b_far(x)) / x;
  });
}

template <class T>
Vec3<T> vector_at(const T* x, int i) {
  return {x[i], x[i + 1], x[i + 2]};
}
template <class T>
void put(T* x, int i, const Vec3<T>& v) {
  x[i] = v.x, x[i + 1] = v.y, x[i + 2] = v.z;
}

bool has_quaternion(const JointInfo& j) {
  return j.kind == JointKind::spherical || j.kind == JointKind::free;
}

// q moved by u, as integrate_configuration does it.
template <class E>
void move(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* u, Lanes<E>* result) {
  using T = Lanes<E>;
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nq == 0) continue;
    if (!has_quaternion(j)) {
      for (int k = 0; k < j.nq; ++k) result[j.q + k] = q[j.q + k] + u[j.v + k];
      continue;
    }
    const int at = j.kind == JointKind::free ? j.q + 3 : j.q;
    const Vec3<T> w = vector_at(u, j.v), e = vector_at(q, at);
    const T s = q[at + 3], squared = dot(w, w);
    if (j.kind == JointKind::free) {
      const Vec3<T> v = vector_at(u, j.v + 3), wv = cross(w, v);
      const Vec3<T> d = v + turn_b(squared) * wv + turn_c(squared) * cross(w, wv);
      const Vec3<T> t = T(E(2)) * cross(e, d);
      put(result, j.q, vector_at(q, j.q) + d + s * t + cross(e, t));
    }
    const Vec3<T> turn = half_sine(squared) * w;
    const T half = half_cosine(squared);
    const Vec3<T> b = s * turn + half * e + cross(e, turn);
    const T c = s * half - dot(e, turn);
    // One step of Newton keeps the unit length to rounding without a square root.
    const T fix = (T(E(3)) - (dot(b, b) + c * c)) * T(E(0.5));
    put(result, at, fix * b);
    result[at + 3] = fix * c;
  }
}

// du/dt for q moved by u at the joint velocity v, as local_rate does it.
template <class E>
void local_rate(const Mechanism<E>& m, const Lanes<E>* u, const Lanes<E>* v, Lanes<E>* rate) {
  using T = Lanes<E>;
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nv == 0) continue;
    if (!has_quaternion(j)) {
      for (int k = 0; k < j.nv; ++k) rate[j.v + k] = v[j.v + k];
      continue;
    }
    // (1 + ad/2 + b ad²) v; on se(3) the lower left block is its derivative along the linear part.
    const Vec3<T> w = vector_at(u, j.v), turning = vector_at(v, j.v), wv = cross(w, turning);
    const T squared = dot(w, w), b = rate_b(squared), half(E(0.5));
    put(rate, j.v, turning + half * wv + b * cross(w, wv));
    if (j.kind == JointKind::spherical) continue;
    const Vec3<T> d = vector_at(u, j.v + 3), l = vector_at(v, j.v + 3), wl = cross(w, l);
    const Vec3<T> dv = cross(d, turning);
    const T ds = T(E(2)) * dot(w, d);
    put(rate, j.v + 3,
        l + half * (wl + dv) + b * (cross(w, wl) + cross(d, wv) + cross(w, dv)) +
            (ds * rate_db(squared)) * cross(w, wv));
  }
}

template <class E>
LostPivots<Lanes<E>> step_rk4(const Mechanism<E>& m, E h, const Lanes<E>* tau, Arena arena,
                              Lanes<E>* q, Lanes<E>* qd) {
  using T = Lanes<E>;
  const std::size_t n = index(m.nv);
  T *u = arena.take<T>(n), *v = arena.take<T>(n);          // of a stage
  T *ku = arena.take<T>(n), *kv = arena.take<T>(n);        // its derivatives
  T *sum_u = arena.take<T>(n), *sum_v = arena.take<T>(n);  // the weighted sum of them
  T* at = arena.take<T>(index(m.nq));
  LostPivots<T> lost = forward_dynamics<E>(m, q, qd, tau, nullptr, arena, kv);
  for (std::size_t i = 0; i < n; ++i) sum_u[i] = ku[i] = qd[i], sum_v[i] = kv[i];
  for (int stage = 1; stage < 4; ++stage) {
    const T length(stage < 3 ? h / 2 : h), weight(stage < 3 ? E(2) : E(1));
    for (std::size_t i = 0; i < n; ++i) u[i] = length * ku[i], v[i] = qd[i] + length * kv[i];
    move(m, q, u, at);
    local_rate(m, u, v, ku);
    lost.lanes += forward_dynamics<E>(m, at, v, tau, nullptr, arena, kv).lanes;
    for (std::size_t i = 0; i < n; ++i) {
      sum_u[i] += weight * ku[i];
      sum_v[i] += weight * kv[i];
    }
  }
  const T sixth(h / 6);
  for (std::size_t i = 0; i < n; ++i) u[i] = sixth * sum_u[i], qd[i] += sixth * sum_v[i];
  move(m, q, u, q);
  return lost;
}

template <class E>
LostPivots<Lanes<E>> step_euler(const Mechanism<E>& m, E h, const Lanes<E>* tau, Arena arena,
                                Lanes<E>* q, Lanes<E>* qd) {
  using T = Lanes<E>;
  const std::size_t n = index(m.nv);
  T *a = arena.take<T>(n), *u = arena.take<T>(n);
  const LostPivots<T> lost = forward_dynamics<E>(m, q, qd, tau, nullptr, arena, a);
  for (std::size_t i = 0; i < n; ++i) {
    qd[i] += T(h) * a[i];
    u[i] = T(h) * qd[i];
  }
  move(m, q, u, q);
  return lost;
}

}  // namespace

template <class E>
LostPivots<Lanes<E>> step(const Mechanism<E>& m, Stepper stepper, E h, const Lanes<E>* tau,
                          Arena arena, Lanes<E>* q, Lanes<E>* qd) {
  return stepper == Stepper::rk4 ? step_rk4(m, h, tau, arena, q, qd)
                                 : step_euler(m, h, tau, arena, q, qd);
}

#define CATENA_INSTANTIATE(E)                                                                    \
  template LostPivots<Lanes<E>> step<E>(const Mechanism<E>&, Stepper, E, const Lanes<E>*, Arena, \
                                        Lanes<E>*, Lanes<E>*);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(float)

}  // namespace catena::CATENA_LEVEL
