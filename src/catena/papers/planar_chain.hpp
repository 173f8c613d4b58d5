// The explicit equations of a planar chain of revolute joints in a vertical plane, as textbooks
// write them: Lagrange's equations in absolute angles. Independent of every formulation.
#pragma once

#include <Eigen/Core>
#include <vector>

namespace catena::papers {

// Links of a chain along x at zero angles, y up.
struct PlanarChain {
  std::vector<double> length, mass, centre, inertia;  // centre: from the link's joint; about it
  double gravity = 9.81;

  Eigen::VectorXd torques(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                          const Eigen::VectorXd& qdd) const;
};

}  // namespace catena::papers
