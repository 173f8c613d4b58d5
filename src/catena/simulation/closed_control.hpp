// Controllers of mechanisms with loops: forces of the actuated joints that follow a motion.
#pragma once

#include <memory>

#include "catena/model/compile.hpp"
#include "catena/simulation/forces.hpp"

namespace catena {

// The laws of forces.hpp with the loops in them. PD acts on the actuated joints that have a
// position of their own; gravity-pd adds what holds the machine in its place; computed-torque makes
// the accelerations of the independent joints (the actuated ones first) linear and lets the others
// follow. Where there are more actuators than motions, forces are the smallest that do the work.
//   reads   model: its dry friction is not made up for
//           controller.reference: of all velocities, as the loops demand
//   throws  InputError if the actuators cannot produce every motion (all laws but pd), as far as
//   the
//           start position tells
std::shared_ptr<Forces> closed_control_forces(const Model& model, const CompileOptions& options,
                                              const Controller& controller);

}  // namespace catena
