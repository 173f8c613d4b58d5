// Derivatives as matrices, and the same by differences in quadruple precision.
#pragma once

#include <gtest/gtest.h>

#include "catena/formulations/spatial/forward_derivatives.hpp"
#include "catena/formulations/spatial/inverse_derivatives.hpp"
#include "oracles/cases.hpp"
#include "oracles/differences.hpp"

namespace catena::oracle {

template <class T>
struct Derivatives {
  std::vector<T> dq, dv, da, qdd;  // by rows; da is M or its inverse
};

template <class T>
struct Differentiator {
  Machine<T> machine;
  Workspace<T> w;

  explicit Differentiator(const Mechanism<double>& m)
      : machine(m), w(machine.m, derivatives_room<T>(machine.m)) {}

  Derivatives<T> inverse(const State<T>& s) {
    const std::size_t n = at(machine.m.nv);
    Derivatives<T> d{std::vector<T>(n * n), std::vector<T>(n * n), std::vector<T>(n * n), {}};
    inverse_dynamics_derivatives<T>(machine.m, s.q, s.qd, s.qdd, s.Fext, w, d.dq, d.dv, d.da);
    return d;
  }
  Derivatives<T> forward(const State<T>& s) {
    const std::size_t n = at(machine.m.nv);
    Derivatives<T> d{std::vector<T>(n * n), std::vector<T>(n * n), std::vector<T>(n * n),
                     std::vector<T>(n)};
    machine.status = forward_dynamics_derivatives<T>(machine.m, s.q, s.qd, s.tau, s.Fext, w,
                                                     {d.qdd, d.dq, d.dv, d.da});
    return d;
  }
};

inline std::vector<double> rounded(const std::vector<double>& v) { return v; }
#if CATENA_HAS_QUAD
inline std::vector<double> rounded(const std::vector<Quad>& v) {
  std::vector<double> r;
  for (Quad x : v) r.push_back(to_double(x));
  return r;
}

// Columns k of a matrix by rows: d f(q moved along velocity k by t, ...) / dt.
template <class F>
std::vector<Quad> matrix_by_differences(std::size_t n, F column) {
  std::vector<Quad> matrix;
  for (std::size_t k = 0; k < n; ++k) {
    const std::vector<Quad> d = derivative([&](Quad t) { return column(k, t); });
    matrix.resize(d.size() * n);
    for (std::size_t i = 0; i < d.size(); ++i) matrix[i * n + k] = d[i];
  }
  return matrix;
}
// f(state) along changes of q and of qd.
template <class F>
Derivatives<Quad> by_differences(const Machine<Quad>& machine, const State<Quad>& s, F f) {
  const std::size_t n = s.qd.size();
  Derivatives<Quad> d;
  d.dq = matrix_by_differences(n, [&](std::size_t k, Quad t) {
    State<Quad> x = s;
    std::vector<Quad> unit(n, 0);
    unit[k] = 1;
    x.q = machine.moved(s.q, unit, t);
    return f(x);
  });
  d.dv = matrix_by_differences(n, [&](std::size_t k, Quad t) {
    State<Quad> x = s;
    x.qd[k] += t;
    return f(x);
  });
  return d;
}
#endif

}  // namespace catena::oracle
