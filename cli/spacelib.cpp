// catena spacelib: the program of the paper's fig. 6 [Legnani et al. 1996]: direct kinematics and
// inverse dynamics of any serial robot, with all its matrices.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "catena/formulations/homogeneous/chain.hpp"
#include "catena/readers/spacelib.hpp"
#include "catena/readers/text_file.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

using homogeneous::ChainObject;
using homogeneous::LinkObject;
using Matrix = homogeneous::Matrix4<double>;

struct SpacelibOptions {
  std::string robot, motion;
  OutputOptions output;
};

struct NamedMatrix {
  const char* name;   // of the program's variable
  const char* title;  // of its printout; W and H are those of frame (i-1), which it calls (i)
  Matrix values;
};

std::array<NamedMatrix, 12> matrices_of(const LinkObject& link) {
  using homogeneous::matrix;
  return {{{"A", "relative position, in (i-1)", matrix(link.A)},
           {"M0", "absolute position, in (0)", matrix(link.M0)},
           {"W", "relative velocity, in (i-1)", matrix(link.W)},
           {"W0", "relative velocity, in (0)", matrix(link.W0)},
           {"WA", "absolute velocity, in (0)", matrix(link.WA)},
           {"H", "relative acceleration, in (i-1)", matrix(link.H)},
           {"H0", "relative acceleration, in (0)", matrix(link.H0)},
           {"HA", "absolute acceleration, in (0)", matrix(link.HA)},
           {"J", "inertia, in (i)", matrix(link.J)},
           {"J0", "inertia, in (0)", matrix(link.J0)},
           {"FI", "action of inertia and weight, in (0)", matrix(link.FI)},
           {"ACT0", "action on joint i, in (0)", matrix(link.ACT0)}}};
}

ChainObject chain_of(const SpacelibRobot& robot) {
  ChainObject chain;
  chain.gravity = robot.gravity;
  for (const SpacelibLink& link : robot.links) {
    const auto type = link.prismatic ? homogeneous::Pri : homogeneous::Rev;
    LinkObject object = LinkObject::dh(type, link.theta, link.s, link.b, link.a, link.alfa);
    object.set_inertia(link.mass, link.moments, link.centre);
    chain.add(std::move(object));
  }
  return chain;
}

// Two matrices side by side.
std::string readable_pair(const NamedMatrix& left, const NamedMatrix& right) {
  const auto title = [](const NamedMatrix& m) { return fmt::format("{}: {}", m.name, m.title); };
  std::string text = fmt::format("  {:<48}{}\n", title(left), title(right));
  for (int i = 0; i < 4; ++i) {
    std::string line = " ";
    for (const NamedMatrix* m : {&left, &right}) {
      for (int j = 0; j < 4; ++j) {
        const double x = m->values.at(i, j);
        line += fmt::format(" {:>10.5g}", x == 0 ? 0.0 : x);  // no -0
      }
      line += "    ";
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

std::string readable_link(const LinkObject& link, int i, const SpacelibMotion& motion,
                          std::size_t instant) {
  const bool slides = link.joint == Primitive::prismatic;
  const auto at = [&](std::size_t d) {
    return motion.at(instant, static_cast<std::size_t>(i - 1), d);
  };
  std::string text = fmt::format(
      "link {}, {} joint: q {:.6g}, qp {:.6g}, qpp {:.6g}; motor {:.6g} {}\n", i,
      slides ? "prismatic" : "revolute", at(0), at(1), at(2), link.tau[0], slides ? "N" : "N m");
  const auto all = matrices_of(link);
  text += readable_pair(all[0], all[1]);
  text += readable_pair(all[2], all[5]);
  text += readable_pair(all[3], all[6]);
  text += readable_pair(all[4], all[7]);
  text += readable_pair(all[8], all[9]);
  text += readable_pair(all[10], all[11]);
  return text;
}

std::string json_matrix(const Matrix& m) {
  std::vector<std::string> rows;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto begin = m.entries.begin() + static_cast<std::ptrdiff_t>(4 * i);
    rows.push_back(fmt::format("[{}]", fmt::join(begin, begin + 4, ", ")));
  }
  return fmt::format("[{}]", fmt::join(rows, ", "));
}

std::string json_link(const LinkObject& link, int i, const SpacelibMotion& motion,
                      std::size_t instant) {
  const auto at = [&](std::size_t d) {
    return motion.at(instant, static_cast<std::size_t>(i - 1), d);
  };
  std::string text = fmt::format(
      "    {{\"link\": {}, \"joint\": \"{}\", \"q\": {}, \"qp\": {}, \"qpp\": {}", i,
      link.joint == Primitive::prismatic ? "prismatic" : "revolute", at(0), at(1), at(2));
  for (const NamedMatrix& m : matrices_of(link)) {
    text += fmt::format(",\n     \"{}\": {}", m.name, json_matrix(m.values));
  }
  return text + fmt::format(",\n     \"tau\": {}}}", link.tau[0]);
}

// Motor forces, and the moments and forces on the joints.
void add_columns(const ChainObject& chain, bool has_time, Result& result) {
  if (has_time) result.add_column("time", "");
  for (int i = 1; i <= chain.links(); ++i) {
    const bool slides = chain[i].joint == Primitive::prismatic;
    result.add_column(fmt::format("tau.joint{}", i), slides ? "force, N" : "torque, N m");
  }
  for (int i = 1; i <= chain.links(); ++i) {
    for (const char* part : {"cx", "cy", "cz", "fx", "fy", "fz"}) {
      result.add_column(fmt::format("ACT0.joint{}.{}", i, part), "");
    }
  }
}

std::vector<double> row_of(const ChainObject& chain) {
  std::vector<double> row;
  for (int i = 1; i <= chain.links(); ++i) row.push_back(chain[i].tau[0]);
  for (int i = 1; i <= chain.links(); ++i) {
    const auto& [c, f] = chain[i].ACT0;
    row.insert(row.end(), {c.x, c.y, c.z, f.x, f.y, f.z});
  }
  return row;
}

// The matrices of one instant.
void compute(ChainObject& chain, const SpacelibRobot& robot, const SpacelibMotion& motion,
             std::size_t instant) {
  for (int i = 1; i <= chain.links(); ++i) {
    const auto at = [&](std::size_t d) {
      return motion.at(instant, static_cast<std::size_t>(i - 1), d);
    };
    chain[i].set_motion(at(0), at(1), at(2));
  }
  chain[chain.links()].external = homogeneous::action(robot.action(instant));
  chain.kinematics();
  chain.dynamics();
  for (int i = 1; i <= chain.links(); ++i) {
    if (std::isfinite(chain[i].tau[0])) continue;
    throw NumericalError(
        fmt::format("the force of joint {} is not finite at instant {}; its numbers are too "
                    "large to compute with",
                    i, instant + 1));
  }
}

void run_spacelib(const SpacelibOptions& o) {
  const SpacelibRobot robot = parse_spacelib_robot(read_text_file(o.robot), o.robot);
  for (const std::string& warning : validate(to_model(robot, o.robot), true)) warn(warning);
  const SpacelibMotion motion =
      parse_spacelib_motion(read_text_file(o.motion), o.motion, robot.links.size());
  ChainObject chain = chain_of(robot);
  const bool json = format_of(o.output) == Format::json;
  Result result;
  result.title = o.robot + ": motor forces";
  result.prose = true;
  add_columns(chain, motion.dt > 0, result);
  std::vector<std::string> instants;
  for (std::size_t k = 0; k < motion.num_instants(); ++k) {
    compute(chain, robot, motion, k);
    const double time = motion.dt * static_cast<double>(k);
    std::vector<double> row = row_of(chain);
    if (motion.dt > 0) row.insert(row.begin(), time);
    result.table.add_row(row);
    std::vector<std::string> links;
    for (int i = 1; i <= chain.links(); ++i) {
      links.push_back(json ? json_link(chain[i], i, motion, k)
                           : readable_link(chain[i], i, motion, k));
    }
    if (json) {
      const std::string when = motion.dt > 0 ? fmt::format("\"time\": {}, ", time) : "";
      instants.push_back(fmt::format("  {{{}\"links\": [\n{}]}}", when, fmt::join(links, ",\n")));
    } else {
      const std::string when = motion.dt > 0 ? fmt::format(", time {:.6g} s", time) : "";
      result.readable += fmt::format("{}instant {}{}\n\n{}", k > 0 ? "\n" : "", k + 1, when,
                                     fmt::join(links, "\n"));
    }
  }
  result.json = fmt::format("{{\"instants\": [\n{}\n]}}\n", fmt::join(instants, ",\n"));
  write_result(o.output, result);
}

}  // namespace

void add_spacelib_command(Command& app) {
  Command& command = add_command(
      app, "spacelib", "Matrices and motor forces of a serial robot, from SPACELIB's files",
      "catena spacelib models/stanford.spacelib models/stanford.motion");
  const auto o = std::make_shared<SpacelibOptions>();
  command.add_option("ROBOT", o->robot, "The robot's data file (docs/spacelib.md)")
      ->required()
      ->type_name("FILE");
  command.add_option("MOTION", o->motion, "The motion: q qp qpp of every link, instant by instant")
      ->required()
      ->type_name("FILE");
  add_output_options(command, o->output);
  command.get_option("--output")
      ->description(
          "Where the text goes: matrices; motor forces as a table for .csv, all for .json");
  command.get_option("--json")->description("All of it as JSON");
  when_run(command, [o] { run_spacelib(*o); });
}

}  // namespace catena::cli
