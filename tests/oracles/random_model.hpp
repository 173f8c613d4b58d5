// Random trees: every joint, branches, odd axes and frames, the same for the same seed everywhere.
#pragma once

#include <string>
#include <vector>

#include "catena/model/model.hpp"
#include "oracles/random.hpp"

namespace catena::oracle {

struct TreeOptions {
  int bodies = 8;
  std::vector<JointKind> kinds = joint_kinds();
  double branching = 0.4;  // probability that a body hangs on any earlier one, not on the last
  bool floating = false;   // the first joint is free
  bool passive = false;    // springs, damping, Coulomb friction, rotors
  bool mimics = false;
  bool massless = false;    // some intermediate bodies carry nothing of their own
  bool body_frames = true;  // X_MB is anything; otherwise the identity
  bool limits = false;
};

// A body made of point masses: its inertia is one that a real body can have.
Body random_body(Random& random, const std::string& name);

// A joint of this kind with random frames and axes; names, parent and child are the caller's.
Joint random_joint(Random& random, JointKind kind, bool body_frames = true);

// Bodies b1 ..., joints j1 ..., frames f1 ... on some of them; gravity in any direction.
Model random_model(Random& random, const TreeOptions& options);

// One body on one joint of this kind.
Model single_joint(Random& random, JointKind kind, bool passive = false);

// The options drawn as well: 1 to 60 bodies, any feature that the kind of test allows.
TreeOptions random_options(Random& random, int most_bodies = 60);

// The same model with its bodies, joints and frames written in another order.
Model shuffled(const Model& model, Random& random);

}  // namespace catena::oracle
