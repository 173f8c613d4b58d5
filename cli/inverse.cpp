// catena inverse: the joint forces that produce a motion, and the reactions at every joint.
#include <fmt/format.h>

#include "batch_rows.hpp"
#include "catena/dynamics.hpp"
#include "closed.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

struct InverseOptions {
  ModelOptions model;
  std::string motion, method, loops = "multipliers", weights;
  std::vector<std::string> driven;
  bool reactions = false, world = false;
  int threads = 0;
  OutputOptions output;
};

void add_reaction_columns(const std::string& joint, Result& result) {
  for (const char* part : {"n.", "f."}) {
    for (const char* axis : {".x", ".y", ".z"}) {
      result.add_column(part + joint + axis,
                        part[0] == 'n' ? "reaction moment, N m" : "reaction force, N");
    }
  }
}

Result empty_result(const InverseOptions& o, const Mechanism<double>& m, bool has_time) {
  Result result;
  result.title = m.names->model + ": joint forces";
  if (has_time) result.add_column("time", "");
  const auto names = velocity_names(m);
  const auto dimensions = velocity_dimensions(m);
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.add_column("tau." + names[i], force_panel(dimensions[i]));
  }
  if (!o.reactions) return result;
  for (const JointInfo& joint : m.names->joints) add_reaction_columns(joint.name, result);
  return result;
}

// --weights: "joint=value,..." or a table of one row with a column for each joint named.
Eigen::VectorXd actuator_weights(const InverseOptions& o, const Mechanism<double>& m) {
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(m.nv);
  std::string text = o.weights;
  if (text.find('=') == std::string::npos) {
    const Table table = read_table(o.weights);
    if (table.num_rows() != 1)
      throw InputError(table.where(1),
                       fmt::format("{} rows, but weights are one row", table.num_rows()),
                       "keep the header with names of joints and one row of numbers");
    text.clear();
    for (std::size_t c = 0; c < table.num_columns(); ++c)
      text += fmt::format("{}{}={}", c == 0 ? "" : ",", table.columns[c], table.at(0, c));
  }
  const std::vector<Dimension> numbers(static_cast<std::size_t>(m.nv), dimension::number);
  assign_velocities(text, "--weights", m, numbers, weights);
  if (!(weights.minCoeff() > 0))
    throw UsageError("--weights: a weight must be above zero; a large one keeps a force small");
  return weights;
}

// Mechanisms with loops: forces of the actuated joints, reactions at cut joints, too.
void run_closed(const InverseOptions& o, const Model& model) {
  if (o.method != "spatial")
    throw UsageError("--method " + o.method + " is for models without loops; choose --loops");
  ClosedDynamics dynamics(model, compile_options(o.model, o.reactions));
  const ClosedMechanism& c = dynamics.mechanism();
  const Mechanism<double>& m = c.tree;
  const Table motion = read_table(o.motion);
  ClosedRows rows(c, dynamics.state(), motion, ClosedRows::Use::motion);
  Result result;
  result.title = m.names->model + ": forces of the actuated joints";
  if (rows.has_time()) result.add_column("time", "");
  const auto names = velocity_names(m);
  const auto dimensions = velocity_dimensions(m);
  Actuation actuation{velocities_named(o.driven, "--driven", m), {}, {}};
  if (!o.weights.empty()) actuation.weights = actuator_weights(o, m);
  const std::vector<int>& found = o.driven.empty() ? c.actuated : actuation.velocities;
  for (const int v : found) {
    result.add_column("tau." + names[static_cast<std::size_t>(v)],
                      force_panel(dimensions[static_cast<std::size_t>(v)]));
  }
  std::vector<double> numbers;
  for (std::size_t r = 0; r < rows.num_rows(); ++r) {
    const ClosedRow row = rows.next();
    numbers.clear();
    if (rows.has_time()) numbers.push_back(row.time);
    if (!o.driven.empty()) {  // the forces of the others are what the file says
      actuation.given = row.tau;
      for (const int v : found) actuation.given[v] = 0;
    }
    const ClosedInverse forces = dynamics.inverse_dynamics(row.q, row.qd, row.qdd, row.wrenches,
                                                           loop_method(o.loops), actuation);
    if (r == 0) {
      warn_of_redundancy(c, mobility_of(dynamics.state().jacobian()));
      if (forces.redundantly_actuated)
        warn(
            "there are more actuators than degrees of freedom: forces are the smallest that do the "
            "work; --weights chooses others");
    }
    if (forces.unbalanced_motion.size() > 0) {
      Eigen::Index joint = 0;
      forces.unbalanced_motion.cwiseAbs().maxCoeff(&joint);
      throw NumericalError(fmt::format(
          "{}: the actuators cannot produce this motion: {:.3g} remain along a motion of joint "
          "'{}'\n"
          "    {}",
          to_string(motion.where(r)), forces.unbalanced, names[static_cast<std::size_t>(joint)],
          o.driven.empty() ? "add an actuator, or let forward dynamics tell how it moves"
                           : "drive more joints, or let forward dynamics tell how it moves"));
    }
    for (const int v : found) numbers.push_back(forces.tau[v]);
    if (o.reactions) {
      for (const NamedReaction& reaction :
           dynamics.reactions(row.q, row.qd, row.qdd, forces.lambda, row.wrenches, o.world)) {
        const Force<double>& F = reaction.wrench;
        numbers.insert(numbers.end(), {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
        if (r == 0) add_reaction_columns(reaction.name, result);
      }
    }
    result.table.add_row(numbers);
    check_finite(result.table, motion, r);
  }
  write_result(o.output, result);
}

void run_inverse(const InverseOptions& o) {
  if (o.reactions && o.method != "spatial")
    throw UsageError("--reactions come from --method spatial, not from " + o.method);
  // Only a fixed joint that is kept has a reaction.
  const Model model = load_model(o.model);
  if (model.closed()) return run_closed(o, model);
  if (!o.driven.empty() || !o.weights.empty())
    throw UsageError(
        "--driven and --weights are for models with loops: in a tree every joint has "
        "its own force");
  Dynamics dynamics(model, compile_options(o.model, o.reactions));
  dynamics.use(o.method);
  const Table motion = read_table(o.motion);
  const DataColumns columns(dynamics.mechanism(), motion);
  Result result = empty_result(o, dynamics.mechanism(), columns.has_time());
  if (o.method == "spatial" && !o.reactions) {
    const auto inverse = [](Batch<double>& batch, const DataRows& rows, std::span<double> out) {
      batch.inverse_dynamics(rows.q, rows.qd, rows.qdd, out, rows.Fext_B);
      return BatchStatus{};
    };
    compute_rows(dynamics.mechanism(), motion, columns, o.threads, inverse, result);
    return write_result(o.output, result);
  }
  std::vector<double> numbers;
  for (std::size_t r = 0; r < columns.num_rows(); ++r) {
    const DataRow row = columns.row(r);
    numbers.clear();
    if (columns.has_time()) numbers.push_back(row.time);
    const auto tau = dynamics.inverse_dynamics(row.q, row.qd, row.qdd, row.wrenches);
    numbers.insert(numbers.end(), tau.begin(), tau.end());
    if (o.reactions) {
      for (const Force<double>& F :
           dynamics.reactions(row.q, row.qd, row.qdd, row.wrenches, o.world)) {
        numbers.insert(numbers.end(), {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z});
      }
    }
    result.table.add_row(numbers);
    check_finite(result.table, motion, r);
  }
  write_result(o.output, result);
}

// `reactions`: they are the question, not an option.
void add_inverse_options(Command& command, bool reactions) {
  const auto o = std::make_shared<InverseOptions>();
  add_model_options(command, o->model);
  add_table_option(command, "--motion", o->motion,
                   "CSV with columns q.JOINT, qd.JOINT, qdd.JOINT, and n.FRAME.x to f.FRAME.z for "
                   "wrenches that act on a frame");
  o->method = "spatial", o->reactions = reactions;
  if (!reactions) {
    add_method_option(command, o->method);
    command.add_flag("--reactions", o->reactions,
                     "Also the wrench that the parent exerts on the child at every joint, in the "
                     "joint's moving frame: n.JOINT.x to f.JOINT.z");
  }
  add_choice(command, "--loops", o->loops, loop_method_names(), "How closed loops are solved");
  Option* world = command.add_flag("--world", o->world, "Reactions in world axes");
  if (!reactions) world->needs(command.get_option("--reactions"));
  command.add_option("--driven", o->driven,
                     "Closed chains: the joints whose forces are wanted, \"joint1,joint2\" "
                     "(default: the actuators and driven joints); those of the others are "
                     "tau.JOINT of the file");
  command.add_option("--weights", o->weights,
                     "Closed chains with more drives than motions: weights of the squares of "
                     "forces, \"joint=value,...\" or a CSV file of one row");
  if (!reactions) add_threads_option(command, o->threads);
  add_output_options(command, o->output);
  when_run(command, [o] { run_inverse(*o); });
}

}  // namespace

void add_inverse_command(Command& app) {
  add_inverse_options(
      add_command(
          app, "inverse", "Joint forces that produce a motion",
          "printf 'time,q.hinge,qd.hinge,qdd.hinge\\n0,0,0,2\\n0.5,0.25,1,2\\n' > motion.csv\n"
          "catena inverse models/pendulum.yaml --motion motion.csv --reactions"),
      false);
}

void add_reactions_command(Command& app) {
  add_inverse_options(
      add_command(app, "reactions", "Joint forces and the reactions at every joint, cut ones too",
                  "printf 'q.motor_left,q.motor_right\\n0.1,0.2\\n' |\n"
                  "  catena reactions models/ankle.yaml --motion - --world"),
      true);
}

}  // namespace catena::cli
