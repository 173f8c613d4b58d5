// The files of SPACELIB's program for serial robots [Legnani et al. 1996, fig. 6]: robot data and
// motion.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "catena/model/model.hpp"

namespace catena {

// A link as it stands in the robot's file: Rz(theta) T(a, b, s) Rx(alfa), the coordinate added to
// theta or s.
struct SpacelibLink {
  bool prismatic = false;
  double theta = 0, s = 0, b = 0, a = 0, alfa = 0;
  double mass = 0;
  Sym3<double> moments{};  // about the mass centre
  Vec3<double> centre{};
  Where where{};
};

struct SpacelibRobot {
  std::vector<SpacelibLink> links;
  Vec3<double> gravity{};
  // On the last link, at its origin, in its axes: one per instant. After the last one that one
  // holds on.
  std::vector<Force<double>> actions;

  Force<double> action(std::size_t instant) const;
};

struct SpacelibMotion {
  double dt = 0;  // 0 if the file does not say
  std::size_t num_links = 0;
  std::vector<double> numbers;  // q, qp, qpp of link 1, of link 2, ...; then the next instant

  std::size_t num_instants() const { return numbers.size() / (3 * num_links); }
  // derivative 0: q, 1: qp, 2: qpp; link from 0
  double at(std::size_t instant, std::size_t link, std::size_t derivative) const {
    return numbers[3 * (num_links * instant + link) + derivative];
  }
};

// From text; `file` names it in messages.
//   throws  InputError with line and column
SpacelibRobot parse_spacelib_robot(std::string_view text, const std::string& file);
SpacelibMotion parse_spacelib_motion(std::string_view text, const std::string& file,
                                     std::size_t num_links);

// The robot with bodies link1, link2, ... and joints joint1, joint2, ...; not validated. The
// external actions are no part of a model.
Model to_model(const SpacelibRobot& robot, const std::string& name);

}  // namespace catena
