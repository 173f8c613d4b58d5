// Dynamics the slow and plain way, from a Model alone: an oracle that shares no code with the
// library.
//
// Poses are products of matrices that carry their first and second time derivatives (Taylor's
// rule), so that velocities and accelerations of mass centres follow by differentiation and not by
// recursion. Forces follow by virtual work, body by body, in world axes and extended precision:
//   tau_k = sum_b  dv_b/dqd_k · (m a - m g - f) + dw_b/dqd_k · (I alpha + w x I w - n)
#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <vector>

#include "catena/model/model.hpp"

namespace catena::oracle {

using Real = long double;
using Vec = Eigen::Matrix<Real, 3, 1>;
using Mat = Eigen::Matrix<Real, 3, 3>;
using VecX = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
using MatX = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;

// A pose with its first and second time derivative.
struct MovingPose {
  Mat R[3] = {Mat::Identity(), Mat::Zero(), Mat::Zero()};
  Vec p[3] = {Vec::Zero(), Vec::Zero(), Vec::Zero()};

  Vec angular_velocity() const;      // in world axes
  Vec angular_acceleration() const;  // in world axes
};
MovingPose operator*(const MovingPose& a, const MovingPose& b);

// Moment and force on a model's body, at its origin, in its axes.
struct BodyWrench {
  Vec n = Vec::Zero(), f = Vec::Zero();
};

struct NaiveResult {
  std::map<std::string, MovingPose> bodies;  // in the world
  VecX tau;
  Real tau_scale = 0;  // the largest sum of magnitudes that any entry of tau was made of
  MatX M;
  Real kinetic = 0, potential = 0, mass = 0;
  Vec mass_centre = Vec::Zero();
  Vec angular_momentum = Vec::Zero(), linear_momentum = Vec::Zero();
};

class Naive {
 public:
  // The vectors q, qd, ... hold the coordinates of the joints named in `order`, one after another.
  Naive(const Model& model, std::vector<std::string> order);

  NaiveResult compute(const std::vector<double>& q, const std::vector<double>& qd,
                      const std::vector<double>& qdd,
                      const std::map<std::string, BodyWrench>& wrenches = {}) const;

 private:
  struct Coordinates {
    int q = 0, v = 0;  // in the user's vectors
    Real ratio = 1, offset = 0;
  };
  struct Sums;
  int find_joint(const std::string& name) const;
  void place(std::size_t j, const std::vector<double>& q, const std::vector<double>& qd,
             const std::vector<double>& qdd, Sums& sums) const;
  void add_body(const Body& body, const BodyWrench& F, Sums& sums) const;

  const Model model_;
  int nv_ = 0;
  std::vector<Coordinates> coordinates_;  // by joint of the model
};

}  // namespace catena::oracle
