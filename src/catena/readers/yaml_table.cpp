#include "catena/readers/yaml_table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace catena::yaml {

Table::Table(const Value& value, std::string label, const Keys& keys)
    : value_(value), label_(std::move(label)) {
  if (value.kind != Value::Kind::table) {
    fail(value.where(), fmt::format("here is {}, but a table of keys is needed", describe(value)),
         "write 'key: value' lines with some of: " + fmt::format("{}", fmt::join(keys, ", ")));
  }
  for (const Entry& entry : value.entries) {
    if (std::find(keys.begin(), keys.end(), entry.key) != keys.end()) continue;
    fail(value.where(entry),
         fmt::format("unknown key '{}'{}", printable(entry.key), did_you_mean(entry.key, keys)),
         fmt::format("the keys here are: {}", fmt::join(keys, ", ")));
  }
}

void Table::fail(const Where& where, const std::string& problem, const std::string& remedy) const {
  throw InputError(where, label_.empty() ? problem : label_ + ": " + problem, remedy);
}

void Table::fail(const std::string& key, const std::string& problem,
                 const std::string& remedy) const {
  const Value* value = find(key);
  fail(value ? value->where() : where(), problem, remedy);
}

const Value* Table::find(const std::string& key) const {
  for (const Entry& entry : value_.entries) {
    if (entry.key == key) return entry.value.get();
  }
  return nullptr;
}

const Value& Table::need(const std::string& key, const std::string& remedy) const {
  const Value* value = find(key);
  if (!value) fail(where(), fmt::format("the key '{}' is missing", key), remedy);
  return *value;
}

std::string Table::one_of(std::initializer_list<const char*> keys) const {
  std::string found;
  for (const char* key : keys) {
    if (!has(key)) continue;
    if (!found.empty()) {
      fail(key, fmt::format("'{}' and '{}' say the same thing twice", found, key),
           "remove one of the two");
    }
    found = key;
  }
  return found;
}

std::string Table::text(const std::string& key, const std::string& fallback) const {
  const Value* value = find(key);
  return value ? text_of(key, *value) : fallback;
}

double Table::number(const std::string& key, Dimension dimension, double fallback) const {
  const Value* value = find(key);
  return value ? number_of(key, *value, dimension) : fallback;
}

Vec3<double> Table::vector(const std::string& key, Dimension dimension,
                           Vec3<double> fallback) const {
  const Value* value = find(key);
  return value ? vector_of(key, *value, dimension) : fallback;
}

std::string Table::text_of(const std::string& key, const Value& value) const {
  if (value.kind != Value::Kind::text) {
    fail(value.where(), fmt::format("'{}' needs a text, but has {}", key, describe(value)),
         fmt::format("write a word or a text after '{}:'", key));
  }
  return value.text;
}

double Table::number_of(const std::string& key, const Value& value, Dimension dimension) const {
  if (value.kind != Value::Kind::text) {
    fail(value.where(), fmt::format("'{}' needs a number, but has {}", key, describe(value)),
         fmt::format("write e.g. {}: 0.5", key));
  }
  try {
    return evaluate(value.text, dimension);
  } catch (const QuantityError& error) {
    fail(value.where(), fmt::format("'{}: {}' {}", key, printable(value.text), error.problem),
         error.remedy);
  }
}

const std::vector<ValuePtr>& Table::list_of(const std::string& key, const Value& value) const {
  if (value.kind != Value::Kind::list) {
    fail(value.where(), fmt::format("'{}' needs a list, but has {}", key, describe(value)),
         "begin each item with '- ', or write [item, item]");
  }
  return value.items;
}

Vec3<double> Table::vector_of(const std::string& key, const Value& value,
                              Dimension dimension) const {
  if (value.kind != Value::Kind::list || value.items.size() != 3) {
    fail(value.where(),
         fmt::format("'{}' needs a list of three numbers, but has {}", key, describe(value)),
         fmt::format("write {}: [x, y, z]", key));
  }
  return {number_of(key, *value.items[0], dimension), number_of(key, *value.items[1], dimension),
          number_of(key, *value.items[2], dimension)};
}

std::array<Vec3<double>, 3> Table::rows_of(const std::string& key, const Value& value,
                                           Dimension dimension) const {
  const auto& rows = list_of(key, value);
  if (rows.size() != 3) {
    fail(value.where(), fmt::format("'{}' needs three rows, but has {}", key, rows.size()),
         fmt::format("write e.g. {}: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]", key));
  }
  return {vector_of(key, *rows[0], dimension), vector_of(key, *rows[1], dimension),
          vector_of(key, *rows[2], dimension)};
}

std::string label_of(const Value& value, const std::string& kind, const std::string& key,
                     std::size_t index) {
  for (const Entry& entry : value.entries) {
    if (entry.key == key && entry.value->kind == Value::Kind::text && !entry.value->text.empty()) {
      return fmt::format("{} '{}'", kind, printable(entry.value->text));
    }
  }
  return fmt::format("{} number {}", kind, index + 1);
}

}  // namespace catena::yaml
