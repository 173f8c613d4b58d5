// The integrators behind make_integrator. Not part of the API.
#pragma once

#include <memory>

#include "catena/simulation/integrator.hpp"
#include "catena/simulation/tableau.hpp"

namespace catena {

// Adaptive if the tableau estimates errors, else with options.step.
std::unique_ptr<Integrator> make_runge_kutta(const Tableau& tableau, System& system,
                                             const IntegratorOptions& options);
std::unique_ptr<Integrator> make_semi_implicit_euler(System& system,
                                                     const IntegratorOptions& options);
std::unique_ptr<Integrator> make_variational(LagrangianSystem& system,
                                             const IntegratorOptions& options);

// The end of the next step of a length: on t_end itself if the rest would be a millionth of it.
double end_of_step(double t, double step, double t_end);

// "at t = 0.25 s the step has become too small ..." with what to do.
[[noreturn]] void throw_step_too_small(double t, double step, const System& system, int worst);

}  // namespace catena
