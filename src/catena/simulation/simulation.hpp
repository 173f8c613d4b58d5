// Simulation: a system in time, with samples at any rate, events and switches.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "catena/simulation/integrator.hpp"

namespace catena {

// A function of time and state whose zeros are wanted.
struct Event {
  std::string name;
  std::function<double(double t, System::In q, System::In v)> value;
  bool stops = false;                                                          // the run ends there
  enum class Direction { both, rising, falling } direction = Direction::both;  // only these
};

struct SimulationOptions {
  double begin = 0, end = 1;
  double sample = 0.01;  // seconds between samples; the end is always one
};

// What is told as it happens; any may be empty.
struct Listener {
  std::function<void(double t, System::In q, System::In v)> sample;
  // rising: the value goes from below to above zero
  std::function<void(const Event& event, double t, bool rising, System::In q, System::In v)> event;
};

// All that a run needs to go on exactly as if it had not been interrupted.
struct SimulationState {
  double time = 0;
  std::vector<double> q, v;
  StepMemory memory;
  StepCounts counts;
  long next_sample = 0;
  std::string regime;
  long switches = 0;
};

class Simulation {
 public:
  enum class Status { running, finished, stopped };

  // System and integrator are kept by reference and must outlive the simulation.
  Simulation(System& system, Integrator& integrator, const SimulationOptions& options,
             std::vector<Event> events, Listener listener);

  // The first sample is told at once.
  void start(System::In q, System::In v);
  void resume(const SimulationState& state);
  // One step with all samples and events in it.
  //   throws  NumericalError, naming the time, if it cannot go on
  Status advance();
  SimulationState state() const;

  double time() const { return integrator_.time(); }
  long num_switches() const { return switches_; }

 private:
  struct Found {
    double time = 0;
    int switch_index = -1, event_index = -1;
    bool rising = false;
  };
  using VectorXd = Eigen::VectorXd;

  double sample_time(long i) const;
  void values(double t, const VectorXd& q, const VectorXd& v, VectorXd& result);
  void state_at(double t);
  double value_at(double t, Eigen::Index which);
  double root(Eigen::Index which, double below, double above, bool falling);
  std::vector<Found> find();
  void tell_samples(double until, bool with_end);

  System& system_;
  Integrator& integrator_;
  SimulationOptions options_;
  std::vector<Event> events_;
  Listener listener_;
  Eigen::Index num_switches_;
  VectorXd q_, v_, before_;
  long next_sample_ = 0, switches_ = 0, idle_ = 0;
  double last_switch_ = -1;
};

}  // namespace catena
