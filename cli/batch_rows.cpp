#include "batch_rows.hpp"

#include <algorithm>

namespace catena::cli {

void add_threads_option(Command& command, int& threads) {
  command
      .add_option("--threads", threads,
                  "Threads that compute; 0: one per core. The results are the same")
      ->between(0, 1024)
      ->type_name("N")
      ->capture_default_str();
}

void compute_rows(const Mechanism<double>& m, const Table& input, const DataColumns& columns,
                  int threads, const BatchFunction& compute, Result& result) {
  constexpr std::size_t piece = 4096;  // rows that the cache holds
  Batch<double> batch(m, {.threads = threads});
  const std::size_t width = static_cast<std::size_t>(m.nv);
  DataRows rows;
  std::vector<double> out, numbers;
  result.table.values.reserve(columns.num_rows() * result.table.num_columns());
  for (std::size_t first = 0; first < columns.num_rows(); first += piece) {
    const std::size_t count = std::min(piece, columns.num_rows() - first);
    columns.read_rows(first, count, rows);
    out.assign(count * width, 0);
    const BatchStatus status = compute(batch, rows, out);
    for (std::size_t i = 0; i < count; ++i) {
      if (i == status.state)
        throw NumericalError(to_string(input.where(first + i)) + ": " + describe(m, status.status));
      numbers.clear();
      if (columns.has_time()) numbers.push_back(columns.time(first + i));
      const double* const row = out.data() + i * width;
      numbers.insert(numbers.end(), row, row + width);
      result.table.add_row(numbers);
      check_finite(result.table, input, first + i);
    }
  }
}

}  // namespace catena::cli
