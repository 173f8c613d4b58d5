// Machines and runs that the tests of simulation share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>

#include "catena/kinematics/configuration.hpp"
#include "catena/model/compile.hpp"
#include "catena/readers/readers.hpp"
#include "catena/simulation/simulation.hpp"
#include "catena/simulation/tree_system.hpp"
#include "simulation/reference.hpp"
#ifdef CATENA_HAS_SUNDIALS
#include "catena/sundials/integrators.hpp"
#endif

namespace catena::oracle {

inline Mechanism<double> machine_of_file(const std::string& name) {
  return compile(read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml"));
}

inline const Formulation<double>& spatial() { return *find_formulation<double>("spatial"); }

inline State at_rest(const Mechanism<double>& m) {
  State s{std::vector<double>(static_cast<std::size_t>(m.nq)),
          std::vector<double>(static_cast<std::size_t>(m.nv), 0.)};
  neutral_configuration<double>(m, s.q);
  return s;
}

inline std::unique_ptr<Integrator> integrator(const std::string& name, System& system,
                                              const IntegratorOptions& options) {
#ifdef CATENA_HAS_SUNDIALS
  for (const IntegratorInfo& info : sundials_integrators())
    if (name == info.name) return make_sundials_integrator(name, system, options);
#endif
  return make_integrator(name, system, options);
}

inline std::vector<std::string> adaptive_integrators() {
  std::vector<std::string> names;
  for (const IntegratorInfo& info : integrators())
    if (info.adaptive) names.emplace_back(info.name);
#ifdef CATENA_HAS_SUNDIALS
  for (const IntegratorInfo& info : sundials_integrators()) names.emplace_back(info.name);
#endif
  return names;
}

// The states at these times, by dense output.
inline std::vector<State> run(System& system, Integrator& integrator, const State& start,
                              const std::vector<double>& times) {
  std::vector<State> states;
  integrator.start(0, start.q, start.v);
  for (double t : times) {
    while (integrator.time() < t) integrator.step(times.back());
    State s{std::vector<double>(static_cast<std::size_t>(system.nq())),
            std::vector<double>(static_cast<std::size_t>(system.nv()))};
    integrator.at(t, s.q, s.v);
    states.push_back(s);
  }
  return states;
}

// The largest difference of positions, quaternions as rotation vectors.
inline double position_error(const Mechanism<double>& m, const State& a, const State& b) {
  std::vector<double> d(static_cast<std::size_t>(m.nv));
  difference_configuration<double>(m, a.q, b.q, d);
  double worst = 0;
  for (double x : d) worst = std::max(worst, std::fabs(x));
  return worst;
}
inline double velocity_error(const State& a, const State& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.v.size(); ++i) worst = std::max(worst, std::fabs(a.v[i] - b.v[i]));
  return worst;
}

}  // namespace catena::oracle
