#include "common.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <filesystem>

#include "catena/formulations/formulation.hpp"
#include "catena/loops/loops_that_fit.hpp"
#include "catena/readers/readers.hpp"

namespace catena::cli {
namespace {

std::string running = "catena";

std::string lower_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return ending;
}

// What is wrong with the name of a file for a table, or "".
std::string check_output(const std::string& path) {
  if (path.empty()) return "the file name is empty";
  const std::string ending = lower_ending(path);
  for (const char* picture : {".svg", ".png", ".html"}) {
    if (ending == picture) return "'" + path + "' would be a picture; write --plot " + path;
  }
  for (const char* model : {".yaml", ".yml", ".urdf", ".xml", ".spacelib"}) {
    if (ending == model) return "'" + path + "' would be a model; write .csv or .json";
  }
  return "";
}

std::string check_plot(const std::string& path) {
  const std::string ending = lower_ending(path);
  for (const char* picture : {".svg", ".png", ".html"}) {
    if (ending == picture) return "";
  }
  return "'" + path + "' is no picture that can be drawn; end it in .svg, .png or .html";
}

}  // namespace

Command& add_command(Command& app, const std::string& name, const std::string& purpose,
                     const std::string& example) {
  std::string footer = "Example (in a checkout):\n  ";
  for (char c : example) {
    footer += c;
    if (c == '\n') footer += "  ";
  }
  return app.add_subcommand(name, purpose, footer);
}

void when_run(Command& command, std::function<void()> run) {
  command.when_run([name = command.name(), run = std::move(run)] {
    running = name;
    run();
  });
}

const std::string& current_command() { return running; }

int report(const std::string& command, const std::string& message, ExitCode code) {
  fmt::print(stderr, "{}: {}\n", command, message);
  return code;
}

void warn(const std::string& sentence) {
  fmt::print(stderr, "{}: warning: {}\n", running, sentence);
}

Option* add_choice(Command& command, const std::string& option, std::string& value,
                   const std::vector<std::string>& choices, const std::string& help) {
  const std::string list = fmt::format("{}", fmt::join(choices, ", "));
  auto check = [choices, list](const std::string& text) -> std::string {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return "";
    return fmt::format("'{}' is not one of: {}{}", text, list, did_you_mean(text, choices));
  };
  return command.add_option(option, value, fmt::format("{}: {}", help, list))
      ->check(check)
      ->type_name("NAME")
      ->capture_default_str();
}

void add_model_options(Command& command, ModelOptions& options) {
  command.add_option("MODEL", options.path, "The model, .yaml, .urdf or .spacelib")
      ->required()
      ->type_name("FILE");
  command.add_flag("--allow-unphysical", options.allow_unphysical,
                   "Inertias that no real body can have are warnings, not errors");
  command.add_flag("--floating-base", options.floating_base,
                   "The base of the model moves freely, on a joint 'root'");
  command
      .add_option("--loop-file", options.loop_file,
                  "Loops of a URDF: closed_loop, type, name_mot (default: the .yaml of its name)")
      ->type_name("FILE");
}

Model load_model(const ModelOptions& options) {
  std::vector<std::string> warnings;
  Model model = load_model(options, warnings);
  for (const std::string& warning : warnings) warn(warning);
  return model;
}

Model load_model(const ModelOptions& options, std::vector<std::string>& warnings) {
  const Model model =
      read_model(options.path, {options.allow_unphysical, options.floating_base, options.loop_file},
                 &warnings);
  return with_loops_that_fit(model, compile_options(options), warnings);
}

CompileOptions compile_options(const ModelOptions& options, bool keep_fixed) {
  CompileOptions result;
  result.keep_fixed = keep_fixed;
  result.allow_unphysical = options.allow_unphysical;
  return result;
}

void refuse_loops(const ModelOptions& options, const Model& model, const std::string& what) {
  if (!model.closed()) return;
  throw InputError(Where{options.path}, "the model has loops; " + what + " not computed",
                   "remove the loops to look at the open tree");
}

void add_table_option(Command& command, const std::string& option, std::string& path,
                      const std::string& help) {
  command.add_option(option, path, help + "; - is standard input")->required()->type_name("FILE");
}

WholeRange parse_range(const std::string& text, const std::string& option, int most) {
  const std::size_t dots = text.find("..");
  const auto whole = [&](const std::string& part) {
    int value = 0;
    const char* end = part.data() + part.size();
    const auto [rest, error] = std::from_chars(part.data(), end, value);
    return error == std::errc() && rest == end ? value : 0;
  };
  const WholeRange range{whole(text.substr(0, dots)),
                         whole(dots == std::string::npos ? text : text.substr(dots + 2))};
  if (range.first >= 1 && range.first <= range.last && range.last <= most) return range;
  throw UsageError(fmt::format(
      "{}: '{}' is no range; write e.g. 1..50, with whole numbers up to {}", option, text, most));
}

void add_method_option(Command& command, std::string& method) {
  method = "spatial";
  std::vector<std::string> names;
  for (const Formulation<double>& f : formulations<double>()) names.emplace_back(f.name);
  add_choice(command, "--method", method, names, "The formulation that computes");
}

void add_output_options(Command& command, OutputOptions& options) {
  command
      .add_option("-o,--output", options.file,
                  "Where the table goes: CSV, or JSON for .json; - is standard output")
      ->check(check_output)
      ->type_name("FILE");
  command.add_option("--plot", options.plot, "Draw it: .svg, .png or .html")
      ->check(check_plot)
      ->type_name("FILE");
  command.add_flag("--json", options.json, "JSON instead of CSV");
}

void check_finite(const Table& result, const Table& input, std::size_t input_row) {
  const auto row = result.row(result.num_rows() - 1);
  for (std::size_t c = 0; c < row.size(); ++c) {
    if (std::isfinite(row[c])) continue;
    throw NumericalError(fmt::format(
        "{}: '{}' is not finite for this row; its numbers are too large to compute with",
        to_string(input.where(input_row)), result.columns[c]));
  }
}

std::string motion_panel(const Dimension& dimension, int derivative) {
  const bool linear = dimension == dimension::length;
  if (derivative == 0 && dimension == dimension::number) return "quaternion";
  const char* const names[2][3] = {{"angle, rad", "velocity, rad/s", "acceleration, rad/s²"},
                                   {"position, m", "velocity, m/s", "acceleration, m/s²"}};
  return names[linear ? 1 : 0][std::clamp(derivative, 0, 2)];
}

std::string force_panel(const Dimension& dimension) {
  return dimension == dimension::length ? "force, N" : "torque, N m";
}

}  // namespace catena::cli
