// Directions, rotations and poses.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/readers/yaml_parts.hpp"

namespace catena::yaml {
namespace {

constexpr double tolerance = 1e-6;  // of what a person has rounded

double norm(const Vec3<double>& v) { return std::sqrt(dot(v, v)); }

// The largest entry of RᵀR - 1
double orthonormality_error(const Mat3<double>& R) {
  return std::max({std::abs(dot(R.x, R.x) - 1), std::abs(dot(R.y, R.y) - 1),
                   std::abs(dot(R.z, R.z) - 1), std::abs(dot(R.x, R.y)), std::abs(dot(R.x, R.z)),
                   std::abs(dot(R.y, R.z))});
}

// The nearest rotation, by two Newton steps R (3 - RᵀR)/2 of the polar decomposition: the error
// squares with each.
Mat3<double> nearest_rotation(Mat3<double> R) {
  for (int step = 0; step < 2; ++step) {
    const Mat3<double> E = transpose(R) * R;
    const auto column = [&](const Vec3<double>& r, const Vec3<double>& e) {
      return 1.5 * r - 0.5 * (R * e);
    };
    R = {column(R.x, E.x), column(R.y, E.y), column(R.z, E.z)};
  }
  return R;
}

Mat3<double> read_matrix(const Table& table, const Value& value) {
  const auto rows = table.rows_of("rotation", value, dimension::number);
  const Mat3<double> R = transpose(Mat3<double>{rows[0], rows[1], rows[2]});
  const double error = orthonormality_error(R);
  if (!(error <= tolerance)) {
    table.fail(value.where(),
               fmt::format("'rotation' is not a rotation: its rows are off by {:.2g} from "
                           "unit length and right angles",
                           error),
               "write more digits, or use rpy or quaternion");
  }
  if (dot(cross(R.x, R.y), R.z) < 0) {
    table.fail(value.where(), "'rotation' is a reflection: its determinant is -1",
               "rows are the x, y, z components; change the sign of one column");
  }
  // What is as good as doubles can be stays as it is, so that files read back bit for bit.
  return error <= 1e-14 ? R : nearest_rotation(R);
}

Mat3<double> read_quaternion(const Table& table, const Value& value) {
  const auto& items = table.list_of("quaternion", value);
  if (items.size() != 4) {
    table.fail(value.where(),
               fmt::format("'quaternion' needs four numbers x y z w, but has {}", items.size()),
               "write e.g. quaternion: [0, 0, 0, 1] for no rotation");
  }
  double q[4];
  for (std::size_t i = 0; i < 4; ++i) {
    q[i] = table.number_of("quaternion", *items[i], dimension::number);
  }
  const double length = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::abs(length - 1) <= tolerance)) {
    std::string remedy = "write a unit quaternion x y z w";
    if (length > tolerance && std::isfinite(length)) {
      remedy += fmt::format(", e.g. [{:.9g}, {:.9g}, {:.9g}, {:.9g}]", q[0] / length, q[1] / length,
                            q[2] / length, q[3] / length);
    }
    table.fail(value.where(),
               fmt::format("'quaternion' has the norm {:.6g}, but a rotation needs 1", length),
               remedy);
  }
  return rotation_from_quaternion(q[0] / length, q[1] / length, q[2] / length, q[3] / length);
}

}  // namespace

Mat3<double> read_rotation(const Table& table) {
  const std::string key = table.one_of({"rpy", "quaternion", "rotation"});
  if (key.empty()) return {};
  const Value& value = *table.find(key);
  if (key == "rotation") return read_matrix(table, value);
  if (key == "quaternion") return read_quaternion(table, value);
  const Vec3<double> rpy = table.vector_of(key, value, dimension::angle);
  return rotation_from_rpy(rpy.x, rpy.y, rpy.z);
}

Pose<double> read_pose(const Table& table, const std::string& key) {
  const Value* value = table.find(key);
  if (!value) return {};
  if (value->kind == Value::Kind::list) {
    return {{}, table.vector_of(key, *value, dimension::length)};
  }
  const Table pose(*value, table.label() + ", " + key, {"xyz", "rpy", "quaternion", "rotation"});
  return {read_rotation(pose), pose.vector("xyz", dimension::length, {})};
}

Vec3<double> read_axis(const Table& table, const std::string& key,
                       std::vector<std::string>* warnings) {
  const Value& value = table.need(key, fmt::format("write e.g. {}: [0, 0, 1], or {}: z", key, key));
  if (value.kind == Value::Kind::text) {
    const bool negative = value.text.size() == 2 && value.text[0] == '-';
    const std::string letter = negative ? value.text.substr(1) : value.text;
    const double one = negative ? -1 : 1;
    if (letter == "x") return {one, 0, 0};
    if (letter == "y") return {0, one, 0};
    if (letter == "z") return {0, 0, one};
  }
  const Vec3<double> v = table.vector_of(key, value, dimension::number);
  const double length = norm(v);
  if (!(length > 1e-12) || !std::isfinite(length)) {
    table.fail(
        value.where(),
        fmt::format("'{}' is ({:g} {:g} {:g}), which is no direction", key, v.x, v.y, v.z),
        fmt::format("write e.g. {}: [0, 0, 1], or type: fixed if the joint does not move", key));
  }
  if (warnings && std::abs(length - 1) > 1e-3) {
    warnings->push_back(
        fmt::format("{}: {}: '{}' has the length {:.6g}; its direction is taken, its length is not",
                    to_string(value.where()), table.label(), key, length));
  }
  // A unit vector stays as it is, so that files read back bit for bit.
  if (std::abs(dot(v, v) - 1) <= 4e-15) return v;
  return {v.x / length, v.y / length, v.z / length};
}

}  // namespace catena::yaml
