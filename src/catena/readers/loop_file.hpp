// Loops of a URDF in a file beside it: closed_loop, type and name_mot, as collections of parallel
// robots have them.
#pragma once

#include <string>
#include <string_view>

#include "catena/model/model.hpp"

namespace catena {

// Adds the loops and actuators of the text to the model.
//   closed_loop: [[frame_a, frame_b], ...]   links or joints (then: the joint's moving frame)
//   type: ['6d', '3d', ...]                  the frames coincide, or only their origins
//   name_mot: [joint, ...]                   the actuated joints
//   throws  InputError
void parse_loop_file(std::string_view text, const std::string& file, Model& model);

// robot.yaml (or robot.yml) beside robot.urdf, if it is there and speaks of closed_loop.
void add_loop_file(const std::string& urdf_path, Model& model);

}  // namespace catena
