#include "target.hpp"

#include <fmt/format.h>

#include <cmath>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/rough_assembly.hpp"

namespace catena::cli {
namespace {

std::vector<double> parse_list(const std::string& text, const std::string& option,
                               std::size_t count, Dimension dimension) {
  std::vector<double> values;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(',', begin);
    values.push_back(parse_quantity(text.substr(begin, end - begin), option, dimension));
    if (end == std::string::npos) break;
    begin = end + 1;
  }
  if (values.size() != count)
    throw UsageError(fmt::format("{}: '{}' has {} numbers, but {} are needed, with commas between",
                                 option, text, values.size(), count));
  return values;
}

}  // namespace

Vec3<double> parse_point(const std::string& text, const std::string& option) {
  const auto x = parse_list(text, option, 3, dimension::length);
  return {x[0], x[1], x[2]};
}

void add_attitude_options(Command& command, AttitudeOptions& o) {
  auto* zyz =
      command.add_option("--zyz", o.zyz,
                         "Attitude in the world: Euler angles about z, the new y, the new z, "
                         "e.g. 0,90deg,180deg");
  auto* rpy = command.add_option("--rpy", o.rpy, "Attitude: roll, pitch, yaw about fixed x, y, z");
  auto* quaternion = command.add_option("--quaternion", o.quaternion, "Attitude: x,y,z,w");
  zyz->excludes(rpy)->excludes(quaternion);
  rpy->excludes(quaternion);
}

std::optional<Mat3<double>> attitude_of(const AttitudeOptions& o) {
  if (!o.zyz.empty()) {
    const auto a = parse_list(o.zyz, "--zyz", 3, dimension::angle);
    return rotation_from_zyz(a[0], a[1], a[2]);
  }
  if (!o.rpy.empty()) {
    const auto a = parse_list(o.rpy, "--rpy", 3, dimension::angle);
    return rotation_from_rpy(a[0], a[1], a[2]);
  }
  if (o.quaternion.empty()) return std::nullopt;
  const auto a = parse_list(o.quaternion, "--quaternion", 4, dimension::number);
  const double length = std::sqrt(a[0] * a[0] + a[1] * a[1] + a[2] * a[2] + a[3] * a[3]);
  if (!(length > 0)) throw UsageError("--quaternion: it is zero");
  return rotation_from_quaternion(a[0] / length, a[1] / length, a[2] / length, a[3] / length);
}

void check_frame(const Mechanism<double>& m, const std::string& frame) {
  if (m.names->frame(frame) >= 0) return;
  std::vector<std::string> known;
  for (const FrameInfo& f : m.names->frames) known.push_back(f.name);
  throw UsageError(fmt::format("--frame: '{}' is not a frame of '{}'{}", frame, m.names->model,
                               did_you_mean(frame, known)));
}

LedMachine::LedMachine(const Model& model, const CompileOptions& options)
    : closed(compile_closed(model, options)), tree(closed.tree) {
  if (model.closed()) loops = std::make_unique<LoopConditions>(closed);
}

Eigen::VectorXd LedMachine::begin(const std::string& near) const {
  Eigen::VectorXd q(tree.nq);
  if (loops != nullptr) {
    LoopState state(closed);
    q = assemble_from_afar(closed, state, closed.start).q;
  } else {
    neutral_configuration<double>(tree, {q.data(), static_cast<std::size_t>(tree.nq)});
  }
  if (!near.empty()) assign_positions(near, "--near", tree, q);
  return q;
}

}  // namespace catena::cli
