// Parallel manipulators: the base, the platform and the legs between them, found in the joint
// graph.
//
// The base is the ground. A leg stands on it with one joint, has no loop of its own and ends at
// the platform with every tip: a chain, or a chain that forks as the arms of a Delta robot do. A
// joint that leads from the ground to the platform right away is a leg without bodies. In a single
// loop the platform is what stands in the middle: a body, or a joint, where the two legs meet.
// Bodies that hang on the machine without closing a loop do not matter.
#pragma once

#include <string>
#include <vector>

#include "catena/loops/joint_graph.hpp"

namespace catena {

struct LegJoint {
  int edge = 0;
  bool forward = true;       // met from `from` to `to` on the way from the base to the platform
  int before = -1;           // the joint of this leg that comes before it; -1: the base
  bool at_platform = false;  // a tip of the leg
};

struct Leg {
  std::vector<LegJoint> joints;  // base to platform: a joint stands after the one before it
  std::vector<int> bodies;       // vertices
};

struct ParallelStructure {
  int platform = -1;  // a vertex, or
  int meeting = -1;   // an edge, which is then the last joint of both legs
  std::vector<Leg> legs;
  std::string refusal;  // not empty: why there is no such structure
};

ParallelStructure parallel_structure(const JointGraph& graph);

}  // namespace catena
