#include "catena/data/table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>

#include "catena/readers/yaml_value.hpp"  // printable

namespace catena {
namespace {

using yaml::printable;

constexpr const char* header_remedy = "write a header such as time,q.joint1 and a row per state";

bool is_blank(char c) { return c == ' ' || c == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The whole of `text` as a double. Numbers too small to be told from zero are zero.
enum class Parsed { number, not_a_number, too_large };
Parsed parse_number(std::string_view text, double& value) {
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  if (rest != end || text.empty() || error == std::errc::invalid_argument) {
    return Parsed::not_a_number;
  }
  if (error == std::errc::result_out_of_range) {
    value = std::strtod(std::string(text).c_str(), nullptr);
    return std::isfinite(value) ? Parsed::number : Parsed::too_large;
  }
  return Parsed::number;
}

// In characters, from 1; the bytes that go on with a character of UTF-8 are not counted.
int column_of(std::string_view line, std::size_t offset) {
  const auto head = line.substr(0, offset);
  return 1 + static_cast<int>(std::count_if(head.begin(), head.end(),
                                            [](char c) { return (c & 0xc0) != 0x80; }));
}

}  // namespace

void TableReader::fail(const std::string& problem, const std::string& remedy) const {
  throw InputError({table_.file, line_number_, 1}, problem, remedy);
}

void TableReader::fail_at(std::size_t offset, const std::string& problem,
                          const std::string& remedy) const {
  throw InputError({table_.file, line_number_, column_of(line_, offset)}, problem, remedy);
}

// A row of plain numbers and commas, as programs write it. Everything else goes the long way, which
// knows what is wrong.
bool TableReader::read_plain_row(std::string_view line) {
  const std::size_t before = table_.values.size(), expected = table_.columns.size();
  if (line.ends_with('\r')) line.remove_suffix(1);
  const char* at = line.data();
  const char* const end = at + line.size();
  for (std::size_t i = 0; i < expected; ++i) {
    double value = 0;
    const auto [rest, error] = std::from_chars(at, end, value);
    const bool last = i + 1 == expected;
    if (error != std::errc() || !std::isfinite(value) || (rest == end) != last ||
        (!last && *rest != ',')) {
      table_.values.resize(before);
      return false;
    }
    table_.values.push_back(value);
    at = last ? rest : rest + 1;
  }
  table_.lines.push_back(line_number_);
  return true;
}

void TableReader::add_line(std::string_view line) {
  ++line_number_;
  if (!table_.columns.empty() && read_plain_row(line)) return;
  if (line_number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.remove_prefix(3);
  if (line.ends_with('\r')) line.remove_suffix(1);
  line_ = line;
  if (line.find('\0') != std::string_view::npos) {
    fail("the file is not text: it has a zero byte here", "give a table written as UTF-8 text");
  }
  if (const std::size_t at = line.find('\r'); at != std::string_view::npos) {
    fail_at(at, "a carriage return stands within the line",
            "end every line with a line feed (LF or CRLF)");
  }
  const std::string_view content = trimmed(line);
  if (content.empty() || content.front() == '#') return;
  split(line);
  if (table_.columns.empty())
    read_header();
  else
    read_row();
}

TableReader::Field TableReader::quoted_field(std::string_view line, std::size_t& at) {
  const std::size_t begin = at;
  std::string text;
  for (;;) {
    const std::size_t quote = line.find('"', at + 1);
    if (quote == std::string_view::npos) {
      fail_at(begin, "the quote that begins here is never closed", "close it in the same line");
    }
    text += line.substr(at + 1, quote - at - 1);
    at = quote + 1;
    if (at == line.size() || line[at] != '"') break;
    text += '"';  // "" within quotes is one
  }
  while (at < line.size() && is_blank(line[at])) ++at;
  if (at < line.size() && line[at] != ',') {
    fail_at(at, "there is text after a closing quote",
            "write a comma after it, or \"\" for a quote within");
  }
  unquoted_.push_back(text);
  return {trimmed(unquoted_.back()), begin};
}

void TableReader::split(std::string_view line) {
  fields_.clear();
  unquoted_.clear();
  for (std::size_t at = 0;; ++at) {
    while (at < line.size() && is_blank(line[at])) ++at;
    if (at < line.size() && line[at] == '"') {
      fields_.push_back(quoted_field(line, at));
    } else {
      const std::size_t end = std::min(line.find(',', at), line.size());
      fields_.push_back({trimmed(line.substr(at, end - at)), at});
      at = end;
    }
    if (at >= line.size()) return;
  }
}

void TableReader::read_header() {
  if (line_.starts_with('{') || line_.starts_with('[')) {
    fail_at(0, "this is JSON, but data files are CSV",
            "write the table without --json, to a file that does not end in .json");
  }
  if (fields_.size() == 1 && fields_[0].text.find_first_of(";\t") != std::string_view::npos) {
    const bool tab = fields_[0].text.find(';') == std::string_view::npos;
    fail(fmt::format("the columns are separated by {}", tab ? "tabs" : "';'"),
         "separate them by commas, and write 0.5, not 0,5");
  }
  double ignored;
  if (std::all_of(fields_.begin(), fields_.end(), [&](const Field& field) {
        return parse_number(field.text, ignored) != Parsed::not_a_number;
      })) {
    fail("the first line has numbers, but it has to name the columns",
         "write e.g. time,q.joint1,q.joint2 above the numbers");
  }
  if (fields_.size() > 1 && fields_.back().text.empty()) fields_.pop_back();
  std::vector<std::string_view> seen;
  int place = 1;
  std::size_t counted = 0;
  for (const Field& field : fields_) {
    if (field.text.empty()) fail_at(field.offset, "the column has no name", "give it one");
    table_.columns.emplace_back(field.text);
    // Counted on from the column before: a header may have a million.
    place += column_of(line_.substr(counted), field.offset - counted) - 1;
    counted = field.offset;
    table_.places.push_back(place);
    seen.push_back(field.text);
  }
  std::sort(seen.begin(), seen.end());
  const auto twice = std::adjacent_find(seen.begin(), seen.end());
  if (twice != seen.end()) {
    const auto last = std::find_if(fields_.rbegin(), fields_.rend(),
                                   [&](const Field& field) { return field.text == *twice; });
    fail_at(last->offset, fmt::format("column '{}' is there twice", printable(*twice)),
            "remove one of the two");
  }
  table_.header_line = line_number_;
}

void TableReader::read_row() {
  const std::size_t expected = table_.columns.size();
  if (fields_.size() == expected + 1 && fields_.back().text.empty()) fields_.pop_back();
  if (fields_.size() != expected) {
    fail_at(line_.size(),
            fmt::format("the row has {} {}, but the header names {} {}", fields_.size(),
                        fields_.size() == 1 ? "field" : "fields", expected,
                        expected == 1 ? "column" : "columns"),
            "give every row one number per column");
  }
  for (std::size_t i = 0; i < expected; ++i) table_.values.push_back(number(fields_[i], i));
  table_.lines.push_back(line_number_);
}

double TableReader::number(const Field& field, std::size_t column) {
  double value = 0;
  const Parsed parsed = parse_number(field.text, value);
  if (parsed == Parsed::number && std::isfinite(value)) return value;
  const std::string name = printable(table_.columns[column]);
  if (field.text.empty()) {
    fail_at(field.offset, fmt::format("column '{}' has nothing where a number belongs", name),
            "write the number, 0 if that is meant");
  }
  const std::string text = printable(field.text);
  if (parsed == Parsed::not_a_number) {
    fail_at(field.offset, fmt::format("'{}' in column '{}' is not a number", text, name),
            "write e.g. 0.5 or -1.2e-3; data files have no units and no formulas");
  }
  fail_at(field.offset, fmt::format("'{}' in column '{}' is not finite", text, name),
          "remove the row, or mend what wrote it");
}

Table TableReader::finish() {
  if (line_number_ == 0) throw InputError({table_.file}, "the file is empty", header_remedy);
  if (table_.columns.empty()) {
    throw InputError({table_.file}, "the file has no content", header_remedy);
  }
  if (table_.lines.empty()) {
    throw InputError({table_.file, table_.header_line, 1},
                     "there is a header but no row of numbers", "add a row per state below it");
  }
  return std::move(table_);
}

}  // namespace catena
