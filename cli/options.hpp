// What the commands need of a parser of command lines. options.cpp and main.cpp alone know CLI11,
// whose headers cost seconds in every file that includes them.
#pragma once

#include <deque>
#include <functional>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace catena::cli {

// An option, flag or argument of a command. Every call returns the option, for a chain of calls.
class Option {
 public:
  explicit Option(CLI::Option& option) : option_(option) {}

  Option* required(bool is = true);
  Option* type_name(const std::string& name);  // in the help, e.g. FILE
  Option* description(const std::string& text);
  Option* capture_default_str();  // the help shows the value that the variable has now
  Option* check(std::function<std::string(const std::string&)> what_is_wrong);  // "": nothing
  Option* between(int least, int most);
  Option* between(double least, double most);
  Option* positive();
  Option* needs(const Option* other);
  Option* needs(const std::string& other);
  Option* excludes(const Option* other);

 private:
  CLI::Option& option_;
};

// The program, or one of its commands. Options and commands live as long as the one that made them.
class Command {
 public:
  explicit Command(CLI::App& app) : app_(app) {}
  Command(const Command&) = delete;

  // `names` as "-o,--output" or, for an argument, "MODEL". The closed list of types is in
  // options.cpp.
  template <class T>
  Option* add_option(const std::string& names, T& value, const std::string& help);
  Option* add_flag(const std::string& names, bool& value, const std::string& help);
  Option* get_option(const std::string& name);

  Command& add_subcommand(const std::string& name, const std::string& purpose,
                          const std::string& footer);
  void when_run(std::function<void()> run);
  std::string name() const;

 private:
  CLI::App& app_;
  std::deque<Option> options_;
  std::deque<Command> commands_;
};

// Reads the command line and runs the command that it names; help, the version and wrong usage are
// told here. What the command throws goes on.
//   returns  the exit code
int run_program(int argc, char** argv, void (*add_commands)(Command&));

}  // namespace catena::cli
