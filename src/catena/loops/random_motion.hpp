// Random motions of closed mechanisms, for checks and statistics.
#pragma once

#include <random>

#include "catena/loops/assembly.hpp"

namespace catena {

struct RandomMotion {
  Eigen::VectorXd q, qd;
  std::vector<char> chosen;  // [nv]: 1 for the velocities that were drawn; the others follow
};

// n numbers in (-1, 1), the same on every machine for the same generator.
Eigen::VectorXd random_vector(int n, std::mt19937_64& generator);

// Positions near the closed configuration `start`, and rates, that keep the loops closed. Draws
// 2 nv numbers, whatever comes of them. False if the loops cannot be closed there.
bool random_motion(const ClosedMechanism& m, LoopState& loops, const Eigen::VectorXd& start,
                   std::mt19937_64& generator, RandomMotion& motion);

}  // namespace catena
