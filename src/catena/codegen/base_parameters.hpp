// Base parameters: the same joint forces from fewer numbers.
#pragma once

#include "catena/model/mechanism.hpp"

namespace catena {

// A mechanism with the same inertia matrix and joint forces at every state, but with as many zeros
// among its inertias as possible: what a joint cannot feel of its body is moved to the parent
// [Gautier & Khalil 1990]. The bodies are no longer such as can be built, and reactions, energies
// and the mass centre are no longer those of the machine; frames on the bodies have lost their
// meaning.
//   reads   m
Mechanism<double> with_base_parameters(const Mechanism<double>& m);

// The same joint forces with the origins of bodies moved along their joints' axes, so that the way
// from one origin to the next has two components at most. For inverse dynamics alone: only the
// positions p of the bodies are right, not px and py.
//   reads   m, with the inertias of the machine, not its base parameters
Mechanism<double> with_short_offsets(const Mechanism<double>& m);

}  // namespace catena
