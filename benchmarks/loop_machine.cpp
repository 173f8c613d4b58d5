#include "loop_machine.hpp"

#include <map>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "peers/bench.hpp"

namespace bench {
namespace {

using catena::Pose;
using Eigen::VectorXd;

constexpr double neighbourhood = 0.2;  // rad or m
constexpr int most_for_dense = 200;

Numbers numbers(const VectorXd& v) { return {v.begin(), v.end()}; }

std::array<double, 3> numbers(const catena::Vec3<double>& v) { return {v.x, v.y, v.z}; }

std::array<double, 12> numbers(const Pose<double>& X) {
  const auto &a = X.R.x, &b = X.R.y, &c = X.R.z;  // columns
  return {a.x, b.x, c.x, a.y, b.y, c.y, a.z, b.z, c.z, X.p.x, X.p.y, X.p.z};
}

std::string kind_of(const catena::Joint& joint) {
  switch (joint.kind) {
    case catena::JointKind::revolute:
    case catena::JointKind::prismatic:
    case catena::JointKind::universal:
    case catena::JointKind::free:
      return catena::to_string(joint.kind);
    default:
      throw std::runtime_error("joint '" + joint.name + "': its kind is not timed");
  }
}

}  // namespace

std::vector<Machine::State> closed_states(catena::ClosedDynamics& dynamics, int number) {
  const catena::ClosedMechanism& m = dynamics.mechanism();
  const VectorXd start = catena::assemble(m, dynamics.state(), m.start).q;
  const auto reference = m.tree.nv <= most_for_dense ? catena::LoopMethod::null_space
                                                     : catena::LoopMethod::multipliers;
  Random random;
  std::vector<Machine::State> states;
  for (int trials = 0; static_cast<int>(states.size()) < number; ++trials) {
    if (trials == 100 * number) throw std::runtime_error("the loops close hardly anywhere");
    VectorXd away(m.tree.nv), q(m.tree.nq), qd(m.tree.nv), tau(m.tree.nv);
    random.fill(away, m.tree.nv, neighbourhood);
    random.fill(qd, m.tree.nv, 1), random.fill(tau, m.tree.nv, 1);
    catena::integrate_configuration<double>(m.tree, numbers(start), numbers(away),
                                            {q.data(), static_cast<std::size_t>(q.size())});
    const catena::Assembly a = catena::assemble(m, dynamics.state(), q);
    if (!a.closed) continue;
    dynamics.state().set_position(a.q);
    const catena::RowMatrix K = dynamics.state().jacobian();
    qd -= catena::least_norm(K, K * qd).x;
    const VectorXd qdd = dynamics.forward_dynamics(a.q, qd, tau, {}, reference).qdd;
    states.push_back({numbers(a.q), numbers(qd), numbers(tau), numbers(qdd)});
  }
  return states;
}

Machine machine_of(const catena::Model& model, const catena::ClosedMechanism& mechanism) {
  Machine machine;
  machine.gravity = numbers(model.gravity);
  std::map<std::string, int> joint_of{{model.ground, -1}};
  std::map<std::string, Pose<double>> body_on_joint{{model.ground, Pose<double>{}}};
  std::map<std::string, const catena::Joint*> joints;
  std::map<std::string, const catena::Body*> bodies;
  for (const catena::Joint& j : model.joints) joints[j.name] = &j;
  for (const catena::Body& b : model.bodies) bodies[b.name] = &b;
  // In the order of the mechanism, which is depth first: the states are in it.
  for (const catena::JointInfo& info : mechanism.tree.names->joints) {
    const catena::Joint& j = *joints.at(info.name);
    const catena::Body& body = *bodies.at(j.child);
    MachineJoint r;
    r.name = j.name, r.kind = kind_of(j), r.parent = joint_of.at(j.parent);
    r.pose = numbers(body_on_joint.at(j.parent) * j.X_PJ);
    r.axis = numbers(j.axis), r.axis2 = numbers(j.axis2);
    r.armature = j.dynamics.rotor_inertia * j.dynamics.gear_ratio * j.dynamics.gear_ratio;
    r.body = numbers(j.X_MB), r.mass = body.mass, r.com = numbers(body.com);
    const auto& I = body.inertia;
    r.inertia = {I.xx, I.xy, I.xz, I.yy, I.yz, I.zz};
    joint_of[j.child] = static_cast<int>(machine.joints.size()), body_on_joint[j.child] = j.X_MB;
    machine.joints.push_back(r);
  }
  for (const catena::Loop& l : model.loops) {
    machine.loops.push_back({l.name, joint_of.at(l.body1), joint_of.at(l.body2),
                             numbers(body_on_joint.at(l.body1) * l.X_1L),
                             numbers(body_on_joint.at(l.body2) * l.X_2L)});
  }
  return machine;
}

}  // namespace bench
