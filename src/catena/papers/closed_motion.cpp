#include "catena/papers/closed_motion.hpp"

#include "catena/loops/rough_assembly.hpp"
#include "catena/model/coordinates.hpp"

namespace catena::papers {

ClosedMotion::ClosedMotion(const Model& model)
    : dynamics_(model),
      state_(dynamics_.mechanism()),
      held_(index(dynamics_.mechanism().tree.nv), 0) {
  const Assembly a = assemble_from_afar(dynamics_.mechanism(), state_, dynamics_.mechanism().start);
  if (!a.closed) throw NumericalError("the loops cannot be closed");
  q_ = a.q;
}

void ClosedMotion::lead(const std::vector<int>& velocities) {
  for (int v : velocities) held_[index(v)] = 1;
}

int ClosedMotion::position_of(int velocity) const {
  for (const JointInfo& j : tree().names->joints) {
    if (!j.mimic && velocity >= j.v && velocity < j.v + j.nv && j.nq == j.nv)
      return j.q + velocity - j.v;
  }
  throw NumericalError("a joint with a quaternion cannot lead");
}

void ClosedMotion::go(Eigen::VectorXd& q, Eigen::VectorXd& qd, Eigen::VectorXd& qdd) {
  Eigen::VectorXd target = q_;
  for (int v = 0; v < tree().nv; ++v) {
    if (held_[index(v)] != 0) target[position_of(v)] = q[position_of(v)];
  }
  const Assembly a = follow(dynamics_.mechanism(), state_, q_, target, held_);
  if (!a.closed) throw NumericalError("the loops cannot be closed there");
  q = q_ = a.q;
  state_.set_motion(q, Eigen::VectorXd::Zero(tree().nv));
  const RowMatrix K = state_.jacobian();
  qd = complete_rates(K, Eigen::VectorXd::Zero(K.rows()), qd, held_).rates;
  state_.set_motion(q, qd);
  qdd = complete_rates(K, -state_.accelerations(), qdd, held_).rates;
}

}  // namespace catena::papers
