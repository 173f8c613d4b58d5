#include "matrices.hpp"

#include <fmt/format.h>

namespace catena::cli {
namespace {

std::string json_matrix(const NamedMatrix& matrix) {
  std::string text;
  for (Eigen::Index i = 0; i < matrix.values.rows(); ++i) {
    const auto row = matrix.values.row(i);
    const std::string numbers = fmt::format("{}", fmt::join(row.begin(), row.end(), ", "));
    if (i > 0) text += ", ";
    text += matrix.columns.empty() ? numbers : "[" + numbers + "]";
  }
  return fmt::format("{}: [{}]", json_text(matrix.name), text);
}

// Columns get a line of names above them where they are others than the rows.
std::string readable_matrix(const NamedMatrix& matrix) {
  std::size_t width = 0;
  for (const std::string& name : matrix.rows) width = std::max(width, name.size());
  std::string text = fmt::format("{}\n", matrix.name);
  if (!matrix.columns.empty() && matrix.columns != matrix.rows) {
    text += fmt::format("  {:<{}} ", "", width);
    for (const std::string& name : matrix.columns) text += fmt::format(" {:>12}", name);
    text += '\n';
  }
  for (Eigen::Index i = 0; i < matrix.values.rows(); ++i) {
    text += fmt::format("  {:<{}} ", matrix.rows[static_cast<std::size_t>(i)], width);
    for (const double value : matrix.values.row(i))
      text += fmt::format(" {:>12.6g}", value == 0 ? 0.0 : value);
    text += '\n';
  }
  return text;
}

}  // namespace

std::string json_list(const std::vector<std::string>& names) {
  std::vector<std::string> quoted;
  for (const std::string& name : names) quoted.push_back(json_text(name));
  return fmt::format("[{}]", fmt::join(quoted, ", "));
}

MatrixResult::MatrixResult(const OutputOptions& output, const std::string& title, bool has_time,
                           Panel panel)
    : output_(output), format_(format_of(output)), has_time_(has_time), panel_(std::move(panel)) {
  result_.title = title;
  if (has_time) result_.add_column("time", "");
}

void MatrixResult::add_columns(const std::vector<NamedMatrix>& matrices) {
  for (const NamedMatrix& matrix : matrices) {
    for (std::size_t i = 0; i < matrix.rows.size(); ++i) {
      const std::string name = matrix.name + "." + matrix.rows[i];
      if (matrix.columns.empty()) result_.add_column(name, panel_(matrix, i, 0));
      for (std::size_t j = 0; j < matrix.columns.size(); ++j)
        result_.add_column(name + "." + matrix.columns[j], panel_(matrix, i, j));
    }
  }
}

void MatrixResult::add(const std::vector<NamedMatrix>& matrices, double time, const Table& state,
                       std::size_t r) {
  if (r == 0) add_columns(matrices);
  std::vector<double> numbers;
  std::string json, title = fmt::format("row {}", r + 1);
  if (has_time_) {
    numbers.push_back(time);
    json = fmt::format("\"time\": {}, ", time);
    title = fmt::format("time {}", time);
  }
  // many matrices are a long text: only what is shown
  if (format_ == Format::readable) result_.readable += (r > 0 ? "\n" : "") + title + '\n';
  for (std::size_t k = 0; k < matrices.size(); ++k) {
    const NamedMatrix& matrix = matrices[k];
    numbers.insert(numbers.end(), matrix.values.data(),
                   matrix.values.data() + matrix.values.size());
    if (format_ == Format::json) json += (k > 0 ? ", " : "") + json_matrix(matrix);
    if (format_ == Format::readable) result_.readable += readable_matrix(matrix);
  }
  if (format_ == Format::json) json_rows_.push_back("  {" + json + "}");
  result_.table.add_row(numbers);
  check_finite(result_.table, state, r);
}

void MatrixResult::write(const std::string& head) {
  result_.json = fmt::format("{{{}\"rows\": [\n{}\n]}}\n", head, fmt::join(json_rows_, ",\n"));
  write_result(output_, result_);
}

}  // namespace catena::cli
