// Closing joints as chains of homogeneous matrices: dummy links with one motion each, as the
// method of Legnani et al. takes joints with several freedoms.
#pragma once

#include <vector>

#include "catena/formulations/homogeneous/matrices.hpp"
#include "catena/loops/closure.hpp"

namespace catena {

struct ClosingJoint {
  homogeneous::Position<double> M{};  // L2 in L1, as near to where it is as the joint allows
  // Screws of its motions in L1, from body 1 to body 2; those of a group act at once (a ball
  // turns about three axes, not about one after the other).
  std::vector<std::vector<homogeneous::Screw<double>>> groups;
};

// The joint with the coordinates that suit a pose of L2 in L1 best.
ClosingJoint closing_joint(const Closure& closure, double pitch, double length,
                           const homogeneous::Position<double>& M_12);

}  // namespace catena
