// Where a frame shall be, on the command line.
#pragma once

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

// Throws UsageError for a frame that the model does not have.
void check_frame(const Mechanism<double>& m, const std::string& frame);

}  // namespace catena::cli
