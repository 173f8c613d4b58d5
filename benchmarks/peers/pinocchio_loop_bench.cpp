// Times Pinocchio's constraintDynamics, compiled from its headers with the flags of this program.
// A loop is a 3D constraint: its two frames keep the same origin. That is exactly a ball joint; a
// revolute joint that closes a plane loop needs no more, and 6D would weld it. Redundant rows (of
// plane loops, the one across the plane) need a proximal parameter mu above zero; of each mu the
// first iteration that is accurate enough is what counts.
#define d2tau_dqdq(...) d2tau_dqdq(0, 0, 0)  // see pinocchio_bench.cpp
#define d2tau_dvdv(...) d2tau_dvdv(0, 0, 0)
#define d2tau_dqdv(...) d2tau_dqdv(0, 0, 0)
#define d2tau_dadq(...) d2tau_dadq(0, 0, 0)
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "bench.hpp"
#include "machine.hpp"

#ifdef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
#error "this would call Pinocchio's prebuilt algorithms"
#endif

namespace pin = pinocchio;
using Eigen::Vector3d;
using Eigen::VectorXd;

pin::SE3 pose(const std::array<double, 12>& x) {
  Eigen::Matrix3d R;
  R << x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8];
  return {R, Vector3d(x[9], x[10], x[11])};
}

pin::JointModel turn(const std::array<double, 3>& a) {
  const Vector3d axis(a[0], a[1], a[2]);
  if (axis == axis.UnitX()) return pin::JointModelRX();
  if (axis == axis.UnitY()) return pin::JointModelRY();
  if (axis == axis.UnitZ()) return pin::JointModelRZ();
  return pin::JointModelRevoluteUnaligned(axis);
}

pin::JointModel joint_model(const bench::MachineJoint& j) {
  const Vector3d axis(j.axis[0], j.axis[1], j.axis[2]);
  if (j.kind == "free") return pin::JointModelFreeFlyer();
  if (j.kind == "prismatic") return pin::JointModelPrismaticUnaligned(axis);
  return turn(j.axis);
}

// A universal joint is one joint of Pinocchio's, or two revolute ones.
struct Robot {
  pin::Model model;
  std::vector<pin::JointIndex> last;  // by joint of the machine
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintModel) loops;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintData) loop_data;

  Robot(const bench::Machine& m, bool universal) {
    model.gravity.linear() = Vector3d(m.gravity[0], m.gravity[1], m.gravity[2]);
    for (const auto& j : m.joints) {
      const pin::JointIndex parent = j.parent < 0 ? 0 : last[j.parent];
      pin::JointIndex i;
      if (j.kind == "universal" && universal) {
        i = model.addJoint(parent,
                           pin::JointModelUniversal(Vector3d(j.axis[0], j.axis[1], j.axis[2]),
                                                    Vector3d(j.axis2[0], j.axis2[1], j.axis2[2])),
                           pose(j.pose), j.name);
      } else {
        i = model.addJoint(parent, joint_model(j), pose(j.pose), j.name);
        if (j.kind == "universal")
          i = model.addJoint(i, turn(j.axis2), pin::SE3::Identity(), j.name + "2");
      }
      last.push_back(i);
      model.armature.segment(model.joints[i].idx_v(), model.joints[i].nv()).setConstant(j.armature);
      Eigen::Matrix3d I;
      const auto& x = j.inertia;
      I << x[0], x[1], x[2], x[1], x[3], x[4], x[2], x[4], x[5];
      model.appendBodyToJoint(i, pin::Inertia(j.mass, Vector3d(j.com[0], j.com[1], j.com[2]), I),
                              pose(j.body));
    }
    for (const auto& l : m.loops) {
      loops.emplace_back(pin::CONTACT_3D, model, l.joint1 < 0 ? 0 : last[l.joint1], pose(l.pose1),
                         l.joint2 < 0 ? 0 : last[l.joint2], pose(l.pose2), pin::LOCAL);
      loop_data.emplace_back(loops.back());
    }
  }
};

// A free joint's velocities are [w; v] in the file and [v; w] here.
VectorXd in_order(const bench::Machine& m, bench::Numbers v) {
  int at = 0;
  for (const auto& j : m.joints) {
    if (j.kind == "free") std::rotate(v.begin() + at, v.begin() + at + 3, v.begin() + at + 6);
    at += j.nv();
  }
  return Eigen::Map<VectorXd>(v.data(), v.size());
}

struct State {
  VectorXd q, qd, tau, qdd;
};

int main(int argc, char** argv) try {
  bench::Options o = bench::parse(argc, argv);
  const bench::Machine machine = bench::read_machine(o.urdf);
  o.states = machine.states.size();
  const bench::Program me{"pinocchio", PINOCCHIO_VERSION, bench::this_compiler()};
  bool has_universal = false;
  for (const auto& j : machine.joints) has_universal |= j.kind == "universal";

  for (bool universal : {false, true}) {
    if (universal && !has_universal) continue;
    Robot robot(machine, universal);
    pin::Data data(robot.model);
    pin::initConstraintDynamics(robot.model, data, robot.loops);
    std::vector<State> states;
    for (const auto& s : machine.states)
      states.push_back({Eigen::Map<const VectorXd>(s.q.data(), s.q.size()),
                        in_order(machine, s.qd), in_order(machine, s.tau),
                        in_order(machine, s.qdd)});
    for (double mu : {0., 1e-12, 1e-10, 1e-8, 1e-6}) {
      for (int iterations : {1, 2, 3, 5}) {
        pin::ProximalSettings settings(0, mu, iterations);
        const auto call = [&](const State& x) {
          pin::constraintDynamics(robot.model, data, x.q, x.qd, x.tau, robot.loops, robot.loop_data,
                                  settings);
        };
        double off = 0;
        for (const State& x : states) {
          call(x);
          const double d = (data.ddq - x.qdd).lpNorm<Eigen::Infinity>() /
                           x.qdd.lpNorm<Eigen::Infinity>();
          off = d > off || !std::isfinite(d) ? d : off;
        }
        if (!(off < 1e-8)) continue;
        const auto ns = bench::repeat(o, [&](int s) {
          call(states[s]);
          bench::keep(data);
        });
        char variant[60], error[40];
        std::snprintf(variant, sizeof variant, "mu %g, %d iteration(s)%s", mu, iterations,
                      universal ? ", universal joints" : "");
        std::snprintf(error, sizeof error, "\"error\": %.3g", off);
        bench::report(me, o, "closed_forward", variant, ns, NAN, error);
        break;  // more iterations only cost more
      }
    }
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
