// What the kinds of `catena trajectory` share.
#pragma once

#include <limits>

#include "common.hpp"
#include "target.hpp"

namespace catena::cli {

struct TrajectoryOptions {
  std::string timing;
  ModelOptions model;
  std::string from, to;
  std::string duration, step;
  double blend = 1. / 3;
  double speed = std::numeric_limits<double>::infinity(),
         acceleration = std::numeric_limits<double>::infinity();
  int samples = 101;
  // spline
  std::string points, ends = "at-rest";
  // line and arc
  std::string frame, via, near, profile = "cycloidal";
  AttitudeOptions attitude;
  bool free_attitude = false, ignore_limits = false;
  OutputOptions output;
};

// Columns time, q, qd, qdd with their panels.
Result motion_result(const Mechanism<double>& m, const std::string& title);
std::vector<double> trajectory_times(const TrajectoryOptions& o, double duration);

void add_path_options(Command& command, TrajectoryOptions& o);
// Throws UsageError for options of another kind of trajectory.
void check_path_options(const TrajectoryOptions& o);
// Through the rows of a points file.
void run_spline(const TrajectoryOptions& o);
// A frame along a line or an arc.
void run_path(const TrajectoryOptions& o);

}  // namespace catena::cli
