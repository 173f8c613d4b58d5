// Cut joints: a graph of bodies and joints with cycles as a tree and the loops that close it.
#pragma once

#include <string>
#include <vector>

#include "catena/model/model.hpp"

namespace catena {

// The model as it is if its joints form a tree, or anything else that has no cycle from the ground.
// Else as many joints as there are cycles become loops of the same name, such that
//   - drives, passive forces, mimics and free joints stay in the tree,
//   - the loops have the fewest rows, and are short: the tree grows from the ground breadth first.
// A fixed, revolute, prismatic, screw or cylindrical joint is turned round where the tree meets its
// child first; its coordinates keep their meaning.
//   reads    model; it need not be valid: what validate() refuses stays as it is
//   writes   warnings, if given: limits that a cut joint loses (its start position is dropped, too)
//   throws   InputError if a cycle has no joint that can be cut, or a joint cannot be turned round
Model with_cut_joints(const Model& model, std::vector<std::string>* warnings = nullptr);

}  // namespace catena
