#include "catena/model/cut_joints.hpp"

#include <cmath>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace catena {
namespace {

// Bodies are numbered; 0 is the ground.
struct Graph {
  std::unordered_map<std::string, int> number;
  std::vector<std::vector<int>> joints_at;  // of each body
  bool sound = true;                        // names are right, and all hangs together
  bool cyclic = false;
};

int body_number(const Graph& g, const std::string& name) {
  const auto found = g.number.find(name);
  return found == g.number.end() ? -1 : found->second;
}

// How many bodies are connected with the ground, whichever way the joints point.
std::size_t count_connected(const Graph& g, const Model& model) {
  std::vector<char> seen(g.joints_at.size(), 0);
  std::vector<int> open{0};
  seen[0] = 1;
  std::size_t count = 0;
  while (!open.empty()) {
    const int at = open.back();
    open.pop_back();
    ++count;
    for (int j : g.joints_at[static_cast<std::size_t>(at)]) {
      const Joint& joint = model.joints[static_cast<std::size_t>(j)];
      for (const std::string& end : {joint.parent, joint.child}) {
        const int other = body_number(g, end);
        if (seen[static_cast<std::size_t>(other)] != 0) continue;
        seen[static_cast<std::size_t>(other)] = 1;
        open.push_back(other);
      }
    }
  }
  return count;
}

Graph graph_of(const Model& model) {
  Graph g;
  g.number.emplace(model.ground, 0);
  for (const Body& body : model.bodies) {
    const bool is_new = g.number.emplace(body.name, static_cast<int>(g.number.size())).second;
    if (!is_new && body.name != model.ground) g.sound = false;
  }
  g.joints_at.resize(g.number.size());
  std::unordered_set<std::string> names;
  for (std::size_t j = 0; j < model.joints.size() && g.sound; ++j) {
    const Joint& joint = model.joints[j];
    const int parent = body_number(g, joint.parent), child = body_number(g, joint.child);
    g.sound = parent >= 0 && child >= 0 && parent != child && names.insert(joint.name).second;
    if (!g.sound) break;
    g.joints_at[static_cast<std::size_t>(parent)].push_back(static_cast<int>(j));
    g.joints_at[static_cast<std::size_t>(child)].push_back(static_cast<int>(j));
  }
  g.cyclic = model.joints.size() >= g.number.size();
  if (g.sound && g.cyclic) g.sound = count_connected(g, model) == g.number.size();
  return g;
}

bool has_forces(const JointDynamics& d) {
  return d.stiffness != 0 || d.viscous != 0 || d.coulomb != 0 || d.rotor_inertia != 0;
}

// Joints that say something which a loop cannot say.
std::unordered_set<std::string> joints_to_keep(const Model& model) {
  std::unordered_set<std::string> keep;
  for (const Actuator& actuator : model.actuators) keep.insert(actuator.joint);
  for (const DrivenJoint& driven : model.driven) keep.insert(driven.joint);
  for (const Joint& joint : model.joints) {
    if (joint.mimic) keep.insert({joint.name, joint.mimic->joint});
    const bool oblique =
        joint.kind == JointKind::universal && std::abs(dot(joint.axis, joint.axis2)) > 1e-12;
    if (has_forces(joint.dynamics) || oblique || joint.kind == JointKind::free)
      keep.insert(joint.name);
  }
  return keep;
}

bool can_turn_round(JointKind kind) {
  return kind == JointKind::fixed || kind == JointKind::revolute || kind == JointKind::prismatic ||
         kind == JointKind::screw || kind == JointKind::cylindrical;
}

// X_BP = X_MB⁻¹ motion(q)⁻¹ X_PJ⁻¹, and the inverse of a motion is the same one about -axis.
void turn_round(Joint& joint) {
  std::swap(joint.parent, joint.child);
  const Pose<double> X_PJ = joint.X_PJ;
  joint.X_PJ = inverse(joint.X_MB);
  joint.X_MB = inverse(X_PJ);
  joint.axis = Vec3<double>{} - joint.axis;
}

Loop loop_of(const Joint& joint) {
  Loop loop;
  loop.name = joint.name;
  loop.kind = joint.kind;
  loop.body1 = joint.parent, loop.body2 = joint.child;
  loop.X_1L = joint.X_PJ, loop.X_2L = inverse(joint.X_MB);
  loop.axis = joint.axis, loop.axis2 = joint.axis2;
  loop.pitch = joint.pitch;
  loop.where = joint.where;
  return loop;
}

enum class Role : char { cut, tree, turned };

// The heaviest spanning tree: a joint weighs as many rows as it would have as a loop. Of equal ones
// the body nearer to the ground goes first, then the order of the file.
class SpanningTree {
 public:
  SpanningTree(const Model& model, const Graph& graph)
      : role(model.joints.size(), Role::cut),
        reached(graph.joints_at.size(), 0),
        keep_(joints_to_keep(model)),
        model_(model),
        graph_(graph) {
    add(0, 0);
    while (!open_.empty()) {
      const auto [kept, rows, depth, forward, order] = open_.top();
      open_.pop();
      const int j = -order;
      const Joint& joint = model.joints[static_cast<std::size_t>(j)];
      const int body = body_number(graph, forward ? joint.child : joint.parent);
      if (reached[static_cast<std::size_t>(body)] != 0) continue;
      role[static_cast<std::size_t>(j)] = forward ? Role::tree : Role::turned;
      add(body, 1 - depth);
    }
  }

  bool keeps(const Joint& joint) const { return keep_.count(joint.name) > 0; }

  std::vector<Role> role;
  std::vector<char> reached;

 private:
  void add(int body, int depth) {
    reached[static_cast<std::size_t>(body)] = 1;
    for (int j : graph_.joints_at[static_cast<std::size_t>(body)]) {
      const Joint& joint = model_.joints[static_cast<std::size_t>(j)];
      const bool forward = body_number(graph_, joint.parent) == body;
      if (forward || can_turn_round(joint.kind))
        open_.push({keeps(joint), 6 - num_velocities(joint.kind), -depth, forward, -j});
    }
  }

  std::unordered_set<std::string> keep_;
  const Model& model_;
  const Graph& graph_;
  std::priority_queue<std::tuple<bool, int, int, bool, int>> open_;
};

void check(const Model& model, const Graph& graph, const SpanningTree& tree) {
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    const Joint& joint = model.joints[j];
    const auto reached = [&](const std::string& body) {
      return tree.reached[static_cast<std::size_t>(body_number(graph, body))] != 0;
    };
    if (reached(joint.child) && !reached(joint.parent)) {
      throw InputError(joint.where,
                       "joint '" + joint.name + "' (" + to_string(joint.kind) +
                           ") points towards the ground, and a joint of this kind cannot be "
                           "turned round",
                       "swap its parent and child");
    }
    if (tree.role[j] == Role::cut && tree.keeps(joint)) {
      throw InputError(joint.where,
                       "joint '" + joint.name +
                           "' closes a loop in which every joint is driven, coupled, free or has "
                           "forces of its own, so that none can be cut",
                       "leave one of these joints passive and without forces");
    }
  }
}

}  // namespace

Model with_cut_joints(const Model& model, std::vector<std::string>* warnings) {
  const Graph graph = graph_of(model);
  if (!graph.sound || !graph.cyclic) return model;
  const SpanningTree tree(model, graph);
  check(model, graph, tree);
  Model result = model;
  result.joints.clear();
  std::unordered_set<std::string> cut;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    Joint joint = model.joints[j];
    if (tree.role[j] == Role::cut) {
      cut.insert(joint.name);
      result.loops.push_back(loop_of(joint));
      if (warnings && (std::isfinite(joint.limits.lower) || std::isfinite(joint.limits.upper)))
        warnings->push_back(to_string(joint.where) + ": joint '" + joint.name +
                            "' is cut to open a loop, and its limits are lost");
      continue;
    }
    if (tree.role[j] == Role::turned) turn_round(joint);
    result.joints.push_back(joint);
  }
  std::erase_if(result.start, [&](const StartPosition& s) { return cut.count(s.joint) > 0; });
  return result;
}

}  // namespace catena
