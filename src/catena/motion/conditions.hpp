// Conditions: equations that positions must meet besides, such as closed loops.
#pragma once

#include <Eigen/Core>
#include <span>

namespace catena {

class Conditions {
 public:
  virtual ~Conditions() = default;
  virtual int size() const = 0;
  // Values that must be zero [size], and their Jacobian [size, nv].
  virtual void at(std::span<const double> q, Eigen::Ref<Eigen::VectorXd> values,
                  Eigen::Ref<Eigen::MatrixXd> jacobian) = 0;
  // Second derivatives of the values by time for accelerations of zero [size].
  virtual void bias(std::span<const double> q, std::span<const double> qd,
                    Eigen::Ref<Eigen::VectorXd> bias) = 0;
  // Whether positions that meet the equations are really right (an axis may point backwards).
  virtual bool accepts(std::span<const double> /*q*/) { return true; }
};

}  // namespace catena
