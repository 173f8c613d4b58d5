// catena ik: positions of the joints that bring a frame to where it shall be.
#include <fmt/format.h>

#include "commands.hpp"
#include "target.hpp"

namespace catena::cli {
namespace {

struct IkOptions {
  ModelOptions model;
  std::string frame, position, near;
  AttitudeOptions attitude;
  int starts = 100;
  bool one = false, ignore_limits = false;
  OutputOptions output;
};

void run_ik(const IkOptions& o) {
  const Model model = load_model(o.model);
  const LedMachine machine(model, compile_options(o.model));
  const Mechanism<double>& m = machine.tree;
  check_frame(m, o.frame);
  FrameTarget target;
  target.attitude = attitude_of(o.attitude);
  if (!o.position.empty()) target.position = parse_point(o.position, "--position");
  if (!target.attitude && !target.position)
    throw UsageError("where to? give --position, or an attitude, or both");
  Eigen::VectorXd start = machine.begin(o.near);
  const std::span<double> q(start.data(), static_cast<std::size_t>(m.nq));

  InverseKinematics kinematics(m, o.frame, {!o.ignore_limits}, machine.conditions());
  const auto found = kinematics.solutions(target, q, o.starts);
  if (found.empty()) {
    kinematics.solve(target, q);
    throw NumericalError(
        fmt::format("no solution was found for frame '{}' from {} starts; the nearest to --near is "
                    "off by {:.3g} "
                    "(m, rad)\n    the point may be out of reach, beyond joint limits, or ask for "
                    "more than the "
                    "joints can do: give only --position, or try --starts {}",
                    o.frame, o.starts, kinematics.error(target, q), 10 * o.starts));
  }
  Result result;
  result.title = fmt::format("{}: inverse kinematics of '{}'", m.names->model, o.frame);
  result.key = "solution", result.key_label = "solution";
  result.add_column("solution", "");
  const auto names = position_names(m);
  const auto dimensions = position_dimensions(m);
  for (std::size_t i = 0; i < names.size(); ++i)
    result.add_column("q." + names[i], motion_panel(dimensions[i], 0));
  result.add_column("error", "");
  for (std::size_t i = 0; i < found.size() && (i == 0 || !o.one); ++i) {
    std::vector<double> row = {static_cast<double>(i + 1)};
    row.insert(row.end(), found[i].begin(), found[i].end());
    row.push_back(kinematics.error(target, found[i]));
    result.table.add_row(row);
  }
  write_result(o.output, result);
}

}  // namespace

void add_ik_command(Command& app) {
  Command& command = add_command(
      app, "ik", "Joint positions that bring a frame to where it shall be",
      "catena ik models/puma.yaml --frame link6 --position 0.5,0,0.05 --zyz 0,90deg,180deg\n"
      "catena ik models/scara.yaml --frame tool --position 0.3,0.2,-0.15 --near joint2=-1 --one");
  const auto o = std::make_shared<IkOptions>();
  add_model_options(command, o->model);
  command.add_option("--frame", o->frame, "The frame or body that is moved")->required();
  command.add_option("--position", o->position, "Its origin in the world: x,y,z");
  add_attitude_options(command, o->attitude);
  command.add_option("--near", o->near,
                     "Where the search begins, \"joint=value,...\"; solutions near it come first");
  command.add_option("--starts", o->starts, "How many searches, the others from random positions")
      ->between(1, 1000000)
      ->capture_default_str();
  command.add_flag("--one", o->one, "Only the nearest solution");
  command.add_flag("--ignore-limits", o->ignore_limits, "Joint limits do not count");
  add_output_options(command, o->output);
  when_run(command, [o] { run_ik(*o); });
}

}  // namespace catena::cli
