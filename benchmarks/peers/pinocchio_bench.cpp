// Times Pinocchio, compiled from its headers with the flags of this program.
// Nothing of Pinocchio's own shared library is linked: it is built without AVX, and with other
// alignments of Eigen's types. Hence the model is built here, as Pinocchio's URDF reader would:
// axis-aligned joints get their special types.
#include <urdf_parser/urdf_parser.h>

// Data reserves four nv^3 tensors for second derivatives, 32 GB at 1000 joints. Unused here: leave
// them empty.
#define d2tau_dqdq(...) d2tau_dqdq(0, 0, 0)
#define d2tau_dvdv(...) d2tau_dvdv(0, 0, 0)
#define d2tau_dqdv(...) d2tau_dqdv(0, 0, 0)
#define d2tau_dadq(...) d2tau_dadq(0, 0, 0)
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/jacobian.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "bench.hpp"

#ifdef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
#error "this would call Pinocchio's prebuilt algorithms"
#endif

namespace pin = pinocchio;
using Eigen::VectorXd;

pin::SE3 pose(const urdf::Pose& p) {
  const urdf::Rotation& r = p.rotation;
  return {Eigen::Quaterniond(r.w, r.x, r.y, r.z),
          Eigen::Vector3d(p.position.x, p.position.y, p.position.z)};
}

pin::Inertia inertia(const urdf::Inertial& i) {
  Eigen::Matrix3d about_com;
  about_com << i.ixx, i.ixy, i.ixz, i.ixy, i.iyy, i.iyz, i.ixz, i.iyz, i.izz;
  return pose(i.origin).act(pin::Inertia(i.mass, Eigen::Vector3d::Zero(), about_com));
}

pin::JointModel joint_model(const urdf::Joint& j) {
  const Eigen::Vector3d axis(j.axis.x, j.axis.y, j.axis.z);
  const bool x = axis == axis.UnitX(), y = axis == axis.UnitY(), z = axis == axis.UnitZ();
  switch (j.type) {
    case urdf::Joint::FLOATING:
      return pin::JointModelFreeFlyer();
    case urdf::Joint::REVOLUTE:
      if (x) return pin::JointModelRX();
      if (y) return pin::JointModelRY();
      if (z) return pin::JointModelRZ();
      return pin::JointModelRevoluteUnaligned(axis.normalized());
    case urdf::Joint::PRISMATIC:
      if (x) return pin::JointModelPX();
      if (y) return pin::JointModelPY();
      if (z) return pin::JointModelPZ();
      return pin::JointModelPrismaticUnaligned(axis.normalized());
    default:
      std::fprintf(stderr,
                   "joint '%s': only floating, revolute, prismatic and fixed joints are timed\n",
                   j.name.c_str());
      std::exit(3);
  }
}

// Depth first, as Pinocchio's inertia matrix needs it. X_JL: pose of the link in the frame of the
// joint that moves it.
void add(pin::Model& model, const urdf::Link& link, pin::JointIndex joint, const pin::SE3& X_JL) {
  if (link.inertial) model.appendBodyToJoint(joint, inertia(*link.inertial), X_JL);
  for (const auto& child : link.child_links) {
    const urdf::Joint& j = *child->parent_joint;
    const pin::SE3 X_JC = X_JL * pose(j.parent_to_joint_origin_transform);
    if (j.type == urdf::Joint::FIXED)
      add(model, *child, joint, X_JC);
    else
      add(model, *child, model.addJoint(joint, joint_model(j), X_JC, j.name), pin::SE3::Identity());
  }
}

struct State {
  VectorXd q, qd, qdd, tau;
};

int main(int argc, char** argv) {
  const bench::Options o = bench::parse(argc, argv);
  const auto file = urdf::parseURDFFile(o.urdf);
  if (!file) return 3;
  pin::Model model;
  add(model, *file->getRoot(), 0, pin::SE3::Identity());
  pin::Data data(model);

  bench::Random random;
  std::vector<State> states;
  for (int s = 0; s < o.states; ++s) {
    State x{VectorXd(model.nq), VectorXd(model.nv), VectorXd(model.nv), VectorXd(model.nv)};
    random.fill(x.q, model.nq, M_PI);
    for (const auto& j : model.joints)
      if (j.nq() == 7) random.fill_quaternion(x.q, j.idx_q() + 3);
    random.fill(x.qd, model.nv, 1);
    random.fill(x.qdd, model.nv, 1);
    random.fill(x.tau, model.nv, 1);
    states.push_back(x);
  }

  State fixed{VectorXd::Zero(model.nq), VectorXd::Zero(model.nv), VectorXd::Zero(model.nv),
              VectorXd::Zero(model.nv)};
  for (pin::JointIndex j = 1; j < model.joints.size(); ++j) {
    const int iq = model.joints[j].idx_q(), iv = model.joints[j].idx_v();
    if (model.joints[j].nq() == 7) {
      fixed.q[iq + 6] = 1;
      continue;
    }
    fixed.q[iq] = bench::check_value(model.names[j], bench::Kind::q);
    fixed.qd[iv] = bench::check_value(model.names[j], bench::Kind::qd);
    fixed.qdd[iv] = bench::check_value(model.names[j], bench::Kind::qdd);
    fixed.tau[iv] = bench::check_value(model.names[j], bench::Kind::tau);
  }

  const bench::Program me{"pinocchio", PINOCCHIO_VERSION, bench::this_compiler()};
  const std::pair<const char*, pin::Convention> conventions[] = {{"local", pin::Convention::LOCAL},
                                                                 {"world", pin::Convention::WORLD}};
  const auto time = [&](const char* computation, const char* variant, auto call, auto check) {
    if (!o.wants(computation)) return;
    const auto ns = bench::repeat(o, [&](int s) {
      call(states[s]);
      bench::keep(data);
    });
    call(fixed);
    bench::report(me, o, computation, variant, ns, check());
  };

  time(
      "inverse_dynamics", "", [&](const State& x) { pin::rnea(model, data, x.q, x.qd, x.qdd); },
      [&] { return data.tau.lpNorm<1>(); });
  for (const auto& [name, convention] :
       conventions)  // only the upper triangle of the matrix is written
    time(
        "inertia_matrix", name, [&](const State& x) { pin::crba(model, data, x.q, convention); },
        [&] { return Eigen::MatrixXd(data.M.triangularView<Eigen::Upper>()).cwiseAbs().sum(); });
  for (const auto& [name, convention] : conventions)
    time(
        "forward_dynamics", name,
        [&](const State& x) { pin::aba(model, data, x.q, x.qd, x.tau, convention); },
        [&] { return data.ddq.lpNorm<1>(); });
  time(
      "poses_and_jacobians", "",
      [&](const State& x) { pin::computeJointJacobians(model, data, x.q); }, [] { return NAN; });

  if (model.nv > 200) return 0;  // n x n matrices: minutes
  const auto sum = [](const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) {
    return a.cwiseAbs().sum() + b.cwiseAbs().sum();
  };
  time(
      "inverse_derivatives", "",
      [&](const State& x) { pin::computeRNEADerivatives(model, data, x.q, x.qd, x.qdd); },
      [&] { return sum(data.dtau_dq, data.dtau_dv); });
  time(
      "forward_derivatives", "",
      [&](const State& x) { pin::computeABADerivatives(model, data, x.q, x.qd, x.tau); },
      [&] { return sum(data.ddq_dq, data.ddq_dv); });
}
