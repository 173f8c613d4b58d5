// catena derivatives: how forces or accelerations change with positions, velocities and the rest.
#include <fmt/format.h>

#include "catena/dynamics.hpp"
#include "catena/loops/closed_derivatives.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "closed.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "matrices.hpp"

namespace catena::cli {
namespace {

struct DerivativesOptions {
  ModelOptions model;
  std::string state, of = "inverse", hold = "frame";
  OutputOptions output;
};

// A table with one row: a configuration at rest.
Table row_at_rest(const Mechanism<double>& m, const Eigen::VectorXd& q, const std::string& name) {
  Table table;
  table.file = name;
  table.columns = with_prefix("q", position_names(m));
  table.add_row({q.data(), static_cast<std::size_t>(q.size())});
  return table;
}

WrenchAxes held_axes(const DerivativesOptions& o) {
  return o.hold == "world" ? WrenchAxes::world : WrenchAxes::frame;
}

MatrixResult empty_derivatives(const DerivativesOptions& o, const Mechanism<double>& m,
                               bool has_time) {
  return MatrixResult(o.output, m.names->model + ": derivatives of " + o.of + " dynamics", has_time,
                      [](const NamedMatrix& matrix, std::size_t, std::size_t) {
                        return matrix.name + ", SI units";
                      });
}

std::vector<NamedMatrix> derivatives_of(const DerivativesOptions& o, Dynamics& dynamics,
                                        const DataRow& row, const std::vector<std::string>& names) {
  const WrenchAxes held = held_axes(o);
  if (o.of == "forward") {
    const ForwardSensitivity d =
        dynamics.forward_derivatives(row.q, row.qd, row.tau, row.wrenches, held);
    return {{"dqdd_dq", d.dqdd_dq, names, names},
            {"dqdd_dqd", d.dqdd_dqd, names, names},
            {"dqdd_dtau", d.dqdd_dtau, names, names}};
  }
  const InverseSensitivity d =
      dynamics.inverse_derivatives(row.q, row.qd, row.qdd, row.wrenches, held);
  return {{"dtau_dq", d.dtau_dq, names, names},
          {"dtau_dqd", d.dtau_dqd, names, names},
          {"dtau_dqdd", d.dtau_dqdd, names, names}};
}

std::vector<std::string> chosen_names(const std::vector<std::string>& names,
                                      const std::vector<int>& chosen) {
  std::vector<std::string> r;
  for (const int v : chosen) r.push_back(names[static_cast<std::size_t>(v)]);
  return r;
}

std::vector<NamedMatrix> closed_derivatives_of(const DerivativesOptions& o,
                                               ClosedDynamics& dynamics, const ClosedRow& row,
                                               const std::vector<int>& independent) {
  const auto names = velocity_names(dynamics.mechanism().tree);
  const auto columns = chosen_names(names, independent);
  const ClosedDerivativesOptions options{independent, held_axes(o)};
  if (o.of == "forward") {
    const ClosedForwardSensitivity d =
        forward_derivatives(dynamics, row.q, row.qd, row.tau, row.wrenches, options);
    return {{"dqdd_dq", d.dqdd_dq, names, columns},
            {"dqdd_dqd", d.dqdd_dqd, names, columns},
            {"dqdd_dtau", d.dqdd_dtau, names, names},
            {"motion", d.motion, names, columns}};
  }
  const ClosedInverseSensitivity d =
      inverse_derivatives(dynamics, row.q, row.qd, row.qdd, row.wrenches, options);
  const auto rows = chosen_names(names, d.actuated);
  return {{"dtau_dq", d.dtau_dq, rows, columns},
          {"dtau_dqd", d.dtau_dqd, rows, columns},
          {"dtau_dqdd", d.dtau_dqdd, rows, columns},
          {"motion", d.motion, names, columns}};
}

Eigen::VectorXd closed_start(const ClosedMechanism& m, LoopState& state) {
  const Assembly a = assemble_from_afar(m, state, m.start);
  if (a.closed) return a.q;
  throw NumericalError(
      describe_open(m, a) +
      "\n    check the lengths, or 'start' in the model, which chooses the branch");
}

// By the independent coordinates: those that the first row is told by.
void run_closed_derivatives(const DerivativesOptions& o, const Model& model) {
  ClosedDynamics dynamics(model, compile_options(o.model));
  const ClosedMechanism& c = dynamics.mechanism();
  const Table state = o.state.empty()
                          ? row_at_rest(c.tree, closed_start(c, dynamics.state()), "the start")
                          : read_table(o.state);
  ClosedRows rows(c, dynamics.state(), state,
                  o.of == "forward" ? ClosedRows::Use::state : ClosedRows::Use::motion);
  MatrixResult result = empty_derivatives(o, c.tree, rows.has_time());
  std::vector<int> independent;
  for (std::size_t r = 0; r < rows.num_rows(); ++r) {
    const ClosedRow row = rows.next();
    if (r == 0) independent = rows.independent();
    try {
      result.add(closed_derivatives_of(o, dynamics, row, independent), row.time, state, r);
    } catch (const NumericalError& error) {
      throw NumericalError(to_string(state.where(r)) + ": " + error.what());
    }
  }
  const auto names = velocity_names(c.tree);
  result.write("\"velocities\": " + json_list(names) +
               ",\n\"independent\": " + json_list(chosen_names(names, independent)) + ",\n");
}

void run_derivatives(const DerivativesOptions& o) {
  const Model model = load_model(o.model);
  if (model.closed()) return run_closed_derivatives(o, model);
  Dynamics dynamics(model, compile_options(o.model));
  const Mechanism<double>& m = dynamics.mechanism();
  const Table state = o.state.empty()
                          ? row_at_rest(m, dynamics.neutral(), "the neutral configuration")
                          : read_table(o.state);
  const DataColumns columns(m, state);
  const auto names = velocity_names(m);
  MatrixResult result = empty_derivatives(o, m, columns.has_time());
  for (std::size_t r = 0; r < columns.num_rows(); ++r) {
    const DataRow row = columns.row(r);
    try {
      result.add(derivatives_of(o, dynamics, row, names), row.time, state, r);
    } catch (const NumericalError& error) {
      throw NumericalError(to_string(state.where(r)) + ": " + error.what());
    }
  }
  result.write("\"velocities\": " + json_list(names) + ",\n");
}

}  // namespace

void add_derivatives_command(Command& app) {
  Command& command =
      add_command(app, "derivatives", "How forces or accelerations change with the state",
                  "printf 'q.joint1,q.joint2,qd.joint1\\n0,0.5,1\\n' |\n"
                  "  catena derivatives models/two-body.yaml - --of forward");
  const auto o = std::make_shared<DerivativesOptions>();
  add_model_options(command, o->model);
  command.add_option("STATES", o->state,
                     "CSV with columns q.JOINT, qd.JOINT, qdd.JOINT or tau.JOINT, and n.FRAME.x to "
                     "f.FRAME.z; '-' is standard input. Without it, the neutral configuration at "
                     "rest. With loops, derivatives are by the coordinates given here that are "
                     "independent");
  add_choice(command, "--of", o->of, {"inverse", "forward"},
             "Forces by q, qd, qdd, or accelerations by q, qd, tau");
  add_choice(command, "--hold", o->hold, {"frame", "world"},
             "Axes in which wrenches stay as they are while positions change");
  add_output_options(command, o->output);
  when_run(command, [o] { run_derivatives(*o); });
}

}  // namespace catena::cli
