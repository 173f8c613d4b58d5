#include "catena/papers/subsystems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "catena/data/columns.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/papers/closed_motion.hpp"
#include "catena/papers/run.hpp"

namespace catena::papers {
namespace {

// For every body, the one that carries it on the ground; the ground itself carries itself.
std::vector<int> roots_of(const Mechanism<double>& m) {
  std::vector<int> root(m.bodies.size(), 0);
  for (std::size_t b = 1; b < root.size(); ++b) {
    const int parent = m.bodies[b].parent;
    root[b] = parent == 0 ? static_cast<int>(b) : root[index(parent)];
  }
  return root;
}

struct Unknown {
  std::string name;
  int count = 0;
  std::vector<int> roots;  // subsystems in whose equations it stands
  bool known = false;
};

std::vector<Unknown> unknowns_of(const ClosedMechanism& m, const Eigen::VectorXd& q,
                                 const std::vector<int>& root) {
  LoopState state(m);
  state.set_position(q);
  std::vector<Unknown> unknowns;
  for (std::size_t c = 0; c < m.closures.size(); ++c) {
    std::vector<Eigen::Index> rows;
    for (std::size_t r = 0; r < m.rows.size(); ++r) {
      if (m.rows[r].closure == static_cast<int>(c)) rows.push_back(static_cast<Eigen::Index>(r));
    }
    const RowMatrix K = state.jacobian()(rows, Eigen::all);
    Unknown u{m.closures[c].name, mobility_of(K).rank, {}, false};
    for (const int body : {m.closures[c].body1, m.closures[c].body2}) {
      if (root[index(body)] != 0) u.roots.push_back(root[index(body)]);
    }
    unknowns.push_back(u);
  }
  const auto names = velocity_names(m.tree);
  for (const JointInfo& j : m.tree.names->joints) {
    for (const int v : m.actuated) {
      if (!j.mimic && v >= j.v && v < j.v + j.nv)
        unknowns.push_back({names[index(v)], 1, {root[index(j.body)]}, false});
    }
  }
  return unknowns;
}

}  // namespace

std::vector<SubsystemStep> subsystem_order(const ClosedMechanism& m, const Eigen::VectorXd& q) {
  const std::vector<int> root = roots_of(m.tree);
  std::vector<Unknown> unknowns = unknowns_of(m, q, root);
  std::map<int, SubsystemStep> waiting;  // by their first body
  for (const JointInfo& j : m.tree.names->joints) {
    if (root[index(j.body)] == 0 || j.mimic) continue;
    SubsystemStep& step = waiting[root[index(j.body)]];
    if (step.joint.empty()) step.joint = j.name;
    step.freedom += j.nv;
  }
  std::vector<SubsystemStep> order;
  const auto solve = [&](std::map<int, SubsystemStep>::iterator it, bool determinate) {
    SubsystemStep step = it->second;
    step.determinate = determinate;
    for (Unknown& u : unknowns) {
      if (u.known || std::find(u.roots.begin(), u.roots.end(), it->first) == u.roots.end())
        continue;
      u.known = true;
      step.unknowns += u.count;
      step.found.push_back(u.name);
    }
    order.push_back(step);
    waiting.erase(it);
  };
  while (!waiting.empty()) {
    const auto ready = std::find_if(waiting.begin(), waiting.end(), [&](const auto& entry) {
      int count = 0;
      for (const Unknown& u : unknowns) {
        if (!u.known && std::find(u.roots.begin(), u.roots.end(), entry.first) != u.roots.end())
          count += u.count;
      }
      return count == entry.second.freedom;
    });
    solve(ready == waiting.end() ? waiting.begin() : ready, ready != waiting.end());
  }
  return order;
}

Run run_subsystems(const Settings& s) {
  Run run;
  ClosedMotion motion(s.model());
  Eigen::VectorXd q = motion.dynamics().mechanism().start,
                  qd = Eigen::VectorXd::Zero(motion.tree().nv), qdd = qd;
  motion.lead(motion.dynamics().mechanism().actuated);
  motion.go(q, qd, qdd);
  std::map<std::string, std::string> names;
  if (s.has("names")) {
    for (const auto& [joint, name] : s.pairs("names")) names[joint] = name;
  }
  Grid grid{"Subsystems in the order in which they are solved",
            {"subsystem", "equations", "unknowns", "yields"},
            {},
            1};
  std::vector<std::string> order;
  double cost = 0, bodies = 0;
  bool determinate = true;
  for (const SubsystemStep& step : subsystem_order(motion.dynamics().mechanism(), q)) {
    const std::string name = names.contains(step.joint) ? names[step.joint] : step.joint;
    order.push_back(name);
    cost += step.freedom == 1 ? 1 : step.freedom * step.freedom * step.freedom / 3.;  // n^3 / 3
    bodies += step.freedom;
    determinate = determinate && step.determinate;
    run.set(name + ".equations", step.freedom, "", "equations of " + name);
    run.set(name + ".unknowns", step.unknowns, "", "unknowns of " + name);
    grid.rows.push_back({name, std::to_string(step.freedom), std::to_string(step.unknowns),
                         fmt::format("{}", fmt::join(step.found, ", "))});
  }
  run.measures["order"] = {fmt::format("{}", fmt::join(order, ", ")), ""};
  run.measures["determinate"] = {std::string(determinate ? "yes" : "no"), ""};
  run.set("freedom", bodies, "", "equations of the spanning tree");
  run.set("cost", cost);
  run.set("cost.uncoupled", 27 * bodies * bodies * bodies / 3, "",
          "cost of three equations per body at once");
  run.grids.push_back(grid);
  return run;
}

}  // namespace catena::papers
