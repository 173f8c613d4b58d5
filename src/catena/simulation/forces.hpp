// Joint forces of a simulation: from a table, and from controllers that follow a motion.
#pragma once

#include <memory>
#include <vector>

#include "catena/motion/sampled.hpp"
#include "catena/simulation/tree_system.hpp"

namespace catena {

// Joint forces that do not change.
std::shared_ptr<Forces> constant_forces(const Eigen::VectorXd& tau);

// Forces over time: first nv joint forces, then six numbers [n; f] for each frame, at the frame's
// origin and in its axes.
std::shared_ptr<Forces> sampled_forces(const Mechanism<double>& m, const Sampled& samples,
                                       const std::vector<FrameInfo>& frames);

// One driven coordinate, from an entry of a sampled motion.
std::shared_ptr<const DrivenMotion> sampled_motion(std::shared_ptr<const Sampled> samples,
                                                   Eigen::Index entry);

// One that goes on from a position at time zero with the same speed.
std::shared_ptr<const DrivenMotion> steady_motion(double position, double speed);

enum class ControlLaw {
  pd,               // kp e + kd de/dt
  gravity_pd,       // the same and what holds the machine in its place
  computed_torque,  // M (qdd_r + kp e + kd de/dt) + bias
};

struct Controller {
  ControlLaw law = ControlLaw::pd;
  // The position of each velocity over time; spherical and free joints have no entry of use and get
  // no force of control.
  std::shared_ptr<const Sampled> reference;
  Eigen::VectorXd kp, kd;  // by velocity
};

std::shared_ptr<Forces> control_forces(const Mechanism<double>& m,
                                       const Formulation<double>& method,
                                       const Controller& controller);

}  // namespace catena
