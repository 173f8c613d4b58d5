// Reads a CSV table line by line, so that a file of any size needs no more than its numbers.
#pragma once

#include <list>
#include <string>
#include <string_view>
#include <vector>

#include "catena/data/table.hpp"

namespace catena {

class TableReader {
 public:
  explicit TableReader(const std::string& file) { table_.file = file; }

  // The next line, without its line feed.
  void add_line(std::string_view line);
  // The whole table, after the last line.
  Table finish();

 private:
  struct Field {
    std::string_view text;
    std::size_t offset;  // in the line
  };
  void split(std::string_view line);
  Field quoted_field(std::string_view line, std::size_t& at);
  void read_header();
  void read_row();
  bool read_plain_row(std::string_view line);
  double number(const Field& field, std::size_t column);
  [[noreturn]] void fail(const std::string& problem, const std::string& remedy) const;
  [[noreturn]] void fail_at(std::size_t offset, const std::string& problem,
                            const std::string& remedy) const;

  Table table_;
  int line_number_ = 0;
  std::string_view line_;
  std::vector<Field> fields_;
  std::list<std::string> unquoted_;  // fields of the line that are not the same without quotes
};

}  // namespace catena
