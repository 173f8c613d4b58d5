#include "catena/simulation/integrator.hpp"

#include <cstdio>

#include "catena/simulation/methods.hpp"
#include "catena/support/error.hpp"

namespace catena {

Integrator::Integrator(System& system)
    : system_(system), q0_(system.nq()), v0_(system.nv()), q1_(system.nq()), v1_(system.nv()) {}

void Integrator::start(double t, In q, In v) {
  check_size("q", q.size(), static_cast<std::size_t>(system_.nq()));
  check_size("v", v.size(), static_cast<std::size_t>(system_.nv()));
  t0_ = t1_ = t;
  std::copy(q.begin(), q.end(), q1_.begin());
  std::copy(v.begin(), v.end(), v1_.begin());
  q0_ = q1_, v0_ = v1_;
  memory_.last_error = 0;
  do_start();
}

void Integrator::step(double t_end) {
  const double t_before = t0_;
  t0_ = t1_;
  q0_.swap(q1_), v0_.swap(v1_);
  q1_ = q0_, v1_ = v0_;
  try {
    do_step(t_end);
    const bool changed = system_.project(t1_, out(q1_), out(v1_));
    system_.accept(t1_, in(q1_), in(v1_));
    do_finish(changed);
  } catch (...) {
    t1_ = t0_, t0_ = t_before;
    q1_ = q0_, v1_ = v0_;
    throw;
  }
  ++counts_.steps;
}

void Integrator::at(double t, Out q, Out v) {
  if (t == t1_) {
    std::copy(q1_.begin(), q1_.end(), q.begin());
    std::copy(v1_.begin(), v1_.end(), v.begin());
    return;
  }
  if (t == t0_) {
    std::copy(q0_.begin(), q0_.end(), q.begin());
    std::copy(v0_.begin(), v0_.end(), v.begin());
    return;
  }
  do_at(t, q, v);
  system_.project(t, q, v);
}

void Integrator::restore(const StepMemory& memory, const StepCounts& counts) {
  memory_ = memory;
  if (counts.steps > 0) do_restore();
  counts_ = counts;
}

std::string at_time(double t) {
  char text[64];
  std::snprintf(text, sizeof text, "at t = %.9g s: ", t);
  return text;
}

const std::vector<IntegratorInfo>& integrators() {
  static const std::vector<IntegratorInfo> all = {
      {"dormand-prince", "Dormand-Prince 5(4)", 5, true},
      {"cash-karp", "Cash-Karp 5(4)", 5, true},
      {"verner", "Verner 6(5)", 6, true},
      {"dormand-prince-8", "Prince-Dormand 8(7)", 8, true},
      {"rk4", "classical Runge-Kutta", 4, false},
      {"euler", "semi-implicit Euler", 1, false},
      {"variational", "discrete Euler-Lagrange, midpoint", 2, false},
  };
  return all;
}

std::unique_ptr<Integrator> make_integrator(const std::string& name, System& system,
                                            const IntegratorOptions& options) {
  std::vector<std::string> known;
  for (const IntegratorInfo& info : integrators()) {
    known.emplace_back(info.name);
    if (name == info.name && !info.adaptive && !(options.step > 0))
      throw InputError({}, "integrator '" + name + "' needs a step", "give it, e.g. --step 0.001");
  }
  if (name == "euler") return make_semi_implicit_euler(system, options);
  if (name == "variational") {
    auto* lagrangian = dynamic_cast<LagrangianSystem*>(&system);
    const std::string refusal =
        lagrangian == nullptr ? "it has loops or springs between bodies" : lagrangian->refusal();
    if (refusal.empty()) return make_variational(*lagrangian, options);
    throw InputError({}, "integrator 'variational' cannot do this system: " + refusal,
                     "use dormand-prince");
  }
  for (const Tableau* tableau : {&dormand_prince_54(), &cash_karp_54(), &verner_65(),
                                 &dormand_prince_87(), &runge_kutta_4()}) {
    if (tableau->name == name) return make_runge_kutta(*tableau, system, options);
  }
  throw InputError({}, "there is no integrator '" + name + "'" + did_you_mean(name, known));
}

}  // namespace catena
