// Machines with loops for the benchmarks: random closed states, and the file that peers read.
#pragma once

#include "catena/loops/closed_dynamics.hpp"
#include "peers/machine.hpp"

namespace bench {

// States in which the loops are closed, in the neighbourhood of the start; with accelerations by
// the null-space method, which shares nothing with the one that is timed, unless the machine is too
// large for it.
std::vector<Machine::State> closed_states(catena::ClosedDynamics& dynamics, int number);

// The machine in the peers' terms, without states.
//   throws  std::runtime_error for joints that the file has no word for
Machine machine_of(const catena::Model& model, const catena::ClosedMechanism& mechanism);

}  // namespace bench
