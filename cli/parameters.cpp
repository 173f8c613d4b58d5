// catena parameters: what can be identified of a model, and the regressor.
#include <fmt/format.h>

#include "catena/analysis/base_parameters.hpp"
#include "catena/dynamics.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "matrices.hpp"

namespace catena::cli {
namespace {

struct ParametersOptions {
  ModelOptions model;
  std::string regressor;
  int seed = 1;
  OutputOptions output;
};

std::string names_of(const BaseParameters& b, const std::vector<int>& columns) {
  std::string text, line = "   ";
  for (const int c : columns) {
    const std::string& name = b.all[static_cast<std::size_t>(c)].name;
    if (line.size() + name.size() > 98) text += line + '\n', line = "   ";
    line += " " + name;
  }
  return text + line + '\n';
}

std::string json_of(const BaseParameters& b, const std::vector<double>& values) {
  std::vector<std::string> rows, none;
  for (std::size_t k = 0; k < b.base.size(); ++k) {
    std::vector<std::string> parts;
    for (const BaseParameter::Part& part : b.base[k].parts)
      parts.push_back(fmt::format("[{}, {}]",
                                  json_text(b.all[static_cast<std::size_t>(part.column)].name),
                                  number_text(part.factor)));
    rows.push_back(fmt::format("  {{\"parameter\": {}, \"plus\": [{}], \"value\": {}}}",
                               json_text(b.all[static_cast<std::size_t>(b.base[k].column)].name),
                               fmt::join(parts, ", "), number_text(values[k])));
  }
  for (const int c : b.without_effect) none.push_back(b.all[static_cast<std::size_t>(c)].name);
  return fmt::format(
      "{{\"parameters\": {}, \"condition\": {},\n\"base\": [\n{}\n],\n\"without_effect\": {}}}\n",
      b.all.size(), number_text(b.condition), fmt::join(rows, ",\n"), json_list(none));
}

void show_base_parameters(const ParametersOptions& o, const Model& model) {
  const BaseParameters b =
      base_parameters(model, compile_options(o.model), static_cast<std::uint64_t>(o.seed));
  const Mechanism<double> m = compile(model, compile_options(o.model));
  const std::vector<double> values = base_values(b, parameter_values(model, *m.names));
  Result result;
  result.prose = true;
  result.readable = fmt::format(
      "{}: {} parameters, {} combinations can be told apart (condition number {:.3g})\n",
      model.name, b.all.size(), b.base.size(), b.condition);
  for (std::size_t k = 0; k < b.base.size(); ++k) {
    result.readable += fmt::format("  {:>12.6g}  {}\n", values[k], describe(b, b.base[k]));
    result.add_column(describe(b, b.base[k]), "");
  }
  if (!values.empty()) result.table.add_row(values);
  if (!b.without_effect.empty())
    result.readable += fmt::format("{} have no effect\n{}", b.without_effect.size(),
                                   names_of(b, b.without_effect));
  if (b.largest_dropped > 1e-11 || b.smallest_kept < 1e-6)
    warn(
        fmt::format("ranks are not clear: {:.1e} is left of a parameter that was gathered, {:.1e} "
                    "of one that was kept",
                    b.largest_dropped, b.smallest_kept));
  result.json = json_of(b, values);
  write_result(o.output, result);
}

void show_regressor(const ParametersOptions& o, const Model& model) {
  refuse_loops(o.model, model, "the regressor of a closed chain is");
  Dynamics dynamics(model, compile_options(o.model));
  const Mechanism<double>& m = dynamics.mechanism();
  const Table state = read_table(o.regressor);
  const DataColumns columns(m, state);
  std::vector<std::string> names;
  for (const Parameter& p : parameters(*m.names)) names.push_back(p.name);
  MatrixResult result(o.output, m.names->model + ": regressor", columns.has_time(),
                      [](const NamedMatrix&, std::size_t, std::size_t) { return ""; });
  for (std::size_t r = 0; r < columns.num_rows(); ++r) {
    const DataRow row = columns.row(r);
    result.add({{"Y", dynamics.regressor(row.q, row.qd, row.qdd), velocity_names(m), names}},
               row.time, state, r);
  }
  result.write("\"parameters\": " + json_list(names) + ",\n");
}

void run_parameters(const ParametersOptions& o) {
  const Model model = load_model(o.model);
  o.regressor.empty() ? show_base_parameters(o, model) : show_regressor(o, model);
}

}  // namespace

void add_parameters_command(Command& app) {
  Command& command =
      add_command(app, "parameters", "Parameters that forces can tell apart, and the regressor",
                  "catena parameters models/planar-3r.yaml");
  const auto o = std::make_shared<ParametersOptions>();
  add_model_options(command, o->model);
  command
      .add_option("--regressor", o->regressor,
                  "CSV with columns q.JOINT, qd.JOINT, qdd.JOINT ('-' is standard input): "
                  "instead, the matrix Y of every row with tau = Y p")
      ->type_name("FILE");
  command.add_option("--seed", o->seed, "Of the random states that decide")->capture_default_str();
  add_output_options(command, o->output);
  when_run(command, [o] { run_parameters(*o); });
}

}  // namespace catena::cli
