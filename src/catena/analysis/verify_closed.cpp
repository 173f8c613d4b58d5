#include "catena/analysis/verify_closed.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/loops/random_motion.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::VectorXd;

constexpr double power_tolerance = 1e-5;

double size_of(const Eigen::MatrixXd& v) { return v.size() > 0 ? v.cwiseAbs().maxCoeff() : 0; }

void meet(const VectorXd& difference, double size, int state, Disagreement& worst) {
  for (Eigen::Index i = 0; i < difference.size(); ++i)
    worst.meet(std::abs(difference[i]) / (size > 0 ? size : 1), state, static_cast<int>(i));
}

VectorXd moved(const ClosedMechanism& m, const VectorXd& q, const VectorXd& step) {
  VectorXd r(m.tree.nq);
  integrate_configuration<double>(m.tree, {q.data(), index(m.tree.nq)},
                                  {step.data(), index(m.tree.nv)}, {r.data(), index(m.tree.nq)});
  return r;
}

// Positions near a closed configuration, rates and forces: everything that the loops allow.
bool draw_state(const ClosedMechanism& m, LoopState& loops, const VectorXd& start,
                std::mt19937_64& generator, VerifyState& s) {
  RandomMotion motion;
  const bool good = random_motion(m, loops, start, generator, motion);
  const VectorXd tau = random_vector(m.tree.nv, generator);
  if (!good) return false;
  s.q.assign(motion.q.begin(), motion.q.end());
  s.qd.assign(motion.qd.begin(), motion.qd.end());
  s.tau.assign(index(m.tree.nv), 0.0);
  for (int v : m.actuated) s.tau[index(v)] = tau[v];
  return true;
}

class Comparison {
 public:
  Comparison(const Model& model, const CompileOptions& options, ClosedVerification& r)
      : dynamics_(model, options), m_(dynamics_.mechanism()), w_(m_.tree), r_(r) {
    for (const LoopMethodRow& row : loop_methods()) {
      ClosedAgreement a;
      a.method = row.name, a.refusal = loop_refusal(row.method, m_);
      r.methods.push_back(a);
    }
  }
  ClosedDynamics& dynamics() { return dynamics_; }

  void meet_state(const VerifyState& s, int state) {
    const VectorXd q = vector(s.q), qd = vector(s.qd), tau = vector(s.tau);
    std::vector<ClosedForward> results;
    VectorXd mean = VectorXd::Zero(m_.tree.nv);
    for (const ClosedAgreement& a : r_.methods) {
      results.push_back(
          a.refusal.empty()
              ? dynamics_.forward_dynamics(q, qd, tau, {}, loop_method(a.method))
              : results.front());  // of the default, which does everything; not looked at
      if (a.refusal.empty()) mean += results.back().qdd;
    }
    mean /= static_cast<double>(std::count_if(r_.methods.begin(), r_.methods.end(),
                                              [](const auto& a) { return a.refusal.empty(); }));
    LoopState& loops = dynamics_.state();
    r_.assembly.meet(size_of(loops.values()), state, 0);
    const RowMatrix K = loops.jacobian();
    const VectorXd k = loops.accelerations();
    std::vector<Force<double>> springs(m_.tree.bodies.size());
    loops.add_spring_wrenches(springs);
    for (std::size_t i = 0; i < results.size(); ++i) {
      ClosedAgreement& a = r_.methods[i];
      if (!a.refusal.empty()) continue;
      const ClosedForward& f = results[i];
      VectorXd forces(m_.tree.nv);
      inverse_dynamics<double>(m_.tree, s.q, s.qd, {f.qdd.data(), index(m_.tree.nv)}, springs, w_,
                               {forces.data(), index(m_.tree.nv)});
      const VectorXd reaction = K.transpose() * f.lambda;
      const double size = size_of(forces) + size_of(tau) + size_of(reaction);
      meet(f.qdd - mean, size_of(mean), state, a.qdd);
      meet(forces - tau - reaction, size, state, a.equation);
      meet(K * f.qdd + k, size_of(k) + size_of(K) * size_of(f.qdd), state, a.closure);
    }
    for (ClosedAgreement& a : r_.methods) {
      if (!a.refusal.empty()) continue;
      const ClosedInverse back =
          dynamics_.inverse_dynamics(q, qd, results.front().qdd, {}, loop_method(a.method));
      if (!back.redundantly_actuated)
        meet(back.tau - tau, size_of(tau) + size_of(k), state, a.inverse);
    }
    meet_power(q, qd, results.front().qdd, tau, state);
    const Mobility mobility = mobility_of(K);
    if (state == 0) r_.mobility = mobility, r_.least_singular = mobility.smallest;
    r_.least_singular = std::min(r_.least_singular, mobility.smallest);
  }

 private:
  static VectorXd vector(const std::vector<double>& v) {
    return Eigen::Map<const VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
  }

  // Energy a little before and after, on the loops.
  void meet_power(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd, const VectorXd& tau,
                  int state) {
    constexpr double h = 1e-5;
    const auto energy = [&](double t) {
      const VectorXd there = moved(m_, q, t * qd + 0.5 * t * t * qdd);
      const VectorXd rate = qd + t * qdd;
      return dynamics_.kinetic_energy(there, rate) + dynamics_.potential_energy(there);
    };
    const double rate =
        (8 * (energy(h) - energy(-h)) - (energy(2 * h) - energy(-2 * h))) / (12 * h);
    double power = tau.dot(qd),
           size = std::abs(energy(0)) + (tau.cwiseProduct(qd)).cwiseAbs().sum();
    for (int v = 0; v < m_.tree.tree_nv; ++v) {
      const auto& map = m_.tree.v_map[index(v)];
      const double u = map.ratio * qd[map.index];
      power -= m_.tree.viscous[index(v)] * u * u + m_.tree.coulomb[index(v)] * std::abs(u);
    }
    const double loss = dynamics_.state().spring_loss(q, qd);
    power -= loss, size += loss;
    r_.power.meet(std::abs(rate - power) / (size + 1e-30), state, 0);
  }

  ClosedDynamics dynamics_;
  const ClosedMechanism& m_;
  Workspace<double> w_;
  ClosedVerification& r_;
};

}  // namespace

bool ClosedVerification::good() const {
  const double most = options.tolerance;
  for (const ClosedAgreement& a : methods) {
    for (const Disagreement* d : {&a.qdd, &a.equation, &a.closure, &a.inverse}) {
      if (!(d->error <= most)) return false;
    }
  }
  return !states.empty() && assembly.error <= most && power.error <= power_tolerance;
}

ClosedVerification verify_closed(const Model& model, const CompileOptions& compile_options,
                                 const VerifyOptions& options) {
  ClosedVerification r;
  r.options = options;
  Comparison comparison(model, compile_options, r);
  const ClosedMechanism& m = comparison.dynamics().mechanism();
  LoopState loops(m);
  const Assembly start = assemble_from_afar(m, loops, m.start);
  if (!start.closed) {
    r.missed = options.states;
    r.assembly.meet(start.residual, 0, 0);
    return r;
  }
  std::mt19937_64 generator(options.seed);
  for (int i = 0; i < options.states; ++i) {
    VerifyState s;
    if (!draw_state(m, loops, start.q, generator, s)) {
      ++r.missed;
      continue;
    }
    r.states.push_back(s);
    comparison.meet_state(s, static_cast<int>(r.states.size()) - 1);
  }
  return r;
}

}  // namespace catena
