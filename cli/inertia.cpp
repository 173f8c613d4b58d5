// catena inertia: the inertia matrix and its factors.
#include <fmt/format.h>

#include "catena/dynamics.hpp"
#include "catena/formulations/spatial/factorization.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "matrices.hpp"

namespace catena::cli {
namespace {

struct InertiaOptions {
  ModelOptions model;
  std::string state, method, factor;
  OutputOptions output;
};

std::string coupling_panel(const Dimension& a, const Dimension& b) {
  const bool lengths[] = {a == dimension::length, b == dimension::length};
  if (lengths[0] && lengths[1]) return "inertia, kg";
  return lengths[0] || lengths[1] ? "inertia, kg m" : "inertia, kg m²";
}

// M and, on request, its factors; full squares, with the zeros and ones of the triangles.
std::vector<NamedMatrix> matrices_of(const InertiaOptions& o, const Mechanism<double>& m,
                                     RowMajor M, const std::string& place) {
  const auto names = velocity_names(m);
  std::vector<NamedMatrix> matrices = {{"M", M, names, names}};
  if (o.factor.empty()) return matrices;
  const std::span<double> entries(M.data(), static_cast<std::size_t>(M.size()));
  const int bad =
      o.factor == "udut" ? factor_udut<double>(m, entries) : factor_ltl<double>(m, entries);
  if (bad >= 0) {
    throw NumericalError(fmt::format(
        "{}: the inertia matrix has no factors: joint coordinate '{}' carries no inertia", place,
        names[static_cast<std::size_t>(bad)]));
  }
  if (o.factor == "ltl") {
    matrices.push_back({"L", M, names, names});
  } else {
    const RowMajor D = M.diagonal();
    M.diagonal().setOnes();
    matrices.push_back({"U", M, names, names});
    matrices.push_back({"D", D, names, {}});
  }
  return matrices;
}

void run_inertia(const InertiaOptions& o) {
  Dynamics dynamics(load_model(o.model), compile_options(o.model));
  dynamics.use(o.method);
  const Mechanism<double>& m = dynamics.mechanism();
  const Table state = read_table(o.state);
  const DataColumns columns(m, state);
  const auto dimensions = velocity_dimensions(m);
  MatrixResult result(o.output, m.names->model + ": inertia matrix", columns.has_time(),
                      [&](const NamedMatrix& matrix, std::size_t i, std::size_t j) -> std::string {
                        if (matrix.name == "D") return coupling_panel(dimensions[i], dimensions[i]);
                        const bool shown = matrix.name == "M" && i <= j;
                        return shown ? coupling_panel(dimensions[i], dimensions[j]) : "";
                      });
  for (std::size_t r = 0; r < columns.num_rows(); ++r) {
    const DataRow row = columns.row(r);
    result.add(matrices_of(o, m, dynamics.inertia_matrix(row.q), to_string(state.where(r))),
               row.time, state, r);
  }
  result.write("\"velocities\": " + json_list(velocity_names(m)) + ",\n");
}

}  // namespace

void add_inertia_command(Command& app) {
  Command& command = add_command(app, "inertia", "Inertia matrix, and its factors",
                                 "printf 'q.joint1,q.joint2\\n0,0.5\\n' |\n"
                                 "  catena inertia models/two-body.yaml --state - --factor udut");
  const auto o = std::make_shared<InertiaOptions>();
  add_model_options(command, o->model);
  add_table_option(command, "--state", o->state, "CSV with columns q.JOINT");
  add_method_option(command, o->method);
  add_choice(command, "--factor", o->factor, {"udut", "ltl"},
             "Also the factors of M = U D U^T or M = L^T L");
  add_output_options(command, o->output);
  when_run(command, [o] { run_inertia(*o); });
}

}  // namespace catena::cli
