// catena forward: the joint accelerations that forces produce.
#include "batch_rows.hpp"
#include "catena/dynamics.hpp"
#include "catena/loops/driven_joints.hpp"
#include "closed.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

struct ForwardOptions {
  ModelOptions model;
  std::string state, method, loops = "multipliers";
  std::vector<std::string> driven;
  int threads = 0;
  OutputOptions output;
};

Result empty_result(const Mechanism<double>& m, bool has_time) {
  Result result;
  result.title = m.names->model + ": joint accelerations";
  if (has_time) result.add_column("time", "");
  const auto names = velocity_names(m);
  const auto dimensions = velocity_dimensions(m);
  for (std::size_t i = 0; i < names.size(); ++i) {
    result.add_column("qdd." + names[i], motion_panel(dimensions[i], 2));
  }
  return result;
}

// Mechanisms with loops, or with driven joints.
void run_closed(const ForwardOptions& o, const Model& model) {
  if (o.method != "spatial")
    throw UsageError("--method " + o.method +
                     " is for models without loops or driven joints; choose --loops");
  ClosedDynamics dynamics(model, compile_options(o.model));
  const ClosedMechanism& c = dynamics.mechanism();
  const Table state = read_table(o.state);
  ClosedRows rows(c, dynamics.state(), state, ClosedRows::Use::state);
  Result result = empty_result(c.tree, rows.has_time());
  const std::vector<int> driven = driven_velocities(o.driven, model, c.tree);
  for (const int v : driven)
    result.add_column("tau." + velocity_names(c.tree)[static_cast<std::size_t>(v)],
                      force_panel(velocity_dimensions(c.tree)[static_cast<std::size_t>(v)]));
  std::vector<double> numbers;
  for (std::size_t r = 0; r < rows.num_rows(); ++r) {
    const ClosedRow row = rows.next();
    numbers.clear();
    if (rows.has_time()) numbers.push_back(row.time);
    try {
      const DrivenForward motion = driven_forward_dynamics(
          dynamics, row.q, row.qd, row.tau, row.wrenches, driven, row.qdd, loop_method(o.loops));
      numbers.insert(numbers.end(), motion.qdd.begin(), motion.qdd.end());
      for (const int v : driven) numbers.push_back(row.tau[v] + motion.force[v]);
    } catch (const NumericalError& error) {
      throw NumericalError(to_string(state.where(r)) + ": " + error.what());
    }
    result.table.add_row(numbers);
    check_finite(result.table, state, r);
  }
  write_result(o.output, result);
}

void run_forward(const ForwardOptions& o) {
  const Model model = load_model(o.model);
  if (model.closed() || !o.driven.empty() || !model.driven.empty()) return run_closed(o, model);
  Dynamics dynamics(model, compile_options(o.model));
  dynamics.use(o.method);
  const Mechanism<double>& m = dynamics.mechanism();
  const Table state = read_table(o.state);
  const DataColumns columns(m, state);
  Result result = empty_result(m, columns.has_time());
  if (o.method == "spatial") {
    const auto forward = [](Batch<double>& batch, const DataRows& rows, std::span<double> out) {
      return batch.forward_dynamics(rows.q, rows.qd, rows.tau, out, rows.Fext_B);
    };
    compute_rows(m, state, columns, o.threads, forward, result);
    return write_result(o.output, result);
  }
  std::vector<double> numbers;
  for (std::size_t r = 0; r < columns.num_rows(); ++r) {
    const DataRow row = columns.row(r);
    numbers.clear();
    if (columns.has_time()) numbers.push_back(row.time);
    try {
      const auto qdd = dynamics.forward_dynamics(row.q, row.qd, row.tau, row.wrenches);
      numbers.insert(numbers.end(), qdd.begin(), qdd.end());
    } catch (const NumericalError& error) {
      throw NumericalError(to_string(state.where(r)) + ": " + error.what());
    }
    result.table.add_row(numbers);
    check_finite(result.table, state, r);
  }
  write_result(o.output, result);
}

}  // namespace

void add_forward_command(Command& app) {
  Command& command = add_command(app, "forward", "Joint accelerations that forces produce",
                                 "printf 'q.hinge,qd.hinge,tau.hinge\\n0.5,0,1.5\\n' |\n"
                                 "  catena forward models/pendulum.yaml --state -");
  const auto o = std::make_shared<ForwardOptions>();
  add_model_options(command, o->model);
  add_table_option(command, "--state", o->state,
                   "CSV with columns q.JOINT, qd.JOINT, tau.JOINT, and n.FRAME.x to f.FRAME.z for "
                   "wrenches that act on a frame");
  add_method_option(command, o->method);
  add_choice(command, "--loops", o->loops, loop_method_names(), "How closed loops are solved");
  command.add_option(
      "--driven", o->driven,
      "Joints that move as qdd.JOINT of the file says: \"joint1,joint2\" (default: those of the "
      "model); the forces that this needs are tau.JOINT of the result");
  add_threads_option(command, o->threads);
  add_output_options(command, o->output);
  when_run(command, [o] { run_forward(*o); });
}

}  // namespace catena::cli
