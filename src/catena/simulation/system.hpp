// System: what a simulation needs to know of a machine, and nothing else.
//
// The state is a configuration q [nq] on a manifold and a velocity v [nv]. Integrators work in
// local coordinates u [nv] of the begin of each step. Between two switches the right side is
// smooth; a switch (a joint reaches its stop, friction begins to hold) changes the system and the
// velocity.
#pragma once

#include <span>
#include <string>

namespace catena {

struct Energies {
  double kinetic = 0, potential = 0;
  double total() const { return kinetic + potential; }
};

class System {
 public:
  using In = std::span<const double>;
  using Out = std::span<double>;

  virtual ~System() = default;

  virtual int nq() const = 0;
  virtual int nv() const = 0;

  // The accelerations a [nv]: dv/dt.
  //   throws  NumericalError, naming the joint, where there is none
  virtual void acceleration(double t, In q, In v, Out a) = 0;

  // Whether positions are plain numbers whose rates are the velocities.
  virtual bool flat() const = 0;
  // The manifold: q moved by u; du/dt at u for a velocity v; dq/dt number by number.
  virtual void move(In q, In u, Out result) const = 0;
  virtual void local_rate(In u, In v, Out rate) const = 0;
  virtual void position_rate(In q, In v, Out rate) const = 0;
  // How large positions are along each velocity [nv], for relative tolerances.
  virtual void position_sizes(In q, Out sizes) const = 0;

  // Brings a state that an integrator has found onto what must hold exactly: unit quaternions, the
  // motion of driven joints, closed loops. True if accelerations must be computed anew.
  virtual bool project(double t, Out q, Out v) = 0;

  // How far q is from places where rounding spoils accelerations; 1: far.
  virtual double clearance(In /*q*/) { return 1; }

  // Called after every step with its state, projected.
  virtual void accept(double /*t*/, In /*q*/, In /*v*/) {}
  // Why acceleration() could only say NaN the last time; empty: it could say more.
  virtual std::string trouble() const { return ""; }

  // Called once before a run with its first state; may change v.
  virtual void begin(double /*t*/, Out /*q*/, Out /*v*/) {}
  // Functions that stay above zero until something switches.
  virtual int num_switches() const { return 0; }
  virtual void switches(double /*t*/, In /*q*/, In /*v*/, Out /*values*/) {}
  // Called at the time of a switch with its number; may change v.
  virtual void switch_over(int /*which*/, double /*t*/, Out /*q*/, Out /*v*/) {}
  // Numbers that say which smooth system is in force, to go on with later.
  virtual std::string regime() const { return ""; }
  virtual void set_regime(const std::string& /*text*/) {}
  // Called after that with the state of the run that goes on.
  virtual void go_on(double /*t*/, In /*q*/) {}
  // Whether a run can go on from this state and regime; if not, from an earlier one.
  virtual bool can_go_on() const { return true; }

  virtual Energies energies(In q, In v) = 0;
  // The joint forces [nv] of a state with accelerations a: those applied, and for a joint whose
  // motion is prescribed what that needs. Dry friction of the model is not in it.
  virtual void joint_forces(double t, In q, In v, In a, Out tau) = 0;
  // How far a state is from what must hold exactly (closed loops): 0 where nothing can be violated.
  virtual double residual(double /*t*/, In /*q*/, In /*v*/) { return 0; }
  // The joint that a velocity belongs to, for messages.
  virtual std::string velocity_name(int index) const = 0;
};

// What a method that conserves momentum needs besides: a Lagrangian system on the manifold.
class LagrangianSystem : public System {
 public:
  // Why it cannot be used so: stops, dry friction, driven joints. Empty: it can.
  virtual std::string refusal() const { return ""; }
  virtual void inertia_times(In q, In v, Out p) = 0;  // p = M(q) v
  // x = M(q)⁻¹ f.  throws NumericalError, naming the joint
  virtual void solve_inertia(In q, In f, Out x) = 0;
  // What drives the momentum: the derivative of the Lagrangian along each velocity, and all forces
  // that have no potential.
  virtual void momentum_force(double t, In q, In v, Out force) = 0;
  // Transposes of local_rate and of its inverse.
  virtual void local_rate_transposed(In u, In p, Out result) const = 0;
  virtual void velocity_of_rate_transposed(In u, In p, Out result) const = 0;
};

}  // namespace catena
