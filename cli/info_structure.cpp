#include "info_structure.hpp"

#include <fmt/format.h>

#include "catena/data/columns.hpp"
#include "catena/loops/denoc_parallel.hpp"
#include "catena/loops/subsystems.hpp"

namespace catena::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_lines = 12;

std::string number_of(std::size_t n, const char* what) {
  return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
}

class SubsystemWords {
 public:
  SubsystemWords(const ClosedMechanism& m, const RowMatrix& K)
      : m_(m), names_(velocity_names(m.tree)), plan_(plan_subsystems(m, K, m.actuated)) {}

  std::string text() const {
    std::size_t name = 0, joints = 0;
    const std::size_t shown = std::min(most_lines, plan_.subsystems.size());
    for (std::size_t j = 0; j < shown; ++j) {
      name = std::max(name, plan_.subsystems[j].name.size());
      joints = std::max(joints, joints_of(plan_.subsystems[j]).size());
    }
    std::string text = "\nsubsystems of the spanning tree\n";
    for (std::size_t j = 0; j < shown; ++j) {
      const Subsystem& s = plan_.subsystems[j];
      text += fmt::format("  {:<{}}  {:<{}}  {}, {}{}{}\n", s.name, name, joints_of(s), joints,
                          number_of(s.velocities.size(), "freedom"),
                          number_of(static_cast<std::size_t>(s.unknowns), "unknown"),
                          unknowns_of(s), s.determinate ? ": determinate" : "");
    }
    if (shown < plan_.subsystems.size())
      text += fmt::format("  ... and {} more\n", plan_.subsystems.size() - shown);
    if (plan_.steps.size() == 1 && plan_.subsystems.size() > 1)
      return text + "  none can be solved by itself: the whole tree at once\n";
    std::vector<std::string> order;
    for (const SubsystemStep& step : plan_.steps) order.push_back(words_of(step));
    if (order.size() > most_lines) {
      order.resize(most_lines);
      order.push_back("...");
    }
    return text + fmt::format("  solved in the order {}\n", fmt::join(order, ", "));
  }

  Json json() const {
    Json all = {{"parts", Json::array()}, {"order", Json::array()}};
    for (const Subsystem& s : plan_.subsystems) {
      all["parts"].push_back({{"name", s.name},
                              {"joints", s.joints},
                              {"freedoms", s.velocities.size()},
                              {"unknowns", s.unknowns},
                              {"determinate", s.determinate}});
    }
    for (const SubsystemStep& step : plan_.steps) {
      all["order"].push_back({{"subsystems", parts_of(step)},
                              {"solves", solved_by(step)},
                              {"determinate", step.determinate}});
    }
    return all;
  }

 private:
  static std::string joints_of(const Subsystem& s) {
    std::vector<std::string> some(
        s.joints.begin(),
        s.joints.begin() + static_cast<std::ptrdiff_t>(std::min(most_lines, s.joints.size())));
    if (some.size() < s.joints.size()) some.push_back("...");
    return fmt::format("{}", fmt::join(some, ", "));
  }
  const std::string& velocity(int v) const { return names_[static_cast<std::size_t>(v)]; }
  const std::string& closure(int c) const { return m_.closures[static_cast<std::size_t>(c)].name; }

  // " (II_1, 2 in lambda_1)"
  std::string unknowns_of(const Subsystem& s) const {
    std::vector<std::string> parts;
    for (const int v : s.drives) parts.push_back(velocity(v));
    for (const int c : s.closures)
      parts.push_back(
          fmt::format("{} in {}", plan_.forces[static_cast<std::size_t>(c)].cols(), closure(c)));
    if (parts.size() > most_lines) {
      parts.resize(most_lines);
      parts.push_back("...");
    }
    return parts.empty() ? "" : fmt::format(" ({})", fmt::join(parts, ", "));
  }
  std::vector<std::string> parts_of(const SubsystemStep& step) const {
    std::vector<std::string> parts;
    for (const int j : step.subsystems)
      parts.push_back(plan_.subsystems[static_cast<std::size_t>(j)].name);
    return parts;
  }
  std::vector<std::string> solved_by(const SubsystemStep& step) const {
    std::vector<std::string> solved;
    for (const int v : step.drives) solved.push_back(velocity(v));
    for (const int c : step.closures) solved.push_back(closure(c));
    return solved;
  }
  std::string words_of(const SubsystemStep& step) const {
    const auto solved = solved_by(step);
    std::string text = fmt::format("{}", fmt::join(parts_of(step), " with "));
    if (!solved.empty() && solved.size() <= most_lines)
      text += fmt::format(" ({})", fmt::join(solved, ", "));
    return text;
  }

  const ClosedMechanism& m_;
  std::vector<std::string> names_;
  SubsystemPlan plan_;
};

std::vector<std::string> joints_of(const JointGraph& graph, const Leg& leg) {
  std::vector<std::string> names;
  for (const LegJoint& j : leg.joints)
    names.push_back(graph.edges[static_cast<std::size_t>(j.edge)].name);
  return names;
}

// A free joint from the ground to the platform tells where it is, and is no leg.
bool holds_nothing(const JointGraph& graph, const Leg& leg) {
  return leg.bodies.empty() &&
         graph.edges[static_cast<std::size_t>(leg.joints.front().edge)].freedoms == 6;
}

void describe_parallel(const ClosedMechanism& m, StructureReport& r) {
  const std::string refusal = denoc_parallel_refusal(m);
  if (!refusal.empty()) {
    r.text += fmt::format("\nparallel manipulator\n  {}\n", refusal);
    r.parallel = {{"refusal", refusal}};
    return;
  }
  const JointGraph graph = joint_graph(m);
  const ParallelStructure s = parallel_structure(graph);
  const std::string platform = s.platform >= 0
                                   ? graph.bodies[static_cast<std::size_t>(s.platform)]
                                   : graph.edges[static_cast<std::size_t>(s.meeting)].name;
  r.text += fmt::format("\nparallel manipulator\n  platform  {}\n",
                        s.platform >= 0 ? platform : "joint " + platform + ", where the legs meet");
  r.parallel = {{s.platform >= 0 ? "platform" : "meeting_joint", platform},
                {"legs", Json::array()}};
  int number = 0;
  for (const Leg& leg : s.legs) {
    if (holds_nothing(graph, leg)) continue;
    const auto joints = joints_of(graph, leg);
    r.text += fmt::format("  leg {:<4}  {}\n", ++number, fmt::join(joints, ", "));
    r.parallel["legs"].push_back(joints);
  }
}

}  // namespace

StructureReport structure_report(const ClosedMechanism& m, const RowMatrix& K) {
  const SubsystemWords subsystems(m, K);
  StructureReport r;
  r.text = subsystems.text();
  r.subsystems = subsystems.json();
  describe_parallel(m, r);
  return r;
}

}  // namespace catena::cli
