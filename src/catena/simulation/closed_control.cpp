#include "catena/simulation/closed_control.hpp"

#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

Model without_friction(Model model) {
  for (Joint& joint : model.joints) joint.dynamics.coulomb = 0;
  return model;
}

class ClosedControl final : public Forces {
 public:
  ClosedControl(const Model& model, const CompileOptions& options, const Controller& controller)
      : dynamics_(without_friction(model), options),
        c_(controller),
        position_of_(index(nv()), -1),
        q_(dynamics_.mechanism().tree.nq),
        v_(nv()),
        a_(nv()) {
    for (const JointInfo& j : dynamics_.mechanism().tree.names->joints) {
      if (j.mimic || j.nq != j.nv) continue;
      for (int k = 0; k < j.nv; ++k) position_of_[index(j.v + k)] = j.q + k;
    }
    if (c_.law != ControlLaw::pd) check_actuators();
  }

  void add(double t, System::In q, System::In v, System::Out tau,
           std::span<Force<double>>) override {
    std::copy(q.begin(), q.end(), q_.begin());
    std::copy(v.begin(), v.end(), v_.begin());
    const std::vector<int>& actuated = dynamics_.mechanism().actuated;
    if (c_.law == ControlLaw::computed_torque) {
      const VectorXd force = dynamics_.inverse_dynamics(q_, v_, accelerations(t)).tau;
      for (int k : actuated) tau[index(k)] += force[k];
      return;
    }
    VectorXd force = VectorXd::Zero(nv());
    const VectorXd still = VectorXd::Zero(nv());
    if (c_.law == ControlLaw::gravity_pd) force = dynamics_.inverse_dynamics(q_, still, still).tau;
    for (int k : actuated) tau[index(k)] += force[k] + feedback(t, k).value;
  }

 private:
  int nv() const { return dynamics_.mechanism().tree.nv; }

  struct Feedback {
    double value = 0, acceleration = 0;
  };
  Feedback feedback(double t, int v) const {
    const int position = position_of_[index(v)];
    if (position < 0) return {};
    const Sampled::Point p = c_.reference->at(t, v);
    return {c_.kp[v] * (p.value - q_[position]) + c_.kd[v] * (p.first - v_[v]), p.second};
  }

  // Of all joints, from those of the independent ones.
  VectorXd accelerations(double t) {
    LoopState& loops = dynamics_.state();
    loops.set_motion(q_, v_);
    if (known_.empty()) {  // chosen once: a choice that changes would make the forces jump
      known_.assign(index(nv()), 0);
      for (int v : independent_velocities(loops.jacobian(), dynamics_.mechanism().actuated))
        known_[index(v)] = 1;
    }
    a_.setZero();
    for (int v = 0; v < nv(); ++v) {
      const Feedback f = feedback(t, v);
      if (known_[index(v)] != 0) a_[v] = f.acceleration + f.value;
    }
    return complete_rates(loops.jacobian(), -loops.accelerations(), a_, known_).rates;
  }

  void check_actuators() {
    const ClosedMechanism& m = dynamics_.mechanism();
    LoopState& loops = dynamics_.state();
    const Assembly start = assemble_from_afar(m, loops, m.start);
    if (m.num_rows() > 0 && !start.closed) return;
    loops.set_position(start.q);
    const RowMatrix& K = loops.jacobian();
    RowMatrix held(K.rows() + static_cast<Index>(m.actuated.size()), K.cols());
    held.topRows(K.rows()) = K;
    held.bottomRows(held.rows() - K.rows()).setZero();
    for (std::size_t i = 0; i < m.actuated.size(); ++i)
      held(K.rows() + static_cast<Index>(i), m.actuated[i]) = 1;
    const int free = mobility_of(held).by_rank, all = mobility_of(K).by_rank;
    if (free == 0) return;
    throw InputError({},
                     "the actuators control " + std::to_string(all - free) + " of " +
                         std::to_string(all) +
                         " motions: no controller can make it follow all of them",
                     "add actuators, or use --controller pd");
  }

  ClosedDynamics dynamics_;
  Controller c_;
  std::vector<int> position_of_;
  std::vector<char> known_;
  VectorXd q_, v_, a_;
};

}  // namespace

std::shared_ptr<Forces> closed_control_forces(const Model& model, const CompileOptions& options,
                                              const Controller& controller) {
  return std::make_shared<ClosedControl>(model, options, controller);
}

}  // namespace catena
