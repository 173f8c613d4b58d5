// catena stability: single against double and quadruple precision, method by method.
#include "catena/analysis/stability.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "catena/kinematics/configuration.hpp"
#include "catena/model/compile.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

using Json = nlohmann::ordered_json;

struct StabilityArguments {
  ModelOptions model;
  std::string joint, from = "0", to = "358 deg", at, quantity = "qdd", coordinate;
  int steps = 180, states = 200;
  std::uint64_t seed = 1;
  OutputOptions output;
};

// A sweep of one joint, at rest and without joint forces.
struct Sweep {
  std::vector<VerifyState> states;
  std::vector<double> values;  // of the joint
};

Sweep sweep_of(const StabilityArguments& o, const Mechanism<double>& m) {
  const auto names = position_names(m);
  const auto found = std::find(names.begin(), names.end(), o.joint);
  if (found == names.end())
    throw UsageError(fmt::format("--joint: '{}' is no joint with one coordinate{}", o.joint,
                                 did_you_mean(o.joint, names)));
  const auto k = static_cast<std::size_t>(found - names.begin());
  const Dimension dimension = position_dimensions(m)[k];
  const double from = parse_quantity(o.from, "--from", dimension);
  const double to = parse_quantity(o.to, "--to", dimension);
  Eigen::VectorXd q(m.nq);
  neutral_configuration<double>(m, std::span<double>(q.data(), static_cast<std::size_t>(m.nq)));
  if (!o.at.empty()) assign_positions(o.at, "--at", m, q);
  Sweep sweep;
  const std::vector<double> zero(static_cast<std::size_t>(m.nv), 0);
  for (int i = 0; i < o.steps; ++i) {
    const double value = o.steps > 1 ? from + (to - from) * i / (o.steps - 1) : from;
    q[static_cast<Eigen::Index>(k)] = value;
    sweep.states.push_back({{q.begin(), q.end()}, zero, zero, zero});
    sweep.values.push_back(value);
  }
  return sweep;
}

std::string summary_text(const Stability& r, const std::string& unit) {
  std::string text = fmt::format("{:<18} {:>33}   {:>21}   {:>7}\n", "", "single precision",
                                 "double precision", "");
  text += fmt::format("{:<18} {:>10} {:>10} {:>11}   {:>10} {:>10}   {:>7}\n", "method", "max",
                      "mean", "max rel", "max", "max rel", "flagged");
  for (const MethodStability& a : r.methods) {
    const auto absolute = a.summary(), relative = a.summary(r.sizes);
    text += fmt::format("{:<18} {:>10.2e} {:>10.2e} {:>11.2e}   {:>10.2e} {:>10.2e}   {:>7}\n",
                        a.method, absolute.single_max, absolute.single_mean, relative.single_max,
                        absolute.double_max, relative.double_max, a.flagged);
  }
  double least = r.condition.front(), most = least;
  for (double c : r.condition) least = std::min(least, c), most = std::max(most, c);
  return text + fmt::format(
                    "\nErrors against quadruple precision, {}; rel: of the largest entry of a "
                    "state. flagged: states in\n"
                    "which single precision took a joint for one without inertia.\n"
                    "condition number of M: {:.3e} to {:.3e} over {} states\n",
                    unit, least, most, r.condition.size());
}

std::string json_of(const Stability& r, const std::string& model, const std::string& quantity) {
  Json methods = Json::array();
  for (const MethodStability& a : r.methods) {
    const auto absolute = a.summary(), relative = a.summary(r.sizes);
    methods.push_back({{"method", a.method},
                       {"single",
                        {{"max", absolute.single_max},
                         {"mean", absolute.single_mean},
                         {"max_relative", relative.single_max},
                         {"mean_relative", relative.single_mean}}},
                       {"double",
                        {{"max", absolute.double_max},
                         {"mean", absolute.double_mean},
                         {"max_relative", relative.double_max},
                         {"mean_relative", relative.double_mean}}},
                       {"flagged", a.flagged}});
  }
  const Json all = {{"model", model},
                    {"quantity", quantity},
                    {"states", r.condition.size()},
                    {"condition_of_M",
                     {{"min", *std::min_element(r.condition.begin(), r.condition.end())},
                      {"max", *std::max_element(r.condition.begin(), r.condition.end())}}},
                    {"methods", methods}};
  return all.dump(2) + "\n";
}

double decades(double x) { return x > 0 ? std::log10(x) : std::nan(""); }

void run_stability(const StabilityArguments& o) {
  const Model model = load_model(o.model);
  const Mechanism<double> m = compile(model, compile_options(o.model));
  if (m.nv == 0) throw InputError({o.model.path}, "nothing moves in this model");
  StabilityOptions options;
  if (o.quantity == "tau") options.quantity = StabilityQuantity::tau;
  if (!o.coordinate.empty()) {
    const auto names = velocity_names(m);
    const auto found = std::find(names.begin(), names.end(), o.coordinate);
    if (found == names.end())
      throw UsageError(fmt::format("--coordinate: '{}' is no velocity of this model{}",
                                   o.coordinate, did_you_mean(o.coordinate, names)));
    options.velocity = static_cast<int>(found - names.begin());
  }
  Sweep sweep;
  if (o.joint.empty())
    sweep.states = random_states(m, o.states, o.seed);
  else
    sweep = sweep_of(o, m);
  const Stability r = stability(m, sweep.states, options);

  Result result;
  result.title = fmt::format("{}: error of {} in single precision", m.names->model, o.quantity);
  const std::string key = o.joint.empty() ? "state" : "q." + o.joint;
  result.key = key, result.key_label = o.joint.empty() ? "state" : o.joint + ", rad or m";
  result.add_column(key, "");
  result.add_column("condition", "condition number of M, power of ten");
  for (const MethodStability& a : r.methods)
    result.add_column("single." + a.method, "error in single precision, power of ten", a.method);
  for (const MethodStability& a : r.methods)
    result.add_column("double." + a.method, "error in double precision, power of ten", a.method);
  Result drawn = result;  // errors span decades: the plot shows powers of ten
  for (std::size_t i = 0; i < sweep.states.size(); ++i) {
    std::vector<double> row = {o.joint.empty() ? static_cast<double>(i) : sweep.values[i],
                               r.condition[i]};
    for (const MethodStability& a : r.methods) row.push_back(a.errors[i].single);
    for (const MethodStability& a : r.methods) row.push_back(a.errors[i].twice);
    result.table.add_row(row);
    for (std::size_t c = 1; c < row.size(); ++c) row[c] = decades(row[c]);
    drawn.table.add_row(row);
  }
  const std::string unit = o.quantity == "tau" ? "N m or N" : "rad/s² or m/s²";
  result.readable =
      fmt::format("{}: {} of {}\n\n", m.names->model, o.quantity,
                  o.coordinate.empty() ? "all coordinates" : "'" + o.coordinate + "'") +
      summary_text(r, unit);
  result.json = json_of(r, m.names->model, o.quantity);
  write_result(o.output, result, drawn);
}

}  // namespace

void add_stability_command(Command& app) {
  Command& command =
      add_command(app, "stability", "Errors of single and double precision, method by method",
                  "catena stability models/two-body.yaml --joint joint2 --steps 180 -o errors.csv "
                  "--plot errors.svg\n"
                  "catena stability models/puma.yaml --states 100 --json");
  const auto o = std::make_shared<StabilityArguments>();
  add_model_options(command, o->model);
  auto* joint = command.add_option("--joint", o->joint,
                                   "Sweep this joint, at rest and without joint forces; without it "
                                   "the states are random");
  command.add_option("--from", o->from, "Begin of the sweep")->capture_default_str()->needs(joint);
  command.add_option("--to", o->to, "End of the sweep")->capture_default_str()->needs(joint);
  command.add_option("--steps", o->steps, "States of the sweep")
      ->between(1, 1000000)
      ->capture_default_str()
      ->needs(joint);
  command.add_option("--at", o->at, "Positions of the other joints, e.g. \"joint1=30 deg\"")
      ->needs(joint);
  command.add_option("--states", o->states, "How many random states")
      ->between(1, 1000000)
      ->capture_default_str()
      ->excludes(joint);
  command.add_option("--seed", o->seed, "Of the random states")
      ->capture_default_str()
      ->excludes(joint);
  add_choice(command, "--quantity", o->quantity, {"qdd", "tau"},
             "Accelerations of forward dynamics, or forces of inverse dynamics");
  command.add_option("--coordinate", o->coordinate, "Only this one; without it the worst of all");
  add_output_options(command, o->output);
  when_run(command, [o] { run_stability(*o); });
}

}  // namespace catena::cli
