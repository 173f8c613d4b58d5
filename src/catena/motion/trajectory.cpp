#include "catena/motion/trajectory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "catena/kinematics/configuration.hpp"
#include "catena/support/error.hpp"

namespace catena {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

std::size_t size(int n) { return static_cast<std::size_t>(n); }

void check_profile(const Profile& profile) {
  if (!(profile.duration > 0) || profile.duration == infinity)
    throw InputError({}, "a duration of " + std::to_string(profile.duration) + " s is no motion",
                     "give one above zero");
  if (!(profile.blend > 0 && profile.blend <= 0.5))
    throw InputError({}, "a blend of " + std::to_string(profile.blend) + " cannot be",
                     "it is the fraction of the time spent speeding up: above 0, at most 0.5");
}

// u = t/T in [0, 1/2]; derivatives by u. The second half is the first one seen from the end.
Progress first_half(const Profile& profile, double u) {
  switch (profile.timing) {
    case Timing::cycloidal: {
      const double a = 2 * pi * u;
      return {u - std::sin(a) / (2 * pi), 1 - std::cos(a), 2 * pi * std::sin(a)};
    }
    case Timing::quintic: {
      const double u2 = u * u, w = 1 - u;
      return {u2 * u * (10 + u * (6 * u - 15)), 30 * u2 * w * w, 60 * u * w * (1 - 2 * u)};
    }
    case Timing::trapezoidal: {
      const double b = profile.blend, speed = 1 / (1 - b);
      if (u < b) return {speed * u * u / (2 * b), speed * u / b, speed / b};
      return {speed * (u - b / 2), speed, 0};
    }
  }
  return {};
}

// Quaternions of `to` on the side of those of `from`: both signs are the same attitude.
void choose_signs(const Mechanism<double>& m, std::span<const double> from, std::span<double> to) {
  for (const JointInfo& joint : m.names->joints) {
    if (joint.mimic || (joint.kind != JointKind::spherical && joint.kind != JointKind::free))
      continue;
    const std::size_t first = size(joint.q + joint.nq - 4);
    double dot = 0;
    for (std::size_t k = first; k < first + 4; ++k) dot += from[k] * to[k];
    if (dot < 0)
      for (std::size_t k = first; k < first + 4; ++k) to[k] = -to[k];
  }
}

}  // namespace

const char* to_string(Timing timing) {
  switch (timing) {
    case Timing::cycloidal:
      return "cycloidal";
    case Timing::quintic:
      return "quintic";
    case Timing::trapezoidal:
      return "trapezoidal";
  }
  return "";
}

Timing timing_from_name(const std::string& name) {
  for (Timing timing : {Timing::cycloidal, Timing::quintic, Timing::trapezoidal})
    if (name == to_string(timing)) return timing;
  throw InputError({},
                   "'" + name + "' is no trajectory" +
                       did_you_mean(name, {"cycloidal", "quintic", "trapezoidal"}),
                   "choose cycloidal, quintic or trapezoidal");
}

Progress progress(const Profile& profile, double t) {
  const double T = profile.duration;
  if (t < 0) return {0, 0, 0};
  if (t > T) return {1, 0, 0};
  const double u = t / T;
  const bool late = u > 0.5;
  Progress p = first_half(profile, late ? (T - t) / T : u);
  if (late) p = {1 - p.s, p.rate, -p.acceleration};
  return {p.s, p.rate / T, p.acceleration / (T * T)};
}

Profile fastest_profile(Timing timing, double max_rate, double max_acceleration) {
  if (!(max_rate > 0) || !(max_acceleration > 0))
    throw InputError({}, "a motion needs speed and acceleration", "give limits above zero");
  if (max_rate == infinity && max_acceleration == infinity)
    throw InputError({}, "nothing limits the motion",
                     "give a duration, a speed or an acceleration");
  Profile profile{timing, 0, 1. / 3};
  // The greatest ds/du and d²s/du² of each curve.
  if (timing == Timing::cycloidal)
    profile.duration = std::max(2 / max_rate, std::sqrt(2 * pi / max_acceleration));
  if (timing == Timing::quintic)
    profile.duration = std::max(1.875 / max_rate, std::sqrt(10 / std::sqrt(3.) / max_acceleration));
  if (timing == Timing::trapezoidal) {
    if (max_acceleration == infinity)
      throw InputError({}, "nothing limits the acceleration", "give an acceleration, too");
    const double rate = std::min(max_rate, std::sqrt(max_acceleration));
    const double rise = rate / max_acceleration;
    profile.duration = 1 / rate + rise;
    profile.blend = std::min(rise / profile.duration, 0.5);
  }
  return profile;
}

ProgressLimits progress_limits(std::span<const double> way, double max_speed,
                               double max_acceleration) {
  double longest = 0;
  for (double d : way) longest = std::max(longest, std::abs(d));
  if (longest == 0) return {infinity, infinity};
  return {max_speed / longest, max_acceleration / longest};
}

PointToPoint::PointToPoint(const Mechanism<double>& m, std::span<const double> from,
                           std::span<const double> to, const Profile& profile)
    : m_(m),
      from_(from.begin(), from.end()),
      to_(to.begin(), to.end()),
      way_(size(m.nv)),
      profile_(profile) {
  check_size("from", from.size(), size(m.nq));
  check_size("to", to.size(), size(m.nq));
  check_profile(profile);
  normalise_configuration<double>(m, from_);
  normalise_configuration<double>(m, to_);
  for (const auto* point : {&from_, &to_})
    for (double x : *point)
      if (!std::isfinite(x))
        throw InputError({}, "a position is not a number, or a quaternion is zero",
                         "give finite positions and quaternions of unit length");
  choose_signs(m, from_, to_);
  difference_configuration<double>(m, from_, to_, way_);
}

void PointToPoint::at(double t, std::span<double> q, std::span<double> qd,
                      std::span<double> qdd) const {
  check_size("q", q.size(), size(m_.nq));
  check_size("qd", qd.size(), size(m_.nv));
  check_size("qdd", qdd.size(), size(m_.nv));
  const Progress p = progress(profile_, t);
  for (std::size_t i = 0; i < qd.size(); ++i) qd[i] = p.s * way_[i];
  integrate_configuration<double>(m_, from_, qd, q);
  if (t <= 0) std::copy(from_.begin(), from_.end(), q.begin());
  if (t >= profile_.duration) std::copy(to_.begin(), to_.end(), q.begin());
  for (std::size_t i = 0; i < qd.size(); ++i) {
    qd[i] = p.rate * way_[i] + 0.0;  // no minus zero
    qdd[i] = p.acceleration * way_[i] + 0.0;
  }
}

std::vector<double> sample_times(double duration, int samples) {
  if (samples < 2) throw InputError({}, "a motion needs two samples at least", "give more");
  std::vector<double> times(size(samples));
  for (std::size_t i = 0; i < times.size(); ++i)
    times[i] = duration * static_cast<double>(i) / (samples - 1);
  return times;
}

std::vector<double> sample_times_by_step(double duration, double step) {
  if (!(step > 0)) throw InputError({}, "the step between samples is zero", "give one above zero");
  const double steps = duration / step;
  if (!(steps < 1e8))
    throw InputError({}, "that makes more than 1e8 samples", "give a longer step");
  std::vector<double> times;
  // A last step below a billionth of one is rounding; whole steps share the duration evenly.
  const auto count = static_cast<std::size_t>(std::ceil(steps * (1 - 1e-9)));
  const double whole = std::round(steps);
  const bool even = std::abs(steps - whole) < 1e-9 * steps;
  for (std::size_t i = 0; i < count; ++i) {
    const double k = static_cast<double>(i);
    times.push_back(even ? duration * k / whole : k * step);
  }
  times.push_back(duration);
  return times;
}

}  // namespace catena
