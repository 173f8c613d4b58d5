// Closed dynamics: forces and accelerations of mechanisms with loops, with Eigen vectors.
//
// M qdd + h = tau + Kᵀ lambda, K qdd = -k: K are the rows of the closures (closure.hpp), lambda the
// forces in them.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "catena/loops/assembly.hpp"
#include "catena/loops/closed_mechanism.hpp"
#include "catena/loops/loop_methods.hpp"
#include "catena/loops/multipliers.hpp"

namespace catena {

// A wrench at a joint or closure: at its moving frame (or L2), in its axes or those of the world.
struct NamedReaction {
  std::string name;
  Force<double> wrench;
};

class ClosedDynamics {
 public:
  explicit ClosedDynamics(const Model& model, const CompileOptions& options = {});
  ClosedDynamics(const ClosedDynamics&) = delete;  // its parts refer to its mechanism
  ClosedDynamics& operator=(const ClosedDynamics&) = delete;

  const ClosedMechanism& mechanism() const { return m_; }
  LoopState& state() { return state_; }

  // The loops are taken as they are at q and qd: close them first (assembly.hpp).
  //   throws  NumericalError, naming the joint, where a motion that is free carries no inertia;
  //           InputError if the method cannot do this mechanism, naming those that can
  ClosedForward forward_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                 const Eigen::VectorXd& tau,
                                 const std::map<std::string, Force<double>>& wrenches = {},
                                 LoopMethod method = LoopMethod::multipliers);

  // The same without wrenches by name. By multipliers it allocates nothing, unless the mechanism
  // has mimic joints, is very near a singularity, or a joint of its open tree carries no inertia.
  //   reads   q [nq], qd [nv], tau [nv], Fext_B [num_bodies] or empty: at Bo, in B
  //   writes  qdd [nv]
  //   throws  SizeError; NumericalError as above
  void forward_dynamics(std::span<const double> q, std::span<const double> qd,
                        std::span<const double> tau, std::span<const Force<double>> Fext_B,
                        std::span<double> qdd, LoopMethod method = LoopMethod::multipliers);

  // From now on forward dynamics draws open loops back: K qdd = -k - 2 alpha K qd - beta² values
  // [Baumgarte 1972]. Both zero: not at all.
  void stabilise(double alpha, double beta);

  // The forces of the actuators for a motion that keeps the loops closed. The first three methods
  // are one here: the motion is known, and only drives along G remain.
  //   throws  InputError as above
  ClosedInverse inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                 const Eigen::VectorXd& qdd,
                                 const std::map<std::string, Force<double>>& wrenches = {},
                                 LoopMethod method = LoopMethod::multipliers,
                                 const Actuation& actuation = {});

  // The wrench that the parent (body 1) exerts on the child (body 2) at every joint and closure,
  // for the motion and lambda of the state that was computed last.
  std::vector<NamedReaction> reactions(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                       const Eigen::VectorXd& qdd, const Eigen::VectorXd& lambda,
                                       const std::map<std::string, Force<double>>& wrenches,
                                       bool in_world);

  double kinetic_energy(const Eigen::VectorXd& q, const Eigen::VectorXd& qd);
  double potential_energy(const Eigen::VectorXd& q);

 private:
  void set_wrenches(const std::map<std::string, Force<double>>& wrenches);
  void add_wrenches(const std::map<std::string, Force<double>>& wrenches);
  Eigen::VectorXd tree_forces(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                              const Eigen::VectorXd& qdd);
  ClosedForward forward_dense(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                              const Eigen::VectorXd& tau, LoopMethod method);
  Eigen::VectorXd solve_kkt(const Eigen::MatrixXd& M, const RowMatrix& K, const Eigen::VectorXd& f,
                            ClosedForward& r) const;
  // What the gains of the rows add to their accelerations at the state that is set, or nothing.
  std::span<const double> pull(const Eigen::VectorXd& qd);
  // The solver of a method that has one of its own, or null.
  LoopSolver* solver(LoopMethod method);

  ClosedMechanism m_;
  LoopState state_;
  std::optional<Multipliers> quick_;  // without mimic joints
  bool stabilised_ = false;           // rows have gains
  Eigen::VectorXd pull_;              // of rows with gains, for quick_
  std::map<LoopMethod, std::unique_ptr<LoopSolver>> solvers_;
  Workspace<double> w_;
  std::vector<Force<double>> Fext_B_, F_PB_B_;
  RowMatrix M_;  // inertia matrix
};

}  // namespace catena
