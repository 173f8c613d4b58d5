// What goes into a simulation: the first state, forces, controllers, driven joints, events.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "catena/kinematics/configuration.hpp"
#include "catena/simulation/closed_system.hpp"
#include "catena/simulation/forces.hpp"
#include "closed.hpp"
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

// "joint=value, ..." into one number per velocity. dimension_of: of each velocity.
void assign_velocities(const std::string& text, const std::string& option,
                       const Mechanism<double>& m, const std::vector<Dimension>& dimensions,
                       Eigen::VectorXd& v) {
  const auto names = velocity_names(m);
  std::set<std::string> seen;
  for (const std::string& part : split(text)) {
    const auto equals = part.find('=');
    if (equals == std::string::npos)
      throw UsageError(fmt::format("{}: '{}' is not of the form joint=value", option, part));
    const std::string name = trimmed(part.substr(0, equals));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
      throw UsageError(fmt::format("{}: '{}' is not a velocity of '{}'{}", option, name,
                                   m.names->model, did_you_mean(name, names)));
    if (!seen.insert(name).second)
      throw UsageError(fmt::format("{}: joint '{}' is given twice", option, name));
    const auto i = found - names.begin();
    v[i] = parse_quantity(trimmed(part.substr(equals + 1)), option + ": joint '" + name + "'",
                          dimensions[static_cast<std::size_t>(i)]);
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

// The times of a table that must grow.
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
  if (columns.has("qd") && columns.has("qdd"))
    return std::make_shared<Sampled>(Sampled::quintic(std::move(times), q, qd, qdd));
  if (columns.has("qd")) return std::make_shared<Sampled>(Sampled::cubic(std::move(times), q, qd));
  return std::make_shared<Sampled>(Sampled::spline(std::move(times), q, SplineEnds::smooth));
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

void add_controller(const SimulateOptions& o, std::shared_ptr<const Sampled> reference,
                    const InitialState& initial, const Formulation<double>& method,
                    const Mechanism<double>& m, TreeSystem& system) {
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
  // Dry friction jumps; a controller that made up for it would jump with it.
  system.add_forces(control_forces(system.mechanism(), method, c));
}

}  // namespace

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

InitialState initial_state(const std::string& text, const Mechanism<double>& m) {
  InitialState s{Eigen::VectorXd(m.nq), Eigen::VectorXd::Zero(m.nv)};
  neutral_configuration<double>(m, {s.q.data(), static_cast<std::size_t>(m.nq)});
  if (trimmed(text).empty()) return s;
  if (is_file(text)) {
    const Table table = read_table(text);
    const DataColumns columns(m, table);
    if (columns.num_rows() != 1)
      throw InputError(table.where(1),
                       fmt::format("{} rows, but --initial is one state", columns.num_rows()),
                       "keep the header and the row that is meant");
    const DataRow row = columns.row(0);
    return {row.q, row.qd};
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
  return s;
}

namespace {

// --torque: files and constant forces, for any system that takes forces.
template <class S>
void add_torques(const SimulateOptions& o, const Mechanism<double>& m, S& system) {
  for (const std::string& torque : o.torques) {
    if (is_file(torque)) {
      system.add_forces(forces_of_file(torque, o.interpolation, m));
      continue;
    }
    Eigen::VectorXd tau = Eigen::VectorXd::Zero(m.nv);
    assign_velocities(torque, "--torque", m, force_dimensions(m), tau);
    system.add_forces(constant_forces(tau));
  }
}

// Joints that --initial names are held there, the others follow from the loops.
void close_initial(const SimulateOptions& o, const ClosedMechanism& c, InitialState& initial) {
  const Mechanism<double>& m = c.tree;
  LoopState loops(c);
  Assembly a = assemble(c, loops, c.start);
  std::vector<char> held(static_cast<std::size_t>(m.nv), 0);
  if (!o.initial.empty()) {
    Eigen::VectorXd target = a.q;
    for (const JointInfo& j : m.names->joints) {
      const bool named = is_file(o.initial) || o.initial.find(j.name) != std::string::npos;
      for (int k = 0; named && k < j.nq; ++k) target[j.q + k] = initial.q[j.q + k];
      for (int k = 0; named && k < j.nv; ++k) held[static_cast<std::size_t>(j.v + k)] = 1;
    }
    loops.set_position(a.q);
    std::vector<int> preferred;
    for (int v = 0; v < m.nv; ++v) {
      if (held[static_cast<std::size_t>(v)] != 0) preferred.push_back(v);
    }
    std::fill(held.begin(), held.end(), 0);
    for (int v : independent_velocities(loops.jacobian(), preferred)) {
      held[static_cast<std::size_t>(v)] =
          std::find(preferred.begin(), preferred.end(), v) != preferred.end();
    }
    if (a.closed) a = follow(c, loops, a.q, target, held);
    if (!a.closed) a = assemble(c, loops, target, held);
  }
  if (!a.closed)
    throw NumericalError(describe_open(c, a) +
                         "\n    give --initial positions that fit, or 'start' in the model");
  initial.q = a.q;
  const Completion rates =
      complete_rates(loops.jacobian(), Eigen::VectorXd::Zero(c.num_rows()), initial.v, held);
  if (o.initial.find("qd.") != std::string::npos || is_file(o.initial)) initial.v = rates.rates;
}

}  // namespace

std::unique_ptr<System> make_closed_system(const SimulateOptions& o, const Model& model,
                                           const Mechanism<double>& m, InitialState& initial) {
  if (!o.controller.empty() || !o.driven.empty() || o.stops)
    throw UsageError(
        "closed chains take --torque; controllers, --driven and --stops are for trees");
  if (o.method != "spatial")
    throw UsageError("--method " + o.method + " is for models without loops; leave it out");
  auto system = std::make_unique<ClosedSystem>(model, compile_options(o.model),
                                               ClosedOptions{o.through_singularities});
  add_torques(o, m, *system);
  close_initial(o, system->mechanism(), initial);
  return system;
}

std::unique_ptr<System> make_system(const SimulateOptions& o, const Mechanism<double>& m,
                                    const InitialState& initial) {
  const Formulation<double>& method = *find_formulation<double>(o.method);
  auto tree = std::make_unique<TreeSystem>(m, method, TreeOptions{o.stops, o.restitution});
  TreeSystem& system = *tree;
  add_torques(o, m, system);
  std::shared_ptr<const Sampled> reference;
  if (!o.motion.empty()) reference = reference_of_file(o.motion, m);
  if (o.controller.empty() && o.driven.empty() && reference != nullptr)
    throw UsageError("--motion: nothing follows it; give --controller or --driven");
  if (!o.controller.empty()) add_controller(o, reference, initial, method, m, system);
  if (!o.driven.empty() && reference == nullptr)
    throw UsageError("--driven needs --motion with the motion of these joints");
  const auto names = velocity_names(m);
  for (const std::string& list : o.driven) {
    for (const std::string& name : split(list)) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end())
        throw UsageError(fmt::format("--driven: '{}' is not a velocity of '{}'{}", name,
                                     m.names->model, did_you_mean(name, names)));
      const int v = static_cast<int>(found - names.begin());
      system.drive(v, sampled_motion(reference, v));
    }
  }
  return tree;
}

Event parse_event(const std::string& text, bool stops, const Mechanism<double>& m) {
  const std::string option = stops ? "--stop-on" : "--event";
  const auto equals = text.find('=');
  const std::string column = trimmed(text.substr(0, std::min(equals, text.size())));
  if (equals == std::string::npos)
    throw UsageError(fmt::format("{}: '{}' is not of the form q.JOINT=value", option, text));
  const auto positions = with_prefix("q", position_names(m)),
             velocities = with_prefix("qd", velocity_names(m));
  const std::string value = trimmed(text.substr(equals + 1));
  auto found = std::find(positions.begin(), positions.end(), column);
  if (found != positions.end()) {
    const auto i = static_cast<std::size_t>(found - positions.begin());
    const double level = parse_quantity(value, option + ": " + column, position_dimensions(m)[i]);
    return {text, [i, level](double, System::In q, System::In) { return q[i] - level; }, stops};
  }
  found = std::find(velocities.begin(), velocities.end(), column);
  if (found == velocities.end()) {
    std::vector<std::string> known = positions;
    known.insert(known.end(), velocities.begin(), velocities.end());
    throw UsageError(fmt::format("{}: '{}' is no position or velocity of '{}'{}", option, column,
                                 m.names->model, did_you_mean(column, known)));
  }
  const auto i = static_cast<std::size_t>(found - velocities.begin());
  const double level =
      parse_quantity(value, option + ": " + column, velocity_dimensions(m)[i] * per_second);
  return {text, [i, level](double, System::In, System::In v) { return v[i] - level; }, stops};
}

}  // namespace catena::cli
