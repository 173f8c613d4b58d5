// The catena program: reads the command line, runs one command, reports errors.
#include <csignal>
#include <new>
#include <string>

#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

void add_commands(Command& app) {
  add_info_command(app);
  add_inverse_command(app);
  add_reactions_command(app);
  add_forward_command(app);
  add_inertia_command(app);
  add_kinematics_command(app);
  add_trajectory_command(app);
  add_ik_command(app);
  add_simulate_command(app);
  add_assemble_command(app);
  add_verify_command(app);
  add_count_command(app);
  add_stability_command(app);
  add_reproduce_command(app);
  add_codegen_command(app);
  add_derivatives_command(app);
  add_parameters_command(app);
  add_convert_command(app);
  add_spacelib_command(app);
}

int run(int argc, char** argv) {
  try {
    return run_program(argc, argv, add_commands);
  } catch (const CheckFailed& error) {
    return report(current_command(), error.what(), check_failed);
  } catch (const UsageError& error) {
    return report(current_command(), error.what(), wrong_usage);
  } catch (const Interrupted& error) {  // as a shell reports it
    return report(current_command(), error.what(), static_cast<ExitCode>(128 + error.signal()));
  } catch (const NumericalError& error) {
    return report(current_command(), error.what(), numerical_failure);
  } catch (const Error& error) {
    return report(current_command(), error.what(), bad_input);
  }
}

}  // namespace
}  // namespace catena::cli

int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has seen enough is not an error
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is a full disk
  using namespace catena::cli;
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return report(current_command(), "there is not enough memory for this", numerical_failure);
  } catch (const std::exception& error) {
    return report(current_command(), std::string("this should not happen: ") + error.what(),
                  numerical_failure);
  } catch (...) {
    return report(current_command(), "this should not happen", numerical_failure);
  }
}
