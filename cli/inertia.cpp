// catena inertia: the inertia matrix and its factors.
#include <fmt/format.h>

#include "catena/dynamics.hpp"
#include "catena/formulations/spatial/factorization.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Options {
  ModelOptions model;
  std::string state, method, factor;
  OutputOptions output;
};

// A matrix of one row of the state file: M, U or L; or D, which has one column.
struct NamedMatrix {
  char name;
  RowMajor values;
};

std::string coupling_panel(const Dimension& a, const Dimension& b) {
  const bool lengths[] = {a == dimension::length, b == dimension::length};
  if (lengths[0] && lengths[1]) return "inertia, kg";
  return lengths[0] || lengths[1] ? "inertia, kg m" : "inertia, kg m²";
}

// M and, on request, its factors; full squares, with the zeros and ones of the triangles.
std::vector<NamedMatrix> matrices_of(const Options& o, const Mechanism<double>& m, RowMajor M,
                                     const std::string& place) {
  std::vector<NamedMatrix> matrices = {{'M', M}};
  if (o.factor.empty()) return matrices;
  const std::span<double> entries(M.data(), static_cast<std::size_t>(M.size()));
  const int bad =
      o.factor == "udut" ? factor_udut<double>(m, entries) : factor_ltl<double>(m, entries);
  if (bad >= 0) {
    throw NumericalError(fmt::format(
        "{}: the inertia matrix has no factors: joint coordinate '{}' carries no inertia", place,
        velocity_names(m)[static_cast<std::size_t>(bad)]));
  }
  if (o.factor == "ltl") {
    matrices.push_back({'L', M});
  } else {
    const RowMajor D = M.diagonal();
    M.diagonal().setOnes();
    matrices.push_back({'U', M});
    matrices.push_back({'D', D});
  }
  return matrices;
}

void add_columns(const std::vector<NamedMatrix>& matrices, const Mechanism<double>& m,
                 Result& result) {
  const auto names = velocity_names(m);
  const auto dimensions = velocity_dimensions(m);
  for (const NamedMatrix& matrix : matrices) {
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (matrix.values.cols() == 1 && matrix.name == 'D') {
        result.add_column("D." + names[i], coupling_panel(dimensions[i], dimensions[i]));
        continue;
      }
      for (std::size_t j = 0; j < names.size(); ++j) {
        result.add_column(
            fmt::format("{}.{}.{}", matrix.name, names[i], names[j]),
            matrix.name == 'M' && i <= j ? coupling_panel(dimensions[i], dimensions[j]) : "");
      }
    }
  }
}

std::string json_matrix(const NamedMatrix& matrix) {
  std::string text;
  for (Eigen::Index i = 0; i < matrix.values.rows(); ++i) {
    const auto row = matrix.values.row(i);
    const std::string numbers = fmt::format("{}", fmt::join(row.begin(), row.end(), ", "));
    if (i > 0) text += ", ";
    text += matrix.name == 'D' ? numbers : "[" + numbers + "]";
  }
  return fmt::format("\"{}\": [{}]", matrix.name, text);
}

std::string readable_matrix(const NamedMatrix& matrix, const std::vector<std::string>& names) {
  std::size_t width = 0;
  for (const std::string& name : names) width = std::max(width, name.size());
  std::string text = fmt::format("{}\n", matrix.name);
  for (Eigen::Index i = 0; i < matrix.values.rows(); ++i) {
    text += fmt::format("  {:<{}} ", names[static_cast<std::size_t>(i)], width);
    for (const double value : matrix.values.row(i)) {
      text += fmt::format(" {:>12.6g}", value == 0 ? 0.0 : value);
    }
    text += '\n';
  }
  return text;
}

void run(const Options& o) {
  Dynamics dynamics(load_model(o.model), compile_options(o.model));
  dynamics.use(o.method);
  const Mechanism<double>& m = dynamics.mechanism();
  const Table state = read_table(o.state);
  const DataColumns columns(m, state);
  const auto names = velocity_names(m);
  Result result;
  result.title = m.names->model + ": inertia matrix";
  if (columns.has_time()) result.add_column("time", "");
  const Format format = format_of(o.output);  // many matrices are a long text: only what is shown
  std::vector<std::string> json_rows;
  std::vector<double> numbers;
  for (std::size_t r = 0; r < columns.num_rows(); ++r) {
    const DataRow row = columns.row(r);
    const auto matrices =
        matrices_of(o, m, dynamics.inertia_matrix(row.q), to_string(state.where(r)));
    if (r == 0) add_columns(matrices, m, result);
    numbers.clear();
    std::string json, title = fmt::format("row {}", r + 1);
    if (columns.has_time()) {
      numbers.push_back(row.time);
      json = fmt::format("\"time\": {}, ", row.time);
      title = fmt::format("time {}", row.time);
    }
    if (format == Format::readable) result.readable += (r > 0 ? "\n" : "") + title + '\n';
    for (std::size_t k = 0; k < matrices.size(); ++k) {
      const NamedMatrix& matrix = matrices[k];
      numbers.insert(numbers.end(), matrix.values.data(),
                     matrix.values.data() + matrix.values.size());
      if (format == Format::json) json += (k > 0 ? ", " : "") + json_matrix(matrix);
      if (format == Format::readable) result.readable += readable_matrix(matrix, names);
    }
    if (format == Format::json) json_rows.push_back("  {" + json + "}");
    result.table.add_row(numbers);
    check_finite(result.table, state, r);
  }
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(json_text(name));
  result.json = fmt::format("{{\"velocities\": [{}],\n\"rows\": [\n{}\n]}}\n",
                            fmt::join(quoted, ", "), fmt::join(json_rows, ",\n"));
  write_result(o.output, result);
}

}  // namespace

void add_inertia_command(Command& app) {
  Command& command = add_command(app, "inertia", "Inertia matrix, and its factors",
                                 "printf 'q.joint1,q.joint2\\n0,0.5\\n' |\n"
                                 "  catena inertia models/two-body.yaml --state - --factor udut");
  const auto o = std::make_shared<Options>();
  add_model_options(command, o->model);
  add_table_option(command, "--state", o->state, "CSV with columns q.JOINT");
  add_method_option(command, o->method);
  add_choice(command, "--factor", o->factor, {"udut", "ltl"},
             "Also the factors of M = U D U^T or M = L^T L");
  add_output_options(command, o->output);
  when_run(command, [o] { run(*o); });
}

}  // namespace catena::cli
