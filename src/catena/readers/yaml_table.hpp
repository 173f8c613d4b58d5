// Checked access to a table of a YAML file: every mistake becomes an InputError that names the
// place, the thing ("joint 'elbow'"), the key and a remedy.
#pragma once

#include <array>
#include <initializer_list>
#include <string>
#include <vector>

#include "catena/readers/quantity.hpp"
#include "catena/readers/yaml_value.hpp"
#include "catena/spatial/spatial.hpp"

namespace catena::yaml {

using Keys = std::vector<std::string>;

class Table {
 public:
  // `value` as a table of nothing but `keys`; `label` names it in messages ("" for the whole file).
  Table(const Value& value, std::string label, const Keys& keys);

  const std::string& label() const { return label_; }
  Where where() const { return value_.where(); }

  bool has(const std::string& key) const { return find(key) != nullptr; }
  // nullptr when the key is not there
  const Value* find(const std::string& key) const;
  const Value& need(const std::string& key, const std::string& remedy) const;
  // Which of several ways to say one thing is there ("" for none); throws if two are.
  std::string one_of(std::initializer_list<const char*> keys) const;

  // `fallback` where the key is not there
  std::string text(const std::string& key, const std::string& fallback) const;
  double number(const std::string& key, Dimension dimension, double fallback) const;
  Vec3<double> vector(const std::string& key, Dimension dimension, Vec3<double> fallback) const;

  std::string text_of(const std::string& key, const Value& value) const;
  double number_of(const std::string& key, const Value& value, Dimension dimension) const;
  Vec3<double> vector_of(const std::string& key, const Value& value, Dimension dimension) const;
  // The rows of a 3x3 matrix written as a list of three lists.
  std::array<Vec3<double>, 3> rows_of(const std::string& key, const Value& value,
                                      Dimension dimension) const;
  const std::vector<ValuePtr>& list_of(const std::string& key, const Value& value) const;

  [[noreturn]] void fail(const Where& where, const std::string& problem,
                         const std::string& remedy) const;
  // At the place of the key's value, or of the table where there is none.
  [[noreturn]] void fail(const std::string& key, const std::string& problem,
                         const std::string& remedy) const;

 private:
  const Value& value_;
  std::string label_;
};

// "joint 'elbow'" for a table that has a name under `key`, "joint number 3" for one that has not.
std::string label_of(const Value& value, const std::string& kind, const std::string& key,
                     std::size_t index);

}  // namespace catena::yaml
