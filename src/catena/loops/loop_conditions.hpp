// Closed loops as conditions of inverse kinematics.
#pragma once

#include "catena/loops/closed_mechanism.hpp"
#include "catena/motion/conditions.hpp"

namespace catena {

class LoopConditions final : public Conditions {
 public:
  explicit LoopConditions(const ClosedMechanism& m) : m_(m), state_(m) {}

  int size() const override { return m_.num_rows(); }
  void at(std::span<const double> q, Eigen::Ref<Eigen::VectorXd> values,
          Eigen::Ref<Eigen::MatrixXd> jacobian) override;
  void bias(std::span<const double> q, std::span<const double> qd,
            Eigen::Ref<Eigen::VectorXd> bias) override;
  bool accepts(std::span<const double> q) override;

 private:
  const ClosedMechanism& m_;
  LoopState state_;
};

}  // namespace catena
