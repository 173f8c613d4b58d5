// Subsystems of a closed chain: the branches that grow from the ground once the loops are cut, and
// the order in which their forces can be found, one after the other.
#pragma once

#include <string>
#include <vector>

#include "catena/loops/closed_mechanism.hpp"

namespace catena::papers {

struct SubsystemStep {
  std::string joint;               // the first one, which stands on the ground
  int freedom = 0;                 // velocities: its equations of motion
  std::vector<std::string> found;  // loops whose forces, and actuators whose force, it yields
  int unknowns = 0;                // of those
  bool determinate = false;        // as many equations as unknowns
};

// Determinate ones first: what they yield is known to the others, which become determinate in turn.
// Those that never do come last. A loop has as many unknown forces as its conditions have rank at
// the closed position q.
//   The counting alone; the forces are found by the method `subsystems` of loops/, where it is.
std::vector<SubsystemStep> subsystem_order(const ClosedMechanism& m, const Eigen::VectorXd& q);

}  // namespace catena::papers
