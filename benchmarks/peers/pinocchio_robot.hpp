// A machine file as a model of Pinocchio's, built from its headers with the flags of this program.
#pragma once

// Data reserves four nv^3 tensors for second derivatives. Unused here: leave them empty.
#define d2tau_dqdq(...) d2tau_dqdq(0, 0, 0)
#define d2tau_dvdv(...) d2tau_dvdv(0, 0, 0)
#define d2tau_dqdv(...) d2tau_dqdv(0, 0, 0)
#define d2tau_dadq(...) d2tau_dadq(0, 0, 0)
#include <pinocchio/multibody/data.hpp>
#include <pinocchio/multibody/model.hpp>

#include "machine.hpp"

#ifdef PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION
#error "this would call Pinocchio's prebuilt algorithms"
#endif

namespace pin = pinocchio;

inline pin::SE3 pose(const std::array<double, 12>& x) {
  Eigen::Matrix3d R;
  R << x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], x[8];
  return {R, Eigen::Vector3d(x[9], x[10], x[11])};
}

inline Eigen::Vector3d vector(const std::array<double, 3>& v) { return {v[0], v[1], v[2]}; }

// Axis-aligned joints get their special types.
inline pin::JointModel turn(const std::array<double, 3>& a) {
  const Eigen::Vector3d axis = vector(a);
  if (axis == axis.UnitX()) return pin::JointModelRX();
  if (axis == axis.UnitY()) return pin::JointModelRY();
  if (axis == axis.UnitZ()) return pin::JointModelRZ();
  return pin::JointModelRevoluteUnaligned(axis);
}

inline pin::JointModel joint_model(const bench::MachineJoint& j) {
  if (j.kind == "free") return pin::JointModelFreeFlyer();
  if (j.kind == "prismatic") return pin::JointModelPrismaticUnaligned(vector(j.axis));
  return turn(j.axis);
}

struct Robot {
  pin::Model model;
  std::vector<pin::JointIndex> last;  // by joint of the machine

  // A universal joint is one joint of Pinocchio's, or two revolute ones.
  Robot(const bench::Machine& m, bool universal) {
    model.gravity.linear() = vector(m.gravity);
    for (const auto& j : m.joints) {
      const pin::JointIndex parent = j.parent < 0 ? 0 : last[j.parent];
      pin::JointIndex i;
      if (j.kind == "universal" && universal) {
        i = model.addJoint(parent, pin::JointModelUniversal(vector(j.axis), vector(j.axis2)),
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
      model.appendBodyToJoint(i, pin::Inertia(j.mass, vector(j.com), I), pose(j.body));
    }
  }
};
