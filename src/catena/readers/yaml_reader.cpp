// The native format: docs/model-format.md has every key.
#include <fmt/format.h>

#include "catena/readers/readers.hpp"
#include "catena/readers/yaml_parts.hpp"

namespace catena {
namespace {

using yaml::Keys;
using yaml::Table;
using yaml::Value;
using Warnings = std::vector<std::string>;

std::string need_text(const Table& table, const std::string& key, const std::string& remedy) {
  return table.text_of(key, table.need(key, remedy));
}

Body read_body(const Value& value, std::size_t index) {
  static const Keys keys = yaml::join({"name"}, yaml::mass_keys);
  const Table table(value, yaml::label_of(value, "body", "name", index), keys);
  Body body;
  body.where = table.where();
  body.name = need_text(table, "name", "give the body a name");
  yaml::read_mass(table, body);
  yaml::read_inertia_about(table, body);
  return body;
}

bool has_axis(JointKind kind) {
  return kind != JointKind::fixed && kind != JointKind::spherical && kind != JointKind::free;
}

void read_axes(const Table& table, Joint& joint, Warnings* warnings) {
  const auto refuse = [&](const char* key) {
    if (!table.has(key)) return;
    table.fail(key, fmt::format("a {} joint has no '{}'", to_string(joint.kind), key), "remove it");
  };
  if (has_axis(joint.kind)) {
    joint.axis = yaml::read_axis(table, "axis", warnings);
  } else {
    refuse("axis");
  }
  if (joint.kind == JointKind::universal) {
    joint.axis2 = yaml::read_axis(table, "axis2", warnings);
  } else {
    refuse("axis2");
  }
}

Joint read_joint(const Value& value, std::size_t index, Warnings* warnings) {
  static const Keys keys = yaml::join({"name", "type", "parent", "child", "origin", "child_origin",
                                       "axis", "axis2", "pitch", "lead"},
                                      yaml::force_keys);
  const Table table(value, yaml::label_of(value, "joint", "name", index), keys);
  Joint joint;
  joint.where = table.where();
  joint.name = need_text(table, "name", "give the joint a name");
  joint.kind = yaml::read_kind(table, "type", table.need("type", "write e.g. type: revolute"));
  joint.parent = need_text(table, "parent", "name the body that carries the joint");
  joint.child = need_text(table, "child", "name the body that the joint moves");
  joint.X_PJ = yaml::read_pose(table, "origin");
  joint.X_MB = yaml::read_pose(table, "child_origin");
  read_axes(table, joint, warnings);
  yaml::read_pitch(table, joint);
  yaml::read_forces(table, joint);
  return joint;
}

Frame read_frame(const Value& value, std::size_t index) {
  const Table table(value, yaml::label_of(value, "frame", "name", index),
                    {"name", "body", "origin"});
  Frame frame;
  frame.where = table.where();
  frame.name = need_text(table, "name", "give the frame a name");
  frame.body = need_text(table, "body", "name the body that carries the frame");
  frame.X_BF = yaml::read_pose(table, "origin");
  return frame;
}

}  // namespace

Model parse_yaml(std::string_view text, const std::string& file,
                 std::vector<std::string>* warnings) {
  const yaml::ValuePtr root = yaml::parse_document(text, file);
  const Table table(*root, "",
                    {"name", "note", "gravity", "ground", "dh", "bodies", "joints", "frames",
                     "loops", "actuators", "driven", "springs", "start"});
  Model model;
  model.where = {file, 1, 1};
  model.name = table.text("name", model.name);
  model.note = table.text("note", "");
  model.ground = table.text("ground", model.ground);
  model.gravity = table.vector("gravity", dimension::acceleration, model.gravity);
  if (const Value* dh = table.find("dh")) yaml::read_dh(*dh, model);

  const auto for_each = [&](const char* key, auto&& read) {
    const Value* list = table.find(key);
    if (!list) return;
    const auto& items = table.list_of(key, *list);
    for (std::size_t i = 0; i < items.size(); ++i) read(*items[i], i);
  };
  for_each("bodies",
           [&](const Value& v, std::size_t i) { model.bodies.push_back(read_body(v, i)); });
  for_each("joints", [&](const Value& v, std::size_t i) {
    model.joints.push_back(read_joint(v, i, warnings));
  });
  for_each("frames",
           [&](const Value& v, std::size_t i) { model.frames.push_back(read_frame(v, i)); });
  for_each("loops", [&](const Value& v, std::size_t i) {
    model.loops.push_back(yaml::read_loop(v, i, warnings));
  });
  for_each("springs", [&](const Value& v, std::size_t i) {
    model.springs.push_back(yaml::read_spring(v, i));
  });
  if (const Value* list = table.find("actuators")) yaml::read_actuators(table, *list, model);
  if (const Value* list = table.find("driven")) yaml::read_driven(table, *list, model);
  if (const Value* start = table.find("start")) yaml::read_start(*start, model);
  return model;
}

}  // namespace catena
