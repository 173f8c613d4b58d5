// A model made in code: a point mass on a light rod, and its frequency.
#include <catena/dynamics.hpp>
#include <cmath>
#include <cstdio>

int main() {
  catena::Model model;
  model.bodies.push_back({.name = "bob", .mass = 2, .com = {0, 0, -0.5}});
  catena::Joint hinge;
  hinge.name = "hinge";
  hinge.kind = catena::JointKind::revolute;
  hinge.parent = "world";
  hinge.child = "bob";
  hinge.axis = {0, 1, 0};
  model.joints.push_back(hinge);

  catena::Dynamics pendulum(model);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, 1e-4);
  const double stiffness = pendulum.gravity_forces(q)[0] / q[0];
  std::printf("%.4f rad/s\n", std::sqrt(stiffness / pendulum.inertia_matrix(q)(0, 0)));
}
