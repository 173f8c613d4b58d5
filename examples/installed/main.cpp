// A program of someone who has installed Catena: what does it take to hold a pendulum out level?
#include <catena/dynamics.hpp>
#include <catena/readers/readers.hpp>
#include <cstdio>
#include <numbers>

int main(int, char** argv) {
  catena::Model model = catena::read_model(argv[1]);
  model.joints.at(0).dynamics = {};  // a bare hinge: no spring, no friction, no motor
  catena::Dynamics pendulum(model);
  const Eigen::VectorXd q = Eigen::VectorXd::Constant(1, std::numbers::pi / 2);
  std::printf("%s: %.6f N m\n", model.name.c_str(), pendulum.gravity_forces(q)[0]);
}
