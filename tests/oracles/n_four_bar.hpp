// N windows side by side: N + 1 upright links of 1 m and 1 kg on ground points (i, 0), N couplers
// of the same size between their tips, gravity along -y. Uprights stay parallel and couplers level,
// so that one angle says everything.
#pragma once

#include <Eigen/Core>
#include <cmath>

#include "catena/model/model.hpp"

namespace catena::oracle {

inline Model n_four_bar(int windows) {
  Model model;
  model.name = "n-four-bar";
  model.gravity = {0, -9.81, 0};
  const auto link = [&](const std::string& name) {
    model.bodies.push_back({name, 1, {0.5, 0, 0}, {0, 0, 0, 1. / 12, 0, 1. / 12}, {}});
  };
  const auto hinge = [&](const std::string& name, const std::string& parent,
                         const std::string& child, double x) {
    Joint j;
    j.name = name, j.kind = JointKind::revolute, j.parent = parent, j.child = child;
    j.X_PJ.p = {x, 0, 0};
    model.joints.push_back(j);
  };
  for (int i = 0; i <= windows; ++i) {
    const std::string upright = "upright" + std::to_string(i),
                      coupler = "coupler" + std::to_string(i);
    link(upright), hinge("foot" + std::to_string(i), model.ground, upright, i);
    if (i == windows) break;
    link(coupler), hinge("tip" + std::to_string(i), upright, coupler, 1);
  }
  for (int i = 0; i < windows; ++i) {
    Loop l;
    l.name = "loop" + std::to_string(i), l.kind = JointKind::revolute;
    l.body1 = "coupler" + std::to_string(i), l.body2 = "upright" + std::to_string(i + 1);
    l.X_1L.p = {1, 0, 0}, l.X_2L.p = {1, 0, 0};
    model.loops.push_back(l);
  }
  model.actuators.push_back({"foot0", {}});
  return model;
}

// In the order foot0, tip0, foot1, tip1, ...: uprights have the value x, couplers -x.
inline Eigen::VectorXd n_four_bar_vector(int windows, double x) {
  Eigen::VectorXd v(2 * windows + 1);
  for (Eigen::Index i = 0; i < v.size(); ++i) v[i] = i % 2 == 0 ? x : -x;
  return v;
}

// The angular acceleration of the uprights at an angle, without drives.
inline double n_four_bar_acceleration(int windows, double angle) {
  const double inertia = (windows + 1) / 3. + windows, moment = (windows + 1) / 2. + windows;
  return -9.81 * std::cos(angle) * moment / inertia;
}

}  // namespace catena::oracle
