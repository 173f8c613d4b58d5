// Values on the command line: "joint1=90 deg, slide=30 mm".
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "catena/kinematics/configuration.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

std::string trimmed(const std::string& text) {
  const auto begin = text.find_first_not_of(" \t\n");
  if (begin == std::string::npos) return "";
  return text.substr(begin, text.find_last_not_of(" \t\n") - begin + 1);
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.push_back(trimmed(text.substr(begin, end - begin)));
    if (end == std::string::npos) return parts;
    begin = end + 1;
  }
}

[[noreturn]] void fail_unknown(const std::string& name, const std::string& option,
                               const MechanismNames& names, const std::vector<std::string>& known) {
  const int index = names.joint(name);
  if (index >= 0) {
    const JointInfo& joint = names.joints[static_cast<std::size_t>(index)];
    if (joint.nq > 1) {
      throw UsageError(fmt::format("{0}: joint '{1}' has {2} coordinates: {1}.0 to {1}.{3}", option,
                                   name, joint.nq, joint.nq - 1));
    }
    throw UsageError(fmt::format("{}: joint '{}' {}", option, name,
                                 joint.mimic ? "follows another one (mimic) and cannot be set"
                                             : "is fixed and cannot be set"));
  }
  throw UsageError(fmt::format("{}: '{}' is not a joint of '{}'{}", option, name, names.model,
                               did_you_mean(name, known)));
}

}  // namespace

double parse_quantity(const std::string& text, const std::string& option, Dimension dimension) {
  try {
    return evaluate(text, dimension);
  } catch (const QuantityError& error) {
    throw UsageError(fmt::format("{}: {}{}", option, error.problem,
                                 error.remedy.empty() ? "" : "\n    " + error.remedy));
  }
}

void assign_velocities(const std::string& text, const std::string& option,
                       const Mechanism<double>& m, const std::vector<Dimension>& dimensions,
                       Eigen::VectorXd& v) {
  const auto names = velocity_names(m);
  std::set<std::string> seen;
  for (const std::string& part : split(text, ',')) {
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

std::vector<int> velocities_named(const std::vector<std::string>& lists, const std::string& option,
                                  const Mechanism<double>& m) {
  const auto names = velocity_names(m);
  std::vector<int> all;
  for (const std::string& list : lists) {
    for (const std::string& name : split(list, ',')) {
      const auto found = std::find(names.begin(), names.end(), name);
      if (found == names.end())
        throw UsageError(fmt::format("{}: '{}' is not a velocity of '{}'{}", option, name,
                                     m.names->model, did_you_mean(name, names)));
      const int v = static_cast<int>(found - names.begin());
      if (std::find(all.begin(), all.end(), v) != all.end())
        throw UsageError(fmt::format("{}: joint '{}' is given twice", option, name));
      all.push_back(v);
    }
  }
  return all;
}

std::vector<int> driven_velocities(const std::vector<std::string>& lists, const Model& model,
                                   const Mechanism<double>& m) {
  if (!lists.empty()) return velocities_named(lists, "--driven", m);
  std::vector<int> all;
  for (const DrivenJoint& driven : model.driven) {
    const JointInfo& joint =
        m.names->joints[static_cast<std::size_t>(m.names->joint(driven.joint))];
    for (int k = 0; k < joint.nv; ++k) all.push_back(joint.v + k);
  }
  return all;
}

int position_of(const Mechanism<double>& m, int velocity) {
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || velocity < j.v || velocity >= j.v + j.nv) continue;
    return j.nq == j.nv ? j.q + velocity - j.v : -1;
  }
  return -1;
}

void assign_positions(const std::string& text, const std::string& option,
                      const Mechanism<double>& m, Eigen::VectorXd& q) {
  const auto names = position_names(m);
  const auto dimensions = position_dimensions(m);
  std::set<std::string> seen;
  if (trimmed(text).empty()) return;
  for (const std::string& part : split(text, ',')) {
    const auto equals = part.find('=');
    if (equals == std::string::npos) {
      throw UsageError(fmt::format("{}: '{}' is not of the form joint=value", option, part));
    }
    const std::string name = trimmed(part.substr(0, equals));
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) fail_unknown(name, option, *m.names, names);
    if (!seen.insert(name).second) {
      throw UsageError(fmt::format("{}: joint '{}' is given twice", option, name));
    }
    const auto i = found - names.begin();
    q[i] = parse_quantity(trimmed(part.substr(equals + 1)), option + ": joint '" + name + "'",
                          dimensions[static_cast<std::size_t>(i)]);
  }
  for (const JointInfo& j : m.names->joints) {
    const bool has_quaternion = j.kind == JointKind::spherical || j.kind == JointKind::free;
    if (j.nq == 0 || !has_quaternion || q.segment(j.q + j.nq - 4, 4).norm() > 0) continue;
    throw UsageError(fmt::format("{}: the quaternion of joint '{}' is zero", option, j.name));
  }
  normalise_configuration<double>(m, {q.data(), static_cast<std::size_t>(q.size())});
}

}  // namespace catena::cli
