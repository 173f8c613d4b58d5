// Many random states of one mechanism, as a batch takes them and one by one.
#pragma once

#include <cstring>
#include <span>
#include <vector>

#include "catena/batch/batch.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {

template <class E>
struct ManyStates {
  Mechanism<E> m;
  std::size_t n, nq, nv, nb;
  std::vector<E> q, qd, qdd, tau, Fext;

  ManyStates(const Mechanism<double>& mechanism, std::size_t count, Random& random,
             bool wrenches = false)
      : m(cast<E>(mechanism)), n(count), nq(at(m.nq)), nv(at(m.nv)), nb(m.bodies.size()) {
    for (std::size_t i = 0; i < n; ++i) {
      State<E> s = convert<E>(random_state(mechanism, random, wrenches));
      normalise_configuration<E>(m, s.q);
      q.insert(q.end(), s.q.begin(), s.q.end());
      qd.insert(qd.end(), s.qd.begin(), s.qd.end());
      qdd.insert(qdd.end(), s.qdd.begin(), s.qdd.end());
      tau.insert(tau.end(), s.tau.begin(), s.tau.end());
      for (const Force<E>& F : s.Fext) {
        for (const E x : numbers(F)) Fext.push_back(x);
      }
    }
  }

  static std::vector<E> part(const std::vector<E>& all, std::size_t first, std::size_t count,
                             std::size_t width) {
    if (all.empty()) return {};
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first * width);
    return {begin, begin + static_cast<std::ptrdiff_t>(count * width)};
  }
  // The states first ... first + count - 1.
  ManyStates some(std::size_t first, std::size_t count) const {
    ManyStates r = *this;
    r.n = count;
    r.q = part(q, first, count, nq), r.qd = part(qd, first, count, nv);
    r.qdd = part(qdd, first, count, nv), r.tau = part(tau, first, count, nv);
    r.Fext = part(Fext, first, count, 6 * nb);
    return r;
  }
  State<E> one(std::size_t i) const {
    const ManyStates s = some(i, 1);
    State<E> r{s.q, s.qd, s.qdd, s.tau, {}};
    for (std::size_t b = 0; 6 * b < s.Fext.size(); ++b) {
      const E* F = s.Fext.data() + 6 * b;
      r.Fext.push_back({{F[0], F[1], F[2]}, {F[3], F[4], F[5]}});
    }
    return r;
  }
};

// A result, its name and how many numbers it has per state.
template <class E>
struct BatchResult {
  std::string name;
  std::size_t width;
  std::vector<E> values;
};

// Everything that a batch computes.
template <class E>
std::vector<BatchResult<E>> everything(Batch<E>& batch, const ManyStates<E>& s) {
  const std::size_t nv = s.nv;
  std::vector<BatchResult<E>> r;
  const auto result = [&](const std::string& name, std::size_t width) -> std::vector<E>& {
    r.push_back({name, width, std::vector<E>(s.n * width, E(77))});
    return r.back().values;
  };
  batch.inverse_dynamics(s.q, s.qd, s.qdd, result("inverse dynamics", nv), s.Fext);
  batch.bias_forces(s.q, s.qd, result("bias", nv));
  batch.gravity_forces(s.q, result("gravity", nv));
  (void)batch.forward_dynamics(s.q, s.qd, s.tau, result("forward dynamics", nv), s.Fext);
  batch.inertia_matrix(s.q, result("inertia matrix", nv * nv));
  const int last = static_cast<int>(s.m.names->frames.size()) - 1;
  const std::vector<int> frames{last, 0};
  batch.frame_poses(s.q, frames, result("poses", 24));
  for (Axes axes : {Axes::frame, Axes::world_aligned, Axes::world})
    batch.frame_jacobian(s.q, last, axes, result("Jacobian", 6 * nv));
  batch.kinetic_energy(s.q, s.qd, result("kinetic energy", 1));
  batch.potential_energy(s.q, result("potential energy", 1));
  for (Stepper stepper : {Stepper::rk4, Stepper::euler}) {
    // Two steps, both states kept, in one vector: positions, then velocities.
    std::vector<E> q(s.n * 2 * s.nq), qd(s.n * 2 * nv);
    (void)batch.rollout({stepper, E(0.01), 2, 1}, s.q, s.qd, s.tau, q, qd);
    result("rollout, positions", 2 * s.nq) = q;
    result("rollout, velocities", 2 * nv) = qd;
  }
  std::vector<E> dq(s.n * nv * nv), dv(dq), dx(dq), qdd(s.n * nv);
  batch.inverse_derivatives(s.q, s.qd, s.qdd, dq, dv, dx, s.Fext);
  result("dtau/dq", nv * nv) = dq;
  result("dtau/dqd", nv * nv) = dv;
  result("dtau/dqdd", nv * nv) = dx;
  (void)batch.forward_derivatives(s.q, s.qd, s.tau, qdd, dq, dv, dx, s.Fext);
  result("qdd beside its derivatives", nv) = qdd;
  result("dqdd/dq", nv * nv) = dq;
  result("dqdd/dqd", nv * nv) = dv;
  result("dqdd/dtau", nv * nv) = dx;
  return r;
}

template <class E>
bool same_bits(std::span<const E> a, std::span<const E> b) {
  return a.size() == b.size() &&
         (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(E)) == 0);
}

}  // namespace catena::oracle
