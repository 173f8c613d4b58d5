// catena assemble: configurations and motions in which all loops are closed.
#include <fmt/format.h>
#include <unistd.h>

#include "catena/loops/rough_assembly.hpp"
#include "closed.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

struct AssembleOptions {
  ModelOptions model;
  std::string state, at;
  bool statistics = false;
  OutputOptions output;
};

void add_columns(const Mechanism<double>& m, bool time, bool rates, Result& result) {
  if (time) result.add_column("time", "");
  const auto positions = position_names(m), velocities = velocity_names(m);
  const auto q = position_dimensions(m), v = velocity_dimensions(m);
  for (std::size_t i = 0; i < positions.size(); ++i)
    result.add_column("q." + positions[i], motion_panel(q[i], 0));
  for (int d = 1; rates && d <= 2; ++d) {
    for (std::size_t i = 0; i < velocities.size(); ++i)
      result.add_column((d == 1 ? "qd." : "qdd.") + velocities[i], motion_panel(v[i], d));
  }
}

void tell_residual(const AssembleOptions& o, double residual) {
  if (o.statistics || ::isatty(STDERR_FILENO))
    fmt::print(stderr, "assemble: loops closed to {:.2g} (m or rad)\n", residual);
}

void run_assemble(const AssembleOptions& o) {
  const ClosedMechanism m = compile_closed(load_model(o.model), compile_options(o.model));
  LoopState state(m);
  Result result;
  result.title = m.tree.names->model + ": assembled";
  if (o.state.empty()) {
    Eigen::VectorXd q = m.start;
    std::vector<char> held(static_cast<std::size_t>(m.tree.nv), 0);
    if (!o.at.empty()) {
      Eigen::VectorXd marked = Eigen::VectorXd::Constant(m.tree.nq, std::nan(""));
      assign_positions(o.at, "--at", m.tree, q);
      assign_positions(o.at, "--at", m.tree, marked);
      for (const JointInfo& j : m.tree.names->joints) {
        for (int k = 0; k < j.nv && j.nq == j.nv; ++k)
          held[static_cast<std::size_t>(j.v + k)] = !std::isnan(marked[j.q + k]);
      }
    }
    Assembly a = assemble_from_afar(m, state, m.start);
    if (a.closed && !o.at.empty()) a = follow(m, state, a.q, q, held);
    if (!a.closed) a = assemble_from_afar(m, state, q, held);
    if (!a.closed)
      throw NumericalError(
          describe_open(m, a) +
          "\n    check the lengths, or 'start' in the model, which chooses the branch");
    add_columns(m.tree, false, false, result);
    result.table.add_row({a.q.data(), static_cast<std::size_t>(a.q.size())});
    write_result(o.output, result);
    return tell_residual(o, a.residual);
  }
  const Table table = read_table(o.state);
  ClosedRows rows(m, state, table, ClosedRows::Use::motion);
  add_columns(m.tree, rows.has_time(), true, result);
  std::vector<double> numbers;
  double residual = 0;
  for (std::size_t i = 0; i < rows.num_rows(); ++i) {
    const ClosedRow r = rows.next();
    numbers.clear();
    if (rows.has_time()) numbers.push_back(r.time);
    for (const auto* v : {&r.q, &r.qd, &r.qdd}) numbers.insert(numbers.end(), v->begin(), v->end());
    result.table.add_row(numbers);
    check_finite(result.table, table, i);
    if (m.num_rows() > 0) residual = std::max(residual, state.values().cwiseAbs().maxCoeff());
  }
  write_result(o.output, result);
  tell_residual(o, residual);
}

}  // namespace

void add_assemble_command(Command& app) {
  Command& command = add_command(
      app, "assemble", "Positions and motions in which all loops are closed",
      "catena assemble models/five-bar.yaml --at \"leg1_joint1=60 deg, leg2_joint1=45 deg\"\n"
      "printf 'q.crank,qd.crank,qdd.crank\\n0.5,10,2\\n' |\n"
      "  catena assemble models/slider-crank.yaml --state -");
  const auto o = std::make_shared<AssembleOptions>();
  add_model_options(command, o->model);
  auto* state = command
                    .add_option("--state", o->state,
                                "CSV with q (qd, qdd) of the joints that move freely; the others "
                                "are computed; - is standard input")
                    ->type_name("FILE");
  command.add_option("--at", o->at, "Positions to hold, e.g. \"crank=30 deg\"")->excludes(state);
  command.add_flag("--statistics", o->statistics,
                   "What remains of the loops, on standard error; a terminal shows it anyway");
  add_output_options(command, o->output);
  when_run(command, [o] { run_assemble(*o); });
}

}  // namespace catena::cli
