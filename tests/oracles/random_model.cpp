#include "oracles/random_model.hpp"

#include <algorithm>
#include <utility>

namespace catena::oracle {
namespace {

bool is_dense(JointKind kind) { return kind == JointKind::spherical || kind == JointKind::free; }

void add_passive(Random& random, Joint& joint) {
  JointDynamics& d = joint.dynamics;
  if (random.chance(0.5)) d.viscous = random.uniform(0, 0.5);
  if (random.chance(0.5)) {
    d.rotor_inertia = random.uniform(1e-4, 1e-3);
    d.gear_ratio = random.uniform(-20, 20);
  }
  if (is_dense(joint.kind)) return;
  if (random.chance(0.5)) d.coulomb = random.uniform(0, 1);
  if (random.chance(0.5)) {
    d.stiffness = random.uniform(0, 10);
    d.rest = random.uniform();
  }
}

std::string numbered(const char* letter, int i) { return letter + std::to_string(i); }

void add_frames(Random& random, Model& model) {
  int count = 0;
  for (const Body& body : model.bodies) {
    if (!random.chance(0.3)) continue;
    model.frames.push_back({numbered("f", ++count), body.name, random.pose(), {}});
  }
}

// Some joints of one coordinate follow another one, now and then along a chain of mimics.
void add_mimics(Random& random, Model& model) {
  std::vector<std::size_t> single;
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    if (num_velocities(model.joints[j].kind) == 1) single.push_back(j);
  }
  for (std::size_t k = 1; k < single.size(); ++k) {
    if (!random.chance(0.3)) continue;
    const std::size_t leader = single[static_cast<std::size_t>(random.below(static_cast<int>(k)))];
    const double multiplier = random.uniform(0.3, 2) * (random.chance(0.5) ? 1 : -1);
    model.joints[single[k]].mimic = Mimic{model.joints[leader].name, multiplier, random.uniform()};
  }
}

template <class Part>
void shuffle(std::vector<Part>& parts, Random& random) {
  for (std::size_t i = parts.size(); i > 1; --i) {
    std::swap(parts[i - 1], parts[static_cast<std::size_t>(random.below(static_cast<int>(i)))]);
  }
}

}  // namespace

Joint random_joint(Random& random, JointKind kind, bool body_frames) {
  Joint joint;
  joint.kind = kind;
  joint.X_PJ = random.written_pose();
  if (body_frames) joint.X_MB = random.written_pose(0.3);
  joint.axis = random.written_axis();
  do {
    joint.axis2 = random.written_axis();
  } while (std::abs(dot(joint.axis, joint.axis2)) > 0.8);
  if (kind == JointKind::screw)
    joint.pitch = random.uniform(0.05, 0.3) * (random.chance(0.5) ? 1 : -1);
  return joint;
}

Body random_body(Random& random, const std::string& name) {
  Body body;
  body.name = name;
  const Vec3<double> centre = random.vector(0.3);
  std::vector<std::pair<double, Vec3<double>>> points;
  for (int i = 0; i < 6; ++i) {
    const double m = random.uniform(0.1, 1);
    points.emplace_back(m, centre + random.vector(0.4));
    body.mass += m;
    body.com += m * points.back().second;
  }
  body.com = (1 / body.mass) * body.com;
  Sym3<double>& I = body.inertia;
  for (const auto& [m, p] : points) {
    const Vec3<double> r = p - body.com;
    I.xx += m * (r.y * r.y + r.z * r.z), I.xy -= m * r.x * r.y, I.xz -= m * r.x * r.z;
    I.yy += m * (r.x * r.x + r.z * r.z), I.yz -= m * r.y * r.z;
    I.zz += m * (r.x * r.x + r.y * r.y);
  }
  return body;
}

Model random_model(Random& random, const TreeOptions& options) {
  Model model;
  model.name = "random";
  model.gravity = random.vector(10);
  bool parent_may_be_massless = true;
  for (int i = 1; i <= options.bodies; ++i) {
    const bool last_is_massless = i > 1 && model.bodies.back().mass == 0;
    JointKind kind =
        options
            .kinds[static_cast<std::size_t>(random.below(static_cast<int>(options.kinds.size())))];
    // A free joint frees everything above it: rare inside a tree.
    if (kind == JointKind::free && random.chance(0.6)) kind = options.kinds.front();
    if (options.floating && i == 1) kind = JointKind::free;
    // A massless body is followed by one that has mass, on a joint that leaves the tree regular.
    if (last_is_massless) kind = random.chance(0.5) ? JointKind::revolute : JointKind::fixed;
    Joint joint = random_joint(random, kind, options.body_frames);
    if (last_is_massless) joint.X_PJ = random.pose(), joint.axis = random.unit();
    joint.name = numbered("j", i);
    joint.child = numbered("b", i);
    joint.parent = i == 1 ? model.ground : numbered("b", i - 1);
    if (i > 1 && !last_is_massless && random.chance(options.branching)) {
      const int on = random.below(i);
      joint.parent = on == 0 && !options.floating ? model.ground : numbered("b", std::max(on, 1));
    }
    if (options.passive) add_passive(random, joint);
    if (options.limits && num_velocities(kind) <= 3 && kind != JointKind::spherical) {
      joint.limits.lower = random.uniform(-1, 0);
      joint.limits.upper = random.uniform(0, 1);
    }
    Body body = random_body(random, joint.child);
    const bool light_joint = num_velocities(kind) <= 1;
    if (options.massless && i < options.bodies && light_joint && parent_may_be_massless &&
        random.chance(0.4)) {
      body = Body{};
      body.name = joint.child;
    }
    parent_may_be_massless = body.mass != 0;
    model.joints.push_back(joint);
    model.bodies.push_back(body);
  }
  if (options.mimics) add_mimics(random, model);
  add_frames(random, model);
  return model;
}

Model single_joint(Random& random, JointKind kind, bool passive) {
  TreeOptions options;
  options.bodies = 1;
  options.kinds = {kind};
  options.passive = passive;
  return random_model(random, options);
}

TreeOptions random_options(Random& random, int most_bodies) {
  TreeOptions options;
  options.bodies = 1 + random.below(random.chance(0.2) ? most_bodies : std::min(most_bodies, 16));
  options.branching = random.chance(0.25) ? 0 : random.uniform(0, 1);
  options.floating = random.chance(0.4);
  options.passive = random.chance(0.5);
  options.massless = random.chance(0.5);
  options.body_frames = random.chance(0.7);
  options.mimics = random.chance(0.3);
  return options;
}

Model shuffled(const Model& model, Random& random) {
  Model other = model;
  shuffle(other.bodies, random);
  shuffle(other.joints, random);
  shuffle(other.frames, random);
  return other;
}

}  // namespace catena::oracle
