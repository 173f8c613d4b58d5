// How a model is written must not matter: order of its parts, choice of frames, welded halves.
#include <gtest/gtest.h>

#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

using ByJoint = std::map<std::string, std::vector<double>>;

// A vector of velocities (or forces) by the joint they belong to, and back.
ByJoint by_joint(const Mechanism<double>& m, const std::vector<double>& v, bool positions = false) {
  ByJoint r;
  for (const JointInfo& j : m.names->joints) {
    const int n = positions ? j.nq : j.nv, first = positions ? j.q : j.v;
    for (int k = 0; k < n; ++k) r[j.name].push_back(v[at(first + k)]);
  }
  return r;
}
std::vector<double> in_order(const Mechanism<double>& m, const ByJoint& values,
                             bool positions = false) {
  std::vector<double> r(at(positions ? m.nq : m.nv));
  for (const JointInfo& j : m.names->joints) {
    const int n = positions ? j.nq : j.nv, first = positions ? j.q : j.v;
    for (int k = 0; k < n; ++k) r[at(first + k)] = values.at(j.name)[at(k)];
  }
  return r;
}

struct Errors {
  explicit Errors(const std::string& change)
      : tau("tau: " + change, 1e-13),
        qdd("residual of qdd: " + change, 1e-13),
        M("M: " + change, 1e-13),
        pose("poses of named frames: " + change, 1e-13) {}
  Worst tau, qdd, M, pose;
};

// The same motion of both models needs the same forces, and the other way round.
void compare(const Model& model, const Model& other, Random& random, const std::string& where,
             Errors& errors, bool same_world = true) {
  const Mechanism<double> m = compile(model), n = compile(other);
  ASSERT_EQ(m.nv, n.nv);
  ASSERT_EQ(m.nq, n.nq);
  Machine<double> a(m), b(n);
  const State<double> s = random_state(m, random, false);
  State<double> t;
  t.q = in_order(n, by_joint(m, s.q, true), true);
  t.qd = in_order(n, by_joint(m, s.qd)), t.qdd = in_order(n, by_joint(m, s.qdd));
  t.tau = in_order(n, by_joint(m, s.tau));

  const std::vector<double> M = a.inertia(s.q), N = b.inertia(t.q);
  const std::vector<double> tau = a.inverse(s), zero(at(m.nv), 0);
  const double scale = largest(tau) + largest(a.inverse(s.q, zero, zero)) + largest(M);
  errors.tau.meet(difference(in_order(m, by_joint(n, b.inverse(t))), tau, scale), where);
  // The other's accelerations, put into this model's equations.
  const std::vector<double> qdd = in_order(m, by_joint(n, b.forward(t)));
  EXPECT_TRUE(b.status) << where;
  errors.qdd.meet(difference(a.inverse(s.q, s.qd, qdd), s.tau, scale + product_size(M, qdd)),
                  where);
  std::vector<double> unit(at(n.nv), 0);
  for (int k = 0; k < m.nv; ++k) {  // column by column, through the names
    std::vector<double> e(at(m.nv), 0), column(at(m.nv));
    e[at(k)] = 1;
    for (int i = 0; i < m.nv; ++i) column[at(i)] = M[at(i * m.nv + k)];
    const std::vector<double> f = in_order(n, by_joint(m, e));
    errors.M.meet(difference(in_order(m, by_joint(n, times(N, f))), column, largest(M)), where);
  }
  if (!same_world) return;
  const auto X = a.poses(s.q), Y = b.poses(t.q);
  for (const Frame& frame : model.frames) {
    const FrameInfo& f = m.names->frames[at(m.names->frame(frame.name))];
    const FrameInfo& g = n.names->frames[at(n.names->frame(frame.name))];
    errors.pose.meet(difference(numbers(Y[at(g.body)] * g.X_BF), numbers(X[at(f.body)] * f.X_BF)),
                     where);
  }
}

Sym3<double> turned(const Mat3<double>& R, const Sym3<double>& I) { return rotate(R, I); }

TEST(Invariance, TheOrderOfPartsDoesNotMatter) {
  Errors errors("other order");
  for_each_tree(
      100,
      [&](const Model& model, Random& random, const std::string& where) {
        compare(model, shuffled(model, random), random, where, errors);
      },
      40);
}

// Every body frame somewhere else on its body, every joint frame turned, the world turned.
TEST(Invariance, TheChoiceOfFramesDoesNotMatter) {
  Errors errors("other frames");
  for_each_tree(
      100,
      [&](const Model& model, Random& random, const std::string& where) {
        Model other = model;
        std::map<std::string, Pose<double>> X;  // the new frame in the old one
        for (Body& body : other.bodies) {
          const Pose<double> X_BN = X[body.name] = random.pose();
          const Pose<double> back = inverse(X_BN);
          body.com = back * body.com;
          body.inertia = turned(back.R, body.inertia);
        }
        for (Joint& joint : other.joints) {
          if (X.count(joint.parent)) joint.X_PJ = inverse(X[joint.parent]) * joint.X_PJ;
          joint.X_MB = joint.X_MB * X[joint.child];
          const bool by_axis = joint.kind != JointKind::spherical &&
                               joint.kind != JointKind::free && joint.kind != JointKind::planar;
          if (!by_axis) continue;
          const Pose<double> turn{random.rotation(), {0, 0, 0}};
          joint.X_PJ = joint.X_PJ * turn;
          joint.axis = transpose_times(turn.R, joint.axis);
          joint.axis2 = transpose_times(turn.R, joint.axis2);
          joint.X_MB = inverse(turn) * joint.X_MB;
        }
        for (Frame& frame : other.frames) frame.X_BF = inverse(X[frame.body]) * frame.X_BF;
        compare(model, other, random, where, errors);
      },
      40);
}

TEST(Invariance, TheWorldMayStandAnywhere) {
  Errors errors("other world");
  for_each_tree(
      100,
      [&](const Model& model, Random& random, const std::string& where) {
        Model other = model;
        const Pose<double> X = inverse(random.pose());
        for (Joint& joint : other.joints) {
          if (joint.parent == model.ground) joint.X_PJ = X * joint.X_PJ;
        }
        other.gravity = X.R * model.gravity;
        compare(model, other, random, where, errors, false);
      },
      40);
  errors.pose.meet(0, "not compared");
}

// A floating machine does not feel where it is: a thousand kilometres away costs no digits.
TEST(Invariance, AFloatingBaseMayBeFarAway) {
  Worst tau("tau far away", 1e-13), qdd("residual of qdd far away", 1e-13), M("M far away", 1e-13);
  for_each_tree(
      150,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        int roots = 0;
        for (const auto& b : m.bodies) roots += b.parent == 0;
        if (model.joints[0].kind != JointKind::free || roots != 2)
          return;  // the world and the base
        Machine<double> machine(m);
        State<double> near = random_state(m, random), far = near;
        for (std::size_t k = 0; k < 3; ++k) far.q[k] += 1e6;
        const std::vector<double> inertia = machine.inertia(near.q), force = machine.inverse(near);
        tau.meet(difference(machine.inverse(far), force), where);
        M.meet(difference(machine.inertia(far.q), inertia), where);
        const std::vector<double> a = machine.forward(far);
        qdd.meet(difference(machine.inverse(near.q, near.qd, a, near.Fext), near.tau,
                            product_size(inertia, a) + largest(force)),
                 where);
      },
      40);
}

// Two halves welded together are the body they came from; what hung on it hangs on either half.
TEST(Invariance, ABodyMayBeSplitIntoTwoWeldedOnes) {
  Errors errors("split bodies");
  for_each_tree(
      100,
      [&](const Model& model, Random& random, const std::string& where) {
        Model other = model;
        for (const Body& body : model.bodies) {
          if (body.mass == 0 || !random.chance(0.5)) continue;
          Body* first = nullptr;
          for (Body& b : other.bodies) {
            if (b.name == body.name) first = &b;
          }
          const double share = random.uniform(0.2, 0.8), m = body.mass;
          const Vec3<double> d =
              random.vector(0.02);  // from the second's mass centre to the first's
          const double mu = m * share * (1 - share);
          const Sym3<double> I{body.inertia.xx - mu * (d.y * d.y + d.z * d.z),
                               body.inertia.xy + mu * d.x * d.y,
                               body.inertia.xz + mu * d.x * d.z,
                               body.inertia.yy - mu * (d.x * d.x + d.z * d.z),
                               body.inertia.yz + mu * d.y * d.z,
                               body.inertia.zz - mu * (d.x * d.x + d.y * d.y)};
          auto part = [&](double k) {
            return Sym3<double>{k * I.xx, k * I.xy, k * I.xz, k * I.yy, k * I.yz, k * I.zz};
          };
          first->mass = share * m, first->com = body.com + (1 - share) * d,
          first->inertia = part(share);
          Body second;
          const Pose<double> X = random.pose(), back = inverse(X);
          second.name = body.name + "-half";
          second.mass = (1 - share) * m;
          second.com = back * (body.com - share * d);
          second.inertia = turned(back.R, part(1 - share));
          Joint weld;
          weld.name = body.name + "-weld", weld.parent = body.name, weld.child = second.name;
          const Pose<double> Y = random.pose();
          weld.X_PJ = X * Y, weld.X_MB = inverse(Y);
          for (Joint& joint : other.joints) {
            if (joint.parent != body.name || !random.chance(0.5)) continue;
            joint.parent = second.name, joint.X_PJ = back * joint.X_PJ;
          }
          other.bodies.push_back(second);
          other.joints.push_back(weld);
        }
        compare(model, other, random, where, errors);
      },
      40);
}

}  // namespace
}  // namespace catena::oracle
