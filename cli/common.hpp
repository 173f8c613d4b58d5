// What the commands share: options for models and output, and how a run is reported.
//
// A command is one function (commands.hpp):
//
//   void add_gravity_command(Command& app) {
//     Command& command = add_command(app, "gravity", "Forces that hold a robot",
//                                     "catena gravity models/puma.yaml --at joint1=0");
//     auto o = std::make_shared<Options>();
//     add_model_options(command, o->model);
//     add_output_options(command, o->output);
//     when_run(command, [o] { run(*o); });   // throws; main() reports and chooses the exit code
//   }
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "catena/data/columns.hpp"
#include "catena/data/table.hpp"
#include "catena/model/compile.hpp"
#include "catena/model/model.hpp"
#include "options.hpp"

namespace catena::cli {

enum ExitCode { done = 0, check_failed = 1, wrong_usage = 2, bad_input = 3, numerical_failure = 4 };

// Wrong usage that shows only once the command runs, e.g. a frame that the model does not have.
class UsageError : public Error {
 public:
  using Error::Error;
};

// The check that the user asked for has failed.
class CheckFailed : public Error {
 public:
  using Error::Error;
};

// A signal has ended the command; what was written until then is good.
class Interrupted : public Error {
 public:
  Interrupted(int signal, const std::string& message) : Error(message), signal_(signal) {}
  int signal() const { return signal_; }

 private:
  int signal_;
};

// A subcommand with help that ends in `example`: one or more lines for a shell in a checkout. The
// lines are tested.
Command& add_command(Command& app, const std::string& name, const std::string& purpose,
                     const std::string& example);
// What the command does. Until it ends, messages begin with its name.
void when_run(Command& command, std::function<void()> run);
const std::string& current_command();
// "COMMAND: MESSAGE" on standard error; returns the code.
int report(const std::string& command, const std::string& message, ExitCode code);
// "COMMAND: warning: ..." on standard error.
void warn(const std::string& sentence);

// An option that takes one of a few words.
Option* add_choice(Command& command, const std::string& option, std::string& value,
                   const std::vector<std::string>& choices, const std::string& help);

struct ModelOptions {
  std::string path;
  bool allow_unphysical = false;
  bool floating_base = false;
  std::string loop_file{};
};
// MODEL, --allow-unphysical, --floating-base, --loop-file
void add_model_options(Command& command, ModelOptions& options);
// Reads, checks and warns; compile it with compile_options(options).
Model load_model(const ModelOptions& options);
// The same, with the warnings handed to the caller.
Model load_model(const ModelOptions& options, std::vector<std::string>& warnings);
CompileOptions compile_options(const ModelOptions& options, bool keep_fixed = false);
// Throws InputError if the model has loops: "WHAT not computed".
void refuse_loops(const ModelOptions& options, const Model& model, const std::string& what);

// --motion FILE or --state FILE, required; "-" is standard input.
void add_table_option(Command& command, const std::string& option, std::string& path,
                      const std::string& help);
// "10..20" or "7": a range of whole numbers, both ends included.
//   throws  UsageError, naming the option, unless 1 <= first <= last <= most
struct WholeRange {
  int first, last;
};
WholeRange parse_range(const std::string& text, const std::string& option, int most);

// --method
void add_method_option(Command& command, std::string& method);

struct OutputOptions {
  std::string file;  // "" and "-": standard output
  std::string plot;  // "": none
  bool json = false;
};
// -o FILE, --plot FILE, --json. Endings are checked while the options are read.
void add_output_options(Command& command, OutputOptions& options);

// The form in which the table is shown: readable is for a terminal.
enum class Format { csv, json, readable };
Format format_of(const OutputOptions& options);

// What a command has computed.
struct Result {
  Table table{};
  std::vector<std::string> panels{};  // of each column: its panel in the plot, e.g. "torque, N m"
                                      // (the label of y); "" is not drawn
  std::string title{};                // of the plot
  std::string key = "time";           // the column over which the others are drawn, if there is one
  std::string key_label = "time, s";  // of x
  std::string json{};                 // in place of to_json(table), if not empty
  std::string readable{};             // for a terminal, in place of an aligned table, if not empty
  bool prose = false;                 // readable everywhere but in .csv and .json files

  std::vector<std::string> labels{};  // of each column: its name in the plot's legend

  // `label` is the column's name if empty.
  void add_column(const std::string& name, const std::string& panel, const std::string& label = "");
};
// Files first (all or none), then standard output: an aligned table on a terminal, else CSV.
void write_result(const OutputOptions& options, const Result& result);
// The same with a plot of other numbers.
void write_result(const OutputOptions& options, const Result& result, const Result& drawn);
// The plot alone.
void write_plot(const OutputOptions& options, const Result& drawn);
// The text to standard output. A closed pipe is not an error.
void print(std::string_view text);

// Throws NumericalError, naming the row of `input` and the column, if the last row has a number
// that is not finite.
void check_finite(const Table& result, const Table& input, std::size_t input_row);

// The label of y for q (0), qd (1), qdd (2): "angle, rad", "velocity, m/s", ...; and for tau.
std::string motion_panel(const Dimension& dimension, int derivative);
std::string force_panel(const Dimension& dimension);

// Positions from "joint1=90 deg, ball.0=0.1, slide=30 mm": those not named keep their value in q.
// Quaternions are brought to unit length. `option` names the source in messages.
//   throws  UsageError for an unknown or repeated joint, or a value that is no quantity of its kind
void assign_positions(const std::string& text, const std::string& option,
                      const Mechanism<double>& m, Eigen::VectorXd& q);
// Numbers along velocities from "joint=value, ...", each of its dimension: those not named stay.
//   throws  UsageError as above
void assign_velocities(const std::string& text, const std::string& option,
                       const Mechanism<double>& m, const std::vector<Dimension>& dimensions,
                       Eigen::VectorXd& v);
// Velocities by name, "joint1,joint2" in one or more lists; each once.
//   throws  UsageError for an unknown or repeated name
std::vector<int> velocities_named(const std::vector<std::string>& lists, const std::string& option,
                                  const Mechanism<double>& m);
// The velocities of --driven, or without it of the model's driven joints.
std::vector<int> driven_velocities(const std::vector<std::string>& lists, const Model& model,
                                   const Mechanism<double>& m);
// The position of a velocity that has one of its own, or -1 (quaternions, mimic joints).
int position_of(const Mechanism<double>& m, int velocity);
// One number with a unit, e.g. "500 ms".
double parse_quantity(const std::string& text, const std::string& option, Dimension dimension);

}  // namespace catena::cli
