#include "catena/readers/urdf_loops.hpp"

#include <fmt/format.h>

namespace catena {
namespace {

using Element = tinyxml2::XMLElement;

std::pair<std::string, Pose<double>> loop_end(const UrdfPart& part, const Element& loop,
                                              const char* role) {
  const Element* element = part.child(loop, role);
  if (!element) {
    part.fail(part.where(loop), fmt::format("it has no <{}>", role),
              fmt::format("write <{} link=\"...\"><origin .../></{}>", role, role));
  }
  part.check_attributes(*element, {"link"});
  part.check_children(*element, {"origin"});
  const Element* origin = part.child(*element, "origin");
  if (origin) part.check_attributes(*origin, {"xyz", "rpy", "quat_xyzw"});
  return {part.text(*element, "link"), part.pose(origin)};
}

// What only some kinds have: <catena axis2="..."/>, pitch, length.
void extension(const UrdfPart& part, const Element& element, Loop& loop) {
  const Element* own = part.child(element, "catena");
  const auto need = [&](const char* attribute, const char* what) -> const Element& {
    if (own && own->Attribute(attribute)) return *own;
    part.fail(part.where(element), fmt::format("a {} needs {}", what, attribute),
              fmt::format("write <catena {}=\"...\"/> in it", attribute));
  };
  if (own) part.allow_only(*own, {"axis2", "pitch", "length"});
  if (loop.rod) {
    loop.length = part.number(need("length", "rod"), "length");
  } else if (loop.kind == JointKind::screw) {
    loop.pitch = part.number(need("pitch", "screw"), "pitch");
  } else if (loop.kind == JointKind::universal) {
    loop.axis2 = part.direction(need("axis2", "universal joint"), "axis2", "universal", loop.axis2);
  }
}

}  // namespace

Loop read_urdf_loop(const XmlDocument& xml, const Element& element,
                    std::vector<std::string>* warnings) {
  const UrdfPart nameless(xml, warnings, "a loop");
  nameless.check_attributes(element, {"name", "type"});
  Loop loop;
  loop.name = nameless.text(element, "name");
  loop.where = xml.where(element);
  const UrdfPart part(xml, warnings, fmt::format("loop '{}'", loop.name));
  part.check_children(element, {"predecessor", "successor", "axis", "catena"});
  loop.rod = part.text(element, "type") == "rod";
  loop.kind = loop.rod ? JointKind::spherical : part.joint_kind(element, "type");
  std::tie(loop.body1, loop.X_1L) = loop_end(part, element, "predecessor");
  std::tie(loop.body2, loop.X_2L) = loop_end(part, element, "successor");
  const bool has_axis = !loop.rod && loop.kind != JointKind::fixed &&
                        loop.kind != JointKind::spherical && loop.kind != JointKind::free;
  if (has_axis) {
    loop.axis = {1, 0, 0};  // as in a joint
    if (const Element* axis = part.child(element, "axis")) {
      part.check_attributes(*axis, {"xyz"});
      loop.axis = part.direction(*axis, "xyz", to_string(loop.kind), loop.axis);
    }
  }
  extension(part, element, loop);
  return loop;
}

bool read_urdf_extension(const UrdfPart& part, const Element& element, Model& model) {
  const std::string tag = element.Name();
  const Where where = part.where(element);
  if (tag == "actuator") {
    part.allow_only(element, {"joint"});
    model.actuators.push_back({part.text(element, "joint"), where});
  } else if (tag == "driven") {
    part.allow_only(element, {"joint"});
    model.driven.push_back({part.text(element, "joint"), where});
  } else if (tag == "start") {
    part.allow_only(element, {"joint", "q"});
    model.start.push_back({part.text(element, "joint"), part.list(element, "q"), where});
  } else if (tag == "spring") {
    part.allow_only(
        element, {"name", "link1", "link2", "point1", "point2", "stiffness", "damping", "length"});
    SpringDamper s;
    s.name = part.text(element, "name");
    s.body1 = part.text(element, "link1"), s.body2 = part.text(element, "link2");
    s.point1 = part.triple(element, "point1", {}), s.point2 = part.triple(element, "point2", {});
    s.stiffness = part.number(element, "stiffness", 0);
    s.damping = part.number(element, "damping", 0);
    s.length = part.number(element, "length", 0);
    s.where = where;
    model.springs.push_back(s);
  } else {
    return false;
  }
  return true;
}

}  // namespace catena
