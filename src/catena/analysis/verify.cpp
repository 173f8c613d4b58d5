#include "catena/analysis/verify.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catena/analysis/condition.hpp"
#include "catena/analysis/runner.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/kinematics/energy.hpp"

namespace catena {
namespace {

#if CATENA_HAS_QUAD
using Exact = Quad;
constexpr double difference_step = 1e-8;  // of differences: the error is its square
#else
using Exact = double;
constexpr double difference_step = 1e-5;
#endif
using ExactVector = std::vector<Exact>;

double size_of(const ExactVector& v) {
  double size = 0;
  for (const Exact& x : v) size = std::max(size, std::abs(to_double(x)));
  return size > 0 ? size : 1;
}

// Meets every difference of a and b relative to `size`; a matrix has `columns` entries a row.
template <class T>
void compare(const std::vector<T>& a, const ExactVector& b, double size, int state, int columns,
             Disagreement& worst) {
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double error = std::abs(to_double(Exact(static_cast<Exact>(a[i]) - b[i]))) / size;
    worst.meet(error, state, static_cast<int>(i) / columns);
  }
}

// A state in the scalar of the reference, quaternions to its last digit, and what is true there.
struct Truth {
  ExactVector q, qd, qdd, tau;    // the state
  ExactVector forces, M, motion;  // of qdd; of q; of tau
  double forces_size, M_size, motion_size;
  bool solvable;

  Truth(const Mechanism<Exact>& m, Runner<Exact>& reference, const VerifyState& s)
      : q(converted<Exact>(s.q)),
        qd(converted<Exact>(s.qd)),
        qdd(converted<Exact>(s.qdd)),
        tau(converted<Exact>(s.tau)) {
    normalise_configuration<Exact>(m, q);
    forces = reference.inverse(q, qd, qdd);
    M = reference.inertia(q);
    motion = reference.forward(q, qd, tau);
    solvable = bool(reference.status());
    forces_size = size_of(forces), M_size = size_of(M), motion_size = size_of(motion);
  }
};

// How large the parts are of which the forces of an acceleration are the sum.
double force_size(const Truth& truth, const ExactVector& qdd) {
  double size = size_of(truth.tau);
  const std::size_t n = qdd.size();
  for (std::size_t i = 0; i < n; ++i) {
    double row = 0;
    for (std::size_t j = 0; j < n; ++j)
      row += std::abs(to_double(Exact(truth.M[i * n + j] * qdd[j])));
    size = std::max(size, row);
  }
  return size;
}

template <class T>
void meet_state(Runner<T>& runner, Runner<Exact>& reference, const Mechanism<Constant<T>>& m,
                const Truth& truth, int state, MethodAgreement& r, Disagreement& tau,
                Disagreement& M, Disagreement& qdd, Disagreement& residual) {
  const auto q = converted<T>(truth.q), qd = converted<T>(truth.qd);
  if (runner.has_inverse())
    compare(runner.inverse(q, qd, converted<T>(truth.qdd)), truth.forces, truth.forces_size, state,
            1, tau);
  if (runner.has_inertia()) compare(runner.inertia(q), truth.M, truth.M_size, state, m.nv, M);
  if (!runner.has_forward() || !truth.solvable) return;
  const std::vector<T> motion = runner.forward(q, qd, converted<T>(truth.tau));
  if (!runner.status()) {
    if (r.singular.empty()) r.singular = describe(m, runner.status());
    return;
  }
  compare(motion, truth.motion, truth.motion_size, state, 1, qdd);
  const ExactVector exact = converted<Exact>(motion);
  compare(reference.inverse(truth.q, truth.qd, exact), truth.tau, force_size(truth, exact), state,
          1, residual);
}

// Energy of the reference along qd(t) = qd + t qdd: its rate is the power.
void meet_energy(const Mechanism<Exact>& m, Workspace<Exact>& w, const Truth& truth, int state,
                 Verification& r) {
  const std::size_t n = truth.qd.size();
  const auto total = [&](Exact t) {
    ExactVector q(truth.q.size()), move(n), qd(n);
    for (std::size_t k = 0; k < n; ++k)
      move[k] = t * truth.qd[k], qd[k] = truth.qd[k] + t * truth.qdd[k];
    integrate_configuration<Exact>(m, truth.q, move, q);
    return kinetic_energy<Exact>(m, q, qd, w) + potential_energy<Exact>(m, q, w);
  };
  const Exact h(difference_step);
  const Exact rate = (total(h) - total(-h)) / (h + h);
  Exact power(0), twice_kinetic(0);
  double size = 1e-30;
  for (std::size_t k = 0; k < n; ++k) {
    const Exact part = truth.forces[k] * truth.qd[k];
    power = power + part, size += std::abs(to_double(part));
    for (std::size_t j = 0; j < n; ++j)
      twice_kinetic = twice_kinetic + truth.qd[k] * truth.M[k * n + j] * truth.qd[j];
  }
  for (int v = 0; v < m.tree_nv; ++v) {  // friction takes power
    const auto& map = m.v_map[index(v)];
    const Exact u = map.ratio * truth.qd[index(map.index)];
    const Exact friction = m.viscous[index(v)] * u + m.coulomb[index(v)] * sign(u);
    power = power - friction * u;
  }
  r.power.meet(std::abs(to_double(Exact(rate - power))) / size, state, 0);
  const Exact kinetic = kinetic_energy<Exact>(m, truth.q, truth.qd, w);
  const double error = std::abs(to_double(Exact(kinetic + kinetic - twice_kinetic)));
  r.energy.meet(error / (std::abs(to_double(kinetic)) + 1e-30), state, 0);
}

}  // namespace

void Disagreement::meet(double e, int at_state, int at_velocity) {
  if (state >= 0 && (e <= error || std::isnan(error))) return;  // NaN is the worst of all
  error = e, state = at_state, velocity = at_velocity;
}

const Disagreement& MethodAgreement::of(const std::string& quantity) const {
  if (quantity == "tau") return tau;
  if (quantity == "M") return M;
  if (quantity == "qdd") return residual;
  return equations;
}

const char* MethodAgreement::fault(double tolerance) const {
  if (!refusal.empty()) return nullptr;
  if (!(tau.error <= tolerance)) return "tau";
  if (!(M.error <= tolerance)) return "M";
  if (!(residual.error <= tolerance)) return "qdd";
  if (!(equations.error <= tolerance)) return "equations";
  return nullptr;
}

bool Verification::good() const {
  const bool balanced = power.error <= options.tolerance && energy.error <= options.tolerance;
  return balanced && std::all_of(methods.begin(), methods.end(), [&](const MethodAgreement& a) {
           return a.fault(options.tolerance) == nullptr && a.singular.empty();
         });
}

std::vector<VerifyState> random_states(const Mechanism<double>& m, int count, std::uint64_t seed) {
  std::mt19937_64 generator(seed);
  const auto numbers = [&](std::size_t n) {
    std::vector<double> v(n);
    for (double& x : v) x = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
    return v;
  };
  std::vector<VerifyState> states;
  for (int i = 0; i < count; ++i) {
    VerifyState s{std::vector<double>(index(m.nq)), numbers(index(m.nv)), numbers(index(m.nv)),
                  numbers(index(m.nv))};
    random_configuration(m, generator, s.q);
    states.push_back(s);
  }
  return states;
}

Verification verify(const Mechanism<double>& m, const VerifyOptions& options,
                    std::span<const Formulation<double>> methods) {
  Verification r;
  r.options = options;
  r.states = random_states(m, options.states, options.seed);
  const Mechanism<Exact> exact = cast<Exact>(m);
  Runner<Exact> reference(formulations<Exact>().front(), exact);
  std::vector<Truth> truths;
  for (std::size_t s = 0; s < r.states.size(); ++s) {
    truths.emplace_back(exact, reference, r.states[s]);
    meet_energy(exact, reference.workspace(), truths.back(), static_cast<int>(s), r);
    r.worst_condition = std::max(r.worst_condition, condition_number(truths.back().M, m.nv));
  }
  for (const Formulation<double>& method : methods) {
    MethodAgreement a;
    a.method = method.name;
    a.refusal = method.refusal(m);
    if (a.refusal.empty()) {
      Runner<double> runner(method, m);
      const Formulation<Exact>* same = find_formulation<Exact>(method.name);
      Runner<Exact> exact_runner(same != nullptr ? *same : formulations<Exact>().front(), exact);
      Disagreement unused;
      for (std::size_t s = 0; s < truths.size(); ++s) {
        const int state = static_cast<int>(s);
        meet_state(runner, reference, m, truths[s], state, a, a.tau, a.M, a.qdd, a.residual);
        meet_state(exact_runner, reference, exact, truths[s], state, a, a.equations, a.equations,
                   unused, a.equations);
      }
    }
    r.methods.push_back(a);
  }
  return r;
}

}  // namespace catena
