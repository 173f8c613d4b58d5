// Integrators: step by step through time, with the state known anywhere in the last step.
#pragma once

#include <Eigen/Core>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "catena/simulation/system.hpp"

namespace catena {

struct IntegratorOptions {
  double rtol = 1e-10, atol = 1e-10;  // adaptive: error of a step, atol + rtol |value|
  double step = 0;                    // fixed-step: its length; adaptive: the first step, 0: chosen
  double max_step = std::numeric_limits<double>::infinity();
};

struct StepCounts {
  long steps = 0, rejected = 0, evaluations = 0;
};

// What an integrator carries from step to step besides the state.
struct StepMemory {
  double step = 0;        // the next one to try
  double last_error = 0;  // of step control; 0: none
};

class Integrator {
 public:
  using In = System::In;
  using Out = System::Out;

  explicit Integrator(System& system);
  virtual ~Integrator() = default;
  Integrator(const Integrator&) = delete;

  // Begins anew at this state; a step length is kept from before if there is one.
  void start(double t, In q, In v);
  // One step, not beyond t_end.
  //   throws  NumericalError, naming time and joint, where it cannot go on: the state is then still
  //           that of the step before
  void step(double t_end);
  // The state at t within the last step (dense output), projected.
  void at(double t, Out q, Out v);

  double previous_time() const { return t0_; }
  double time() const { return t1_; }
  const Eigen::VectorXd& q() const { return q1_; }
  const Eigen::VectorXd& v() const { return v1_; }

  const StepCounts& counts() const { return counts_; }
  StepMemory memory() const { return memory_; }
  // To go on exactly as a run that was not interrupted; after start().
  void restore(const StepMemory& memory, const StepCounts& counts);
  // Whether state and StepMemory say all: false for methods that look back over several steps.
  virtual bool can_resume() const { return true; }

 protected:
  virtual void do_start() = 0;
  // From (t1, q1, v1) to a later state, written to the same; the old one is in t0, q0, v0.
  virtual void do_step(double t_end) = 0;
  // After projection; `changed` if that has changed the state by more than rounding.
  virtual void do_finish(bool /*changed*/) {}
  // After restore(): makes what the state says without saying it.
  virtual void do_restore() {}
  // Before projection.
  virtual void do_at(double t, Out q, Out v) = 0;

  void accelerate(double t, In q, In v, Out a) {
    ++counts_.evaluations;
    system_.acceleration(t, q, v, a);
  }
  static In in(const Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }
  static Out out(Eigen::VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

  System& system_;
  double t0_ = 0, t1_ = 0;
  Eigen::VectorXd q0_, v0_, q1_, v1_;
  StepCounts counts_;
  StepMemory memory_;
};

// "at t = 0.25 s: ", for messages.
std::string at_time(double t);

// The integrators that need no other library, in the order of the table in docs/simulation.md.
struct IntegratorInfo {
  const char* name;
  const char* title;
  int order;
  bool adaptive;
};
const std::vector<IntegratorInfo>& integrators();

// Throws InputError for an unknown name, for a fixed-step one without a step, and for a
// structure-preserving one on a system that has no Lagrangian.
std::unique_ptr<Integrator> make_integrator(const std::string& name, System& system,
                                            const IntegratorOptions& options);

}  // namespace catena
