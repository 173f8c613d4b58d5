// Integrators of SUNDIALS (CVODE and ARKODE): stiff and multistep methods.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/simulation/integrator.hpp"

namespace catena {

//   bdf     backward differentiation formulas, order 1 to 5, for stiff systems
//   adams   Adams-Moulton, order 1 to 12
//   erk     explicit Runge-Kutta of ARKODE, order 5
//   dirk    diagonally implicit Runge-Kutta of ARKODE, order 5, for stiff systems
// Quaternions are integrated number by number and brought to unit length.
const std::vector<IntegratorInfo>& sundials_integrators();

// Throws InputError for an unknown name.
std::unique_ptr<Integrator> make_sundials_integrator(const std::string& name, System& system,
                                                     const IntegratorOptions& options);

}  // namespace catena
