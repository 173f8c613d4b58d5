// Functions of machines with closed loops, traced into programs.
#pragma once

#include "catena/codegen/functions.hpp"
#include "catena/loops/closed_mechanism.hpp"

namespace catena {

// Forward dynamics by multipliers (lambda first, from K M⁻¹ Kᵀ); inverse dynamics for as many
// actuators as the machine has degrees of freedom, or for all joints: the smallest forces. Rows of
// closures that others say already are found once, at a position near the start, and left out.
// Functions of a frame are those of the tree.
//   reads   m
//   throws  InputError as traced_program() does; for a function that is of trees alone; for a
//   number
//           of actuators that leaves the forces open; if the loops cannot be closed
Program traced_program(const ClosedMechanism& m, const GeneratedRequest& request);

// A state in which the loops are closed, and the library's results there: for comparison.
struct ClosedReference {
  std::vector<double> inputs, results;
};
std::vector<ClosedReference> closed_references(const Model& model, const CompileOptions& options,
                                               const GeneratedRequest& request, int count);

}  // namespace catena
