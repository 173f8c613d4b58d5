// Robot: a compiled model behind Python's catena.Robot.
//
// Thread safety: one state is computed under Python's lock, with the memory that the robot keeps;
// many states without it, each thread with memory of its own. Nothing else of a robot changes after
// construction.
#pragma once

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "arrays.hpp"
#include "catena/batch/batch.hpp"
#include "catena/formulations/formulation.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/loops/closed_dynamics.hpp"
#include "catena/model/compile.hpp"
#include "catena/model/coordinates.hpp"

namespace catena::python {

// What one computation at a time needs.
struct Scratch {
  Scratch(const Mechanism<double>& m, std::size_t room)
      : w(m, room),
        X_WB(m.bodies.size()),
        V_WB_B(m.bodies.size()),
        A_WB_B(m.bodies.size()),
        Fext_B(m.bodies.size()),
        F_PB_B(m.bodies.size()),
        zeros(index(m.nv)) {}

  Workspace<double> w;
  std::vector<Pose<double>> X_WB;
  std::vector<Motion<double>> V_WB_B, A_WB_B;
  std::vector<Force<double>> Fext_B, F_PB_B;
  std::vector<double> numbers, zeros;

  // For functions that take no empty vector.
  std::span<const double> given_or_zero(std::span<const double> x) const {
    return x.empty() ? std::span<const double>(zeros) : x;
  }
};

class Robot {
 public:
  Robot(Model model, const CompileOptions& options);

  // A formulation that can do this robot. None: the default.
  //   throws  InputError if there is none of this name, or if it cannot do this model
  struct Method {
    const Formulation<double>* table;
    std::unique_ptr<Scratch> scratch;
  };
  Method& method(nb::handle name);
  Scratch& scratch() { return *methods_.front().scratch; }
  // With room for derivatives, made when they are first asked for.
  Scratch& derivative_scratch();

  const FrameInfo& frame(const std::string& name) const;
  std::size_t nq() const { return index(m.nq); }
  std::size_t nv() const { return index(m.nv); }

  Model model;
  CompileOptions options;
  Mechanism<double> m;
  std::unique_ptr<ClosedDynamics> closed;  // where the model has loops or springs between points
  std::vector<std::unique_ptr<Batch<double>>>
      batches;  // of one thread each, that nobody uses now (lanes.hpp)

 private:
  std::vector<Method> methods_;
  std::unique_ptr<Scratch> derivative_scratch_;
};

Axes axes_of(const std::string& name);
// From columns of `rows` numbers to C order.
void write_transposed(std::span<const double> columns, std::size_t rows, double* to);
std::string velocity_name(const Robot& r, int velocity);

// Wrenches by frame, at its origin, in its axes: {"tool": (6,) or (N, 6)}.
class Wrenches {
 public:
  Wrenches(const Robot& robot, nb::handle dictionary);
  bool empty() const { return parts_.empty(); }
  // Those of state i, on bodies of the mechanism; empty if there are none.
  std::span<const Force<double>> on_bodies(std::size_t i, Scratch& scratch) const;
  std::map<std::string, Force<double>> by_name(std::size_t i) const;
  // f(frame, wrench) for those of state i.
  template <class F>
  void each(std::size_t i, const F& f) const {
    for (const Part& part : parts_) {
      const auto x = part.wrench.row(i);
      f(*part.frame, Force<double>{{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
    }
  }
  //   throws  SizeError unless they are those of one state or of as many
  void check(const States& states) const;

 private:
  struct Part {
    std::string name;
    const FrameInfo* frame;
    Input wrench;
  };
  std::vector<Part> parts_;
};

// Positions, velocities and accelerations of each state.
struct Motion3 {
  const Input &q, &v, &a;
};
// Zero if it is not given.
Eigen::VectorXd vector_of(std::span<const double> x, std::size_t size);
// The forces of the drives, by default the actuators, for a motion that keeps the loops closed;
// `given`, if there are such, act besides.
//   throws  NumericalError if the drives cannot produce the motion
void closed_inverse(Robot& r, const States& states, const Motion3& motion, const Wrenches& wrenches,
                    LoopMethod way, Output& tau, const Actuation& drives = {},
                    const Input* given = nullptr);

// How many threads work on many states.
int num_threads();
void set_num_threads(int n);

// A computation that failed for one of many states: the same error, with its number.
[[noreturn]] void rethrow_for_state(std::exception_ptr error, std::size_t state, bool many);

// Calls f(memory, i) for every state: under the lock with `own` for one, else without it, in
// several threads with memory from make().
template <class Memory, class Make, class F>
void for_states(const States& states, Memory& own, const Make& make, const F& f) {
  if (!states.many) {
    f(own, std::size_t{0});
    return;
  }
  std::mutex mutex;
  std::exception_ptr error;
  std::size_t failed = 0;
  const auto work = [&](std::size_t begin, std::size_t end) {
    std::size_t i = begin;
    try {
      const auto memory = make();
      while (i < end) {
        const std::size_t next = std::min(end, i + 256);
        states.check_finite(i, next);
        for (; i < next; ++i) f(*memory, i);
      }
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (error != nullptr && failed < i) return;
      error = std::current_exception(), failed = i;
    }
  };
  {
    nb::gil_scoped_release release;
    const std::size_t n = states.count, least = 32;  // states per thread
    const std::size_t parts =
        std::max<std::size_t>(1, std::min(static_cast<std::size_t>(num_threads()), n / least));
    std::vector<std::thread> threads;
    for (std::size_t k = 1; k < parts; ++k)
      threads.emplace_back(work, k * n / parts, (k + 1) * n / parts);
    work(0, n / parts);
    for (std::thread& thread : threads) thread.join();
  }
  if (error != nullptr) rethrow_for_state(error, failed, true);
}

// The same with the memory of a formulation.
template <class F>
void for_states(const Robot& robot, const States& states, Robot::Method& method, const F& f) {
  const auto make = [&] { return std::make_unique<Scratch>(robot.m, method.table->room(robot.m)); };
  for_states(states, *method.scratch, make, f);
}

// One topic each, in a file of that name.
void bind_errors(nb::module_& module);
void bind_model(nb::module_& module);
void bind_table(nb::module_& module);
void bind_dynamics(nb::class_<Robot>& robot);
void bind_kinematics(nb::class_<Robot>& robot);
void bind_derivatives(nb::class_<Robot>& robot);
void bind_closed(nb::class_<Robot>& robot);
void bind_drives(nb::class_<Robot>& robot);
void bind_motion(nb::class_<Robot>& robot);
void bind_simulation(nb::module_& module, nb::class_<Robot>& robot);
void bind_rollout(nb::class_<Robot>& robot);
void bind_analysis(nb::module_& module, nb::class_<Robot>& robot);
void bind_codegen(nb::module_& module, nb::class_<Robot>& robot);
void bind_papers(nb::module_& module);  // where this build has them

}  // namespace catena::python
