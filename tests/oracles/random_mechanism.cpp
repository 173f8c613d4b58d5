#include "oracles/random_mechanism.hpp"

#include <cmath>

#include "oracles/machine.hpp"

namespace catena::oracle {
namespace {

Pose<double> turned(const Vec3<double>& axis, double angle) {
  return {rotation_about(axis, angle), {0, 0, 0}};
}
Pose<double> shifted(const Vec3<double>& v) { return {Mat3<double>{}, v}; }

// Where L2 stands in L1 for random coordinates of the loop's joint.
Pose<double> displaced(Random& random, const Loop& loop) {
  const double angle = random.uniform(-3, 3), way = random.uniform(-0.5, 0.5);
  switch (loop.kind) {
    case JointKind::revolute:
      return turned(loop.axis, angle);
    case JointKind::prismatic:
      return shifted(way * loop.axis);
    case JointKind::screw:
      return shifted((loop.pitch * angle) * loop.axis) * turned(loop.axis, angle);
    case JointKind::cylindrical:
      return shifted(way * loop.axis) * turned(loop.axis, angle);
    case JointKind::universal:
      return turned(loop.axis, angle) * turned(loop.axis2, random.uniform(-3, 3));
    case JointKind::planar: {
      const Vec3<double> any = random.vector(0.5);
      return shifted(any - dot(any, loop.axis) * loop.axis) * turned(loop.axis, angle);
    }
    case JointKind::spherical:
      return {random.rotation(), {0, 0, 0}};
    default:
      return {};
  }
}

}  // namespace

Loop random_loop(Random& random, JointKind kind, bool rod, const std::string& body1,
                 const Pose<double>& X_W1, const std::string& body2, const Pose<double>& X_W2) {
  Loop loop;
  loop.kind = kind, loop.rod = rod;
  loop.body1 = body1, loop.body2 = body2;
  loop.X_1L = random.pose();
  loop.axis = random.unit();
  do {
    loop.axis2 = random.unit();
  } while (std::abs(dot(loop.axis, loop.axis2)) > 0.8);
  if (kind == JointKind::screw)
    loop.pitch = random.uniform(0.05, 0.3) * (random.chance(0.5) ? 1 : -1);
  if (rod) {
    loop.X_2L = random.pose();
    const Vec3<double> d = (X_W2 * loop.X_2L).p - (X_W1 * loop.X_1L).p;
    loop.length = std::sqrt(dot(d, d));
  } else {
    loop.X_2L = inverse(X_W2) * (X_W1 * loop.X_1L * displaced(random, loop));
  }
  return loop;
}

ClosedCase random_mechanism(Random& random, bool mobile) {
  while (true) {
    TreeOptions options;
    options.bodies = 3 + random.below(8);
    options.branching = random.uniform(0, 1);
    options.passive = random.chance(0.4);
    options.mimics = random.chance(0.25);
    options.massless = random.chance(0.25);
    options.floating = random.chance(0.2);
    ClosedCase c;
    c.model = random_model(random, options);
    const Mechanism<double> m = compile(c.model);
    const State<double> s = random_state(m, random, false);
    Machine<double> machine(m);
    const auto X_WB = machine.poses(s.q);
    const auto pose = [&](const std::string& body) {
      const FrameInfo& f = m.names->frames[at(m.names->frame(body))];
      return X_WB[at(f.body)] * f.X_BF;
    };
    const int loops = 1 + random.below(3);
    int rows = 0;
    for (int i = 0; i < loops; ++i) {
      const int n = options.bodies;
      const int one = random.below(n + 1), two = 1 + (one + random.below(n - 1)) % n;
      if (one == two) continue;
      const std::string body1 = one == 0 ? c.model.ground : "b" + std::to_string(one);
      const std::string body2 = "b" + std::to_string(two);
      const FrameInfo &f1 = m.names->frames[at(m.names->frame(body1))],
                      &f2 = m.names->frames[at(m.names->frame(body2))];
      if (f1.body == f2.body) continue;
      static const std::vector<JointKind> kinds{
          JointKind::revolute,    JointKind::prismatic, JointKind::screw,
          JointKind::cylindrical, JointKind::universal, JointKind::planar,
          JointKind::spherical,   JointKind::fixed,     JointKind::spherical};
      const int k = random.below(10);
      const bool rod = k == 9;
      const JointKind kind = rod ? JointKind::revolute : kinds[at(k)];
      c.model.loops.push_back(
          random_loop(random, kind, rod, body1, pose(body1), body2, pose(body2)));
      c.model.loops.back().name = "l" + std::to_string(i + 1);
      rows += rod ? 1 : 6 - num_velocities(kind);
    }
    if (c.model.loops.empty() || (mobile && rows >= m.nv)) continue;
    if (random.chance(0.3)) {
      SpringDamper spring;
      spring.name = "s1", spring.body1 = c.model.ground;
      spring.body2 = "b" + std::to_string(options.bodies);
      spring.point1 = random.vector(), spring.point2 = random.vector();
      spring.stiffness = 20, spring.damping = 1, spring.length = 0.3;
      c.model.springs.push_back(spring);
    }
    c.q = Eigen::Map<const Eigen::VectorXd>(s.q.data(), m.nq);
    return c;
  }
}

}  // namespace catena::oracle
