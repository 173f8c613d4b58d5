// Assembly from afar: closes loops from a configuration in which nothing fits yet.
#pragma once

#include "catena/loops/assembly.hpp"

namespace catena {

// As assemble(), and if that ends open or the wrong way round: attitudes are measured by the angle
// that is missing, not by its sine, which finds its way from any side; then the same from points
// around q, each a little farther away. The points are the same in every run.
//   reads   m, q [nq], held [nv] (empty: none): velocities that stay as they are in q
//   writes  state
//   returns the first that is closed, or the best that was found
Assembly assemble_from_afar(const ClosedMechanism& m, LoopState& state, const Eigen::VectorXd& q,
                            const std::vector<char>& held = {}, int most_points = 40);

}  // namespace catena
