// What goes into a simulation: the first state, forces, controllers, driven joints, events.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "catena/kinematics/configuration.hpp"
#include "simulate.hpp"

namespace catena::cli {
namespace {

bool is_file(const std::string& text) {
  return text == "-" || text.ends_with(".csv") || text.find('=') == std::string::npos;
}

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(',', begin);
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

std::vector<Dimension> force_dimensions(const Mechanism<double>& m) {
  std::vector<Dimension> all;
  for (const Dimension& d : velocity_dimensions(m))
    all.push_back(d == dimension::length ? dimension::force : dimension::torque);
  return all;
}

// The table with positions for all joints, so that DataColumns reads files of forces alone.
Table with_positions(Table table, const Mechanism<double>& m) {
  std::vector<double> neutral(static_cast<std::size_t>(m.nq));
  neutral_configuration<double>(m, neutral);
  const auto names = with_prefix("q", position_names(m));
  Table result = table;
  std::vector<double> missing;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (table.find(names[i]) >= 0) continue;
    result.columns.push_back(names[i]);
    missing.push_back(neutral[i]);
  }
  result.values.clear();
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    const auto row = table.row(r);
    result.values.insert(result.values.end(), row.begin(), row.end());
    result.values.insert(result.values.end(), missing.begin(), missing.end());
  }
  return result;
}

Sampled sampled(const std::string& how, std::vector<double> times, Eigen::MatrixXd values) {
  return how == "cubic" ? Sampled::spline(std::move(times), std::move(values), SplineEnds::smooth)
                        : Sampled::linear(std::move(times), std::move(values));
}

std::shared_ptr<Forces> forces_of_file(const std::string& path, const std::string& how,
                                       const Mechanism<double>& m) {
  const Table table = with_positions(read_table(path), m);
  const DataColumns columns(m, table);
  std::vector<double> times = times_of(table);
  std::vector<FrameInfo> frames;
  for (const auto& [name, wrench] : columns.row(0).wrenches)
    frames.push_back(m.names->frames[static_cast<std::size_t>(m.names->frame(name))]);
  Eigen::MatrixXd values(m.nv + 6 * static_cast<Eigen::Index>(frames.size()),
                         static_cast<Eigen::Index>(times.size()));
  for (std::size_t r = 0; r < times.size(); ++r) {
    const DataRow row = columns.row(r);
    auto column = values.col(static_cast<Eigen::Index>(r));
    column.head(m.nv) = row.tau;
    Eigen::Index k = m.nv;
    for (const auto& [name, F] : row.wrenches) {
      for (double x : {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z}) column[k++] = x;
    }
  }
  return sampled_forces(m, sampled(how, std::move(times), std::move(values)), frames);
}

// The positions of all velocities with one of their own over time, with exact rates where the file
// has them.
std::shared_ptr<const Sampled> reference_of_file(const std::string& path,
                                                 const Mechanism<double>& m) {
  const Table table = read_table(path);
  const DataColumns columns(m, table);
  std::vector<double> times = times_of(table);
  const auto n = static_cast<Eigen::Index>(times.size());
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(m.nv, n), qd(m.nv, n), qdd(m.nv, n);
  for (Eigen::Index r = 0; r < n; ++r) {
    const DataRow row = columns.row(static_cast<std::size_t>(r));
    for (const JointInfo& j : m.names->joints) {
      if (j.mimic || j.nq != j.nv) continue;
      q.col(r).segment(j.v, j.nv) = row.q.segment(j.q, j.nq);
    }
    qd.col(r) = row.qd, qdd.col(r) = row.qdd;
  }
  return motion_through(std::move(times), q, qd, qdd, columns);
}

// One number for all joints, or "joint=value, ..." for some.
Eigen::VectorXd gains(const std::string& text, const std::string& option, double otherwise,
                      const Mechanism<double>& m) {
  Eigen::VectorXd k = Eigen::VectorXd::Constant(m.nv, otherwise);
  if (text.empty()) return k;
  if (text.find('=') != std::string::npos) {
    k.setZero();
    assign_velocities(text, option, m,
                      std::vector<Dimension>(static_cast<std::size_t>(m.nv), dimension::number), k);
  } else {
    k.setConstant(parse_quantity(text, option, dimension::number));
  }
  if (k.size() > 0 && k.minCoeff() < 0)
    throw UsageError(fmt::format("{}: a gain below zero drives the joint away", option));
  return k;
}

// The names before '=' in "joint=value, qd.joint=value".
std::set<std::string> names_before_equals(const std::string& text) {
  std::set<std::string> names;
  for (const std::string& part : split(text)) names.insert(trimmed(part.substr(0, part.find('='))));
  return names;
}

}  // namespace

std::vector<double> times_of(const Table& table) {
  const int column = table.find("time");
  if (column < 0)
    throw InputError(table.where_header(), "column 'time' is missing",
                     "give the time of every row, in seconds");
  std::vector<double> times;
  for (std::size_t r = 0; r < table.num_rows(); ++r) {
    times.push_back(table.at(r, static_cast<std::size_t>(column)));
    if (r > 0 && !(times[r] > times[r - 1]))
      throw InputError(table.where(r),
                       fmt::format("the time {} is not after {}, that of the row "
                                   "before",
                                   times[r], times[r - 1]),
                       "sort the rows by time and keep one row per instant");
  }
  return times;
}

std::shared_ptr<const Sampled> motion_through(std::vector<double> times, const Eigen::MatrixXd& q,
                                              const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd,
                                              const DataColumns& columns) {
  if (columns.has("qd") && columns.has("qdd"))
    return std::make_shared<Sampled>(Sampled::quintic(std::move(times), q, qd, qdd));
  if (columns.has("qd")) return std::make_shared<Sampled>(Sampled::cubic(std::move(times), q, qd));
  return std::make_shared<Sampled>(Sampled::spline(std::move(times), q, SplineEnds::smooth));
}

Controller controller_of(const SimulateOptions& o, const Mechanism<double>& m,
                         const InitialState& initial, std::shared_ptr<const Sampled> reference) {
  Controller c;
  c.law = o.controller == "pd"           ? ControlLaw::pd
          : o.controller == "gravity-pd" ? ControlLaw::gravity_pd
                                         : ControlLaw::computed_torque;
  const bool needs = c.law != ControlLaw::computed_torque;
  if (needs && (o.kp.empty() || o.kd.empty()))
    throw UsageError("--controller " + o.controller +
                     " needs --kp and --kd: N m per rad and N m s per rad, e.g. --kp 200 --kd 20");
  c.kp = gains(o.kp, "--kp", 100, m);
  c.kd = gains(o.kd, "--kd", 20, m);
  if (reference == nullptr) {  // hold the first position
    Eigen::MatrixXd q = Eigen::MatrixXd::Zero(m.nv, 1);
    for (const JointInfo& j : m.names->joints) {
      if (!j.mimic && j.nq == j.nv) q.col(0).segment(j.v, j.nv) = initial.q.segment(j.q, j.nq);
    }
    reference = std::make_shared<Sampled>(Sampled::linear({0}, q));
  }
  c.reference = std::move(reference);
  return c;
}

double seconds(const std::string& text, const std::string& option) {
  const double t = parse_quantity(text, option, {0, 0, 1, 0});
  if (!(t > 0)) throw UsageError(fmt::format("{} {}: give more than zero seconds", option, text));
  return t;
}

double sample_step(const SimulateOptions& o) {
  if (!o.sample.empty()) return seconds(o.sample, "--sample");
  const double end = seconds(o.duration, "--duration");
  return std::clamp(0.01, end / 1e5, end / 100);
}

InitialState initial_state(const std::string& text, const Mechanism<double>& m, bool closed) {
  InitialState s{Eigen::VectorXd(m.nq), Eigen::VectorXd::Zero(m.nv),
                 std::vector<char>(static_cast<std::size_t>(m.nq), 0),
                 std::vector<char>(static_cast<std::size_t>(m.nv), 0)};
  neutral_configuration<double>(m, {s.q.data(), static_cast<std::size_t>(m.nq)});
  if (trimmed(text).empty()) return s;
  if (is_file(text)) {
    const Table table = read_table(text);
    const DataColumns columns(m, table,
                              closed ? DataColumns::Positions::some : DataColumns::Positions::all);
    if (columns.num_rows() != 1)
      throw InputError(table.where(1),
                       fmt::format("{} rows, but --initial is one state", columns.num_rows()),
                       "keep the header and the row that is meant");
    const DataRow row = columns.row(0);
    for (int i = 0; i < m.nq; ++i) s.named_q[static_cast<std::size_t>(i)] = columns.given("q", i);
    for (int i = 0; i < m.nv; ++i) s.named_v[static_cast<std::size_t>(i)] = columns.given("qd", i);
    for (int i = 0; i < m.nq; ++i) {
      if (s.named_q[static_cast<std::size_t>(i)] != 0) s.q[i] = row.q[i];
    }
    s.v = row.qd;
    return s;
  }
  std::string positions, velocities;
  for (const std::string& part : split(text)) {
    const bool velocity = part.starts_with("qd.");
    std::string& list = velocity ? velocities : positions;
    if (!list.empty()) list += ',';
    list += velocity ? part.substr(3) : part.starts_with("q.") ? part.substr(2) : part;
  }
  if (!positions.empty()) assign_positions(positions, "--initial", m, s.q);
  std::vector<Dimension> dimensions = velocity_dimensions(m);
  for (Dimension& d : dimensions) d = d * per_second;
  if (!velocities.empty()) assign_velocities(velocities, "--initial", m, dimensions, s.v);
  const auto mark = [](const std::string& list, const std::vector<std::string>& names,
                       std::vector<char>& named) {
    const std::set<std::string> given = names_before_equals(list);
    for (std::size_t i = 0; i < names.size(); ++i) named[i] = given.count(names[i]) > 0;
  };
  mark(positions, position_names(m), s.named_q);
  mark(velocities, velocity_names(m), s.named_v);
  return s;
}

std::vector<std::shared_ptr<Forces>> torques_of(const SimulateOptions& o,
                                                const Mechanism<double>& m) {
  std::vector<std::shared_ptr<Forces>> all;
  for (const std::string& torque : o.torques) {
    if (is_file(torque)) {
      all.push_back(forces_of_file(torque, o.interpolation, m));
      continue;
    }
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(m.nv);
    assign_velocities(torque, "--torque", m, force_dimensions(m), tau);
    all.push_back(constant_forces(tau));
  }
  return all;
}

std::vector<int> driven_of(const SimulateOptions& o, const Model& model,
                           const Mechanism<double>& m) {
  if (!o.driven.empty() && o.motion.empty())
    throw UsageError("--driven needs --motion with the motion of these joints");
  std::vector<int> driven = driven_velocities(o.driven, model, m);
  if (o.controller.empty() && driven.empty() && !o.motion.empty())
    throw UsageError("--motion: nothing follows it; give --controller or --driven");
  return driven;
}

std::shared_ptr<const DrivenMotion> driven_motion(const std::shared_ptr<const Sampled>& reference,
                                                  int velocity, const Mechanism<double>& m,
                                                  const InitialState& initial) {
  if (reference != nullptr) return sampled_motion(reference, velocity);
  const int position = position_of(m, velocity);
  return steady_motion(position < 0 ? 0 : initial.q[position], initial.v[velocity]);
}

std::unique_ptr<System> make_system(const SimulateOptions& o, const Model& model,
                                    const Mechanism<double>& m, const InitialState& initial) {
  const Formulation<double>& method = *find_formulation<double>(o.method);
  auto system = std::make_unique<TreeSystem>(m, method, TreeOptions{o.stops, o.restitution});
  for (const auto& forces : torques_of(o, m)) system->add_forces(forces);
  std::shared_ptr<const Sampled> reference;
  const std::vector<int> driven = driven_of(o, model, m);
  if (!o.motion.empty()) reference = reference_of_file(o.motion, m);
  if (!o.controller.empty()) {
    // Dry friction jumps; a controller that made up for it would jump with it.
    system->add_forces(
        control_forces(system->mechanism(), method, controller_of(o, m, initial, reference)));
  }
  for (int v : driven) system->drive(v, driven_motion(reference, v, m, initial));
  return system;
}

Event parse_event(const std::string& text, bool stops, const Mechanism<double>& m,
                  ClosedSystem* closed) {
  const std::string option = stops ? "--stop-on" : "--event";
  const auto sign = text.find_first_of("=<>");
  const std::string column = trimmed(text.substr(0, std::min(sign, text.size())));
  if (sign == std::string::npos)
    throw UsageError(fmt::format("{}: '{}' is not of the form q.JOINT=value", option, text));
  Event event{text,
              {},
              stops,
              text[sign] == '<'   ? Event::Direction::falling
              : text[sign] == '>' ? Event::Direction::rising
                                  : Event::Direction::both};
  const auto positions = with_prefix("q", position_names(m)),
             velocities = with_prefix("qd", velocity_names(m));
  const std::string value = trimmed(text.substr(sign + 1));
  if (column == "singularity") {
    if (closed == nullptr)
      throw UsageError(option + ": 'singularity' is a distance of models with loops");
    if (text[sign] != '<')
      throw UsageError(option + ": a singularity is passed from above; write singularity<" + value);
    const double level = parse_quantity(value, option + ": singularity", dimension::number);
    event.value = [closed, level](double, System::In q, System::In) {
      return closed->distance_to_singularity(q) - level;
    };
    return event;
  }
  auto found = std::find(positions.begin(), positions.end(), column);
  if (found != positions.end()) {
    const auto i = static_cast<std::size_t>(found - positions.begin());
    const double level = parse_quantity(value, option + ": " + column, position_dimensions(m)[i]);
    event.value = [i, level](double, System::In q, System::In) { return q[i] - level; };
    return event;
  }
  found = std::find(velocities.begin(), velocities.end(), column);
  if (found == velocities.end()) {
    std::vector<std::string> known = positions;
    known.insert(known.end(), velocities.begin(), velocities.end());
    if (closed != nullptr) known.emplace_back("singularity");
    throw UsageError(fmt::format("{}: '{}' is no position or velocity of '{}'{}", option, column,
                                 m.names->model, did_you_mean(column, known)));
  }
  const auto i = static_cast<std::size_t>(found - velocities.begin());
  const double level =
      parse_quantity(value, option + ": " + column, velocity_dimensions(m)[i] * per_second);
  event.value = [i, level](double, System::In, System::In v) { return v[i] - level; };
  return event;
}

}  // namespace catena::cli
