// The commands of the program, one file each. A command adds itself to the program's options.
#pragma once

#include "options.hpp"

namespace catena::cli {

void add_info_command(Command& app);
void add_inverse_command(Command& app);
void add_reactions_command(Command& app);
void add_forward_command(Command& app);
void add_inertia_command(Command& app);
void add_kinematics_command(Command& app);
void add_trajectory_command(Command& app);
void add_ik_command(Command& app);
void add_simulate_command(Command& app);
void add_assemble_command(Command& app);
void add_verify_command(Command& app);
void add_count_command(Command& app);
void add_stability_command(Command& app);
void add_reproduce_command(Command& app);
void add_codegen_command(Command& app);
void add_derivatives_command(Command& app);
void add_parameters_command(Command& app);
void add_convert_command(Command& app);
void add_spacelib_command(Command& app);

}  // namespace catena::cli
