#include "catena/data/table.hpp"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <memory>

#include "catena/data/table_reader.hpp"

namespace catena {
namespace {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdin) std::fclose(file);
  }
};

std::unique_ptr<std::FILE, CloseFile> open_table(const std::string& path) {
  if (path == "-") return std::unique_ptr<std::FILE, CloseFile>(stdin);
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) {
    throw InputError({path}, "this is a directory, but a table is needed",
                     "name a CSV file in it, or - for standard input");
  }
  std::unique_ptr<std::FILE, CloseFile> file(std::fopen(path.c_str(), "rb"));
  if (file) return file;
  if (errno == ENOENT) {
    throw InputError({path}, "there is no such file",
                     "check the path; it is taken from the current directory");
  }
  throw InputError({path}, std::string("the file cannot be opened: ") + std::strerror(errno),
                   "check the path and its permissions");
}

// Hands the complete lines of `text` on and keeps the rest of it.
void take_lines(std::string& text, std::size_t searched, TableReader& reader) {
  std::size_t begin = 0;
  for (std::size_t end; (end = text.find('\n', std::max(begin, searched))) != std::string::npos;) {
    reader.add_line(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
  }
  text.erase(0, begin);
}

}  // namespace

int Table::find(std::string_view name) const {
  const auto it = std::find(columns.begin(), columns.end(), name);
  return it == columns.end() ? -1 : static_cast<int>(it - columns.begin());
}

void Table::add_row(std::span<const double> row) {
  check_size("row", row.size(), columns.size());
  values.insert(values.end(), row.begin(), row.end());
}

Where Table::where(std::size_t row) const { return {file, row < lines.size() ? lines[row] : 0, 1}; }

Where Table::where_column(std::size_t column) const {
  return {file, header_line, column < places.size() ? places[column] : 0};
}

Table read_table(const std::string& path) {
  const auto file = open_table(path);
  TableReader reader(path == "-" ? "standard input" : path);
  std::string text;
  std::vector<char> piece(std::size_t{1} << 18);
  std::size_t count;
  while ((count = std::fread(piece.data(), 1, piece.size(), file.get())) > 0) {
    const std::size_t searched = text.size();
    text.append(piece.data(), count);
    take_lines(text, searched, reader);
  }
  if (std::ferror(file.get())) {
    throw InputError({path},
                     std::string("the file cannot be read to its end: ") + std::strerror(errno));
  }
  if (!text.empty()) reader.add_line(text);
  return reader.finish();
}

Table parse_table(std::string_view text, const std::string& file) {
  TableReader reader(file);
  std::string rest(text);
  take_lines(rest, 0, reader);
  if (!rest.empty()) reader.add_line(rest);
  return reader.finish();
}

std::string number_text(double value) { return fmt::format("{}", value); }

std::string csv_text(std::string_view name) {
  const bool plain = name.find_first_of(",\"\r\n") == std::string_view::npos &&
                     !name.starts_with('#') && !name.starts_with(' ') && !name.ends_with(' ');
  if (plain) return std::string(name);
  std::string quoted = "\"";
  for (char c : name) quoted.append(c == '"' ? 2 : 1, c);
  return quoted + '"';
}

std::string json_text(std::string_view name) {
  std::string quoted = "\"";
  for (char c : name) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      quoted += fmt::format("\\u{:04x}", c);
    else
      quoted += c;
  }
  return quoted + '"';
}

std::string to_csv(const Table& table) {
  std::string text;
  for (std::size_t c = 0; c < table.num_columns(); ++c) {
    if (c > 0) text += ',';
    text += csv_text(table.columns[c]);
  }
  text += '\n';
  char number[32];  // the shortest form of a double has at most 24 characters
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    for (const double value : table.row(r)) {
      char* const end = fmt::format_to(number, FMT_COMPILE("{}"), value);
      *end = ',';
      text.append(number, end + 1);
    }
    text.back() = '\n';
  }
  return text;
}

std::string to_json(const Table& table) {
  std::vector<std::string> keys;
  for (const std::string& name : table.columns) keys.push_back(json_text(name) + ": ");
  std::string text = "{\"rows\": [";
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    text += r == 0 ? "\n  {" : ",\n  {";
    for (std::size_t c = 0; c < table.num_columns(); ++c) {
      if (c > 0) text += ", ";
      text += keys[c];
      fmt::format_to(std::back_inserter(text), "{}", table.at(r, c));
    }
    text += '}';
  }
  return text + "\n]}\n";
}

}  // namespace catena
