// Parallel manipulators by the decoupled natural orthogonal complement [Saha, Recursive Dynamics
// Algorithms for Serial, Parallel, and Closed-chain Multibody Systems, 3].
//
// With the rates th of the independent joints, the twists of all bodies are t = N_l N_c N_d th.
// Each joint is as many steps as it has directions p_i; the joints that are not independent are
// eliminated one after the other from the platform to the base,
//   p~_i = Phi_{i+1} p_i,  delta_i = p~_iᵀ p~_i,  Phi_i = Phi_{i+1} - p~_i p~_iᵀ / delta_i   (27)
// so that all legs together give the platform's twist, t_e = J th (29), and from the base to the
// platform the rates come back: th_i = p~_iᵀ (t_e - t_{i-1} - ...) / delta_i (27a). What is
// printed is for legs with one actuator each, at the base; here an independent joint may stand
// anywhere in a leg, a leg may fork (then p~_i has six numbers for each of its tips), and may have
// no actuator at all. Twists are taken at the platform's point e in world axes, where all A_ij
// are 1, with lengths in units of the machine's size.
#pragma once

#include <memory>
#include <string>

#include "catena/loops/loop_solver.hpp"
#include "catena/loops/parallel_structure.hpp"

namespace catena {

using Vector6 = Eigen::Matrix<double, 6, 1>;

// One direction of a joint of a leg.
struct LegStep {
  Vector6 p;               // at e: the motion of what comes after, per unit of its rate
  int before = -1;         // the step before it in this leg; -1: the base
  int velocity = -1;       // of the tree; -1 in a cut joint
  int independent = -1;    // index in the independent velocities; -1: eliminated
  std::vector<int> tips;   // of the leg, that this step moves
  Eigen::VectorXd p_left;  // p~, six numbers for each tip
  double delta = 0;
};

struct LegMotion {
  std::vector<LegStep> steps;  // base to platform
  int num_tips = 0;
  Eigen::MatrixXd known;  // [6 tips * (d + 1)]: motion of the tips by unit rates of the independent
                          // joints, and by the accelerations that cut joints demand
};

// How the machine can move at a state.
struct ParallelMotion {
  std::vector<int> independent;  // velocities
  Vec3<double> point{};          // e, in the world
  double length = 1;             // what linear parts of twists are divided by
  std::vector<LegMotion> legs;
  Eigen::MatrixXd J;   // [6 * d] the platform's twist by the independent rates
  Eigen::MatrixXd G;   // [nv * d] all rates by the independent ones
  Eigen::VectorXd x0;  // [nv] accelerations of the joints where the independent ones have none
};

// The three factors, written down: for reading and checking. Block i of t = N_l N_c N_d th is the
// twist after step i, in the order of the legs and their steps.
struct ParallelFactors {
  Eigen::MatrixXd N_l;  // [6 steps * 6 steps], lower block triangular
  Eigen::MatrixXd N_c;  // [6 steps * 6 d]: how the legs move each other through the platform
  Eigen::MatrixXd N_d;  // [6 d * d], block diagonal
};

class DenocParallel : public LoopSolver {
 public:
  // For mechanisms that denoc_parallel_refusal() has nothing to say about.
  explicit DenocParallel(const ClosedMechanism& m);

  ClosedForward forward(const LoopInput& in, const Eigen::VectorXd& tau) override;
  ClosedInverse inverse(const LoopInput& in, const Eigen::VectorXd& qdd) override;

  const JointGraph& graph() const { return graph_; }
  const ParallelStructure& structure() const { return structure_; }
  //   reads  state, at q and qd
  ParallelMotion motion(const LoopState& state) const;

 private:
  const ClosedMechanism& m_;
  JointGraph graph_;
  ParallelStructure structure_;
};

ParallelFactors parallel_factors(const ParallelMotion& motion);

// Why this is not a parallel manipulator that the method can do; empty if it is.
std::string denoc_parallel_refusal(const ClosedMechanism& m);
std::unique_ptr<LoopSolver> make_denoc_parallel(const ClosedMechanism& m);

}  // namespace catena
