// YAML text as a tree of values that know where they stand.
//
// Built from yaml-cpp's events, not from its nodes, because the nodes accept repeated keys, cycles
// and any nesting depth without a word.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "catena/support/error.hpp"

namespace catena::yaml {

struct Value;
using ValuePtr = std::shared_ptr<const Value>;

struct Entry {
  std::string key;
  int line = 0, column = 0;  // of the key
  ValuePtr value;
};

struct Value {
  enum class Kind { nothing, text, list, table };

  Kind kind = Kind::nothing;
  int line = 0, column = 0, height = 0;
  std::shared_ptr<const std::string> file;
  std::string text;
  std::vector<ValuePtr> items;
  std::vector<Entry> entries;

  Where where() const { return {*file, line, column}; }
  Where where(const Entry& entry) const { return {*file, entry.line, entry.column}; }
};

// The one document in `text`.
//   throws  InputError if it is empty, not text, not YAML, nested or repeated beyond reason,
//           has a key twice or a value that contains itself
ValuePtr parse_document(std::string_view text, const std::string& file);

// What a value is, for messages: "the text 'abc'", "a list", "nothing".
std::string describe(const Value& value);

// Text from a file made fit for a message: short and without control characters.
std::string printable(std::string_view text);

}  // namespace catena::yaml
