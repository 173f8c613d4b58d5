#include "options.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <iostream>
#include <vector>

#include "common.hpp"

namespace catena::cli {
namespace {

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

}  // namespace

Option* Option::required(bool is) {
  option_.required(is);
  return this;
}

Option* Option::type_name(const std::string& name) {
  option_.type_name(name);
  return this;
}

Option* Option::description(const std::string& text) {
  option_.description(text);
  return this;
}

Option* Option::capture_default_str() {
  option_.capture_default_str();
  return this;
}

Option* Option::check(std::function<std::string(const std::string&)> what_is_wrong) {
  option_.check(
      CLI::Validator([what_is_wrong](const std::string& text) { return what_is_wrong(text); }, ""));
  return this;
}

Option* Option::between(int least, int most) {
  option_.check(CLI::Range(least, most));
  return this;
}

Option* Option::between(double least, double most) {
  option_.check(CLI::Range(least, most));
  return this;
}

Option* Option::positive() {
  option_.check(CLI::PositiveNumber);
  return this;
}

Option* Option::needs(const Option* other) {
  option_.needs(&other->option_);
  return this;
}

Option* Option::needs(const std::string& other) {
  option_.needs(other);
  return this;
}

Option* Option::excludes(const Option* other) {
  option_.excludes(&other->option_);
  return this;
}

template <class T>
Option* Command::add_option(const std::string& names, T& value, const std::string& help) {
  return &options_.emplace_back(*app_.add_option(names, value, help));
}
#define CATENA_INSTANTIATE(T) \
  template Option* Command::add_option(const std::string&, T&, const std::string&);
CATENA_INSTANTIATE(std::string)
CATENA_INSTANTIATE(int)
CATENA_INSTANTIATE(std::uint64_t)
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(std::vector<std::string>)
#undef CATENA_INSTANTIATE

Option* Command::add_flag(const std::string& names, bool& value, const std::string& help) {
  return &options_.emplace_back(*app_.add_flag(names, value, help));
}

Option* Command::get_option(const std::string& name) {
  return &options_.emplace_back(*app_.get_option(name));
}

Command& Command::add_subcommand(const std::string& name, const std::string& purpose,
                                 const std::string& footer) {
  CLI::App& app = *app_.add_subcommand(name, purpose);
  app.footer(footer);
  app.set_help_flag("-h,--help", "This text");
  return commands_.emplace_back(app);
}

void Command::when_run(std::function<void()> run) { app_.callback(std::move(run)); }

std::string Command::name() const { return app_.get_name(); }

int run_program(int argc, char** argv, void (*add_commands)(Command&)) {
  CLI::App app("Catena computes the motion and the forces of rigid multibody systems.", "catena");
  app.set_version_flag("--version", "catena " CATENA_VERSION);
  app.set_help_flag("-h,--help", "This text");
  app.footer("catena COMMAND --help explains a command and gives an example.");
  app.get_formatter()->column_width(34);
  Command program(app);
  add_commands(program);
  wrap_descriptions(app, 66);
  check_command(app, argc, argv);
  try {
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
  }
}

}  // namespace catena::cli
