#include "info_closed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "catena/data/columns.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "closed.hpp"
#include "info_structure.hpp"

namespace catena::cli {

std::string triple(const Vec3<double>& v) {
  return fmt::format("({:.6g} {:.6g} {:.6g})", v.x, v.y, v.z);
}
nlohmann::ordered_json json_triple(const Vec3<double>& v) { return {v.x, v.y, v.z}; }

namespace {

using Json = nlohmann::ordered_json;

bool has_axis(const Loop& loop) {
  return !loop.rod && loop.kind != JointKind::fixed && loop.kind != JointKind::spherical;
}

std::string kind_of(const Loop& loop) { return loop.rod ? "rod" : to_string(loop.kind); }

std::string kind_text(const Loop& loop) {
  std::string text = kind_of(loop);
  if (loop.rod) text += fmt::format(" of {:.6g} m", loop.length);
  if (has_axis(loop))
    text += (loop.kind == JointKind::prismatic ? " along " : " about ") + triple(loop.axis);
  if (loop.kind == JointKind::universal) text += " and " + triple(loop.axis2);
  if (loop.kind == JointKind::screw) text += fmt::format(", {:.6g} m/rad", loop.pitch);
  return text;
}

// The bodies that a loop goes through, from its first body to its second.
std::vector<std::string> bodies_round(const Model& model, const Loop& loop) {
  std::map<std::string, std::string> parent;
  for (const Joint& joint : model.joints) parent[joint.child] = joint.parent;
  const auto up = [&](std::string body) {
    std::vector<std::string> chain{body};
    while (parent.count(body) > 0) chain.push_back(body = parent[body]);
    return chain;
  };
  std::vector<std::string> one = up(loop.body1), two = up(loop.body2);
  std::string top = one.back();
  while (!one.empty() && !two.empty() && one.back() == two.back())
    top = one.back(), one.pop_back(), two.pop_back();
  one.push_back(top);
  one.insert(one.end(), two.rbegin(), two.rend());
  return one;
}

std::vector<std::string> names_of(const ClosedMechanism& m, const std::vector<int>& velocities) {
  const auto all = velocity_names(m.tree);
  std::vector<std::string> names;
  for (int v : velocities) names.push_back(all[static_cast<std::size_t>(v)]);
  return names;
}

// What is known once the loops are closed.
struct Closing {
  Assembly assembly;
  Mobility mobility;
  std::vector<std::pair<std::string, int>> redundant;  // conditions, by loop
  std::vector<std::string> independent;
  int controlled = 0;  // motions that the actuators can produce
  StructureReport structure;
};

Closing close_loops(const ClosedMechanism& m) {
  LoopState state(m);
  Closing c;
  c.assembly = assemble_from_afar(m, state, m.start);
  if (!c.assembly.closed) return c;
  state.set_position(c.assembly.q);
  const RowMatrix K = state.jacobian();
  c.mobility = mobility_of(K);
  for (int row : c.mobility.redundant_rows) {
    const int closure = m.rows[static_cast<std::size_t>(row)].closure;
    const std::string& name = m.closures[static_cast<std::size_t>(closure)].name;
    if (c.redundant.empty() || c.redundant.back().first != name) c.redundant.push_back({name, 0});
    ++c.redundant.back().second;
  }
  c.independent =
      names_of(m, independent_velocities(K, m.has_actuators ? m.actuated : std::vector<int>{}));
  // With the actuators held, what still moves is not controlled.
  RowMatrix held(K.rows() + static_cast<Eigen::Index>(m.actuated.size()), K.cols());
  held.topRows(K.rows()) = K;
  held.bottomRows(held.rows() - K.rows()).setZero();
  for (std::size_t i = 0; i < m.actuated.size(); ++i)
    held(K.rows() + static_cast<Eigen::Index>(i), m.actuated[i]) = 1;
  c.controlled = c.mobility.by_rank - mobility_of(held).by_rank;
  if (!m.closures.empty()) c.structure = structure_report(m, K);
  return c;
}

void add_warnings(const ClosedMechanism& m, const Closing& c, std::vector<std::string>& warnings) {
  if (!c.assembly.closed) {
    warnings.push_back(describe_open(m, c.assembly) +
                       "; check the lengths, or 'start', which chooses the branch");
    return;
  }
  if (c.mobility.by_rank == 0)
    warnings.push_back("the mobility is 0: with its loops closed the mechanism cannot move");
  if (m.has_actuators && c.controlled < c.mobility.by_rank)
    warnings.push_back(
        fmt::format("the actuators control {} of {} motions", c.controlled, c.mobility.by_rank));
}

std::string text_of(const Model& model, const Closing& c) {
  std::string text;
  std::size_t width = 0;
  for (const Loop& loop : model.loops) width = std::max(width, loop.name.size());
  if (!model.loops.empty()) text += "\nloops (cut joints)\n";
  for (const Loop& loop : model.loops) {
    text += fmt::format("  {:<{}}  {} -> {}, {}; round {}\n", loop.name, width, loop.body1,
                        loop.body2, kind_text(loop), fmt::join(bodies_round(model, loop), ", "));
  }
  if (!model.springs.empty()) text += "\nsprings\n";
  for (const SpringDamper& s : model.springs) {
    text += fmt::format("  {}  {} {} -> {} {}; {:.6g} N/m, {:.6g} N s/m, length {:.6g} m\n", s.name,
                        s.body1, triple(s.point1), s.body2, triple(s.point2), s.stiffness,
                        s.damping, s.length);
  }
  std::vector<std::string> actuators;
  for (const Actuator& a : model.actuators) actuators.push_back(a.joint);
  text += fmt::format("\nactuators\n  {}\n",
                      !actuators.empty()     ? fmt::format("{}", fmt::join(actuators, ", "))
                      : model.driven.empty() ? "none named: every joint of the tree counts"
                                             : "the driven joints alone");
  std::vector<std::string> driven;
  for (const DrivenJoint& d : model.driven) driven.push_back(d.joint);
  if (!driven.empty()) text += fmt::format("\ndriven\n  {}\n", fmt::join(driven, ", "));
  if (!c.assembly.closed || model.loops.empty()) return text;
  text += fmt::format(
      "\nmobility where the loops are closed from the start position\n"
      "  by count       {} ({} velocities, {} conditions)\n"
      "  by rank        {} ({} conditions count)\n",
      c.mobility.by_count, c.mobility.velocities, c.mobility.rows, c.mobility.by_rank,
      c.mobility.rank);
  std::vector<std::string> redundant;
  for (const auto& [loop, number] : c.redundant)
    redundant.push_back(fmt::format("{} in '{}'", number, loop));
  text += fmt::format("  redundant      {}\n",
                      redundant.empty() ? "none" : fmt::format("{}", fmt::join(redundant, ", ")));
  text += fmt::format(
      "  independent    {}\n",
      c.independent.empty() ? "none" : fmt::format("{}", fmt::join(c.independent, ", ")));
  text += c.structure.text;
  return text;
}

Json json_of(const Model& model, const ClosedMechanism& m, const Closing& c) {
  Json j = {{"loops", Json::array()},
            {"springs", Json::array()},
            {"actuators", Json::array()},
            {"driven", Json::array()}};
  for (const Loop& loop : model.loops) {
    Json l = {{"name", loop.name},
              {"kind", kind_of(loop)},
              {"bodies", {loop.body1, loop.body2}},
              {"round", bodies_round(model, loop)}};
    if (has_axis(loop)) l["axis"] = json_triple(loop.axis);
    if (loop.kind == JointKind::universal) l["axis2"] = json_triple(loop.axis2);
    if (loop.kind == JointKind::screw) l["pitch"] = loop.pitch;
    if (loop.rod) l["length"] = loop.length;
    j["loops"].push_back(l);
  }
  for (const SpringDamper& s : model.springs) {
    j["springs"].push_back({{"name", s.name},
                            {"bodies", {s.body1, s.body2}},
                            {"point1", json_triple(s.point1)},
                            {"point2", json_triple(s.point2)},
                            {"stiffness", s.stiffness},
                            {"damping", s.damping},
                            {"length", s.length}});
  }
  for (const Actuator& a : model.actuators) j["actuators"].push_back(a.joint);
  for (const DrivenJoint& d : model.driven) j["driven"].push_back(d.joint);
  j["assembled"] = c.assembly.closed;
  j["residual"] = c.assembly.residual;
  if (!c.assembly.closed) return j;
  const Eigen::VectorXd& q = c.assembly.q;
  j["q"] = Json::object();
  const auto names = position_names(m.tree);
  for (std::size_t i = 0; i < names.size(); ++i) j["q"][names[i]] = q[static_cast<Eigen::Index>(i)];
  j["mobility"] = {{"by_count", c.mobility.by_count},
                   {"by_rank", c.mobility.by_rank},
                   {"conditions", c.mobility.rows},
                   {"rank", c.mobility.rank},
                   {"controlled", c.controlled}};
  j["redundant"] = Json::object();
  for (const auto& [loop, number] : c.redundant) j["redundant"][loop] = number;
  j["independent"] = c.independent;
  if (!m.closures.empty()) {
    j["subsystems"] = c.structure.subsystems;
    j["parallel"] = c.structure.parallel;
  }
  return j;
}

}  // namespace

ClosedReport closed_report(const Model& model, const CompileOptions& options,
                           std::vector<std::string>& warnings) {
  const ClosedMechanism m = compile_closed(model, options);
  const Closing c = close_loops(m);
  add_warnings(m, c, warnings);
  return {text_of(model, c), json_of(model, m, c)};
}

}  // namespace catena::cli
