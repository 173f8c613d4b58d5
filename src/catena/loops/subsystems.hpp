// Subsystems of a closed chain, and the recursion over them [Saha, Recursive Dynamics Algorithms
// for Serial, Parallel, and Closed-chain Multibody Systems, 4].
//
// Once the loops are cut, what stands on the ground with a joint of its own is a subsystem. Its
// equations of motion hold its own accelerations alone, and as unknowns the forces of its
// actuators and of the cut joints that it has an end of:
//   N_jᵀ w_j* = tau_j + V_j mu                                                              (42)
// A subsystem is determinate if its unknowns follow from its own equations; for the others they are
// then known, which makes more subsystems determinate, and so on. Those that never become so are
// solved together (43).
//
// Forces of a cut joint count as far as they do anything: a revolute joint of a plane linkage has
// two, because the other three forbid what no joint could do.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/formulations/formulation.hpp"
#include "catena/loops/loop_solver.hpp"

namespace catena {

struct Subsystem {
  std::string name;             // I, II, III, ... in the order of the model
  std::vector<int> velocities;  // the user's
  std::vector<std::string> joints;
  // of the start: before anything is solved
  std::vector<int> drives;    // velocities of drives in it
  std::vector<int> closures;  // that have an end in it
  int unknowns = 0;
  bool determinate = false;
};

// What is solved at once: a determinate subsystem, or several together.
struct SubsystemStep {
  std::vector<int> subsystems;
  std::vector<int> drives, closures;  // what becomes known
  bool determinate = false;
};

struct SubsystemPlan {
  std::vector<Subsystem> subsystems;
  std::vector<Eigen::MatrixXd> forces;  // by closure: V [nv * forces that count], Vᵀ V = 1
  std::vector<SubsystemStep> steps;     // in the order of solution
};

// Subsystems from the tree alone; joints that mimic joints of another tie the two together.
std::vector<Subsystem> find_subsystems(const ClosedMechanism& m);

// The order of solution at a state with the rows K, for drives at these velocities.
SubsystemPlan plan_subsystems(const ClosedMechanism& m, const RowMatrix& K,
                              const std::vector<int>& drives);

class Subsystems : public LoopSolver {
 public:
  explicit Subsystems(const ClosedMechanism& m);

  ClosedForward forward(const LoopInput& in, const Eigen::VectorXd& tau) override;
  ClosedInverse inverse(const LoopInput& in, const Eigen::VectorXd& qdd) override;

 private:
  Eigen::VectorXd tree_forces(const LoopInput& in, const Eigen::VectorXd& qdd);

  const ClosedMechanism& m_;
  const Formulation<double>& tree_;  // DeNOC of the open tree
  Workspace<double> w_;
};

std::unique_ptr<LoopSolver> make_subsystems(const ClosedMechanism& m);

}  // namespace catena
