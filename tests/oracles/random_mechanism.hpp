// Random closed mechanisms: random trees, closed by random joints where they happen to stand.
#pragma once

#include <Eigen/Core>

#include "catena/loops/closed_mechanism.hpp"
#include "oracles/random_model.hpp"

namespace catena::oracle {

struct ClosedCase {
  Model model;
  Eigen::VectorXd q;  // closed here
};

// One to three loops. `mobile`: counted freedoms remain.
ClosedCase random_mechanism(Random& random, bool mobile = true);

// A loop between two bodies with a joint of this kind (a rod if `rod`), closed at these poses.
Loop random_loop(Random& random, JointKind kind, bool rod, const std::string& body1,
                 const Pose<double>& X_W1, const std::string& body2, const Pose<double>& X_W2);

}  // namespace catena::oracle
