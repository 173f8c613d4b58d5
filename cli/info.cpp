// catena info: what a model is, for people and for programs.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "common.hpp"
#include "info_closed.hpp"

namespace catena::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoOptions {
  ModelOptions model;
  bool json = false;
};

// A model, what it compiles to, and what was said about it.
struct Subject {
  Model model;
  Mechanism<double> mechanism;
  std::vector<std::string> warnings;
  ClosedReport closed;  // empty for a model without loops and springs
};

bool has_axis(JointKind kind) {
  return kind != JointKind::fixed && kind != JointKind::spherical && kind != JointKind::free;
}

double total_mass(const Model& model) {
  double sum = 0;
  for (const Body& b : model.bodies) {
    if (b.name != model.ground) sum += b.mass;
  }
  return sum;
}

const JointInfo& info_of(const Subject& s, const Joint& joint) {
  return s.mechanism.names->joints[static_cast<std::size_t>(s.mechanism.names->joint(joint.name))];
}

// The names of a joint's columns without their prefix.
std::vector<std::string> own_names(const std::string& joint, int count) {
  std::vector<std::string> names;
  for (int k = 0; k < count; ++k) {
    names.push_back(count == 1 ? joint : fmt::format("{}.{}", joint, k));
  }
  return names;
}

// "q.base.0 to q.base.6"
std::string column_range(const std::string& prefix, const std::string& joint, int count) {
  if (count == 1) return prefix + "." + joint;
  return fmt::format("{0}.{1}.0 to {0}.{1}.{2}", prefix, joint, count - 1);
}

std::string joint_text(const Subject& s, const Joint& joint) {
  std::string text = to_string(joint.kind);
  if (has_axis(joint.kind)) text += " about " + triple(joint.axis);
  if (joint.kind == JointKind::prismatic) text = "prismatic along " + triple(joint.axis);
  if (joint.kind == JointKind::universal) text += " and " + triple(joint.axis2);
  if (joint.kind == JointKind::screw) text += fmt::format(", {:.6g} m/rad", joint.pitch);
  if (joint.mimic) {
    text += fmt::format(", {:.6g} times '{}'", joint.mimic->multiplier, joint.mimic->joint);
    if (joint.mimic->offset != 0) text += fmt::format(" plus {:.6g}", joint.mimic->offset);
  }
  if (std::isfinite(joint.limits.lower) || std::isfinite(joint.limits.upper)) {
    text += fmt::format(", from {:.6g} to {:.6g}", joint.limits.lower, joint.limits.upper);
  }
  const JointInfo& info = info_of(s, joint);
  if (info.nq > 0) {
    text += "; " + column_range("q", joint.name, info.nq);
    if (info.nq != info.nv) text += ", " + column_range("qd", joint.name, info.nv);
  }
  return text;
}

// The bodies below the ground. Not recursive: a chain may have any length.
std::string tree_text(const Subject& s) {
  std::map<std::string, std::vector<const Joint*>> on;
  for (const Joint& j : s.model.joints) on[j.parent].push_back(&j);
  struct Open {
    const Joint* joint;
    std::string indent;
    bool last;
  };
  std::vector<Open> open;
  const auto add_children = [&](const std::string& body, const std::string& indent) {
    const auto& joints = on[body];
    for (std::size_t i = joints.size(); i-- > 0;) {
      open.push_back({joints[i], indent, i + 1 == joints.size()});
    }
  };
  std::string text = "  " + s.model.ground + "\n";
  add_children(s.model.ground, "  ");
  while (!open.empty()) {
    const Open next = open.back();
    open.pop_back();
    text += fmt::format("{}{} {} [{}: {}]\n", next.indent, next.last ? "└─" : "├─",
                        next.joint->child, next.joint->name, to_string(next.joint->kind));
    const bool deep = next.indent.size() > 120;  // a long chain goes on straight down
    add_children(next.joint->child, next.indent + (deep ? "" : next.last ? "   " : "│  "));
  }
  return text;
}

std::string count(int n, const char* one, const char* several) {
  return fmt::format("{} {}", n, n == 1 ? one : several);
}

std::string mechanism_text(const Subject& s) {
  const Mechanism<double>& m = s.mechanism;
  int fixed = 0, mimic = 0;
  for (const Joint& j : s.model.joints) {
    fixed += j.kind == JointKind::fixed;
    mimic += j.mimic.has_value();
  }
  std::string text = count(m.num_bodies() - 1, "body", "bodies") + " after compilation";
  if (fixed > 0) text += ", " + count(fixed, "fixed joint", "fixed joints") + " merged";
  if (mimic > 0)
    text += fmt::format(", {} coupled to another (mimic)", count(mimic, "joint", "joints"));
  return text;
}

std::string report_of(const Subject& s) {
  const Model& model = s.model;
  const int joints = static_cast<int>(model.joints.size());  // a tree: each moves one body
  const bool loops = !model.loops.empty();
  std::string text =
      fmt::format("{}: {}, {}, {}\n", model.name, count(joints, "body", "bodies"),
                  count(joints, "joint", "joints"),
                  loops ? count(static_cast<int>(model.loops.size()), "loop", "loops")
                        : count(s.mechanism.nv, "degree of freedom", "degrees of freedom"));
  text += fmt::format(
      "  positions nq  {}\n  velocities nv {}\n  total mass    {:.6g} kg\n"
      "  gravity       {} m/s²\n  mechanism     {}\n",
      s.mechanism.nq, s.mechanism.nv, total_mass(model), triple(model.gravity), mechanism_text(s));
  text += (loops ? "\nspanning tree\n" : "\ntree\n") + tree_text(s);
  std::size_t width = 0;
  for (const Joint& j : model.joints) width = std::max(width, j.name.size());
  text += "\njoints\n";
  for (const Joint& j : model.joints) {
    text +=
        fmt::format("  {:<{}}  {} -> {}, {}\n", j.name, width, j.parent, j.child, joint_text(s, j));
  }
  width = 0;
  for (const Body& b : model.bodies) width = std::max(width, b.name.size());
  text += "\nbodies\n";
  for (const Body& b : model.bodies) {
    text += fmt::format("  {:<{}}  {:.6g} kg, mass centre {} m\n", b.name, width, b.mass,
                        triple(b.com));
  }
  if (!model.frames.empty()) text += "\nframes (every body is one, too)\n";
  for (const Frame& f : model.frames) {
    text += fmt::format("  {} on {} at {} m\n", f.name, f.body, triple(f.X_BF.p));
  }
  text += s.closed.text;
  if (!s.warnings.empty()) text += "\nwarnings\n";
  for (const std::string& warning : s.warnings) text += "  " + warning + "\n";
  return text;
}

Json limit(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const Subject& s, const Joint& joint) {
  const JointInfo& info = info_of(s, joint);
  Json j = {{"name", joint.name},
            {"kind", to_string(joint.kind)},
            {"parent", joint.parent},
            {"child", joint.child}};
  if (has_axis(joint.kind)) j["axis"] = json_triple(joint.axis);
  if (joint.kind == JointKind::universal) j["axis2"] = json_triple(joint.axis2);
  if (joint.kind == JointKind::screw) j["pitch"] = joint.pitch;
  j["limits"] = {{"lower", limit(joint.limits.lower)},
                 {"upper", limit(joint.limits.upper)},
                 {"velocity", limit(joint.limits.velocity)},
                 {"effort", limit(joint.limits.effort)}};
  j["nq"] = info.nq;
  j["nv"] = info.nv;
  j["position_columns"] = with_prefix("q", own_names(joint.name, info.nq));
  j["velocity_columns"] = with_prefix("qd", own_names(joint.name, info.nv));
  if (joint.mimic) {
    j["mimic"] = {{"joint", joint.mimic->joint},
                  {"multiplier", joint.mimic->multiplier},
                  {"offset", joint.mimic->offset}};
  }
  return j;
}

Json json_of(const Subject& s) {
  const Model& model = s.model;
  Json j = {{"name", model.name},
            {"note", model.note},
            {"ground", model.ground},
            {"gravity", json_triple(model.gravity)},
            {"nq", s.mechanism.nq},
            {"nv", s.mechanism.nv},
            {"total_mass", total_mass(model)}};
  for (const char* list : {"bodies", "joints", "frames"}) j[list] = Json::array();
  for (const Body& b : model.bodies) {
    j["bodies"].push_back({{"name", b.name},
                           {"mass", b.mass},
                           {"com", json_triple(b.com)},
                           {"inertia",
                            {{"xx", b.inertia.xx},
                             {"yy", b.inertia.yy},
                             {"zz", b.inertia.zz},
                             {"xy", b.inertia.xy},
                             {"xz", b.inertia.xz},
                             {"yz", b.inertia.yz}}}});
  }
  for (const Joint& joint : model.joints) j["joints"].push_back(json_of(s, joint));
  for (const Frame& f : model.frames) {
    j["frames"].push_back({{"name", f.name},
                           {"body", f.body},
                           {"xyz", json_triple(f.X_BF.p)},
                           {"rpy", json_triple(rpy_from_rotation(f.X_BF.R))}});
  }
  j["mechanism"] = {{"bodies", s.mechanism.num_bodies() - 1},
                    {"coupled", s.mechanism.coupled},
                    {"body_names", s.mechanism.names->bodies}};
  if (!s.closed.json.is_null()) j["closed"] = s.closed.json;
  j["warnings"] = s.warnings;
  return j;
}

void run_info(const InfoOptions& o) {
  Subject subject;
  subject.model = load_model(o.model, subject.warnings);
  subject.mechanism = compile(subject.model, compile_options(o.model));
  if (subject.model.closed() || !subject.model.actuators.empty() || !subject.model.driven.empty())
    subject.closed = closed_report(subject.model, compile_options(o.model), subject.warnings);
  constexpr auto replace = Json::error_handler_t::replace;  // names that are not UTF-8
  print(o.json ? json_of(subject).dump(2, ' ', false, replace) + "\n" : report_of(subject));
}

}  // namespace

void add_info_command(Command& app) {
  Command& command = add_command(app, "info", "What a model is: tree, joints, masses, warnings",
                                 "catena info models/stanford.yaml");
  const auto o = std::make_shared<InfoOptions>();
  add_model_options(command, o->model);
  command.add_flag("--json", o->json, "For programs");
  when_run(command, [o] { run_info(*o); });
}

}  // namespace catena::cli
