#include "catena/readers/loop_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "catena/readers/text_file.hpp"
#include "catena/readers/yaml_table.hpp"

namespace catena {
namespace {

using yaml::Table;
using yaml::Value;

// A link of that name, or the link that a joint of that name moves.
struct Place {
  std::string body;
  Pose<double> X_BF{};
};

Place place_of(const Table& table, const Model& model, const Value& value) {
  const std::string name = table.text_of("closed_loop", value);
  yaml::Keys known;
  for (const Body& body : model.bodies) {
    if (body.name == name) return {name};
    known.push_back(body.name);
  }
  for (const Frame& frame : model.frames) {
    if (frame.name == name) return {frame.body, frame.X_BF};
    known.push_back(frame.name);
  }
  for (const Joint& joint : model.joints) {
    if (joint.name == name) return {joint.child, inverse(joint.X_MB)};
    known.push_back(joint.name);
  }
  table.fail(value.where(),
             fmt::format("'{}' is neither a link nor a joint of the robot{}", yaml::printable(name),
                         did_you_mean(name, known)),
             "name a link, or a joint whose moving frame is meant");
}

// "closedloop1_A" and "closedloop1_B" make loop "closedloop1".
std::string name_of(const std::string& a, const std::string& b, const Model& model) {
  const std::size_t bar = a.rfind('_');
  std::string name = a + "-" + b;
  if (bar != std::string::npos && bar > 0 && a.substr(0, bar + 1) == b.substr(0, bar + 1))
    name = a.substr(0, bar);
  const auto taken = [&] {
    const auto has_name = [&](const auto& part) { return part.name == name; };
    return std::any_of(model.joints.begin(), model.joints.end(), has_name) ||
           std::any_of(model.loops.begin(), model.loops.end(), has_name);
  };
  while (taken()) name += "_loop";
  return name;
}

}  // namespace

void parse_loop_file(std::string_view text, const std::string& file, Model& model) {
  const yaml::ValuePtr root = yaml::parse_document(text, file);
  const Table table(*root, "", {"closed_loop", "type", "name_mot"});
  const auto& pairs =
      table.list_of("closed_loop", table.need("closed_loop", "list pairs of frames"));
  const auto& types = table.list_of("type", table.need("type", "list '6d' or '3d' for each pair"));
  if (types.size() != pairs.size()) {
    table.fail(
        "type",
        fmt::format("'type' has {} entries, but 'closed_loop' has {}", types.size(), pairs.size()),
        "write '6d' or '3d' for each pair");
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto& pair = table.list_of("closed_loop", *pairs[i]);
    if (pair.size() != 2) {
      table.fail(pairs[i]->where(), fmt::format("a loop names {} frames, not two", pair.size()),
                 "write [one, other]");
    }
    const std::string type = table.text_of("type", *types[i]);
    if (type != "6d" && type != "3d") {
      table.fail(types[i]->where(), fmt::format("unknown type '{}'", yaml::printable(type)),
                 "write 6d (frames coincide) or 3d (only their origins)");
    }
    const Place one = place_of(table, model, *pair[0]), two = place_of(table, model, *pair[1]);
    Loop loop;
    loop.name = name_of(pair[0]->text, pair[1]->text, model);
    loop.kind = type == "6d" ? JointKind::fixed : JointKind::spherical;
    loop.body1 = one.body, loop.body2 = two.body;
    loop.X_1L = one.X_BF, loop.X_2L = two.X_BF;
    loop.where = pairs[i]->where();
    model.loops.push_back(loop);
  }
  if (const Value* motors = table.find("name_mot")) {
    for (const yaml::ValuePtr& item : table.list_of("name_mot", *motors)) {
      const std::string joint = table.text_of("name_mot", *item);
      const bool known = std::any_of(model.actuators.begin(), model.actuators.end(),
                                     [&](const Actuator& a) { return a.joint == joint; });
      if (!known) model.actuators.push_back({joint, item->where()});
    }
  }
}

void add_loop_file(const std::string& urdf_path, Model& model) {
  for (const char* ending : {".yaml", ".yml"}) {
    const std::string path = std::filesystem::path(urdf_path).replace_extension(ending).string();
    std::error_code error;
    if (!std::filesystem::is_regular_file(path, error) || error) continue;
    constexpr std::uintmax_t longest = 1'000'000;  // a native model may stand there, too
    if (std::filesystem::file_size(path, error) > longest || error) continue;
    const std::string text = read_text_file(path);
    const bool speaks_of_loops =
        text.starts_with("closed_loop:") || text.find("\nclosed_loop:") != std::string::npos;
    if (speaks_of_loops) return parse_loop_file(text, path, model);
  }
}

}  // namespace catena
