// The matrices of SPACELIB's program for serial robots.
#include "spacelib.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <cmath>

#include "catena/formulations/homogeneous/chain.hpp"
#include "catena/readers/spacelib.hpp"
#include "catena/readers/text_file.hpp"
#include "catena/support/error.hpp"

namespace catena::python {
namespace {

using namespace nb::literals;
using homogeneous::ChainObject;
using homogeneous::LinkObject;
using Matrix = homogeneous::Matrix4<double>;

struct NamedMatrix {
  const char* name;
  Matrix (*of)(const LinkObject&);
};
using homogeneous::matrix;
constexpr NamedMatrix all_matrices[] = {
    {"A", [](const LinkObject& l) { return matrix(l.A); }},
    {"M0", [](const LinkObject& l) { return matrix(l.M0); }},
    {"W", [](const LinkObject& l) { return matrix(l.W); }},
    {"W0", [](const LinkObject& l) { return matrix(l.W0); }},
    {"WA", [](const LinkObject& l) { return matrix(l.WA); }},
    {"H", [](const LinkObject& l) { return matrix(l.H); }},
    {"H0", [](const LinkObject& l) { return matrix(l.H0); }},
    {"HA", [](const LinkObject& l) { return matrix(l.HA); }},
    {"J", [](const LinkObject& l) { return matrix(l.J); }},
    {"J0", [](const LinkObject& l) { return matrix(l.J0); }},
    {"FI", [](const LinkObject& l) { return matrix(l.FI); }},
    {"ACT0", [](const LinkObject& l) { return matrix(l.ACT0); }},
};

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

nb::dict spacelib(const std::string& robot_file, const std::string& motion_file) {
  const SpacelibRobot robot = parse_spacelib_robot(read_text_file(robot_file), robot_file);
  const std::size_t n = robot.links.size();
  const SpacelibMotion motion = parse_spacelib_motion(read_text_file(motion_file), motion_file, n);
  const std::size_t instants = motion.num_instants();
  ChainObject chain = chain_of(robot);
  std::array<std::vector<double>, std::size(all_matrices)> values;
  std::vector<double> tau, time;
  for (std::size_t k = 0; k < instants; ++k) {
    for (std::size_t i = 0; i < n; ++i)
      chain[static_cast<int>(i) + 1].set_motion(motion.at(k, i, 0), motion.at(k, i, 1),
                                                motion.at(k, i, 2));
    chain[chain.links()].external = homogeneous::action(robot.action(k));
    chain.kinematics();
    chain.dynamics();
    time.push_back(motion.dt * static_cast<double>(k));
    for (int i = 1; i <= chain.links(); ++i) {
      tau.push_back(chain[i].tau[0]);
      if (!std::isfinite(tau.back()))
        throw NumericalError("the force of joint " + std::to_string(i) +
                             " is not finite at instant " + std::to_string(k + 1) +
                             "; its numbers are too large to compute with");
      for (std::size_t j = 0; j < values.size(); ++j) {
        const Matrix m = all_matrices[j].of(chain[i]);
        values[j].insert(values[j].end(), m.entries.begin(), m.entries.end());
      }
    }
  }
  nb::dict result;
  for (std::size_t j = 0; j < values.size(); ++j)
    result[all_matrices[j].name] = new_array(values[j], {instants, n, 4, 4});
  result["tau"] = new_array(tau, {instants, n});
  if (motion.dt > 0) result["time"] = new_array(time, {instants});
  return result;
}

}  // namespace

// The public function with its documentation is in catena/__init__.py.
void bind_spacelib(nb::module_& module) {
  module.def("_spacelib", &spacelib, "robot"_a, "motion"_a);
}

}  // namespace catena::python
