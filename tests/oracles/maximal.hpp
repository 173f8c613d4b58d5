// Closed mechanisms the slow and plain way, from a Model alone: maximal coordinates.
//
// Six Newton-Euler equations per body and six equations per joint, of the tree and of the loops
// alike, as one system in extended precision that is solved with rank detection. The unknowns are
// the accelerations of the bodies, the wrenches in all joints and the joints' own accelerations. A
// loop is described by the motions its joint allows, not by what it forbids. Places and
// velocities come from the naive oracle; no code of the library takes part.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "oracles/naive.hpp"

namespace catena::oracle {

using Six = Eigen::Matrix<Real, 6, 1>;  // [moment; force] or [angular; linear], about the world's
                                        // origin, in world axes

struct MaximalResult {
  VecX qdd;
  std::map<std::string, Six> wrenches;  // parent on child, body 1 on body 2, by joint and loop
  std::map<std::string, MovingPose> bodies;
  std::map<std::string, Six> needed;  // by body: what must act on it besides weight and wrenches
  int open = 0;           // unknowns that the equations leave open: redundant constraints
  Real residual = 0;      // what remains of the equations, relative: above rounding they contradict
  Real velocity_gap = 0;  // rates that the loops forbid
  Real power = 0;         // of tau, passive forces, weight, wrenches and springs
  Real kinetic_rate = 0;
};

class Maximal {
 public:
  // The vectors q, qd, ... hold the coordinates of the joints named in `order`, one after another.
  Maximal(const Model& model, std::vector<std::string> order);

  MaximalResult compute(const std::vector<double>& q, const std::vector<double>& qd,
                        const std::vector<double>& tau,
                        const std::map<std::string, BodyWrench>& wrenches = {}) const;

 private:
  struct System;
  void add_bodies(System& s, const std::map<std::string, BodyWrench>& wrenches) const;
  void add_tree_joints(System& s) const;
  void add_drives(System& s, const std::vector<double>& tau) const;
  void add_loop(System& s, const Loop& loop) const;
  void add_springs(System& s) const;
  MatX balanced(const System& s, VecX& left, VecX& right) const;
  void collect(System& s, const VecX& x, MaximalResult& r) const;

  Model model_, light_;  // light_: without masses and gravity, what remains are passive forces
  Naive naive_, passive_;
  int nv_ = 0;
};

}  // namespace catena::oracle
