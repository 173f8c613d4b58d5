// catena trajectory spline, line and arc: through points, and with a frame on a path in space.
#include <fmt/format.h>

#include <cmath>

#include "catena/kinematics/kinematics.hpp"
#include "catena/motion/cartesian.hpp"
#include "catena/motion/sampled.hpp"
#include "catena/motion/trajectory.hpp"
#include "trajectory.hpp"

namespace catena::cli {
namespace {

std::span<double> span_of(Eigen::VectorXd& x) {
  return {x.data(), static_cast<std::size_t>(x.size())};
}

bool is_point(const std::string& text) {
  return !text.empty() && text.find('=') == std::string::npos && !text.ends_with(".csv");
}

// Uniform: constant speed, as the papers go along a line.
Progress progress_of(const TrajectoryOptions& o, double duration, double t) {
  if (o.profile == "uniform") return {t / duration, 1 / duration, 0};
  return progress({timing_from_name(o.profile), duration, o.blend}, t);
}

double duration_of(const TrajectoryOptions& o, double length) {
  const bool limited = o.speed != HUGE_VAL || o.acceleration != HUGE_VAL;
  if (o.duration.empty() == !limited)
    throw UsageError(limited ? "--duration and --speed or --acceleration exclude each other"
                             : "how long? give --duration, or --speed and --acceleration");
  if (!limited) {
    const double duration = parse_quantity(o.duration, "--duration", {0, 0, 1, 0});
    if (duration > 0) return duration;
    throw UsageError(fmt::format("--duration {}: give more than zero seconds", o.duration));
  }
  if (!(length > 0)) throw UsageError("the path has no length; give a --duration to stay there");
  if (o.profile == "uniform") {
    if (o.speed == HUGE_VAL) throw UsageError("--profile uniform needs --speed or --duration");
    return length / o.speed;
  }
  if (o.profile == "trapezoidal")
    throw UsageError("--profile trapezoidal on a path needs --duration");
  return fastest_profile(timing_from_name(o.profile), o.speed / length, o.acceleration / length)
      .duration;
}

// Where the path begins, and the positions there.
struct Begin {
  Vec3<double> point;
  std::vector<double> q;
  std::optional<Mat3<double>> attitude;
};
Begin begin_of(const TrajectoryOptions& o, const LedMachine& machine,
               InverseKinematics& kinematics) {
  const Mechanism<double>& m = machine.tree;
  Eigen::VectorXd q = machine.begin(o.near);
  Begin b;
  b.attitude = attitude_of(o.attitude);
  const bool point = is_point(o.from);
  if (!point && !o.from.empty()) assign_positions(o.from, "--from", m, q);
  if (!point && machine.conditions() != nullptr && !kinematics.solve({}, span_of(q)))
    throw NumericalError("the loops cannot be closed near --from; catena assemble says more");
  if (point) {
    b.point = parse_point(o.from, "--from");
    if (!kinematics.solve({b.point, b.attitude}, span_of(q)))
      throw NumericalError(fmt::format(
          "--from {}: frame '{}' does not get there from --near; it stays off by {:.3g} (m, rad)\n"
          "    catena ik lists solutions: give one as --near",
          o.from, o.frame, kinematics.error({b.point, b.attitude}, span_of(q))));
  }
  Workspace<double> w(m);
  std::vector<Pose<double>> X_WB(m.bodies.size());
  body_poses<double>(m, span_of(q), w, X_WB);
  const FrameInfo& f = m.names->frames[static_cast<std::size_t>(m.names->frame(o.frame))];
  const Pose<double> X = X_WB[static_cast<std::size_t>(f.body)] * f.X_BF;
  if (!point) b.point = X.p;
  if (!b.attitude && !o.free_attitude) b.attitude = X.R;
  b.q.assign(q.begin(), q.end());
  return b;
}

}  // namespace

Result motion_result(const Mechanism<double>& m, const std::string& title) {
  Result result;
  result.title = title;
  result.add_column("time", "");
  const auto add = [&](const std::string& prefix, const std::vector<std::string>& names,
                       const std::vector<Dimension>& dimensions, int derivative) {
    for (std::size_t i = 0; i < names.size(); ++i)
      result.add_column(prefix + "." + names[i], motion_panel(dimensions[i], derivative));
  };
  add("q", position_names(m), position_dimensions(m), 0);
  add("qd", velocity_names(m), velocity_dimensions(m), 1);
  add("qdd", velocity_names(m), velocity_dimensions(m), 2);
  return result;
}

std::vector<double> trajectory_times(const TrajectoryOptions& o, double duration) {
  if (o.step.empty()) return sample_times(duration, o.samples);
  const double step = parse_quantity(o.step, "--sample", {0, 0, 1, 0});
  if (!(step > 0))
    throw UsageError(fmt::format("--sample {}: give more than zero seconds", o.step));
  if (duration / step > 1e7)
    throw UsageError(
        fmt::format("--sample {}: more than ten million rows; give a longer time", o.step));
  return sample_times_by_step(duration, step);
}

void add_path_options(Command& command, TrajectoryOptions& o) {
  command.add_option("--points", o.points, "spline: CSV with time and q.JOINT, one row per point")
      ->type_name("FILE");
  add_choice(command, "--ends", o.ends, {"at-rest", "natural", "smooth"},
             "spline: without speed, without acceleration, or as smooth as inside");
  command.add_option("--frame", o.frame,
                     "line, arc: what moves; --from and --to are then points x,y,z of its origin");
  command.add_option("--via", o.via, "arc: a point between, x,y,z");
  command.add_option("--near", o.near, "line, arc: where the search for the first point begins");
  add_attitude_options(command, o.attitude);
  command.add_flag("--free-attitude", o.free_attitude, "line, arc: only the origin is led");
  command.add_flag("--ignore-limits", o.ignore_limits, "line, arc: joint limits do not count");
  add_choice(command, "--profile", o.profile, {"uniform", "cycloidal", "quintic", "trapezoidal"},
             "line, arc: the speed along the path");
}

void check_path_options(const TrajectoryOptions& o) {
  const bool path = o.timing == "line" || o.timing == "arc", spline = o.timing == "spline";
  const auto only = [&](bool given, bool right, const char* option, const char* kind) {
    if (given && !right)
      throw UsageError(fmt::format("{} is for {}, not for {}", option, kind, o.timing));
  };
  only(!o.points.empty(), spline, "--points", "spline");
  only(!o.frame.empty(), path, "--frame", "line and arc");
  only(!o.via.empty(), o.timing == "arc", "--via", "arc");
  if (spline && o.points.empty()) throw UsageError("spline needs --points FILE");
  if (spline && (!o.from.empty() || !o.to.empty() || !o.duration.empty()))
    throw UsageError(
        "spline takes points and times from --points; leave --from, --to, --duration out");
  if (path && o.frame.empty()) throw UsageError(o.timing + " needs --frame");
  if (path && o.to.empty()) throw UsageError(o.timing + " needs --to x,y,z");
  if (o.timing == "arc" && o.via.empty()) throw UsageError("arc needs --via x,y,z");
}

void run_spline(const TrajectoryOptions& o) {
  const Model model = load_model(o.model);
  const Mechanism<double> m = compile(model, compile_options(o.model));
  for (const JointInfo& j : m.names->joints) {
    if (!j.mimic && j.nq != j.nv)
      throw UsageError(
          fmt::format("joint '{}' has a quaternion, through which no spline goes", j.name));
  }
  const Table table = read_table(o.points);
  const DataColumns columns(m, table);
  if (!columns.has_time())
    throw InputError(table.where_header(), "column 'time' is missing",
                     "give the time of every point, in seconds");
  std::vector<double> times;
  Eigen::MatrixXd q(m.nq, static_cast<Eigen::Index>(columns.num_rows()));
  for (std::size_t r = 0; r < columns.num_rows(); ++r) {
    const DataRow row = columns.row(r);
    times.push_back(row.time);
    if (r > 0 && !(times[r] > times[r - 1]))
      throw InputError(table.where(r), "the time is not after that of the row before",
                       "sort the points by time");
    q.col(static_cast<Eigen::Index>(r)) = row.q;
  }
  if (times.size() < 2) throw InputError(table.where(0), "a spline needs two points or more");
  const SplineEnds ends = o.ends == "natural"  ? SplineEnds::natural
                          : o.ends == "smooth" ? SplineEnds::smooth
                                               : SplineEnds::at_rest;
  const Sampled spline = Sampled::spline(times, q, ends);
  Result result =
      motion_result(m, fmt::format("{}: spline through {} points", model.name, times.size()));
  std::vector<double> row;
  for (double t : trajectory_times(o, spline.end() - spline.begin())) {
    const double time = std::min(spline.begin() + t, spline.end());
    row.assign({time});
    for (int d = 0; d < 3; ++d) {
      for (Eigen::Index k = 0; k < m.nq; ++k) {
        const Sampled::Point p = spline.at(time, k);
        row.push_back(d == 0 ? p.value : d == 1 ? p.first : p.second);
      }
    }
    result.table.add_row(row);
  }
  write_result(o.output, result);
}

void run_path(const TrajectoryOptions& o) {
  const Model model = load_model(o.model);
  const LedMachine machine(model, compile_options(o.model));
  const Mechanism<double>& m = machine.tree;
  check_frame(m, o.frame);
  InverseKinematics kinematics(m, o.frame, {!o.ignore_limits}, machine.conditions());
  const Begin begin = begin_of(o, machine, kinematics);
  const Vec3<double> to = parse_point(o.to, "--to");
  const CartesianPath path = o.timing == "line"
                                 ? CartesianPath::line(begin.point, to)
                                 : CartesianPath::arc(begin.point, parse_point(o.via, "--via"), to);
  const double duration = duration_of(o, path.length());
  PathFollower follower(kinematics, path, begin.attitude, begin.q);
  Result result = motion_result(m, fmt::format("{}: {} of '{}'", model.name, o.timing, o.frame));
  Eigen::VectorXd q(m.nq), qd(m.nv), qdd(m.nv);
  std::vector<double> row;
  for (double t : trajectory_times(o, duration)) {
    const Progress s = progress_of(o, duration, t);
    follower.at(s.s, s.rate, s.acceleration, span_of(q), span_of(qd), span_of(qdd));
    row.assign({t});
    for (const auto* part : {&q, &qd, &qdd}) row.insert(row.end(), part->begin(), part->end());
    result.table.add_row(row);
  }
  write_result(o.output, result);
}

}  // namespace catena::cli
