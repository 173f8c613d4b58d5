// Trajectories from point to point: from rest to rest, all joints in step.
//
//   PointToPoint path(m, from, to, {Timing::cycloidal, 10.0});
//   path.at(t, q, qd, qdd);
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/model/mechanism.hpp"

namespace catena {

// The closed list of ways to spend the time between two points.
//   cycloidal    s = t/T - sin(2 pi t/T)/(2 pi): smooth, without jumps of acceleration
//   quintic      s = 10 u^3 - 15 u^4 + 6 u^5, u = t/T: the same as a polynomial
//   trapezoidal  constant acceleration, constant speed, constant deceleration
enum class Timing { cycloidal, quintic, trapezoidal };

const char* to_string(Timing timing);
// Throws InputError, with the list, for a name that is none.
Timing timing_from_name(const std::string& name);

struct Profile {
  Timing timing = Timing::cycloidal;
  double duration = 1;    // seconds, above zero
  double blend = 1. / 3;  // trapezoidal: fraction of the duration spent speeding up, in (0, 1/2]
};

// How much of the way is done: s goes from 0 at t = 0 to 1 at t = duration, and rests before and
// after. Rates are exact derivatives. A trapezoidal acceleration jumps: at a jump it is the one
// after it, at the end the one before.
struct Progress {
  double s, rate, acceleration;
};
Progress progress(const Profile& profile, double t);

// The shortest profile whose rate and acceleration stay within limits (of s, in 1/s and 1/s²).
// A trapezoidal one uses both to the full: its blend follows, and is 1/2 if it never reaches the
// rate.
//   throws  InputError if a limit is not above zero, or both are infinite
Profile fastest_profile(Timing timing, double max_rate, double max_acceleration);

// The limits of s under which no joint velocity |way_i ds/dt| and no acceleration exceeds its own.
struct ProgressLimits {
  double rate, acceleration;
};
ProgressLimits progress_limits(std::span<const double> way, double max_speed,
                               double max_acceleration);

// The way of one mechanism from one configuration to another. Quaternions take the short way at a
// constant direction of angular velocity; a free joint moves along a screw. All other coordinates
// go straight, full turns included.
class PointToPoint {
 public:
  //   reads   m (kept by reference: it must outlive this object), from and to [nq], profile
  //   throws  SizeError; InputError if the duration, the blend or a position cannot be
  PointToPoint(const Mechanism<double>& m, std::span<const double> from, std::span<const double> to,
               const Profile& profile);

  const Profile& profile() const { return profile_; }
  // The constant direction of the motion: qd = way ds/dt.
  std::span<const double> way() const { return way_; }

  //   writes  q [nq], qd [nv], qdd [nv]: `from` itself up to t = 0, `to` itself from t = duration
  //           on (quaternions at unit length; of the two of an attitude, the one nearer to `from`)
  //   throws  SizeError; allocates nothing
  void at(double t, std::span<double> q, std::span<double> qd, std::span<double> qdd) const;

 private:
  const Mechanism<double>& m_;
  std::vector<double> from_, to_, way_;
  Profile profile_;
};

// samples instants, evenly spaced, both ends included; at least 2.
std::vector<double> sample_times(double duration, int samples);
// 0, step, 2 step, ... and the end itself, whether or not it is a multiple of step.
std::vector<double> sample_times_by_step(double duration, double step);

}  // namespace catena
