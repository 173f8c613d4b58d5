// A chain of links as CHAIN++ writes it: the loop of kinematics, matrix by matrix, then the forces
// of the motors.
#include <catena/formulations/homogeneous/chain.hpp>
#include <catena/readers/readers.hpp>
#include <cstdio>

using namespace catena::homogeneous;

int main(int argc, char** argv) {
  ChainObject robot(catena::read_model(argc > 1 ? argv[1] : "models/puma.yaml"));
  for (int i = 1; i <= robot.links(); ++i) {
    LinkObject& link = robot[i];
    const LinkObject& last = robot[link.previous];
    // relative position, velocity and acceleration matrices, for q = 0.1 i, qp = 0.5, qpp = 1
    link.set_motion(0.1 * i, 0.5, 1);
    // absolute position matrix
    link.M0 = last.M0 * link.A;
    // relative velocity and acceleration matrices in frame (0)
    link.W0 = change_frame(last.M0, link.W);
    link.H0 = change_frame(last.M0, link.H);
    // absolute velocity matrix
    link.WA = last.WA + link.W0;
    // absolute acceleration matrix (theorem of Coriolis)
    link.HA = last.HA + link.H0 + 2.0 * last.WA * link.W0;
  }
  robot.dynamics();
  for (int i = 1; i <= robot.links(); ++i) {
    std::printf("%s at (%.4f %.4f %.4f), motor %.4f N m\n", robot[i].name.c_str(), robot[i].M0.p.x,
                robot[i].M0.p.y, robot[i].M0.p.z, robot[i].tau[0]);
  }
}
