// Where a frame shall be, on the command line.
#pragma once

#include <memory>

#include "catena/loops/loop_conditions.hpp"
#include "catena/motion/inverse_kinematics.hpp"
#include "common.hpp"

namespace catena::cli {

struct AttitudeOptions {
  std::string zyz, rpy, quaternion;
};
// --zyz, --rpy, --quaternion, of which one may be given.
void add_attitude_options(Command& command, AttitudeOptions& options);
std::optional<Mat3<double>> attitude_of(const AttitudeOptions& options);

// "0.5, 0, 50 mm"
Vec3<double> parse_point(const std::string& text, const std::string& option);

// A machine whose frames are led, with its loops if it has some, and where a search begins: the
// model's start with closed loops, or zero; joints that `near` names are there.
struct LedMachine {
  LedMachine(const Model& model, const CompileOptions& options);
  Eigen::VectorXd begin(const std::string& near) const;
  Conditions* conditions() const { return loops.get(); }

  ClosedMechanism closed;
  const Mechanism<double>& tree;
  std::unique_ptr<LoopConditions> loops;  // null for trees
};

// Throws UsageError for a frame that the model does not have.
void check_frame(const Mechanism<double>& m, const std::string& frame);

}  // namespace catena::cli
