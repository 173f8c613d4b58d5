// The catena program: reads the command line, runs one command, reports errors.
#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <new>

#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

void add_commands(CLI::App& app) {
  add_info_command(app);
  add_inverse_command(app);
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
  add_convert_command(app);
  add_spacelib_command(app);
  add_derivatives_command(app);
  add_parameters_command(app);
}

// Descriptions of options, broken into lines that fit a terminal.
void wrap_descriptions(CLI::App& command, std::size_t width) {
  for (CLI::Option* option : command.get_options()) {
    std::string text = option->get_description();
    for (std::size_t begin = 0; text.size() - begin > width;) {
      const std::size_t blank = text.rfind(' ', begin + width);
      if (blank == std::string::npos || blank <= begin) break;
      text[blank] = '\n';
      begin = blank + 1;
    }
    option->description(text);
  }
  for (CLI::App* deeper : command.get_subcommands({})) wrap_descriptions(*deeper, width);
}

int report(const std::string& command, const std::string& message, ExitCode code) {
  fmt::print(stderr, "{}: {}\n", command, message);
  return code;
}

// "--motoin" and the like, with what was probably meant; "" if every argument is known.
std::string unknown_argument(const CLI::App& command) {
  const auto rest = command.remaining();
  if (rest.empty()) return "";
  std::vector<std::string> known;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  }
  const std::string name = rest.front().substr(0, rest.front().find('='));
  return fmt::format("'{}' is not an option or argument{}", name, did_you_mean(name, known));
}

int report_usage(const CLI::App& app, const CLI::ParseError& error) {
  const auto commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  std::string name = commands.empty() ? "catena" : "catena " + command.get_name();
  for (const CLI::App* deeper : command.get_subcommands()) name += " " + deeper->get_name();
  std::string message = unknown_argument(command);
  if (message.empty()) message = error.what();
  return report(command.get_name(), message + "\n    see " + name + " --help", wrong_usage);
}

// Throws UsageError for a first word that is no command.
void check_command(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  std::vector<std::string> known;
  for (const CLI::App* command : app.get_subcommands({})) known.push_back(command->get_name());
  const std::string name = argv[1];
  if (std::find(known.begin(), known.end(), name) != known.end()) return;
  throw UsageError(fmt::format("there is no command '{}'{}\n    the commands are: {}", name,
                               did_you_mean(name, known), fmt::join(known, ", ")));
}

int run(int argc, char** argv) {
  CLI::App app("Catena computes the motion and the forces of rigid multibody systems.", "catena");
  app.set_version_flag("--version", "catena " CATENA_VERSION);
  app.set_help_flag("-h,--help", "This text");
  app.footer("catena COMMAND --help explains a command and gives an example.");
  app.get_formatter()->column_width(34);
  add_commands(app);
  wrap_descriptions(app, 66);
  try {
    check_command(app, argc, argv);
    app.parse(argc, argv);
    if (!app.get_subcommands().empty()) return done;
    fmt::print(stderr, "{}", app.help());
    return wrong_usage;
  } catch (const CLI::Success& request) {  // --help, --version
    const int code = app.exit(request);
    std::cout.flush();
    return code;
  } catch (const CLI::ParseError& error) {
    return report_usage(app, error);
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
