#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "catena/data/columns.hpp"
#include "catena/papers/run.hpp"
#include "catena/readers/readers.hpp"

namespace catena::papers {

const yaml::Table& Settings::part(const std::string& key) const {
  return reading_ != nullptr && reading_->has(key) ? *reading_ : exhibit_;
}

const yaml::Value& Settings::need(const std::string& key) const {
  return part(key).need(key, "this kind of exhibit cannot do without it");
}

std::string Settings::text(const std::string& key) const {
  return part(key).text_of(key, need(key));
}
std::string Settings::text(const std::string& key, const std::string& fallback) const {
  return part(key).text(key, fallback);
}
double Settings::number(const std::string& key, Dimension dimension) const {
  return part(key).number_of(key, need(key), dimension);
}
double Settings::number(const std::string& key, Dimension dimension, double fallback) const {
  return part(key).number(key, dimension, fallback);
}

int Settings::whole(const std::string& key, int fallback) const {
  const double value = number(key, dimension::number, fallback);
  if (value == std::round(value) && value >= 1 && value <= 1e6) return static_cast<int>(value);
  fail(key, fmt::format("'{}' is {}, but a whole number from 1 on is needed", key, value),
       "write e.g. " + key + ": 101");
}

std::vector<double> Settings::numbers(const std::string& key) const {
  std::vector<double> result;
  const yaml::Table& table = part(key);
  for (const auto& item : table.list_of(key, need(key)))
    result.push_back(table.number_of(key, *item, dimension::number));
  return result;
}

std::vector<std::string> Settings::words(const std::string& key) const {
  std::vector<std::string> result;
  const yaml::Table& table = part(key);
  for (const auto& item : table.list_of(key, need(key)))
    result.push_back(table.text_of(key, *item));
  return result;
}

Vec3<double> Settings::vector(const std::string& key, Dimension dimension) const {
  return part(key).vector_of(key, need(key), dimension);
}

std::vector<std::pair<std::string, std::string>> Settings::pairs(const std::string& key) const {
  std::vector<std::pair<std::string, std::string>> result;
  const yaml::Value& value = need(key);
  if (value.kind != yaml::Value::Kind::table)
    fail(key, fmt::format("'{}' needs a table, but has {}", key, yaml::describe(value)),
         "write {name: value, name: value}");
  for (const yaml::Entry& entry : value.entries)
    result.emplace_back(entry.key, part(key).text_of(entry.key, *entry.value));
  return result;
}

void Settings::fail(const std::string& key, const std::string& problem,
                    const std::string& remedy) const {
  part(key).fail(key, problem, remedy);
}

Model Settings::model_at(const std::string& path) const {
  Model model = read_model((std::filesystem::path(folder_) / path).lexically_normal().string());
  if (has("gravity")) model.gravity = vector("gravity", dimension::acceleration);
  if (!has("place")) return model;
  const yaml::Value& places = need("place");
  if (places.kind != yaml::Value::Kind::table)
    fail("place", "'place' needs a table of joints", "write place: {joint: [x, y, z]}");
  for (const yaml::Entry& entry : places.entries) {
    const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                    [&](const Joint& j) { return j.name == entry.key; });
    if (joint == model.joints.end())
      fail("place", fmt::format("the model has no joint '{}'", yaml::printable(entry.key)),
           "write the name of a joint");
    joint->X_PJ.p = part("place").vector_of(entry.key, *entry.value, dimension::length);
  }
  return model;
}

void Settings::set_positions(const std::string& key, const Mechanism<double>& m,
                             Eigen::VectorXd& q) const {
  if (!has(key)) return;
  const auto names = position_names(m);
  const auto dimensions = position_dimensions(m);
  const yaml::Value& value = need(key);
  if (value.kind != yaml::Value::Kind::table)
    fail(key, fmt::format("'{}' needs a table of joints", key), "write {joint: value, ...}");
  for (const yaml::Entry& entry : value.entries) {
    const auto found = std::find(names.begin(), names.end(), entry.key);
    if (found == names.end())
      part(key).fail(value.where(entry),
                     fmt::format("'{}' is no position of the model{}", yaml::printable(entry.key),
                                 did_you_mean(entry.key, names)),
                     "write the name of a joint");
    const auto i = static_cast<std::size_t>(found - names.begin());
    q[static_cast<Eigen::Index>(i)] = part(key).number_of(entry.key, *entry.value, dimensions[i]);
  }
}

}  // namespace catena::papers
