#include "catena/loops/loop_conditions.hpp"

#include "catena/loops/assembly.hpp"

namespace catena {
namespace {

Eigen::VectorXd vector_of(std::span<const double> x) {
  return Eigen::VectorXd::Map(x.data(), static_cast<Eigen::Index>(x.size()));
}

}  // namespace

void LoopConditions::at(std::span<const double> q, Eigen::Ref<Eigen::VectorXd> values,
                        Eigen::Ref<Eigen::MatrixXd> jacobian) {
  state_.set_position(vector_of(q));
  values = state_.values();
  jacobian = state_.jacobian();
}

void LoopConditions::bias(std::span<const double> q, std::span<const double> qd,
                          Eigen::Ref<Eigen::VectorXd> bias) {
  state_.set_motion(vector_of(q), vector_of(qd));
  bias = state_.accelerations();
}

bool LoopConditions::accepts(std::span<const double> q) {
  return assemble(m_, state_, vector_of(q)).closed;
}

}  // namespace catena
