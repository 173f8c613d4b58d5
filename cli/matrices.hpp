// Matrices of every row of a state file: as columns, as JSON and for people.
#pragma once

#include <functional>

#include "catena/data/columns.hpp"
#include "common.hpp"

namespace catena::cli {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct NamedMatrix {
  std::string name;
  RowMajor values;
  std::vector<std::string> rows, columns;  // a matrix with one column has no names for it
};

class MatrixResult {
 public:
  // panel(matrix, i, j): where entry (i, j) is drawn, "" for nowhere.
  using Panel = std::function<std::string(const NamedMatrix&, std::size_t, std::size_t)>;
  MatrixResult(const OutputOptions& output, const std::string& title, bool has_time, Panel panel);

  // The matrices of row r of `state`; all rows have the same ones.
  //   throws  NumericalError, naming the row, for a number that is not finite
  void add(const std::vector<NamedMatrix>& matrices, double time, const Table& state,
           std::size_t r);
  // `head`: members of the JSON object before "rows", e.g. "\"velocities\": [...],\n"
  void write(const std::string& head);

 private:
  void add_columns(const std::vector<NamedMatrix>& matrices);

  const OutputOptions& output_;
  Format format_;
  bool has_time_;
  Panel panel_;
  Result result_;
  std::vector<std::string> json_rows_;
};

// "[\"a\", \"b\"]"
std::string json_list(const std::vector<std::string>& names);

}  // namespace catena::cli
