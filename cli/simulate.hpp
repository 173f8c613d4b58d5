// What the parts of `catena simulate` share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "catena/data/columns.hpp"
#include "catena/simulation/closed_system.hpp"
#include "catena/simulation/forces.hpp"
#include "catena/simulation/simulation.hpp"
#include "common.hpp"

namespace catena::cli {

struct SimulateOptions {
  ModelOptions model;
  std::string duration, sample, method, integrator = "dormand-prince", step, max_step;
  std::string initial, motion, controller, kp, kd, interpolation = "linear";
  std::vector<std::string> torques, driven, events, stop_events;
  double rtol = 1e-10, atol = 1e-10, restitution = 0;
  bool stops = false, energy = false, accelerations = false, forces = false, resume = false,
       statistics = false, through_singularities = false;
  std::string report;
  // models with loops
  std::string loops = "multipliers", stabilise = "projection", baumgarte, coordinates = "all";
  OutputOptions output;
};

// "joint1=0.5, qd.joint1=2", or a file with one row of q and qd.
struct InitialState {
  Eigen::VectorXd q, v;
  std::vector<char> named_q, named_v;  // which positions and velocities were given
};
// Positions may be left to loops.
InitialState initial_state(const std::string& text, const Mechanism<double>& m, bool closed);
// The machine with --torque, --controller, --driven and --stops.
std::unique_ptr<System> make_system(const SimulateOptions& o, const Model& model,
                                    const Mechanism<double>& m, const InitialState& initial);
// The same for a model with loops; its first state is brought onto them.
std::unique_ptr<ClosedSystem> make_closed_system(const SimulateOptions& o, const Model& model,
                                                 const Mechanism<double>& m, InitialState& initial);

// What both are made of.
std::vector<std::shared_ptr<Forces>> torques_of(const SimulateOptions& o,
                                                const Mechanism<double>& m);
// --controller, --kp, --kd; the reference is that of --motion, or the first position.
Controller controller_of(const SimulateOptions& o, const Mechanism<double>& m,
                         const InitialState& initial, std::shared_ptr<const Sampled> reference);
// --driven or the model's driven joints, as velocities.
std::vector<int> driven_of(const SimulateOptions& o, const Model& model,
                           const Mechanism<double>& m);
// How a driven velocity moves: as --motion says, or without it on with the speed of the first
// state.
std::shared_ptr<const DrivenMotion> driven_motion(const std::shared_ptr<const Sampled>& reference,
                                                  int velocity, const Mechanism<double>& m,
                                                  const InitialState& initial);
// The times of a table; they must grow.
std::vector<double> times_of(const Table& table);
// A motion between its rows, as exact as the columns that the file has.
std::shared_ptr<const Sampled> motion_through(std::vector<double> times, const Eigen::MatrixXd& q,
                                              const Eigen::MatrixXd& qd, const Eigen::MatrixXd& qdd,
                                              const DataColumns& columns);

// "q.joint1=0.5", "qd.joint2<0" (falling), "singularity<0.01" (closed: models with loops)
Event parse_event(const std::string& text, bool stops, const Mechanism<double>& m,
                  ClosedSystem* closed);
double seconds(const std::string& text, const std::string& option);
// Seconds between rows: --sample, or 0.01 s, but at least a hundred rows and at most 100,000.
double sample_step(const SimulateOptions& o);
// Everything that decides the numbers, as one line; files by their content.
std::string fingerprint(const SimulateOptions& o);

// A run that can go on: kept in FILE.resume beside its FILE until the run is finished.
struct Checkpoint {
  std::string run;  // the fingerprint
  SimulationState state;
  long bytes = 0, rows = 0;  // of FILE at that state
  // what --statistics and --report say of the run so far
  double first_energy = 0, drift = 0, most_kinetic = 0, residual = 0, last_time = 0;
  std::string events = "[]";  // JSON
  NearSingularity nearest;
  int choices = 0;
};
std::string checkpoint_path(const std::string& file);
void write_checkpoint(const std::string& file, const Checkpoint& checkpoint);
// Throws InputError if there is none, or if it belongs to other options or another model.
Checkpoint read_checkpoint(const std::string& file, const std::string& run);
void remove_checkpoint(const std::string& file);

// Integrators by name: those of the library, and those of SUNDIALS where it is there.
std::vector<std::string> integrator_names();
std::unique_ptr<Integrator> integrator_of(const SimulateOptions& o, System& system);

}  // namespace catena::cli
