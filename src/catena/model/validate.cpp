#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "catena/model/model.hpp"
#include "catena/model/validate_parts.hpp"

namespace catena {
namespace {

constexpr const char* world = "world";

std::string quoted(const std::string& name) { return "'" + name + "'"; }

// Where the first of two namesakes is, for the remedy of the second.
std::string first_at(const Where& where) {
  const std::string place = to_string(where);
  return place.empty() ? "" : "the first is at " + place + "; ";
}

template <class Part>
using ByName = std::unordered_map<std::string, const Part*>;

// Names are the only way to speak of a part: not empty, and one part each.
template <class Part>
ByName<Part> by_name(const std::vector<Part>& parts, const std::string& one,
                     const std::string& many) {
  ByName<Part> index;
  for (const Part& part : parts) {
    if (part.name.empty()) {
      throw InputError(part.where, "a " + one + " has no name", "give every " + one + " a name");
    }
    const auto [first, is_new] = index.emplace(part.name, &part);
    if (!is_new) {
      throw InputError(part.where, "two " + many + " are called " + quoted(part.name),
                       first_at(first->second->where) + "give each " + one + " its own name");
    }
  }
  return index;
}

std::vector<std::string> body_names(const Model& model) {
  std::vector<std::string> names{model.ground};
  for (const Body& body : model.bodies) names.push_back(body.name);
  return names;
}

std::vector<std::string> joint_names(const Model& model) {
  std::vector<std::string> names;
  for (const Joint& joint : model.joints) names.push_back(joint.name);
  return names;
}

class ModelCheck {
 public:
  explicit ModelCheck(const Model& model)
      : model_(model),
        bodies_(by_name(model.bodies, "body", "bodies")),
        joints_(by_name(model.joints, "joint", "joints")) {
    by_name(model.frames, "frame", "frames");
  }

  std::vector<std::string> run(bool allow_unphysical) {
    check_not_empty();
    check_reserved_names();
    for (const Joint& joint : model_.joints) check_ends(joint);
    check_tree();
    for (const Frame& frame : model_.frames) check_frame(frame);
    for (const Joint& joint : model_.joints) detail::check_joint(joint);
    for (const Joint& joint : model_.joints) {
      if (joint.mimic) check_mimic(joint);
    }
    for (const Body& body : model_.bodies) detail::check_body(body, allow_unphysical, warnings_);
    check_gravity();
    by_name(model_.loops, "loop", "loops");
    for (const Loop& loop : model_.loops) check_loop(loop);
    for (const SpringDamper& spring : model_.springs)
      check_between("spring " + quoted(spring.name) + ": ", spring.where, spring.body1,
                    spring.body2);
    check_joint_list("actuator: ", "actuated", model_.actuators);
    check_joint_list("driven: ", "driven", model_.driven);
    for (const StartPosition& start : model_.start) check_start(start);
    return std::move(warnings_);
  }

 private:
  void check_not_empty() const {
    if (model_.bodies.empty()) {
      throw InputError(model_.where, "the model has no bodies, so there is nothing to compute",
                       "describe at least one body and the joint that carries it");
    }
    if (model_.joints.empty()) {
      throw InputError(
          model_.where, "the model has no joints, so there is nothing to compute",
          "add a joint; one of type free (floating in URDF), or --floating-base, for a body in "
          "space");
    }
  }

  // "world" is the ground's frame in results: nothing that moves may be called so.
  void check_reserved_names() const {
    const auto body = bodies_.find(world);
    if (body != bodies_.end() && model_.ground != world) {
      throw InputError(
          body->second->where,
          "body 'world' is not the ground, but that name is kept for the ground's frame",
          "rename the body, or make it the ground");
    }
    for (const Frame& frame : model_.frames) {
      if (frame.name == world) {
        throw InputError(frame.where, "frame 'world': that name is kept for the ground's frame",
                         "give the frame another name");
      }
      if (frame.name == model_.ground || bodies_.count(frame.name)) {
        throw InputError(frame.where, "frame " + quoted(frame.name) + " has the name of a body",
                         "every body is a frame of its own name; give this one another name");
      }
    }
  }

  bool is_body(const std::string& name) const {
    return name == model_.ground || bodies_.count(name);
  }

  void check_ends(const Joint& joint) const {
    const std::string subject = "joint " + quoted(joint.name) + ": ";
    for (const auto& [role, name] :
         {std::pair<std::string, const std::string&>{"parent", joint.parent},
          {"child", joint.child}}) {
      if (name.empty()) {
        throw InputError(joint.where, subject + "it has no " + role,
                         "name the " + role + " body of the joint");
      }
      if (!is_body(name)) {
        throw InputError(joint.where,
                         subject + "its " + role + " " + quoted(name) + " does not exist" +
                             did_you_mean(name, body_names(model_)),
                         "name a body of the model, or describe a body " + quoted(name));
      }
    }
    if (joint.child == model_.ground) {
      throw InputError(joint.where, subject + "its child is the ground " + quoted(joint.child),
                       "swap parent and child, or choose another ground");
    }
  }

  // Every body hangs on one joint, and following the joints down leads to the ground.
  void check_tree() {
    for (const Joint& joint : model_.joints) {
      const auto [first, is_new] = carrier_.emplace(joint.child, &joint);
      if (!is_new) {
        throw InputError(joint.where,
                         "body " + quoted(joint.child) + " is the child of two joints, " +
                             quoted(first->second->name) + " and " + quoted(joint.name),
                         first_at(first->second->where) + "keep one: a body hangs on one joint");
      }
    }
    std::unordered_map<std::string, int> walk_of;  // the walk that met the body first
    int walk = 0;
    for (const Body& body : model_.bodies) {
      ++walk;
      std::string at = body.name;
      while (at != model_.ground && walk_of.emplace(at, walk).second) {
        const auto joint = carrier_.find(at);
        if (joint == carrier_.end()) throw_disconnected(*bodies_.at(at));
        at = joint->second->parent;
      }
      if (at != model_.ground && walk_of.at(at) == walk) throw_cycle(at);
    }
  }

  [[noreturn]] void throw_disconnected(const Body& root) const {
    bool ground_is_used = bodies_.count(model_.ground) > 0;
    for (const Joint& joint : model_.joints) ground_is_used |= joint.parent == model_.ground;
    if (!ground_is_used) {
      std::vector<std::string> others = body_names(model_);
      others.erase(others.begin());
      throw InputError(
          model_.where,
          "no joint hangs on the ground " + quoted(model_.ground) +
              did_you_mean(model_.ground, others),
          "name the body that does not move as the ground, or add a joint with parent " +
              quoted(model_.ground));
    }
    throw InputError(root.where,
                     "body " + quoted(root.name) + " is a second root beside the ground " +
                         quoted(model_.ground) + ": no joint has it as its child",
                     "connect it with a joint (fixed if it does not move), or remove it");
  }

  [[noreturn]] void throw_cycle(const std::string& start) const {
    std::string path = quoted(start);
    std::string at = start;
    constexpr int longest = 20;
    for (int i = 0; i == 0 || at != start; ++i) {
      at = carrier_.at(at)->parent;
      if (i < longest) path += " on " + quoted(at);
      if (i == longest) path += " on ...";
    }
    throw InputError(carrier_.at(start)->where, "the joints go round in a cycle: " + path,
                     "turn one of these joints round or remove it: a joint's parent is the body "
                     "nearer to the ground");
  }

  void check_frame(const Frame& frame) const {
    const std::string subject = "frame " + quoted(frame.name) + ": ";
    if (!is_body(frame.body)) {
      throw InputError(frame.where,
                       subject + "its body " + quoted(frame.body) + " does not exist" +
                           did_you_mean(frame.body, body_names(model_)),
                       "name a body of the model");
    }
    detail::check_pose(frame.X_BF, frame.where, subject, "the pose of the frame on its body");
  }

  // A coupling is between single coordinates. A mimic of a mimic is fine, a circle of them is not.
  void check_mimic(const Joint& joint) {
    const std::string subject = "joint " + quoted(joint.name) + ": ";
    const Mimic& mimic = *joint.mimic;
    const auto leader = joints_.find(mimic.joint);
    if (leader == joints_.end()) {
      throw InputError(joint.where,
                       subject + "it mimics " + quoted(mimic.joint) + ", which does not exist" +
                           did_you_mean(mimic.joint, joint_names(model_)),
                       "name a joint of the model");
    }
    for (const Joint* end : {&joint, leader->second}) {
      if (num_velocities(end->kind) == 1) continue;
      throw InputError(joint.where,
                       subject + "it mimics " + quoted(mimic.joint) + ", but joint " +
                           quoted(end->name) + " is " + to_string(end->kind) + " with " +
                           std::to_string(num_velocities(end->kind)) + " coordinates",
                       "couple joints of one coordinate: revolute, prismatic or screw");
    }
    if (!std::isfinite(mimic.multiplier) || !std::isfinite(mimic.offset)) {
      throw InputError(joint.where, subject + "its mimic multiplier or offset is not finite",
                       "write finite numbers");
    }
    if (mimic.multiplier == 0) {
      const std::string place = to_string(joint.where);
      warnings_.push_back((place.empty() ? "" : place + ": ") + subject +
                          "its mimic multiplier is 0, so that it stands still at the offset");
    }
    const Joint* at = leader->second;
    for (std::size_t steps = 0; at != &joint && at->mimic && steps < model_.joints.size();
         ++steps) {
      const auto next = joints_.find(at->mimic->joint);
      if (next == joints_.end()) return;  // reported at that joint
      at = next->second;
    }
    if (at == &joint) {
      throw InputError(joint.where,
                       subject + (leader->second == &joint
                                      ? "it mimics itself"
                                      : "it mimics " + quoted(mimic.joint) +
                                            ", which in turn depends on " + quoted(joint.name)),
                       "let one joint of the group move on its own");
    }
  }

  void check_between(const std::string& subject, const Where& where, const std::string& one,
                     const std::string& two) const {
    for (const std::string& name : {one, two}) {
      if (is_body(name)) continue;
      throw InputError(where,
                       subject + "its body " + quoted(name) + " does not exist" +
                           did_you_mean(name, body_names(model_)),
                       "name a body of the model");
    }
    if (one != two) return;
    throw InputError(where, subject + "both ends are on body " + quoted(one),
                     "name two different bodies");
  }

  void check_loop(const Loop& loop) const {
    const std::string subject = "loop " + quoted(loop.name) + ": ";
    if (const auto joint = joints_.find(loop.name); joint != joints_.end()) {
      throw InputError(
          loop.where, subject + "a joint has this name, too",
          first_at(joint->second->where) + "reactions are named after both; give it another");
    }
    check_between(subject, loop.where, loop.body1, loop.body2);
    detail::check_pose(loop.X_1L, loop.where, subject, "origin1");
    detail::check_pose(loop.X_2L, loop.where, subject, "origin2");
    if (!loop.rod && loop.kind == JointKind::free) {
      throw InputError(loop.where, subject + "a free joint closes nothing", "remove the loop");
    }
    if (loop.rod && !(loop.length > 0 && std::isfinite(loop.length))) {
      throw InputError(
          loop.where, subject + "its length is " + detail::short_number(loop.length),
          "a rod needs a length above zero; two points that coincide are a spherical joint");
    }
    if (loop.kind == JointKind::screw && !(std::abs(loop.pitch) > 0 && std::isfinite(loop.pitch))) {
      throw InputError(loop.where, subject + "its pitch is " + detail::short_number(loop.pitch),
                       "a screw without pitch is a revolute joint");
    }
    for (const Vec3<double>& axis : {loop.axis, loop.axis2}) {
      if (std::abs(dot(axis, axis) - 1) < 1e-9) continue;
      throw InputError(loop.where,
                       subject + "its axis (" + detail::short_vector(axis) + ") is no unit vector",
                       "write a direction, e.g. 0 0 1");
    }
    for (const Loop& other : model_.loops) {
      if (&other == &loop) break;
      const auto same_ends = [&](const std::string& body1, const Pose<double>& X_1L,
                                 const std::string& body2, const Pose<double>& X_2L) {
        return other.body1 == body1 && other.body2 == body2 && same_place(other.X_1L, X_1L) &&
               same_place(other.X_2L, X_2L);
      };
      const bool same = same_ends(loop.body1, loop.X_1L, loop.body2, loop.X_2L) ||
                        same_ends(loop.body2, loop.X_2L, loop.body1, loop.X_1L);
      if (same && other.kind == loop.kind && other.rod == loop.rod) {
        throw InputError(loop.where, subject + "it closes the same loop as " + quoted(other.name),
                         first_at(other.where) + "remove one of them");
      }
    }
  }
  static bool same_place(const Pose<double>& a, const Pose<double>& b) {
    const Vec3<double> d = a.p - b.p;
    return dot(d, d) == 0 && dot(a.R.x, b.R.x) == 1 && dot(a.R.y, b.R.y) == 1;
  }

  void check_names_joint(const std::string& subject, const std::string& name,
                         const Where& where) const {
    if (joints_.count(name) > 0) return;
    throw InputError(where,
                     subject + quoted(name) + " is not a joint of the model" +
                         did_you_mean(name, joint_names(model_)),
                     "name a joint of the tree");
  }

  // Actuators or driven joints: joints that move, each once.
  template <class Listed>
  void check_joint_list(const std::string& subject, const std::string& how,
                        const std::vector<Listed>& list) const {
    std::unordered_set<std::string> seen;
    for (const Listed& one : list) {
      check_names_joint(subject, one.joint, one.where);
      const Joint& joint = *joints_.at(one.joint);
      if (joint.kind == JointKind::fixed)
        throw InputError(one.where, subject + "joint " + quoted(one.joint) + " is fixed",
                         "name a joint that moves");
      if (joint.mimic)
        throw InputError(one.where,
                         subject + "joint " + quoted(one.joint) + " follows joint " +
                             quoted(joint.mimic->joint) + " and cannot be " + how,
                         "name that joint");
      if (!seen.insert(one.joint).second)
        throw InputError(one.where, subject + "joint " + quoted(one.joint) + " is named twice",
                         "remove one of the two");
    }
  }

  void check_start(const StartPosition& start) const {
    check_names_joint("start: ", start.joint, start.where);
    const JointKind kind = joints_.at(start.joint)->kind;
    const int count =
        num_velocities(kind) + (kind == JointKind::spherical || kind == JointKind::free ? 1 : 0);
    if (static_cast<int>(start.q.size()) == count) return;
    throw InputError(start.where,
                     "start: joint " + quoted(start.joint) + " has " + std::to_string(count) +
                         " coordinates, but " + std::to_string(start.q.size()) + " are given",
                     "write a list of as many numbers");
  }

  void check_gravity() const {
    const Vec3<double>& g = model_.gravity;
    if (std::isfinite(g.x) && std::isfinite(g.y) && std::isfinite(g.z)) return;
    throw InputError(model_.where, "gravity is (" + detail::short_vector(g) + ")",
                     "write three finite numbers in m/s^2, e.g. 0 0 -9.81");
  }

  const Model& model_;
  ByName<Body> bodies_;
  ByName<Joint> joints_;
  ByName<Joint> carrier_;  // the joint that has the body as its child
  std::vector<std::string> warnings_;
};

}  // namespace

std::vector<std::string> validate(const Model& model, bool allow_unphysical) {
  if (model.ground.empty()) {
    throw InputError(model.where, "the model has no ground", "name the body that does not move");
  }
  return ModelCheck(model).run(allow_unphysical);
}

}  // namespace catena
