// Tables of numbers: CSV files with a header, in and out.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "catena/support/error.hpp"

namespace catena {

struct Table {
  std::string file;                  // where it came from, for messages; "" if it was computed
  int header_line = 0;               // 0 if it was computed
  std::vector<std::string> columns;  // their names, each once
  std::vector<double> values;        // row by row
  std::vector<int> lines;            // of each row; empty if it was computed
  std::vector<int> places;           // of each column in the header line; empty if it was computed

  std::size_t num_columns() const { return columns.size(); }
  std::size_t num_rows() const { return columns.empty() ? 0 : values.size() / columns.size(); }
  double at(std::size_t row, std::size_t column) const {
    return values[row * columns.size() + column];
  }
  std::span<const double> row(std::size_t i) const {
    return {values.data() + i * columns.size(), columns.size()};
  }
  int find(std::string_view name) const;  // index of the column, or -1
  // Throws SizeError unless there is one number per column.
  void add_row(std::span<const double> row);
  // The place of a row or of the header: "motion.csv:7".
  Where where(std::size_t row) const;
  Where where_header() const { return {file, header_line, 1}; }
  // The place of a column's name: "motion.csv:1:12".
  Where where_column(std::size_t column) const;
};

// The table in a file, or in standard input for "-". Names and numbers may be quoted and have
// blanks around them; a byte-order mark, CRLF, empty lines, lines that begin with '#' and a comma
// at the end of every line are fine.
//   throws  InputError: no such file, a directory, not text, no header, a column without a name or
//           twice, no rows, ragged rows, text where a number belongs, NaN or infinity
Table read_table(const std::string& path);
// The same from text; `file` names it in messages.
Table parse_table(std::string_view text, const std::string& file);

// CSV that reads back bit for bit.
std::string to_csv(const Table& table);
// {"rows": [{"time": 0, "tau.joint1": 1.5}, ...]}
std::string to_json(const Table& table);

// The shortest text that reads back to the same number.
std::string number_text(double value);
// A name as a CSV field and as a JSON string, quoted where that is needed.
std::string csv_text(std::string_view name);
std::string json_text(std::string_view name);

// Writes files that appear whole or not at all: beside their place first, then all renamed. A
// device or a pipe is written to directly.
//   throws  InputError, naming the file, if one cannot be written; then none has changed
void write_file_whole(const std::string& path, std::string_view text);
void write_files_whole(const std::vector<std::pair<std::string, std::string>>& path_and_text);

}  // namespace catena
