// The commands of the program, one file each. A command adds itself to the program's options.
#pragma once

#include <CLI/CLI.hpp>

namespace catena::cli {

void add_info_command(CLI::App& app);
void add_inverse_command(CLI::App& app);
void add_forward_command(CLI::App& app);
void add_inertia_command(CLI::App& app);
void add_kinematics_command(CLI::App& app);
void add_trajectory_command(CLI::App& app);
void add_ik_command(CLI::App& app);
void add_simulate_command(CLI::App& app);
void add_assemble_command(CLI::App& app);
void add_verify_command(CLI::App& app);
void add_count_command(CLI::App& app);
void add_stability_command(CLI::App& app);
void add_convert_command(CLI::App& app);
void add_spacelib_command(CLI::App& app);
void add_derivatives_command(CLI::App& app);
void add_parameters_command(CLI::App& app);

}  // namespace catena::cli
