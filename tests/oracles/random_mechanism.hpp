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

// A platform on two to five legs of one to three bodies each, which may fork, with joints of every
// kind; the joints that close the loops are at the platform, on the ground or within a leg.
ClosedCase random_parallel(Random& random);

// The same with actuators at one joint after the other until they hold every motion; `exact`: no
// more of them than freedoms. Without actuators if that does not work out.
struct Actuation {
  Model model;
  bool holds = false, exact = false;
};
Actuation with_actuators(const ClosedCase& c, Random& random);

// A loop between two bodies with a joint of this kind (a rod if `rod`), closed at these poses.
Loop random_loop(Random& random, JointKind kind, bool rod, const std::string& body1,
                 const Pose<double>& X_W1, const std::string& body2, const Pose<double>& X_W2);

}  // namespace catena::oracle
