// First steps: read a robot, compile it, compute with Eigen vectors.
#include <catena/dynamics.hpp>
#include <catena/readers/readers.hpp>
#include <iostream>

int main(int argc, char** argv) {
  catena::Dynamics arm(catena::read_model(argc > 1 ? argv[1] : "models/puma.yaml"));
  const Eigen::VectorXd q = arm.neutral(), qd = Eigen::VectorXd::Constant(arm.nv(), 0.5);
  const Eigen::VectorXd qdd = Eigen::VectorXd::Ones(arm.nv());
  const Eigen::VectorXd tau = arm.inverse_dynamics(q, qd, qdd);  // which torques move it so?
  std::cout << "torques        " << tau.transpose() << '\n'
            << "accelerations  " << arm.forward_dynamics(q, qd, tau).transpose() << '\n'
            << "holding it     " << arm.gravity_forces(q).transpose() << '\n'
            << "inertia matrix\n"
            << arm.inertia_matrix(q) << '\n';
}
