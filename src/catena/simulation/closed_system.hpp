// A mechanism with closed loops in motion: redundant coordinates, brought back onto the loops after
// every step.
#pragma once

#include <memory>
#include <vector>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/simulation/tree_system.hpp"

namespace catena {

struct ClosedOptions {
  // Where the actuated joints no longer decide the motion of the others (links of a parallel robot
  // in line) a run stops; or goes through, since the motion itself goes on.
  bool through_singularities = false;
};

class ClosedSystem final : public System {
 public:
  ClosedSystem(const Model& model, const CompileOptions& compile_options,
               const ClosedOptions& options = {});

  const ClosedMechanism& mechanism() const { return dynamics_.mechanism(); }
  void add_forces(std::shared_ptr<Forces> forces) { forces_.push_back(std::move(forces)); }

  int nq() const override { return mechanism().tree.nq; }
  int nv() const override { return mechanism().tree.nv; }
  void acceleration(double t, In q, In v, Out a) override;
  void move(In q, In u, Out result) const override { tree_.move(q, u, result); }
  void local_rate(In u, In v, Out rate) const override { tree_.local_rate(u, v, rate); }
  void position_rate(In q, In v, Out rate) const override { tree_.position_rate(q, v, rate); }
  void position_sizes(In q, Out sizes) const override { tree_.position_sizes(q, sizes); }
  // Positions and velocities onto the loops, by the shortest way.
  //   throws  NumericalError if the loops cannot be closed near the state
  bool project(double t, Out q, Out v) override;
  // Which minor of the closure conditions tells how far the next singularity is.
  void begin(double t, Out q, Out v) override;
  int num_switches() const override { return watches_ ? 1 : 0; }
  void switches(double t, In q, In v, Out values) override;
  //   throws  NumericalError: the run ends at a singularity
  void switch_over(int which, double t, Out q, Out v) override;
  Energies energies(In q, In v) override;
  void joint_forces(double t, In q, In v, In a, Out tau) override;
  double residual(double t, In q, In v) override;
  std::string velocity_name(int index) const override { return tree_.velocity_name(index); }

 private:
  double minor(In q);

  ClosedDynamics dynamics_;
  LoopState loops_;
  TreeSystem tree_;  // for the manifold
  ClosedOptions options_;
  std::vector<std::shared_ptr<Forces>> forces_;
  std::vector<Force<double>> Fext_B_;
  Eigen::VectorXd q_, v_, tau_;
  bool watches_ = false;
  std::vector<int> rows_, columns_;  // of the minor
  double first_minor_ = 0;
};

}  // namespace catena
