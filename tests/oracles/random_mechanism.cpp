#include "oracles/random_mechanism.hpp"

#include <cmath>

#include "catena/loops/linear_algebra.hpp"
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

namespace {

// The chain of a leg: names of its bodies from one end to the other.
class ParallelMaker {
 public:
  explicit ParallelMaker(Random& random) : random_(random) {
    model_.name = "parallel";
    model_.gravity = random.vector(10);
  }

  ClosedCase make() {
    const int legs = 2 + random_.below(4);
    const bool on_leg = random_.chance(0.5);
    std::vector<Ends> ends;
    if (on_leg) {
      const Ends first = add_chain(model_.ground, 1);
      add_body("platform", first.tips[0], any_kind());
    } else {
      add_body("platform", model_.ground, JointKind::free);
    }
    for (int leg = on_leg ? 2 : 1; leg <= legs; ++leg) {
      if (random_.chance(0.3)) {  // hangs on the platform; one tip is closed on the ground
        Ends e = add_chain("platform", leg, false);
        e.to = model_.ground;
        ends.push_back(e);
      } else {
        ends.push_back(add_chain(model_.ground, leg));
        ends.back().to = "platform";
      }
    }
    return close(ends);
  }

 private:
  struct Ends {
    std::vector<std::string> tips;
    std::string to;
  };

  JointKind any_kind() {
    static const std::vector<JointKind> kinds{
        JointKind::revolute,    JointKind::prismatic, JointKind::screw,     JointKind::cylindrical,
        JointKind::universal,   JointKind::planar,    JointKind::spherical, JointKind::revolute,
        JointKind::cylindrical, JointKind::universal};
    return kinds[at(random_.below(static_cast<int>(kinds.size())))];
  }

  void add_body(const std::string& name, const std::string& parent, JointKind kind) {
    Joint joint = random_joint(random_, kind);
    joint.name = "j_" + name, joint.parent = parent, joint.child = name;
    if (random_.chance(0.3)) joint.dynamics.viscous = random_.uniform(0, 0.5);
    if (random_.chance(0.3)) joint.dynamics.rotor_inertia = random_.uniform(0, 0.1);
    model_.joints.push_back(joint);
    model_.bodies.push_back(random_body(random_, name));
  }

  Ends add_chain(const std::string& from, int leg, bool may_fork = true) {
    const std::string name = "leg" + std::to_string(leg) + "_";
    std::string last = from;
    const int bodies = 1 + random_.below(3);
    for (int i = 1; i <= bodies; ++i) {
      add_body(name + std::to_string(i), last, any_kind());
      last = name + std::to_string(i);
    }
    if (!may_fork || !random_.chance(0.25) || leg == 1) return {{last}, {}};
    add_body(name + "a", last, any_kind());
    add_body(name + "b", last, any_kind());
    return {{name + "a", name + "b"}, {}};
  }

  ClosedCase close(const std::vector<Ends>& ends) {
    const Mechanism<double> m = compile(model_);
    const State<double> s = random_state(m, random_, false);
    Machine<double> machine(m);
    const auto X_WB = machine.poses(s.q);
    const auto pose = [&](const std::string& body) {
      const FrameInfo& f = m.names->frames[at(m.names->frame(body))];
      return X_WB[at(f.body)] * f.X_BF;
    };
    for (const Ends& e : ends) {
      for (const std::string& tip : e.tips) {
        const bool rod = random_.chance(0.1), turned = random_.chance(0.5);
        const std::string &one = turned ? e.to : tip, &two = turned ? tip : e.to;
        model_.loops.push_back(
            random_loop(random_, any_kind(), rod, one, pose(one), two, pose(two)));
        model_.loops.back().name = "close_" + tip;
      }
    }
    ClosedCase c;
    c.model = model_;
    c.q = Eigen::Map<const Eigen::VectorXd>(s.q.data(), m.nq);
    return c;
  }

  Random& random_;
  Model model_;
};

}  // namespace

ClosedCase random_parallel(Random& random) {
  while (true) {
    const ClosedCase c = ParallelMaker(random).make();
    int freedoms = 0;
    for (const Joint& j : c.model.joints) freedoms += num_velocities(j.kind);
    for (const Loop& l : c.model.loops) freedoms -= l.rod ? 1 : 6 - num_velocities(l.kind);
    if (freedoms >= 1 && freedoms <= 8) return c;
  }
}

Actuation with_actuators(const ClosedCase& c, Random& random) {
  const ClosedMechanism m = compile_closed(c.model);
  LoopState state(m);
  state.set_position(c.q);
  const Eigen::MatrixXd G = null_space(state.jacobian());
  Actuation r;
  r.model = c.model;
  Eigen::MatrixXd rows(0, G.cols());
  std::vector<const JointInfo*> joints;
  for (const JointInfo& j : m.tree.names->joints) joints.push_back(&j);
  for (std::size_t i = joints.size(); i > 1; --i)
    std::swap(joints[i - 1], joints[at(random.below(static_cast<int>(i)))]);
  for (const JointInfo* j : joints) {
    if (j->mimic || j->nv == 0 || rows.rows() >= G.cols()) continue;
    Eigen::MatrixXd next(rows.rows() + j->nv, G.cols());
    next << rows, G.middleRows(j->v, j->nv);
    if (singular_values(next).minCoeff() < 0.05 && next.rows() <= G.cols()) continue;
    rows = next;
    r.model.actuators.push_back({j->name, {}});
  }
  r.holds = G.cols() > 0 && rows.rows() >= G.cols() && singular_values(rows)[G.cols() - 1] >= 0.05;
  r.exact = rows.rows() == G.cols();
  return r;
}

}  // namespace catena::oracle
