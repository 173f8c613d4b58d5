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

inline std::vector<Quad> random_direction(Random& random, int n) {
  std::vector<Quad> r;
  for (int k = 0; k < n; ++k) r.push_back(random.uniform());
  return r;
}

// d/dt f(state) with q moving along a joint velocity, and with qd changing by it.
struct Directional {
  std::vector<Quad> q, v;
};
template <class F>
Directional along_direction(const Machine<Quad>& machine, const State<Quad>& s,
                            const std::vector<Quad>& along, F f) {
  Directional d;
  d.q = derivative([&](Quad t) {
    State<Quad> x = s;
    x.q = machine.moved(s.q, along, t);
    return f(x);
  });
  d.v = derivative([&](Quad t) {
    State<Quad> x = s;
    for (std::size_t k = 0; k < along.size(); ++k) x.qd[k] += t * along[k];
    return f(x);
  });
  return d;
}
#endif

}  // namespace catena::oracle
