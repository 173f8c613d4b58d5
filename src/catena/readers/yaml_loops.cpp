// Loops, actuators, driven joints, springs and the start position of the native format.
#include <fmt/format.h>

#include "catena/readers/yaml_parts.hpp"

namespace catena::yaml {
namespace {

std::pair<std::string, std::string> read_bodies(const Table& table) {
  const Value& value = table.need("bodies", "name the two bodies: bodies: [one, other]");
  const auto& items = table.list_of("bodies", value);
  if (items.size() != 2) {
    table.fail(value.where(),
               fmt::format("'bodies' names {}, but stands between two", items.size()),
               "write bodies: [one, other]");
  }
  return {table.text_of("bodies", *items[0]), table.text_of("bodies", *items[1])};
}

std::string read_name(const Table& table) {
  return table.text_of("name", table.need("name", "give it a name"));
}

void refuse(const Table& table, const char* key, const std::string& why) {
  if (table.has(key))
    table.fail(key, fmt::format("'{}' has no meaning here: {}", key, why), "remove it");
}

}  // namespace

Loop read_loop(const Value& value, std::size_t index, std::vector<std::string>* warnings) {
  const Table table(
      value, label_of(value, "loop", "name", index),
      {"name", "type", "bodies", "origin1", "origin2", "axis", "axis2", "pitch", "lead", "length"});
  Loop loop;
  loop.where = table.where();
  loop.name = read_name(table);
  std::tie(loop.body1, loop.body2) = read_bodies(table);
  loop.X_1L = read_pose(table, "origin1");
  loop.X_2L = read_pose(table, "origin2");
  const Value& type = table.need("type", "write e.g. type: revolute");
  loop.rod = type.text == "rod";
  Joint joint;  // to share the checks of joints
  joint.kind = loop.kind = loop.rod ? JointKind::spherical : read_kind(table, "type", type);
  const bool has_axis = !loop.rod && loop.kind != JointKind::fixed &&
                        loop.kind != JointKind::spherical && loop.kind != JointKind::free;
  if (has_axis)
    loop.axis = read_axis(table, "axis", warnings);
  else
    refuse(table, "axis", "this joint has no axis");
  if (loop.kind == JointKind::universal)
    loop.axis2 = read_axis(table, "axis2", warnings);
  else
    refuse(table, "axis2", "only a universal joint has two axes");
  read_pitch(table, joint);
  loop.pitch = joint.pitch;
  if (loop.rod) {
    loop.length = table.number_of(
        "length", table.need("length", "write the distance that the rod keeps"), dimension::length);
  } else {
    refuse(table, "length", "only a rod has a length");
  }
  return loop;
}

SpringDamper read_spring(const Value& value, std::size_t index) {
  const Table table(value, label_of(value, "spring", "name", index),
                    {"name", "bodies", "point1", "point2", "stiffness", "damping", "length"});
  SpringDamper s;
  s.where = table.where();
  s.name = read_name(table);
  std::tie(s.body1, s.body2) = read_bodies(table);
  s.point1 = table.vector("point1", dimension::length, {});
  s.point2 = table.vector("point2", dimension::length, {});
  const Dimension stiffness = dimension::force / dimension::length;
  s.stiffness = table.number("stiffness", stiffness, 0);
  s.damping = table.number("damping", stiffness / per_second, 0);
  s.length = table.number("length", dimension::length, 0);
  return s;
}

void read_actuators(const Table& table, const Value& value, Model& model) {
  for (const ValuePtr& item : table.list_of("actuators", value))
    model.actuators.push_back({table.text_of("actuators", *item), item->where()});
}

void read_driven(const Table& table, const Value& value, Model& model) {
  for (const ValuePtr& item : table.list_of("driven", value))
    model.driven.push_back({table.text_of("driven", *item), item->where()});
}

void read_start(const Value& value, Model& model) {
  if (value.kind != Value::Kind::table) {
    throw InputError(value.where(), "'start' is a table of joints and their positions",
                     "write e.g. start: {elbow: 30 deg}");
  }
  for (const Entry& entry : value.entries) {
    const Where where = value.where(entry);
    const Joint* joint = nullptr;
    Keys known;
    for (const Joint& j : model.joints) {
      known.push_back(j.name);
      if (j.name == entry.key) joint = &j;
    }
    if (joint == nullptr) {
      throw InputError(where, fmt::format("start: '{}' is not a joint of the model{}",
                                          printable(entry.key), did_you_mean(entry.key, known)));
    }
    const Table table(value, "start", known);
    const auto number = [&](const Value& v) {
      const bool slides = joint->kind == JointKind::prismatic;
      const bool turns = joint->kind == JointKind::revolute || joint->kind == JointKind::screw ||
                         joint->kind == JointKind::universal;
      return table.number_of(entry.key, v,
                             slides  ? dimension::length
                             : turns ? dimension::angle
                                     : dimension::number);
    };
    StartPosition start{entry.key, {}, where};
    if (entry.value->kind == Value::Kind::list) {
      for (const ValuePtr& item : entry.value->items) start.q.push_back(number(*item));
    } else {
      start.q.push_back(number(*entry.value));
    }
    model.start.push_back(start);
  }
}

}  // namespace catena::yaml
