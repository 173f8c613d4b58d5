// A model as text in the general form of the native format: bodies, joints, frames.
//
// Every number is written in the shortest form that reads back as the same double, and what has its
// default is left out.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>

#include "catena/readers/quantity.hpp"
#include "catena/readers/readers.hpp"

namespace catena {
namespace {

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}
bool same_bits(const Vec3<double>& a, const Vec3<double>& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z);
}
bool same_bits(const Mat3<double>& a, const Mat3<double>& b) {
  return same_bits(a.x, b.x) && same_bits(a.y, b.y) && same_bits(a.z, b.z);
}

std::string list(const Vec3<double>& v) { return fmt::format("[{}, {}, {}]", v.x, v.y, v.z); }

// Double quotes where a bare word would mean something else to a YAML reader.
std::string quoted(const std::string& text) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.' || c == '/';
  };
  bool plain = !text.empty() && text.front() != '-' && text.front() != '.';
  for (const char c : text) plain = plain && is_plain(c);
  for (const char* word : {"null", "Null", "NULL", "true", "false", "yes", "no", "on", "off"}) {
    plain = plain && text != word;
  }
  if (plain) return text;
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result + '"';
}

// Lines under "|" are as they are, if they are plain text: no blanks at the ends, no odd newlines.
std::string paragraph(const std::string& text) {
  const bool ends_line = text.ends_with('\n');
  const std::string body = ends_line ? text.substr(0, text.size() - 1) : text;
  bool fits = body.find('\n') != std::string::npos && !body.starts_with(' ') &&
              !body.starts_with('\n') && !body.ends_with('\n');
  for (std::size_t i = 0; fits && i < body.size(); ++i) {
    const auto c = static_cast<unsigned char>(body[i]);
    const bool blank_at_end = c == ' ' && (i + 1 == body.size() || body[i + 1] == '\n');
    fits = (c >= 0x20 || c == '\n') && c != 0x7f && !blank_at_end;
  }
  if (!fits) return quoted(text);
  std::string result = ends_line ? "|\n  " : "|-\n  ";
  for (std::size_t i = 0; i < body.size(); ++i) {
    result += body[i];
    if (body[i] == '\n' && body[i + 1] != '\n') result += "  ";
  }
  return result;
}

// An angle as its author may have written it: in full degrees or with up to 15 digits.
std::string round_angle(double angle) {
  constexpr double degrees = 180 / 3.14159265358979323846;
  const double rounded = std::nearbyint(angle * degrees * 1e3) / 1e3;
  if (rounded != 0 && std::abs(angle * degrees - rounded) < 1e-11) {
    return fmt::format("{} deg", rounded);
  }
  return fmt::format("{:.15g}", std::abs(angle) < 1e-15 ? 0.0 : angle);
}

std::string rotation(const Mat3<double>& R) {
  const Vec3<double> rpy = rpy_from_rotation(R);
  const bool is_finite = std::isfinite(rpy.x + rpy.y + rpy.z);
  const std::string text[] = {round_angle(rpy.x), round_angle(rpy.y), round_angle(rpy.z)};
  const auto angle = [&](int i) { return evaluate(text[i], dimension::angle); };
  if (is_finite && same_bits(R, rotation_from_rpy(angle(0), angle(1), angle(2)))) {
    return fmt::format("rpy: [{}, {}, {}]", text[0], text[1], text[2]);
  }
  if (same_bits(R, rotation_from_rpy(rpy.x, rpy.y, rpy.z))) return "rpy: " + list(rpy);
  const Mat3<double> rows = transpose(R);  // angles do not give it back bit for bit
  return fmt::format("rotation: [{}, {}, {}]", list(rows.x), list(rows.y), list(rows.z));
}

// {xyz: ..., rpy: ...}, or "" for identity
std::string pose(const Pose<double>& X) {
  std::string text;
  if (!same_bits(X.p, {})) text = "xyz: " + list(X.p);
  if (!same_bits(X.R, {})) text += (text.empty() ? "" : ", ") + rotation(X.R);
  return text.empty() ? "" : "{" + text + "}";
}

class Writer {
 public:
  std::string take() { return std::move(text_); }

  void line(const std::string& key, const std::string& value) {
    text_ += fmt::format("{}{}: {}\n", indent_, key, value);
  }
  void number_unless(double fallback, const char* key, double value) {
    if (!same_bits(value, fallback)) line(key, fmt::format("{}", value));
  }
  void heading(const char* key) { text_ += fmt::format("\n{}:\n", key); }
  void item(const std::string& key, const std::string& value) {
    text_ += fmt::format("  - {}: {}\n", key, value);
    indent_ = "    ";
  }
  void entry(const std::string& text) { text_ += "  " + text + "\n"; }
  void pose_unless_identity(const char* key, const Pose<double>& X) {
    const std::string value = pose(X);
    if (!value.empty()) line(key, value);
  }

 private:
  std::string text_;
  std::string indent_;
};

void write_body(Writer& w, const Body& body) {
  w.item("name", quoted(body.name));
  w.line("mass", fmt::format("{}", body.mass));
  if (!same_bits(body.com, {})) w.line("com", list(body.com));
  const Sym3<double>& I = body.inertia;
  const Vec3<double> moments{I.xx, I.yy, I.zz}, products{I.xy, I.xz, I.yz}, zero{};
  if (!same_bits(products, zero)) {
    w.line("inertia", fmt::format("[{}, {}, {}, {}, {}, {}]", I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
  } else if (!same_bits(moments, zero)) {
    w.line("inertia", list(moments));
  }
}

void write_forces(Writer& w, const Joint& joint) {
  std::string limits;
  const auto limit = [&](const char* key, double value) {
    if (!std::isinf(value)) {
      limits += fmt::format("{}{}: {}", limits.empty() ? "" : ", ", key, value);
    }
  };
  limit("lower", joint.limits.lower);
  limit("upper", joint.limits.upper);
  limit("velocity", joint.limits.velocity);
  limit("effort", joint.limits.effort);
  if (!limits.empty()) w.line("limits", "{" + limits + "}");

  const JointDynamics& d = joint.dynamics;
  const bool has_rest = !same_bits(d.rest, 0.0);
  if (has_rest || !same_bits(d.stiffness, 0.0)) w.line("stiffness", fmt::format("{}", d.stiffness));
  w.number_unless(0, "rest", d.rest);
  w.number_unless(0, "viscous", d.viscous);
  w.number_unless(0, "coulomb", d.coulomb);
  w.number_unless(0, "rotor_inertia", d.rotor_inertia);
  w.number_unless(1, "gear_ratio", d.gear_ratio);
  if (joint.mimic) {
    w.line("mimic",
           fmt::format("{{joint: {}, multiplier: {}, offset: {}}}", quoted(joint.mimic->joint),
                       joint.mimic->multiplier, joint.mimic->offset));
  }
}

void write_joint(Writer& w, const Joint& joint) {
  w.item("name", quoted(joint.name));
  w.line("type", to_string(joint.kind));
  w.line("parent", quoted(joint.parent));
  w.line("child", quoted(joint.child));
  w.pose_unless_identity("origin", joint.X_PJ);
  w.pose_unless_identity("child_origin", joint.X_MB);
  switch (joint.kind) {
    case JointKind::fixed:
      return;  // neither axis nor forces
    case JointKind::spherical:
    case JointKind::free:
      break;
    case JointKind::universal:
      w.line("axis", list(joint.axis));
      w.line("axis2", list(joint.axis2));
      break;
    case JointKind::screw:
      w.line("axis", list(joint.axis));
      w.line("pitch", fmt::format("{}", joint.pitch));
      break;
    default:
      w.line("axis", list(joint.axis));
  }
  write_forces(w, joint);
}

std::string pair_of(const std::string& a, const std::string& b) {
  return "[" + quoted(a) + ", " + quoted(b) + "]";
}

void write_loops(Writer& w, const Model& model) {
  if (!model.loops.empty()) w.heading("loops");
  for (const Loop& loop : model.loops) {
    w.item("name", quoted(loop.name));
    w.line("type", loop.rod ? "rod" : to_string(loop.kind));
    w.line("bodies", pair_of(loop.body1, loop.body2));
    w.pose_unless_identity("origin1", loop.X_1L);
    w.pose_unless_identity("origin2", loop.X_2L);
    const bool has_axis = !loop.rod && loop.kind != JointKind::fixed &&
                          loop.kind != JointKind::spherical && loop.kind != JointKind::free;
    if (has_axis) w.line("axis", list(loop.axis));
    if (loop.kind == JointKind::universal) w.line("axis2", list(loop.axis2));
    if (loop.kind == JointKind::screw) w.line("pitch", fmt::format("{}", loop.pitch));
    if (loop.rod) w.line("length", fmt::format("{}", loop.length));
  }
  if (!model.springs.empty()) w.heading("springs");
  for (const SpringDamper& s : model.springs) {
    w.item("name", quoted(s.name));
    w.line("bodies", pair_of(s.body1, s.body2));
    w.line("point1", list(s.point1));
    w.line("point2", list(s.point2));
    w.number_unless(0, "stiffness", s.stiffness);
    w.number_unless(0, "damping", s.damping);
    w.number_unless(0, "length", s.length);
  }
  if (!model.actuators.empty()) w.heading("actuators");
  for (const Actuator& a : model.actuators) w.entry("- " + quoted(a.joint));
  if (!model.driven.empty()) w.heading("driven");
  for (const DrivenJoint& d : model.driven) w.entry("- " + quoted(d.joint));
  if (!model.start.empty()) w.heading("start");
  for (const StartPosition& s : model.start)
    w.entry(quoted(s.joint) + ": [" + fmt::format("{}", fmt::join(s.q, ", ")) + "]");
}

}  // namespace

std::string to_yaml(const Model& model) {
  Writer w;
  w.line("name", quoted(model.name));
  if (!model.note.empty()) w.line("note", paragraph(model.note));
  w.line("gravity", list(model.gravity));
  if (model.ground != "world") w.line("ground", quoted(model.ground));
  if (!model.bodies.empty()) w.heading("bodies");
  for (const Body& body : model.bodies) write_body(w, body);
  if (!model.joints.empty()) w.heading("joints");
  for (const Joint& joint : model.joints) write_joint(w, joint);
  if (!model.frames.empty()) w.heading("frames");
  for (const Frame& frame : model.frames) {
    w.item("name", quoted(frame.name));
    w.line("body", quoted(frame.body));
    w.pose_unless_identity("origin", frame.X_BF);
  }
  write_loops(w, model);
  return w.take();
}

}  // namespace catena
