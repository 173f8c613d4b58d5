// URDF to Model. What other programs keep in the file (meshes, gazebo, transmissions) is skipped.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "catena/readers/readers.hpp"
#include "catena/readers/text_file.hpp"
#include "catena/readers/urdf_loops.hpp"
#include "catena/readers/urdf_values.hpp"

namespace catena {
namespace {

using Element = tinyxml2::XMLElement;

constexpr double infinity = std::numeric_limits<double>::infinity();

// What <catena role="..."/> in a fixed joint of our writer means: see fold().
struct Marked {
  std::size_t joint;
  bool is_frame;
};

class UrdfReader {
 public:
  UrdfReader(std::string_view text, const std::string& file, std::vector<std::string>* warnings)
      : xml_(text, file), warnings_(warnings) {}

  Model read() {
    const Element& robot = xml_.root();
    check_is_robot(robot);
    const UrdfPart part(xml_, warnings_, "robot");
    part.check_attributes(robot, {"name"});
    check_robot_children(part, robot);
    model_.where = xml_.where(robot);
    if (robot.Attribute("name")) {
      model_.name = part.text(robot, "name");
    } else {
      part.warn(model_.where, "<robot> has no name");
    }
    for (const Element* e = robot.FirstChildElement("link"); e; e = e->NextSiblingElement("link")) {
      model_.bodies.push_back(link(*e));
    }
    for (const Element* e = robot.FirstChildElement("joint"); e;
         e = e->NextSiblingElement("joint")) {
      model_.joints.push_back(joint(*e));
    }
    for (const Element* e = robot.FirstChildElement("loop"); e; e = e->NextSiblingElement("loop")) {
      model_.loops.push_back(read_urdf_loop(xml_, *e, warnings_));
    }
    if (const Element* own = part.child(robot, "catena")) robot_extension(part, *own);
    model_.ground = root_link();
    if (!marked_.empty()) fold();
    return std::move(model_);
  }

 private:
  void check_is_robot(const Element& root) const {
    const std::string name = root.Name();
    if (name == "robot") return;
    std::string problem = fmt::format("the root element is <{}>, but a URDF file has <robot>{}",
                                      name, did_you_mean(name, {"robot"}));
    if (name == "sdf") problem = "this is an SDF file (<sdf>), not URDF (<robot>)";
    if (name == "mujoco") problem = "this is a MuJoCo file (<mujoco>), not URDF (<robot>)";
    throw InputError(xml_.where(root), problem, "export or convert the robot to URDF");
  }

  // Only what has a name can be a misspelt <link> or <joint>.
  void check_robot_children(const UrdfPart& part, const Element& robot) const {
    part.check_children(robot, {});
    for (const Element* e = robot.FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string name = e->Name();
      if (name == "link" || name == "joint" || name == "loop" || !e->Attribute("name")) continue;
      const std::string hint = did_you_mean(name, {"link", "joint", "loop"});
      if (hint.empty()) continue;
      part.fail(part.where(*e), fmt::format("unknown element <{}>{}", name, hint),
                "correct the spelling, or remove the element");
    }
  }

  UrdfPart named_part(const Element& element) const {
    const UrdfPart nameless(xml_, warnings_, fmt::format("a {}", element.Name()));
    nameless.check_attributes(element, {"name"});
    const std::string name = nameless.text(element, "name");
    return {xml_, warnings_, fmt::format("{} '{}'", element.Name(), name)};
  }

  Body link(const Element& element) const {
    const UrdfPart part = named_part(element);
    part.check_children(element, {"inertial", "visual", "collision"});
    Body body;
    body.name = element.Attribute("name");
    body.where = xml_.where(element);
    const Element* inertial = part.child(element, "inertial");
    if (!inertial) return body;

    part.check_children(*inertial, {"origin", "mass", "inertia"});
    const Element* mass = part.child(*inertial, "mass");
    if (!mass) {
      part.fail(xml_.where(*inertial), "<inertial> has no <mass>",
                "write <mass value=\"...\"/>, or remove <inertial> if the link has no mass");
    }
    part.check_attributes(*mass, {"value"});
    body.mass = part.number(*mass, "value");
    if (body.mass < 0) {
      part.fail(xml_.where(*mass, "value"),
                fmt::format("the mass is {}, but it cannot be negative", body.mass),
                "write the mass in kg; 0 is possible for a link that is only a frame");
    }
    const Pose<double> X_BC = origin(part, *inertial);
    body.com = X_BC.p;
    const Element* moments = part.child(*inertial, "inertia");
    if (moments) {
      part.check_attributes(*moments, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
      body.inertia = {part.number(*moments, "ixx"),    part.number(*moments, "ixy", 0),
                      part.number(*moments, "ixz", 0), part.number(*moments, "iyy"),
                      part.number(*moments, "iyz", 0), part.number(*moments, "izz")};
      if (!is_identity(X_BC.R)) body.inertia = rotate(X_BC.R, body.inertia);
    } else if (body.mass != 0) {
      part.warn(xml_.where(*inertial), "<inertial> has no <inertia>: taken as a point mass");
    }
    return body;
  }

  Pose<double> origin(const UrdfPart& part, const Element& parent) const {
    const Element* element = part.child(parent, "origin");
    if (element) part.check_attributes(*element, {"xyz", "rpy", "quat_xyzw"});
    return part.pose(element);
  }

  Joint joint(const Element& element) {
    const UrdfPart part = named_part(element);
    part.check_attributes(element, {"name", "type"});
    part.check_children(element, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic",
                                  "calibration", "safety_controller", "catena"});
    Joint joint;
    joint.name = element.Attribute("name");
    joint.where = xml_.where(element);
    const std::string type = part.text(element, "type");
    joint.kind = part.joint_kind(element, "type");
    const Element* own = part.child(element, "catena");
    if (own && own->Attribute("kind")) {
      joint.kind = part.joint_kind(*own, "kind");
    }
    joint.parent = end(part, element, "parent");
    joint.child = end(part, element, "child");
    joint.X_PJ = origin(part, element);
    joint.axis = {1, 0, 0};
    if (joint.kind != JointKind::fixed) {  // files say all sorts of things about fixed joints
      if (joint.kind != JointKind::spherical && joint.kind != JointKind::free) {
        if (const Element* axis = part.child(element, "axis")) {
          part.check_attributes(*axis, {"xyz"});
          joint.axis = part.direction(*axis, "xyz", to_string(joint.kind), joint.axis);
        }
      }
      limits(part, element, type == "continuous", joint.limits);
      if (const Element* dynamics = part.child(element, "dynamics")) {
        part.check_attributes(*dynamics, {"damping", "friction"});
        joint.dynamics.viscous = part.number(*dynamics, "damping", 0);
        joint.dynamics.coulomb = part.number(*dynamics, "friction", 0);
      }
      if (const Element* m = part.child(element, "mimic")) joint.mimic = mimic(part, *m);
    }
    if (own) joint_extension(part, *own, joint);
    return joint;
  }

  std::string end(const UrdfPart& part, const Element& joint, const char* role) const {
    const Element* element = part.child(joint, role);
    if (!element) {
      part.fail(xml_.where(joint), fmt::format("it has no <{}>", role),
                fmt::format("write <{} link=\"...\"/>", role));
    }
    part.check_attributes(*element, {"link"});
    return part.text(*element, "link");
  }

  // A bound that is missing beside another one is 0, as URDF says; without both there is no limit.
  void limits(const UrdfPart& part, const Element& joint, bool continuous,
              JointLimits& result) const {
    const Element* element = part.child(joint, "limit");
    if (!element) return;
    part.check_attributes(*element, {"lower", "upper", "effort", "velocity"});
    const auto lower = part.limit(*element, "lower"), upper = part.limit(*element, "upper");
    if ((lower || upper) && !continuous) {
      result.lower = lower.value_or(0);
      result.upper = upper.value_or(0);
    }
    result.effort = part.limit(*element, "effort").value_or(infinity);
    result.velocity = part.limit(*element, "velocity").value_or(infinity);
  }

  Mimic mimic(const UrdfPart& part, const Element& element) const {
    part.check_attributes(element, {"joint", "multiplier", "offset"});
    return {part.text(element, "joint"), part.number(element, "multiplier", 1),
            part.number(element, "offset", 0)};
  }

  // What URDF cannot say: <catena kind="screw" pitch="0.01"/> in a joint.
  void joint_extension(const UrdfPart& part, const Element& own, Joint& joint) {
    part.allow_only(own, {"kind", "pitch", "axis2", "stiffness", "rest", "rotor_inertia",
                          "gear_ratio", "role"});
    joint.pitch = part.number(own, "pitch", 0);
    if (joint.kind == JointKind::universal) {
      joint.axis2 = part.direction(own, "axis2", to_string(joint.kind), joint.axis2);
    }
    joint.dynamics.stiffness = part.number(own, "stiffness", 0);
    joint.dynamics.rest = part.number(own, "rest", 0);
    joint.dynamics.rotor_inertia = part.number(own, "rotor_inertia", 0);
    joint.dynamics.gear_ratio = part.number(own, "gear_ratio", 1);
    if (!own.Attribute("role")) return;
    const std::string role = part.text(own, "role");
    if (role != "frame" && role != "mount") {
      part.fail(xml_.where(own, "role"),
                fmt::format("unknown role '{}'{}", role, did_you_mean(role, {"frame", "mount"})),
                "write frame or mount");
    }
    marked_.push_back({model_.joints.size(), role == "frame"});
  }

  // <catena gravity="0 0 -1.62"><note>...</note><frame name="tip" link="tool" xyz="0 0
  // 1"/></catena>
  void robot_extension(const UrdfPart& part, const Element& own) {
    part.allow_only(own, {"gravity", "note"});
    model_.gravity = part.triple(own, "gravity", model_.gravity);
    if (own.Attribute("note")) model_.note = own.Attribute("note");
    for (const Element* e = own.FirstChildElement(); e; e = e->NextSiblingElement()) {
      const std::string tag = e->Name();
      if (tag == "note") {
        if (e->GetText()) model_.note = e->GetText();
      } else if (tag == "frame") {
        part.allow_only(*e, {"name", "link", "xyz", "rpy", "quat_xyzw"});
        model_.frames.push_back(
            {part.text(*e, "name"), part.text(*e, "link"), part.pose(e), xml_.where(*e)});
      } else if (!read_urdf_extension(part, *e, model_)) {
        part.fail(xml_.where(*e),
                  fmt::format("unknown element <{}> in <catena>{}", tag,
                              did_you_mean(
                                  tag, {"note", "frame", "actuator", "driven", "spring", "start"})),
                  "write <note>, <frame>, <actuator>, <driven>, <spring> or <start>");
      }
    }
  }

  // The first link that no joint carries. validate() reports a second one, and a cycle.
  std::string root_link() const {
    std::unordered_set<std::string> children;
    for (const Joint& joint : model_.joints) children.insert(joint.child);
    for (const Body& body : model_.bodies) {
      if (!children.count(body.name)) return body.name;
    }
    return "world";
  }

  // Undoes what the writer did for other programs, unless the file has been changed there:
  //   frame  the child link is only a named frame on the parent
  //   mount  the parent link is only the moving side of the joint that carries it, X_MB to the
  //   child
  void fold() {
    std::vector<Joint>& joints = model_.joints;
    std::unordered_map<std::string, const Body*> body_of;
    std::unordered_map<std::string, std::size_t> carrier_of;
    std::unordered_map<std::string, int> hanging_on;
    for (const Body& body : model_.bodies) body_of.emplace(body.name, &body);
    for (std::size_t j = 0; j < joints.size(); ++j) {
      carrier_of.emplace(joints[j].child, j);
      ++hanging_on[joints[j].parent];
    }
    std::unordered_set<std::string> gone;
    std::vector<bool> joint_gone(joints.size());
    for (const Marked& marked : marked_) {
      const Joint& fixed = joints[marked.joint];
      const std::string& extra = marked.is_frame ? fixed.child : fixed.parent;
      const auto body = body_of.find(extra);
      const auto carrier = carrier_of.find(extra);
      if (fixed.kind != JointKind::fixed || body == body_of.end() || body->second->mass != 0 ||
          hanging_on[extra] != (marked.is_frame ? 0 : 1) || carrier == carrier_of.end() ||
          joint_gone[carrier->second]) {
        continue;
      }
      if (marked.is_frame) {
        model_.frames.push_back({extra, fixed.parent, fixed.X_PJ, body->second->where});
      } else {
        joints[carrier->second].X_MB = fixed.X_PJ;
      }
      joint_gone[marked.joint] = true;
      gone.insert(extra);
      if (!marked.is_frame) joints[carrier->second].child = fixed.child;
    }
    std::erase_if(model_.bodies, [&](const Body& body) { return gone.count(body.name) > 0; });
    std::size_t j = 0;
    std::erase_if(joints, [&](const Joint&) { return joint_gone[j++]; });
  }

  XmlDocument xml_;
  std::vector<std::string>* warnings_;
  Model model_;
  std::vector<Marked> marked_;
};

}  // namespace

Model parse_urdf(std::string_view text, const std::string& file,
                 std::vector<std::string>* warnings) {
  check_is_text(text, file);
  return UrdfReader(text, file, warnings).read();
}

}  // namespace catena
