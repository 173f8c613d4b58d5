// A mechanism with closed loops in motion: all coordinates of the tree, kept on the loops, with
// forces, driven joints, stops and dry friction that can hold.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/loops/bounded_forces.hpp"
#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/closing.hpp"
#include "catena/loops/singularity.hpp"
#include "catena/simulation/tree_system.hpp"

namespace catena {

// What keeps the loops closed over time.
enum class Stabilisation {
  projection,  // after every step positions and velocities are brought back onto the loops
  baumgarte,   // forces draw open loops back
  none,        // nothing: they drift open
};

struct ClosedOptions {
  // Where the actuated joints no longer decide the motion of the others (links of a parallel robot
  // in line) a run stops; or goes through, since the motion itself goes on.
  bool through_singularities = false;
  LoopMethod method = LoopMethod::multipliers;
  Stabilisation stabilisation = Stabilisation::projection;
  double alpha = 20, beta = 20;  // of Baumgarte's stabilisation, 1/s
  // Only as many velocities as the mobility are integrated; at every evaluation the others follow
  // from the loops, on the branch on which they are.
  bool independent = false;
  // Every evaluation is brought onto the loops, for integrators that do not take up projections.
  bool every_evaluation = false;
  bool stops = false;        // joint limits hold
  double restitution = 0;    // of a stop: speed after over speed before
  double rest_speed = 1e-4;  // a joint that leaves its stop more slowly stays on it: rad/s or m/s
  bool nearest = false;      // the nearest singularity is looked for after every step
};

// The place of a run where the loops are nearest to a singularity.
struct NearSingularity {
  double distance = 1, time = 0;
  Eigen::VectorXd q;
};

class ClosedSystem final : public System {
 public:
  ClosedSystem(const Model& model, const CompileOptions& compile_options,
               const ClosedOptions& options = {});

  const ClosedMechanism& mechanism() const { return dynamics_.mechanism(); }
  // The loops closed from the model's start position.
  const Assembly& start() const { return start_; }
  void add_forces(std::shared_ptr<Forces> forces) { forces_.push_back(std::move(forces)); }
  // Before a run. Throws InputError unless the velocity belongs to a joint whose rates are those of
  // its positions.
  void drive(int velocity, std::shared_ptr<const DrivenMotion> motion);

  int nq() const override { return mechanism().tree.nq; }
  int nv() const override { return mechanism().tree.nv; }
  void acceleration(double t, In q, In v, Out a) override;
  bool flat() const override { return tree_.flat(); }
  void move(In q, In u, Out result) const override { tree_.move(q, u, result); }
  void local_rate(In u, In v, Out rate) const override { tree_.local_rate(u, v, rate); }
  void position_rate(In q, In v, Out rate) const override { tree_.position_rate(q, v, rate); }
  void position_sizes(In q, Out sizes) const override { tree_.position_sizes(q, sizes); }
  // Driven joints where they must be, and the others onto the loops by the shortest way.
  //   throws  NumericalError if the loops cannot be closed near the state
  bool project(double t, Out q, Out v) override;
  double clearance(In q) override;  // near singularities that are gone through
  // Chooses other independent velocities where these have become bad.
  void accept(double t, In q, In v) override;
  std::string trouble() const override { return trouble_; }
  void begin(double t, Out q, Out v) override;
  int num_switches() const override { return static_cast<int>(switches_.size()); }
  void switches(double t, In q, In v, Out values) override;
  //   throws  NumericalError: the run ends at a singularity, or a drive pushes against a stop
  void switch_over(int which, double t, Out q, Out v) override;
  std::string regime() const override;
  void set_regime(const std::string& text) override;
  void go_on(double t, In q) override;
  bool can_go_on() const override { return !passed_; }  // the direction followed is not kept
  Energies energies(In q, In v) override;
  void joint_forces(double t, In q, In v, In a, Out tau) override;
  double residual(double t, In q, In v) override;
  std::string velocity_name(int index) const override { return tree_.velocity_name(index); }

  // The smallest singular value that counts of the rows of the loops, those of joints that follow
  // from the actuated (or driven) ones alone if these are as many as the mobility; over the
  // largest. Within the step after a singularity it is below zero.
  double distance_to_singularity(In q);
  const NearSingularity& nearest_singularity() const { return nearest_; }
  // Of a run that goes on: what it has found so far.
  void remember(const NearSingularity& nearest, int choices) {
    nearest_ = nearest, choices_ = choices;
  }
  // With independent velocities: how often others were chosen, and which they are.
  int num_choices() const { return choices_; }
  std::vector<int> independent_velocities() const;

 private:
  using VectorXd = Eigen::VectorXd;
  enum class SwitchKind {
    singular,  // the run ends
    hold,      // what holds has become too weak
    slide,     // a joint that slides against friction comes to rest
    lower,     // a joint reaches a stop
    upper,
  };
  struct Switch {
    SwitchKind kind;
    int velocity = -1, position = -1;
    double limit = 0;
  };
  struct Driven {
    int velocity, position;
    std::shared_ptr<const DrivenMotion> motion;
  };
  // Joints whose acceleration is known if their forces are within bounds.
  struct Held {
    std::vector<int> velocities;
    VectorXd target, lower, upper;
    Eigen::MatrixXd columns;  // responses of all accelerations
    BoundedForces forces;
    VectorXd free;      // accelerations without their forces
    bool stays = true;  // all reach their target
    double margin = 1;  // how much is left to the bounds, or how far a target is missed
  };

  // closed_system.cpp
  void find_switches();
  void find_watch();
  bool is_fixed(std::size_t v) const;
  void set_letter(std::size_t v, char letter);
  // q_, v_ from a state: driven joints where they must be, on the loops where that is asked for.
  bool take(double t, In q, In v);
  bool close(const std::vector<char>& fixed);
  void applied_forces(double t);
  void forward(In tau, Out a);
  void solve(Out a);
  void choose_independent();
  bool looks() const { return watches_ || options_.through_singularities || options_.nearest; }
  void look_for_singularity(double t, In q);
  void give_up_bad_choice();
  std::vector<int> leading() const;
  [[noreturn]] void fail_open(double t) const;

  // closed_switches.cpp
  Held held(bool bounded);
  Eigen::MatrixXd responses(VectorXd& free, const std::vector<int>& velocities);
  Eigen::MatrixXd square_of(const Eigen::MatrixXd& columns, const std::vector<int>& rows) const;
  void settle(double t, In q, In v);
  void take_directions(Out v);
  void come_to_rest(int velocity, In q, Out v);
  void hit(double t, const Switch& s, Out q, Out v, bool softly);
  std::string names_of(const std::vector<int>& velocities) const;

  ClosedOptions options_;
  ClosedDynamics dynamics_;  // without dry friction
  Closing closing_;
  TreeSystem tree_;  // for the manifold, and the friction
  Assembly start_;
  std::vector<std::shared_ptr<Forces>> forces_;
  std::vector<Driven> driven_;
  std::vector<Switch> switches_;
  // What a velocity does: '.' moves freely, '+' and '-' slides against friction in this direction,
  // '0' is held by friction, 'l' and 'u' stands on its lower or upper stop, 'd' is driven.
  std::string letters_;
  std::vector<char> fixed_, all_fixed_;  // velocities: held; and those that are integrated besides
  std::vector<char> independent_;
  std::vector<Force<double>> Fext_B_;
  VectorXd q_, v_, a_, tau_, force_;  // force_: what holds each fixed velocity
  std::string trouble_;
  int worst_closure_ = -1, rank_ = 0, choices_ = 0;
  bool watches_ = false, near_ = false, passed_ = false;
  std::vector<int> columns_;  // velocities that should follow from the leading ones
  SingularityWatch watch_;
  double last_time_ = 0, last_distance_ = 1;
  double usual_distance_ = 1;  // that of the start
  VectorXd last_q_;
  NearSingularity nearest_;
};

}  // namespace catena
