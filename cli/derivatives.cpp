// catena derivatives: how forces or accelerations change with positions, velocities and the rest.
#include <fmt/format.h>

#include "catena/dynamics.hpp"
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

// A table with one row: the neutral configuration at rest.
Table neutral_row(const Dynamics& dynamics) {
  Table table;
  table.file = "the neutral configuration";
  table.columns = with_prefix("q.", position_names(dynamics.mechanism()));
  const Eigen::VectorXd q = dynamics.neutral();
  table.add_row({q.data(), static_cast<std::size_t>(q.size())});
  return table;
}

std::vector<NamedMatrix> derivatives_of(const DerivativesOptions& o, Dynamics& dynamics,
                                        const DataRow& row, const std::vector<std::string>& names) {
  const WrenchAxes held = o.hold == "world" ? WrenchAxes::world : WrenchAxes::frame;
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

void run_derivatives(const DerivativesOptions& o) {
  const Model model = load_model(o.model);
  refuse_loops(o.model, model, "derivatives of closed chains are");
  Dynamics dynamics(model, compile_options(o.model));
  const Mechanism<double>& m = dynamics.mechanism();
  const Table state = o.state.empty() ? neutral_row(dynamics) : read_table(o.state);
  const DataColumns columns(m, state);
  const auto names = velocity_names(m);
  MatrixResult result(o.output, m.names->model + ": derivatives of " + o.of + " dynamics",
                      columns.has_time(), [](const NamedMatrix& matrix, std::size_t, std::size_t) {
                        return matrix.name + ", SI units";
                      });
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
                     "rest");
  add_choice(command, "--of", o->of, {"inverse", "forward"},
             "Forces by q, qd, qdd, or accelerations by q, qd, tau");
  add_choice(command, "--hold", o->hold, {"frame", "world"},
             "Axes in which wrenches stay as they are while positions change");
  add_output_options(command, o->output);
  when_run(command, [o] { run_derivatives(*o); });
}

}  // namespace catena::cli
