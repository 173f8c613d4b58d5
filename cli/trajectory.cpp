// catena trajectory: a motion from one point to another, as a file for `catena inverse`.
#include "catena/motion/trajectory.hpp"

#include <fmt/core.h>

#include <limits>
#include <memory>

#include "catena/kinematics/configuration.hpp"
#include "commands.hpp"
#include "common.hpp"
#include "trajectory.hpp"

namespace catena::cli {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool is_file(const std::string& text) {
  return text == "-" || text.ends_with(".csv") || text.find('=') == std::string::npos;
}

// Neutral where nothing else is said; "joint=value, ..." or a state file.
Eigen::VectorXd point(const std::string& text, const std::string& option,
                      const Mechanism<double>& m, const Eigen::VectorXd& otherwise) {
  Eigen::VectorXd q = otherwise;
  if (text.empty()) return q;
  if (!is_file(text)) {
    assign_positions(text, option, m, q);
    return q;
  }
  const Table table = read_table(text);
  const DataColumns columns(m, table);
  if (columns.num_rows() != 1)
    throw InputError(table.where(1),
                     fmt::format("{} rows, but {} is one point", columns.num_rows(), option),
                     "keep the header and the row that is meant");
  return columns.row(0).q;
}

Profile profile_of(const TrajectoryOptions& o, std::span<const double> way) {
  const Timing timing = timing_from_name(o.timing);
  if (!o.duration.empty()) {
    const Dimension seconds{0, 0, 1, 0};
    const double duration = parse_quantity(o.duration, "--duration", seconds);
    if (!(duration > 0))
      throw UsageError(fmt::format(
          "--duration {}: a motion takes time; give more than zero seconds", o.duration));
    return {timing, duration, o.blend};
  }
  const ProgressLimits limits = progress_limits(way, o.speed, o.acceleration);
  if (limits.rate == infinity && limits.acceleration == infinity)
    throw UsageError("--from and --to are the same point; give a --duration to stay there");
  return fastest_profile(timing, limits.rate, limits.acceleration);
}

// TrajectoryOptions that contradict each other, or say too little.
void check_options(const TrajectoryOptions& o) {
  const bool limited = o.speed != infinity || o.acceleration != infinity;
  if (o.duration.empty() && !limited)
    throw UsageError("how long? give --duration, or --speed and --acceleration");
  if (!o.duration.empty() && limited)
    throw UsageError("--duration and --speed or --acceleration exclude each other");
  if (o.timing == "trapezoidal" && o.duration.empty() && o.acceleration == infinity)
    throw UsageError("a trapezoidal motion needs --acceleration beside --speed");
}

void run_trajectory(const TrajectoryOptions& o) {
  check_path_options(o);
  if (o.timing == "spline") return run_spline(o);
  if (o.timing == "line" || o.timing == "arc") return run_path(o);
  check_options(o);
  const Model model = load_model(o.model);
  const Mechanism<double> m = compile(model, compile_options(o.model));
  Eigen::VectorXd q(m.nq), qd(m.nv), qdd(m.nv);
  neutral_configuration<double>(m, {q.data(), static_cast<std::size_t>(m.nq)});
  const Eigen::VectorXd from = point(o.from, "--from", m, q);
  const Eigen::VectorXd to = point(o.to, "--to", m, q);
  const auto span = [](auto& v) { return std::span(v.data(), static_cast<std::size_t>(v.size())); };
  const Profile unit{timing_from_name(o.timing), 1, o.blend};
  const Profile profile = profile_of(o, PointToPoint(m, span(from), span(to), unit).way());
  const PointToPoint path(m, span(from), span(to), profile);

  Result result = motion_result(m, fmt::format("{}: {} motion", model.name, o.timing));
  std::vector<double> row;
  for (double t : trajectory_times(o, profile.duration)) {
    path.at(t, span(q), span(qd), span(qdd));
    row.assign({t});
    for (const auto* part : {&q, &qd, &qdd}) row.insert(row.end(), part->begin(), part->end());
    result.table.add_row(row);
  }
  write_result(o.output, result);
}

}  // namespace

void add_trajectory_command(Command& app) {
  Command& command = add_command(
      app, "trajectory", "A motion from point to point, from rest to rest, all joints in step",
      "catena trajectory cycloidal models/puma.yaml --to joint1=pi,joint2=90deg --duration 10 "
      "-o motion.csv\n"
      "catena trajectory trapezoidal models/scara.yaml --to joint1=1 --speed 2 --acceleration 5\n"
      "catena trajectory line models/puma.yaml --frame link6 --from 0.5,0,0.05 --to 0.62,0.3,0.11 "
      "--zyz 0,90deg,180deg --near joint1=-0.3,joint2=-1,joint5=1 --duration 5");
  auto o = std::make_shared<TrajectoryOptions>();
  add_choice(command, "TIMING", o->timing,
             {"cycloidal", "quintic", "trapezoidal", "spline", "line", "arc"},
             "How it goes: from point to point in one of three timings, through points, or with a "
             "frame on a line or an arc")
      ->required();
  add_model_options(command, o->model);
  const std::string rest = "; joints not named are at 0 (quaternions: no turn)";
  command.add_option("--from", o->from,
                     "First point: \"joint=value,...\" or a CSV file of one row" + rest);
  command.add_option("--to", o->to, "Last point, written in the same way" + rest);
  command.add_option("--duration", o->duration, "Seconds, or with a unit: 500ms");
  command
      .add_option("--speed", o->speed,
                  "Instead of --duration: no joint faster than this, in rad/s or m/s")
      ->positive();
  command
      .add_option("--acceleration", o->acceleration,
                  "Instead of --duration: no joint accelerates more, in rad/s² or m/s²")
      ->positive();
  command
      .add_option("--blend", o->blend,
                  "Trapezoidal with --duration: fraction of the time spent speeding up, above 0, "
                  "at most 0.5 (default 1/3)")
      ->between(1e-9, 0.5);
  Option* samples = command.add_option("--samples", o->samples, "Number of rows (default 101)")
                        ->between(2, 10000000);
  command.add_option("--sample", o->step, "Instead of --samples: seconds between rows")
      ->excludes(samples);
  add_path_options(command, *o);
  add_output_options(command, o->output);
  when_run(command, [o] { run_trajectory(*o); });
}

}  // namespace catena::cli
