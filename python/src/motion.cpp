// Trajectories and inverse kinematics.
#include <nanobind/stl/optional.h>

#include <cmath>
#include <numbers>

#include "catena/kinematics/configuration.hpp"
#include "catena/motion/cartesian.hpp"
#include "catena/motion/sampled.hpp"
#include "catena/motion/trajectory.hpp"
#include "robot.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;
constexpr double infinity = std::numeric_limits<double>::infinity();

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

// Rows of a motion, as they are computed.
class Motions {
 public:
  explicit Motions(const Robot& r) : r_(r), q_(r.nq()), qd_(r.nv()), qdd_(r.nv()) {}
  template <class At>
  void add(double time, const At& at) {
    at(std::span<double>(q_), std::span<double>(qd_), std::span<double>(qdd_));
    times_.push_back(time);
    q.insert(q.end(), q_.begin(), q_.end());
    qd.insert(qd.end(), qd_.begin(), qd_.end());
    qdd.insert(qdd.end(), qdd_.begin(), qdd_.end());
  }
  nb::tuple take() const {
    const std::size_t n = times_.size();
    return nb::make_tuple(new_array(times_, {n}), new_array(q, {n, r_.nq()}),
                          new_array(qd, {n, r_.nv()}), new_array(qdd, {n, r_.nv()}));
  }

 private:
  const Robot& r_;
  std::vector<double> q_, qd_, qdd_, times_, q, qd, qdd;
};

std::vector<double> times_of(double duration, int samples, double step) {
  if (step > 0) {
    if (duration / step > 1e7)
      throw InputError({}, "more than ten million samples", "give a longer step");
    return sample_times_by_step(duration, step);
  }
  if (samples < 2) throw InputError({}, "a motion needs two samples or more");
  return sample_times(duration, samples);
}

Profile profile_of(const std::string& timing_name, std::optional<double> duration, double speed,
                   double acceleration, double blend, std::span<const double> way) {
  const Timing timing = timing_from_name(timing_name);
  const bool limited = speed != infinity || acceleration != infinity;
  if (duration) {
    if (limited) throw InputError({}, "duration and speed or acceleration exclude each other");
    if (!(*duration > 0) || !std::isfinite(*duration))
      throw InputError({}, "duration: a motion takes time; give more than zero seconds");
    return {timing, *duration, blend};
  }
  if (!limited) throw InputError({}, "how long? give duration, or speed and acceleration");
  if (timing == Timing::trapezoidal && acceleration == infinity)
    throw InputError({}, "a trapezoidal motion needs acceleration beside speed");
  const ProgressLimits limits = progress_limits(way, speed, acceleration);
  if (limits.rate == infinity && limits.acceleration == infinity)
    throw InputError({}, "start and end are the same point; give a duration to stay there");
  return fastest_profile(timing, limits.rate, limits.acceleration);
}

nb::tuple point_to_point(const Robot& r, nb::handle start_, nb::handle end_,
                         const std::string& timing, std::optional<double> duration, double speed,
                         double acceleration, double blend, int samples, double step) {
  const Input start = Input::one("start", start_, r.nq()), end = Input::one("end", end_, r.nq());
  const PointToPoint unit(r.m, start.row(0), end.row(0), {timing_from_name(timing), 1, blend});
  const Profile profile = profile_of(timing, duration, speed, acceleration, blend, unit.way());
  const PointToPoint path(r.m, start.row(0), end.row(0), profile);
  Motions motions(r);
  for (double t : times_of(profile.duration, samples, step))
    motions.add(t, [&](auto q, auto qd, auto qdd) { path.at(t, q, qd, qdd); });
  return motions.take();
}

nb::tuple spline(const Robot& r, nb::handle times_, nb::handle points_, const std::string& ends,
                 int samples, double step) {
  for (const JointInfo& j : r.m.names->joints) {
    if (!j.mimic && j.nq != j.nv)
      throw InputError({}, "joint '" + j.name + "' has a quaternion, through which no spline goes");
  }
  if (ends != "at-rest" && ends != "natural" && ends != "smooth")
    throw InputError({}, "ends are 'at-rest', 'natural' or 'smooth', not '" + ends + "'");
  const std::vector<double> times = numbers_of("times", times_);
  const Input points("points", points_, r.nq());
  if (!points.many() || points.rows() != times.size())
    throw SizeError("points must have a row for each of the " + std::to_string(times.size()) +
                    " times");
  if (times.size() < 2) throw InputError({}, "a spline needs two points or more");
  Eigen::MatrixXd values(r.m.nq, static_cast<Eigen::Index>(times.size()));
  std::copy_n(points.data(), points.size(), values.data());
  const Sampled path = Sampled::spline(times, values,
                                       ends == "natural"  ? SplineEnds::natural
                                       : ends == "smooth" ? SplineEnds::smooth
                                                          : SplineEnds::at_rest);
  Motions motions(r);
  for (double t : times_of(path.end() - path.begin(), samples, step)) {
    const double time = std::min(path.begin() + t, path.end());
    motions.add(time, [&](auto q, auto qd, auto qdd) {
      for (std::size_t k = 0; k < r.nq(); ++k) {
        const Sampled::Point p = path.at(time, static_cast<Eigen::Index>(k));
        q[k] = p.value, qd[k] = p.first, qdd[k] = p.second;
      }
    });
  }
  return motions.take();
}

Vec3<double> point_of(const char* name, nb::handle object) {
  const Input x = Input::one(name, object, 3);
  return {x.row(0)[0], x.row(0)[1], x.row(0)[2]};
}
std::optional<Mat3<double>> rotation_of(nb::handle object) {
  if (object.is_none()) return {};
  const Input x("rotation", object, 3);
  if (!x.many() || x.rows() != 3) throw SizeError("rotation must be 3 by 3");
  const auto a = x.row(0), b = x.row(1), c = x.row(2);
  const Mat3<double> R{{a[0], b[0], c[0]}, {a[1], b[1], c[1]}, {a[2], b[2], c[2]}};
  const Mat3<double> unit = transpose(R) * R;
  for (double e : {unit.x.x - 1, unit.y.y - 1, unit.z.z - 1, unit.x.y, unit.x.z, unit.y.z}) {
    if (std::abs(e) > 1e-6 || dot(cross(R.x, R.y), R.z) < 0)
      throw InputError({}, "rotation is not orthonormal");
  }
  return R;
}
std::vector<double> near_of(const Robot& r, nb::handle near) {
  std::vector<double> q(r.nq());
  neutral_configuration<double>(r.m, q);
  if (near.is_none()) return q;
  const Input given = Input::one("near", near, r.nq());
  return {given.row(0).begin(), given.row(0).end()};
}

nb::object ik(const Robot& r, const std::string& frame, nb::handle position, nb::handle rotation,
              nb::handle near, int starts, bool limits) {
  r.frame(frame);
  FrameTarget target;
  if (!position.is_none()) target.position = point_of("position", position);
  target.attitude = rotation_of(rotation);
  if (!target.attitude && !target.position)
    throw InputError({}, "where to? give position, or rotation, or both");
  if (starts < 1) throw InputError({}, "starts must be 1 or more");
  std::vector<double> q = near_of(r, near);
  std::vector<std::vector<double>> found;
  {
    nb::gil_scoped_release release;
    InverseKinematics kinematics(r.m, frame, {limits});
    found = kinematics.solutions(target, q, starts);
    if (found.empty()) {
      kinematics.solve(target, q);
      throw NumericalError(
          "no solution was found for frame '" + frame + "' from " + std::to_string(starts) +
          " starts; the nearest to near is off by " + short_number(kinematics.error(target, q)) +
          " (m, rad)\n    the point may be out of reach, beyond joint limits, or ask for more than "
          "the joints can do: give only position, or try starts=" +
          std::to_string(10 * starts));
    }
  }
  std::vector<double> all;
  for (const auto& solution : found) all.insert(all.end(), solution.begin(), solution.end());
  return new_array(all, {found.size(), r.nq()});
}

Progress progress_along(const std::string& profile, double duration, double blend, double t) {
  if (profile == "uniform") return {t / duration, 1 / duration, 0};
  return progress({timing_from_name(profile), duration, blend}, t);
}

// A frame on a line, or on an arc if `via` is given.
nb::tuple path(const Robot& r, const std::string& frame, nb::handle to, nb::handle via,
               double duration, nb::handle from, nb::handle rotation, bool free_rotation,
               nb::handle near, const std::string& profile, double blend, int samples, double step,
               bool limits) {
  const FrameInfo& f = r.frame(frame);
  if (!(duration > 0) || !std::isfinite(duration))
    throw InputError({}, "duration: a motion takes time; give more than zero seconds");
  InverseKinematics kinematics(r.m, frame, {limits});
  std::vector<double> q = near_of(r, near);
  std::optional<Mat3<double>> attitude = rotation_of(rotation);
  if (!from.is_none()) {
    const FrameTarget target{point_of("start", from), attitude};
    if (!kinematics.solve(target, q))
      throw NumericalError("frame '" + frame +
                           "' does not get to start from near; it stays off by " +
                           short_number(kinematics.error(target, q)) +
                           " (m, rad)\n    robot.ik() lists solutions: give one as near");
  }
  Scratch scratch(r.m, 0);
  body_poses<double>(r.m, q, scratch.w, scratch.X_WB);
  const Pose<double> X = scratch.X_WB[index(f.body)] * f.X_BF;
  const Vec3<double> begin = from.is_none() ? X.p : point_of("start", from);
  if (!attitude && !free_rotation) attitude = X.R;
  const CartesianPath way =
      via.is_none() ? CartesianPath::line(begin, point_of("end", to))
                    : CartesianPath::arc(begin, point_of("via", via), point_of("end", to));
  PathFollower follower(kinematics, way, attitude, q);
  Motions motions(r);
  for (double t : times_of(duration, samples, step)) {
    const Progress s = progress_along(profile, duration, blend, t);
    motions.add(t, [&](auto q_, auto qd, auto qdd) {
      follower.at(s.s, s.rate, s.acceleration, q_, qd, qdd);
    });
  }
  return motions.take();
}

}  // namespace

// The public functions with their documentation are in catena/robot.py, except ik.
void bind_motion(nb::class_<Robot>& robot) {
  robot
      .def("_point_to_point", &point_to_point, "start"_a, "end"_a, "timing"_a, "duration"_a.none(),
           "speed"_a, "acceleration"_a, "blend"_a, "samples"_a, "step"_a)
      .def("_spline", &spline, "times"_a, "points"_a, "ends"_a, "samples"_a, "step"_a)
      .def("_path", &path, "frame"_a, "to"_a, "via"_a.none(), "duration"_a, "start"_a.none(),
           "rotation"_a.none(), "free_rotation"_a, "near"_a.none(), "profile"_a, "blend"_a,
           "samples"_a, "step"_a, "limits"_a)
      .def("ik", &ik, "frame"_a, "position"_a = nb::none(), "rotation"_a = nb::none(),
           nb::kw_only(), "near"_a = nb::none(), "starts"_a = 100, "limits"_a = true,
           nb::sig(
               "def ik(self, frame: str, position: ArrayLike | None = None, rotation: ArrayLike | "
               "None = None, *, "
               "near: ArrayLike | None = None, starts: int = 100, limits: bool = True) -> NDArray"),
           R"(Inverse kinematics: the positions that bring a frame to where it shall be.

position: (3,) of the frame's origin in the world, metres. rotation: (3, 3) of its axes in the world. What is not
given is free. near: (nq,) where the search begins, solutions near it come first; None is neutral(). starts: how
many searches, the others from random positions, the same every time. limits: stay within the joint limits.
Returns (K, nq): distinct solutions, exact to 1e-12 m and rad where rounding allows.
Raises NumericalError if none is found.)");
}

}  // namespace catena::python
