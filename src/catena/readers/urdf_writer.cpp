// Model to URDF, such that reading it back gives the same results.
#include <fmt/format.h>
#include <tinyxml2.h>

#include <cmath>
#include <unordered_set>

#include "catena/readers/readers.hpp"
#include "catena/readers/urdf_values.hpp"

namespace catena {
namespace {

std::string triple(const Vec3<double>& v) { return fmt::format("{} {} {}", v.x, v.y, v.z); }

bool is_zero(const Vec3<double>& v) { return v.x == 0 && v.y == 0 && v.z == 0; }
bool is_identity(const Pose<double>& X) { return is_identity(X.R) && is_zero(X.p); }

// Without minus zeros, which are right but look odd.
Vec3<double> rpy(const Mat3<double>& R) {
  const Vec3<double> v = rpy_from_rotation(R);
  return {v.x + 0.0, v.y + 0.0, v.z + 0.0};
}

// Other readers know no infinity; ours takes this for it.
std::string bound(double value) {
  return std::isinf(value) ? (value > 0 ? "1e308" : "-1e308") : fmt::format("{}", value);
}

class UrdfWriter {
 public:
  UrdfWriter(const Model& model, std::vector<std::string>* warnings)
      : model_(model), warnings_(warnings) {
    links_.insert(model.ground);
    for (const Body& body : model.bodies) links_.insert(body.name);
    for (const Frame& frame : model.frames) links_.insert(frame.name);
    for (const Joint& joint : model.joints) joints_.insert(joint.name);
  }

  std::string write() {
    xml_.PushHeader(false, true);
    xml_.OpenElement("robot");
    attribute("name", model_.name);
    robot_extension();
    bool ground_is_written = false;
    for (const Body& body : model_.bodies) ground_is_written |= body.name == model_.ground;
    if (!ground_is_written) empty_link(model_.ground);
    for (const Body& body : model_.bodies) link(body);
    for (const Joint& j : model_.joints) joint(j);
    for (const Loop& l : model_.loops) loop(l);
    if (!model_.loops.empty())
      warn("loops are written as <loop>, which many other programs ignore");
    for (const Frame& frame : model_.frames) {
      empty_link(frame.name);
      fixed_joint(unique(frame.name + "_frame", joints_), frame.body, frame.name, frame.X_BF,
                  "frame");
    }
    xml_.CloseElement();
    return xml_.CStr();
  }

 private:
  void attribute(const char* name, const std::string& value) {
    xml_.PushAttribute(name, value.c_str());
  }
  void attribute(const char* name, double value) { attribute(name, fmt::format("{}", value)); }

  void element(const char* name, const char* attribute_name, const std::string& value) {
    xml_.OpenElement(name);
    attribute(attribute_name, value);
    xml_.CloseElement();
  }

  void warn(const std::string& sentence) {
    if (warnings_) warnings_->push_back(sentence);
  }

  static std::string unique(std::string name, std::unordered_set<std::string>& names) {
    while (!names.insert(name).second) name += "_";
    return name;
  }

  void robot_extension() {
    const Model plain;
    const Vec3<double> change = model_.gravity - plain.gravity;
    const bool other_gravity = !is_zero(change);
    const bool closed = !model_.actuators.empty() || !model_.driven.empty() ||
                        !model_.springs.empty() || !model_.start.empty();
    if (!other_gravity && model_.note.empty() && !closed) return;
    xml_.OpenElement("catena");
    if (other_gravity) {
      attribute("gravity", triple(model_.gravity));
      warn("gravity is written as <catena gravity=\"...\"/>, which other programs ignore");
    }
    if (!model_.note.empty()) {
      xml_.OpenElement("note", true);
      xml_.PushText(model_.note.c_str());
      xml_.CloseElement(true);
    }
    closed_extension();
    if (closed)
      warn(
          "actuators, driven joints, springs and start are written within <catena>, which other "
          "programs ignore");
    xml_.CloseElement();
  }

  void closed_extension() {
    for (const Actuator& a : model_.actuators) element("actuator", "joint", a.joint);
    for (const DrivenJoint& d : model_.driven) element("driven", "joint", d.joint);
    for (const SpringDamper& s : model_.springs) {
      xml_.OpenElement("spring");
      attribute("name", s.name);
      attribute("link1", s.body1), attribute("link2", s.body2);
      attribute("point1", triple(s.point1)), attribute("point2", triple(s.point2));
      attribute("stiffness", s.stiffness), attribute("damping", s.damping);
      attribute("length", s.length);
      xml_.CloseElement();
    }
    for (const StartPosition& s : model_.start) {
      xml_.OpenElement("start");
      attribute("joint", s.joint);
      attribute("q", fmt::format("{}", fmt::join(s.q, " ")));
      xml_.CloseElement();
    }
  }

  void loop_end(const char* role, const std::string& link, const Pose<double>& X) {
    xml_.OpenElement(role);
    attribute("link", link);
    origin(X);
    xml_.CloseElement();
  }

  void loop(const Loop& l) {
    xml_.OpenElement("loop");
    attribute("name", l.name);
    attribute("type", l.rod ? "rod" : to_string(l.kind));
    loop_end("predecessor", l.body1, l.X_1L);
    loop_end("successor", l.body2, l.X_2L);
    const bool has_axis = !l.rod && l.kind != JointKind::fixed && l.kind != JointKind::spherical;
    if (has_axis) element("axis", "xyz", triple(l.axis));
    if (l.kind == JointKind::universal) element("catena", "axis2", triple(l.axis2));
    if (l.kind == JointKind::screw) element("catena", "pitch", fmt::format("{}", l.pitch));
    if (l.rod) element("catena", "length", fmt::format("{}", l.length));
    xml_.CloseElement();
  }

  void empty_link(const std::string& name) { element("link", "name", name); }

  void link(const Body& body) {
    const Sym3<double>& I = body.inertia;
    const bool massless =
        body.mass == 0 && is_zero({I.xx, I.xy, I.xz}) && is_zero({I.yy, I.yz, I.zz});
    if (massless) return empty_link(body.name);
    xml_.OpenElement("link");
    attribute("name", body.name);
    xml_.OpenElement("inertial");
    origin({Mat3<double>{}, body.com});
    element("mass", "value", fmt::format("{}", body.mass));
    xml_.OpenElement("inertia");
    attribute("ixx", I.xx), attribute("ixy", I.xy), attribute("ixz", I.xz);
    attribute("iyy", I.yy), attribute("iyz", I.yz), attribute("izz", I.zz);
    xml_.CloseElement();
    xml_.CloseElement();
    xml_.CloseElement();
  }

  void origin(const Pose<double>& X) {
    xml_.OpenElement("origin");
    attribute("xyz", triple(X.p));
    attribute("rpy", triple(rpy(X.R)));
    xml_.CloseElement();
  }

  void ends(const std::string& parent, const std::string& child) {
    element("parent", "link", parent);
    element("child", "link", child);
  }

  // `role` lets our own reader find the frame or the pose that this joint stands for.
  void fixed_joint(const std::string& name, const std::string& parent, const std::string& child,
                   const Pose<double>& X, const char* role) {
    xml_.OpenElement("joint");
    attribute("name", name);
    attribute("type", "fixed");
    origin(X);
    ends(parent, child);
    element("catena", "role", role);
    xml_.CloseElement();
  }

  // URDF has no X_MB: a massless link moves with the joint and carries the child.
  void joint(const Joint& j) {
    const bool mounted = !is_identity(j.X_MB);
    const std::string moving = mounted ? unique(j.child + "_joint", links_) : j.child;
    if (mounted) empty_link(moving);
    xml_.OpenElement("joint");
    attribute("name", j.name);
    attribute("type", type(j));
    origin(j.X_PJ);
    ends(j.parent, moving);
    if (j.kind != JointKind::fixed) motion(j);
    xml_.CloseElement();
    if (mounted) {
      fixed_joint(unique(j.child + "_mount", joints_), moving, j.child, j.X_MB, "mount");
    }
  }

  void motion(const Joint& j) {
    if (j.kind != JointKind::spherical && j.kind != JointKind::free) {
      element("axis", "xyz", triple(j.axis));
    }
    limit(j);
    if (j.dynamics.viscous != 0 || j.dynamics.coulomb != 0) {
      xml_.OpenElement("dynamics");
      attribute("damping", j.dynamics.viscous);
      attribute("friction", j.dynamics.coulomb);
      xml_.CloseElement();
    }
    if (j.mimic) {
      xml_.OpenElement("mimic");
      attribute("joint", j.mimic->joint);
      attribute("multiplier", j.mimic->multiplier);
      attribute("offset", j.mimic->offset);
      xml_.CloseElement();
    }
    joint_extension(j);
  }

  static bool is_bounded(const JointLimits& l) {
    return !std::isinf(l.lower) || !std::isinf(l.upper);
  }

  // The nearest of URDF's types; kind() in the extension says what it really is.
  static const char* type(const Joint& j) {
    switch (j.kind) {
      case JointKind::fixed:
        return "fixed";
      case JointKind::prismatic:
        return "prismatic";
      case JointKind::planar:
        return "planar";
      case JointKind::spherical:
      case JointKind::free:
        return "floating";
      case JointKind::revolute:
      case JointKind::screw:
      case JointKind::cylindrical:
      case JointKind::universal:
        break;
    }
    return is_bounded(j.limits) ? "revolute" : "continuous";
  }

  static bool urdf_has(JointKind kind) {
    return kind == JointKind::fixed || kind == JointKind::revolute ||
           kind == JointKind::prismatic || kind == JointKind::planar || kind == JointKind::free;
  }

  // Other readers want a limit for revolute and prismatic joints, with effort and velocity.
  void limit(const Joint& j) {
    const JointLimits& l = j.limits;
    const bool bounded = is_bounded(l) || j.kind == JointKind::prismatic;
    if (!bounded && std::isinf(l.velocity) && std::isinf(l.effort)) return;
    xml_.OpenElement("limit");
    if (bounded) {
      attribute("lower", bound(l.lower));
      attribute("upper", bound(l.upper));
    }
    attribute("effort", bound(l.effort));
    attribute("velocity", bound(l.velocity));
    xml_.CloseElement();
  }

  void joint_extension(const Joint& j) {
    const JointDynamics& d = j.dynamics;
    const bool drive = d.stiffness != 0 || d.rest != 0 || d.rotor_inertia != 0 || d.gear_ratio != 1;
    if (urdf_has(j.kind) && !drive) return;
    xml_.OpenElement("catena");
    if (!urdf_has(j.kind)) {
      attribute("kind", to_string(j.kind));
      if (j.kind == JointKind::screw) attribute("pitch", j.pitch);
      if (j.kind == JointKind::universal) attribute("axis2", triple(j.axis2));
      warn(
          fmt::format("joint '{}': URDF has no {} joint; written as {} with <catena kind=\"{}\"/>, "
                      "which other programs ignore",
                      j.name, to_string(j.kind), type(j), to_string(j.kind)));
    }
    if (drive) {
      attribute("stiffness", d.stiffness), attribute("rest", d.rest);
      attribute("rotor_inertia", d.rotor_inertia), attribute("gear_ratio", d.gear_ratio);
      warn(
          fmt::format("joint '{}': spring and rotor are written as <catena .../>, "
                      "which other programs ignore",
                      j.name));
    }
    xml_.CloseElement();
  }

  const Model& model_;
  std::vector<std::string>* warnings_;
  std::unordered_set<std::string> links_, joints_;  // names in use
  tinyxml2::XMLPrinter xml_;
};

}  // namespace

std::string to_urdf(const Model& model, std::vector<std::string>* warnings) {
  return UrdfWriter(model, warnings).write();
}

}  // namespace catena
