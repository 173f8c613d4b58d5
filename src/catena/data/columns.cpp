#include "catena/data/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/readers/yaml_value.hpp"  // printable

namespace catena {
namespace {

using yaml::printable;

constexpr double quaternion_tolerance = 1e-6;

void append_names(const std::string& joint, int count, std::vector<std::string>& names) {
  for (int k = 0; k < count; ++k) {
    names.push_back(count == 1 ? joint : joint + "." + std::to_string(k));
  }
}

std::vector<Dimension> positions_of(JointKind kind) {
  using namespace dimension;
  switch (kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
      return {angle};
    case JointKind::prismatic:
      return {length};
    case JointKind::screw:
      return {angle};
    case JointKind::cylindrical:
      return {angle, length};
    case JointKind::universal:
      return {angle, angle};
    case JointKind::planar:
      return {length, length, angle};
    case JointKind::spherical:
      return {number, number, number, number};
    case JointKind::free:
      return {length, length, length, number, number, number, number};
  }
  return {};
}

std::vector<Dimension> velocities_of(JointKind kind) {
  using namespace dimension;
  if (kind == JointKind::spherical) return {angle, angle, angle};
  if (kind == JointKind::free) return {angle, angle, angle, length, length, length};
  return positions_of(kind);
}

// The first of the four quaternion entries in the positions of a joint, or -1.
int quaternion_of(JointKind kind) {
  if (kind == JointKind::spherical) return 0;
  return kind == JointKind::free ? 3 : -1;
}

// The joint that a mimic joint follows.
std::string leader_of(const MechanismNames& names, const JointInfo& follower) {
  for (const JointInfo& j : names.joints) {
    if (!j.mimic && j.nq > 0 && j.q == follower.q) return j.name;
  }
  return "";
}

// "6 coordinates: q.base.0 to q.base.5"
std::string range_of(const std::string& prefix, const JointInfo& joint) {
  const int count = prefix == "q" ? joint.nq : joint.nv;
  return fmt::format("{0} coordinates: {1}.{2}.0 to {1}.{2}.{3}", count, prefix, joint.name,
                     count - 1);
}

// Throws for a column of a joint's kind (prefix.rest) that no joint has.
[[noreturn]] void fail_joint(const MechanismNames& names, const Where& where,
                             const std::string& column, const std::string& prefix,
                             const std::vector<std::string>& known) {
  const std::string rest = column.substr(prefix.size() + 1);
  const std::string label = "column '" + printable(column) + "'";
  int index = names.joint(rest);
  if (index < 0 && rest.rfind('.') != std::string::npos) {
    index = names.joint(rest.substr(0, rest.rfind('.')));
  }
  if (index >= 0) {
    const JointInfo& joint = names.joints[static_cast<std::size_t>(index)];
    if (joint.mimic) {
      throw InputError(where,
                       fmt::format("{}: joint '{}' follows joint '{}' (mimic) and has no "
                                   "coordinates of its own",
                                   label, joint.name, leader_of(names, joint)),
                       "remove the column");
    }
    if (joint.kind == JointKind::fixed) {
      throw InputError(where, fmt::format("{}: joint '{}' is fixed", label, joint.name),
                       "remove the column");
    }
    if (joint.nq > 1) {
      throw InputError(where, fmt::format("{}: joint '{}' ({}) has {}", label, joint.name,
                                          to_string(joint.kind), range_of(prefix, joint)));
    }
  }
  const std::string hint = did_you_mean(column, known);
  const std::size_t listed = std::min<std::size_t>(known.size(), 8);
  std::string remedy =
      fmt::format("known are {}", fmt::join(known.begin(), known.begin() + listed, ", "));
  if (listed < known.size()) remedy += fmt::format(" and {} more", known.size() - listed);
  if (!hint.empty() || known.empty()) remedy.clear();
  throw InputError(where, fmt::format("{} is not a joint of '{}'{}", label, names.model, hint),
                   remedy);
}

[[noreturn]] void fail_frame(const MechanismNames& names, const Where& where,
                             const std::string& column) {
  std::vector<std::string> known;
  for (const FrameInfo& f : names.frames) {
    for (const char* axis : {".x", ".y", ".z"}) {
      known.push_back(column.substr(0, 2) + f.name + axis);
    }
  }
  const std::string hint = did_you_mean(column, known);
  throw InputError(where,
                   fmt::format("column '{}' is not a wrench on a frame of '{}'{}",
                               printable(column), names.model, hint),
                   hint.empty() ? "write n.FRAME.x to n.FRAME.z for a moment, f.FRAME.x to "
                                  "f.FRAME.z for a force; catena info lists the frames"
                                : "");
}

}  // namespace

std::vector<std::string> position_names(const Mechanism<double>& m) {
  std::vector<std::string> names;
  for (const JointInfo& j : m.names->joints) append_names(j.name, j.nq, names);
  return names;
}

std::vector<std::string> velocity_names(const Mechanism<double>& m) {
  std::vector<std::string> names;
  for (const JointInfo& j : m.names->joints) append_names(j.name, j.nv, names);
  return names;
}

std::vector<std::string> with_prefix(const std::string& prefix,
                                     const std::vector<std::string>& names) {
  std::vector<std::string> columns;
  for (const std::string& name : names) columns.push_back(prefix + "." + name);
  return columns;
}

std::vector<Dimension> position_dimensions(const Mechanism<double>& m) {
  std::vector<Dimension> all;
  for (const JointInfo& j : m.names->joints) {
    if (j.nq == 0) continue;
    for (const Dimension& d : positions_of(j.kind)) all.push_back(d);
  }
  return all;
}

std::vector<Dimension> velocity_dimensions(const Mechanism<double>& m) {
  std::vector<Dimension> all;
  for (const JointInfo& j : m.names->joints) {
    if (j.nv == 0) continue;
    for (const Dimension& d : velocities_of(j.kind)) all.push_back(d);
  }
  return all;
}

DataColumns::DataColumns(const Mechanism<double>& m, const Table& table, Positions positions_given)
    : m_(m), table_(table) {
  struct Kind {
    std::string prefix;
    std::vector<Target>* targets;
    std::vector<std::string> known;
    std::map<std::string, int> index;
  };
  const auto positions = position_names(m), velocities = velocity_names(m);
  Kind kinds[] = {{"q", &q_, with_prefix("q", positions), {}},
                  {"qd", &qd_, with_prefix("qd", velocities), {}},
                  {"qdd", &qdd_, with_prefix("qdd", velocities), {}},
                  {"tau", &tau_, with_prefix("tau", velocities), {}}};
  for (Kind& kind : kinds) {
    for (std::size_t i = 0; i < kind.known.size(); ++i) {
      if (kind.index.emplace(kind.known[i], static_cast<int>(i)).second) continue;
      throw InputError(
          table.where_header(),
          fmt::format("column '{}' can mean two joints of '{}'", kind.known[i], m.names->model),
          "rename one of the joints");
    }
  }
  for (std::size_t c = 0; c < table.num_columns(); ++c) {
    const std::string& name = table.columns[c];
    const std::string prefix = name.substr(0, std::min(name.find('.'), name.size()));
    const auto kind = std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) {
      return k.prefix == prefix && name.size() > prefix.size();
    });
    if (name == "time") {
      time_ = static_cast<int>(c);
    } else if (kind != std::end(kinds)) {
      const auto found = kind->index.find(name);
      if (found == kind->index.end()) {
        fail_joint(*m.names, table.where_column(c), name, prefix, kind->known);
      }
      kind->targets->push_back({c, found->second});
    } else {
      place(name, c);
    }
  }
  if (positions_given == Positions::all) check_positions();
}

const std::vector<DataColumns::Target>& DataColumns::targets(const std::string& prefix) const {
  return prefix == "q" ? q_ : prefix == "qd" ? qd_ : prefix == "qdd" ? qdd_ : tau_;
}

bool DataColumns::given(const std::string& prefix, int coordinate) const {
  const auto& all = targets(prefix);
  return std::any_of(all.begin(), all.end(),
                     [&](const Target& t) { return t.index == coordinate; });
}

// A column that is neither the time nor of a joint: part of a wrench on a frame.
void DataColumns::place(const std::string& name, std::size_t column) {
  if (!name.starts_with("n.") && !name.starts_with("f.")) {
    std::vector<std::string> known = {"time"};
    for (const char* prefix : {"q", "qd", "qdd", "tau"}) {
      const auto more =
          with_prefix(prefix, prefix == std::string("q") ? position_names(m_) : velocity_names(m_));
      known.insert(known.end(), more.begin(), more.end());
    }
    throw InputError(
        table_.where_column(column),
        fmt::format("column '{}' has no meaning{}", printable(name), did_you_mean(name, known)),
        "known are time, q.JOINT, qd.JOINT, qdd.JOINT, tau.JOINT, n.FRAME.x, f.FRAME.x");
  }
  const std::size_t dot = name.rfind('.');
  const std::string frame = dot > 2 ? name.substr(2, dot - 2) : "";
  const std::string axis = name.substr(dot + 1);
  const bool is_axis = axis == "x" || axis == "y" || axis == "z";
  if (!is_axis || m_.names->frame(frame) < 0) {
    fail_frame(*m_.names, table_.where_column(column), name);
  }
  wrenches_.push_back(
      {column, frame, m_.names->frame(frame), (name[0] == 'n' ? 0 : 3) + (axis[0] - 'x')});
}

void DataColumns::check_positions() const {
  std::vector<bool> given(static_cast<std::size_t>(m_.nq), false);
  for (const Target& t : q_) given[static_cast<std::size_t>(t.index)] = true;
  std::vector<std::string> missing;
  const auto columns = with_prefix("q", position_names(m_));
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (!given[i]) missing.push_back(columns[i]);
  }
  if (missing.empty()) return;
  const std::string more =
      missing.size() == 1 ? "" : fmt::format(" (and {} more)", missing.size() - 1);
  throw InputError(
      table_.where_header(), fmt::format("column '{}' is missing{}", missing.front(), more),
      fmt::format("give the position of every joint of '{}': none is assumed; only qd, "
                  "qdd and tau are zero when missing",
                  m_.names->model));
}

bool DataColumns::has(const std::string& prefix) const {
  if (prefix == "q") return !q_.empty();
  if (prefix == "qd") return !qd_.empty();
  if (prefix == "qdd") return !qdd_.empty();
  if (prefix == "tau") return !tau_.empty();
  return std::any_of(wrenches_.begin(), wrenches_.end(), [&](const WrenchTarget& w) {
    return w.component < 3 ? prefix == "n" : prefix == "f";
  });
}

DataRow DataColumns::row(std::size_t i) const {
  const auto numbers = table_.row(i);
  DataRow row;
  if (time_ >= 0) row.time = numbers[static_cast<std::size_t>(time_)];
  auto fill = [&](const std::vector<Target>& targets, int size, Eigen::VectorXd& vector) {
    vector = Eigen::VectorXd::Zero(size);
    for (const Target& t : targets) vector[t.index] = numbers[t.column];
  };
  fill(q_, m_.nq, row.q);
  fill(qd_, m_.nv, row.qd);
  fill(qdd_, m_.nv, row.qdd);
  fill(tau_, m_.nv, row.tau);
  for (const WrenchTarget& w : wrenches_) {
    Force<double>& F = row.wrenches.try_emplace(w.frame, Force<double>{}).first->second;
    double* const parts[] = {&F.n.x, &F.n.y, &F.n.z, &F.f.x, &F.f.y, &F.f.z};
    *parts[w.component] = numbers[w.column];
  }
  normalise(i, row.q.data());
  return row;
}

double DataColumns::time(std::size_t i) const {
  return time_ < 0 ? 0 : table_.at(i, static_cast<std::size_t>(time_));
}

void DataColumns::normalise(std::size_t row, double* q) const {
  for (const JointInfo& j : m_.names->joints) {
    const int first = j.nq == 0 ? -1 : quaternion_of(j.kind);
    if (first < 0 || !given("q", j.q + first)) continue;
    double* const x = q + j.q + first;
    const double norm = std::sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2] + x[3] * x[3]);
    if (!(std::abs(norm - 1) <= quaternion_tolerance)) {
      throw InputError(
          table_.where(row),
          fmt::format("the quaternion of joint '{0}' (q.{0}.{1} to q.{0}.{2}) has length {3:.6g}, "
                      "not 1",
                      j.name, first, first + 3, norm),
          "divide the four numbers x y z w by their length; 0 0 0 1 is no rotation");
    }
    for (int k = 0; k < 4 && norm != 1; ++k) x[k] /= norm;
  }
}

void DataColumns::read_rows(std::size_t first, std::size_t count, DataRows& rows) const {
  const auto fill = [&](const std::vector<Target>& targets, int size, std::vector<double>& all) {
    const std::size_t width = static_cast<std::size_t>(size);
    all.assign(targets.empty() ? 0 : count * width, 0);
    for (std::size_t i = 0; i < count; ++i) {
      const auto numbers = table_.row(first + i);
      double* const row = all.data() + i * width;
      for (const Target& t : targets) row[t.index] = numbers[t.column];
    }
  };
  fill(q_, m_.nq, rows.q);
  fill(qd_, m_.nv, rows.qd);
  fill(qdd_, m_.nv, rows.qdd);
  fill(tau_, m_.nv, rows.tau);
  const std::size_t width = 6 * m_.bodies.size();
  rows.Fext_B.assign(wrenches_.empty() ? 0 : count * width, 0);
  for (std::size_t i = 0; i < count; ++i) {
    normalise(first + i, rows.q.data() + i * static_cast<std::size_t>(m_.nq));
    const auto numbers = table_.row(first + i);
    for (const WrenchTarget& w : wrenches_) {  // a wrench is the sum of its components
      const FrameInfo& f = m_.names->frames[static_cast<std::size_t>(w.index)];
      double parts[6] = {};
      parts[w.component] = numbers[w.column];
      const Force<double> F = transform(
          f.X_BF, Force<double>{{parts[0], parts[1], parts[2]}, {parts[3], parts[4], parts[5]}});
      double* const to = rows.Fext_B.data() + i * width + 6 * static_cast<std::size_t>(f.body);
      const double sums[6] = {F.n.x, F.n.y, F.n.z, F.f.x, F.f.y, F.f.z};
      for (int k = 0; k < 6; ++k) to[k] += sums[k];
    }
  }
}

}  // namespace catena
