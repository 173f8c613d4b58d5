// Simulation in time, with Python functions as forces and events.
#include "catena/simulation/simulation.hpp"

#include <chrono>
#include <cmath>
#include <optional>

#include "catena/data/columns.hpp"
#include "catena/simulation/closed_control.hpp"
#include "catena/simulation/closed_system.hpp"
#include "catena/simulation/forces.hpp"
#include "catena/simulation/tree_system.hpp"
#include "robot.hpp"
#ifdef CATENA_HAS_SUNDIALS
#include "catena/sundials/integrators.hpp"
#endif

namespace catena::python {
namespace {

using namespace nb::literals;
using Clock = std::chrono::steady_clock;

std::vector<IntegratorInfo> all_integrators() {
  std::vector<IntegratorInfo> all = integrators();
#ifdef CATENA_HAS_SUNDIALS
  for (const IntegratorInfo& info : sundials_integrators()) all.push_back(info);
#endif
  return all;
}

// What a Python function threw. It travels as a NumericalError, which every integrator lets
// through, and is raised again at the end. An integrator may try again with a shorter step: nothing
// is called any more then.
class Callbacks {
 public:
  template <class F>
  auto call(const F& f) {
    try {
      if (!interrupted && !thrown.is_valid()) return f();
    } catch (nb::python_error& error) {
      keep(error);
    } catch (const std::exception& error) {
      keep_text(error.what());
    }
    throw NumericalError("a Python function failed");
  }
  bool interrupted = false;
  nb::object thrown;  // the exception, if there is one

  // Ctrl-C, or what another signal handler threw. Under the lock.
  void check_signals() {
    if (PyErr_CheckSignals() == 0) return;
    nb::python_error error;
    keep(error);
    throw NumericalError("a signal arrived");
  }

 private:
  void keep(nb::python_error& error) {
    if (error.matches(PyExc_KeyboardInterrupt)) {
      interrupted = true;
      return;
    }
    thrown = nb::borrow(error.value());
    if (error.traceback().is_valid())
      PyException_SetTraceback(thrown.ptr(), error.traceback().ptr());
  }
  void keep_text(const char* text) {
    thrown = nb::module_::import_("catena._errors").attr("InputError")(text);
  }
};

nb::object array_of(System::In x) { return new_array(x, {x.size()}); }

// f(t, q, v): joint forces, or (joint forces, {frame: wrench}); None is nothing.
class PythonForces final : public Forces {
 public:
  PythonForces(const Robot& r, nb::object f, Callbacks& callbacks)
      : r_(r), f_(std::move(f)), callbacks_(callbacks) {}

  void add(double t, System::In q, System::In v, System::Out tau,
           std::span<Force<double>> Fext_B) override {
    callbacks_.call([&] {
      nb::object result = f_(t, array_of(q), array_of(v));
      if (result.is_none()) return;
      nb::object wrenches = nb::none();
      if (nb::isinstance<nb::tuple>(result) && nb::len(result) == 2 &&
          nb::isinstance<nb::dict>(result[1])) {
        wrenches = nb::object(result[1]);
        result = nb::object(result[0]);
      }
      if (!result.is_none()) {
        const Input forces = Input::one("the result of the controller", result, tau.size());
        for (std::size_t i = 0; i < tau.size(); ++i) tau[i] += forces.row(0)[i];
      }
      for (auto [name, wrench] : nb::cast<nb::dict>(wrenches.is_none() ? nb::dict() : wrenches)) {
        const FrameInfo& frame = r_.frame(nb::cast<std::string>(name));
        const Input x = Input::one("a wrench", wrench, 6);
        const auto w = x.row(0);
        Fext_B[index(frame.body)] +=
            transform(frame.X_BF, Force<double>{{w[0], w[1], w[2]}, {w[3], w[4], w[5]}});
      }
    });
  }

 private:
  const Robot& r_;
  nb::object f_;
  Callbacks& callbacks_;
};

// The dictionary of catena/simulation.py, read.
template <class T>
T get(const nb::dict& o, const char* key) {
  return nb::cast<T>(o[key]);
}
Eigen::VectorXd get_vector(const nb::dict& o, const char* key, std::size_t size) {
  const nb::object value = o[key];
  const Input x = Input::one(key, value, size);
  return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(size));
}

// A motion: (times, q, v or None, a or None), with exact rates where they are given.
std::shared_ptr<const Sampled> sampled_motion_of(const Robot& r, nb::handle motion) {
  std::vector<double> times = numbers_of("time", motion[0]);
  const nb::object q_ = motion[1], v_ = motion[2], a_ = motion[3];
  const Input q("q", q_, r.nq()), v("v", v_, r.nv(), Input::If::optional),
      a("a", a_, r.nv(), Input::If::optional);
  const auto n = static_cast<Eigen::Index>(times.size());
  for (const Input* input : {&q, &v, &a}) {
    if (input->given() && (!input->many() || input->rows() != times.size()))
      throw SizeError(std::string(input->name()) +
                      " of the motion must have a row for each of the " +
                      std::to_string(times.size()) + " times");
  }
  Eigen::MatrixXd values = Eigen::MatrixXd::Zero(r.m.nv, n), first(r.m.nv, n), second(r.m.nv, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const auto row = q.row(static_cast<std::size_t>(i));
    for (const JointInfo& j : r.m.names->joints) {
      if (j.mimic || j.nq != j.nv) continue;
      for (int k = 0; k < j.nv; ++k) values(j.v + k, i) = row[index(j.q + k)];
    }
  }
  if (v.given()) std::copy_n(v.data(), v.size(), first.data());
  if (a.given()) std::copy_n(a.data(), a.size(), second.data());
  if (v.given() && a.given())
    return std::make_shared<Sampled>(Sampled::quintic(std::move(times), values, first, second));
  if (v.given()) return std::make_shared<Sampled>(Sampled::cubic(std::move(times), values, first));
  return std::make_shared<Sampled>(Sampled::spline(std::move(times), values, SplineEnds::smooth));
}

// Forces that do not change, over time (times, (T, nv), interpolation), or a function.
template <class S>
void add_forces(const Robot& r, nb::handle tau, Callbacks& callbacks, S& system) {
  if (tau.is_none()) return;
  if (PyCallable_Check(tau.ptr())) {
    system.add_forces(std::make_shared<PythonForces>(r, nb::borrow(tau), callbacks));
  } else if (nb::isinstance<nb::tuple>(tau)) {
    std::vector<double> times = numbers_of("time", tau[0]);
    const nb::object values_ = tau[1];
    const Input values("tau", values_, r.nv());
    if (!values.many() || values.rows() != times.size())
      throw SizeError("tau must have a row for each of the " + std::to_string(times.size()) +
                      " times");
    Eigen::MatrixXd columns(r.m.nv, static_cast<Eigen::Index>(times.size()));
    std::copy_n(values.data(), values.size(), columns.data());
    const std::string how = nb::cast<std::string>(tau[2]);
    if (how != "linear" && how != "cubic")
      throw InputError({}, "interpolation is 'linear' or 'cubic', not '" + how + "'");
    system.add_forces(sampled_forces(
        r.m,
        how == "cubic" ? Sampled::spline(std::move(times), columns, SplineEnds::smooth)
                       : Sampled::linear(std::move(times), columns),
        {}));
  } else {
    const Input values = Input::one("tau", tau, r.nv());
    system.add_forces(constant_forces(
        Eigen::Map<const Eigen::VectorXd>(values.data(), static_cast<Eigen::Index>(r.nv()))));
  }
}

std::shared_ptr<const Sampled> reference_of(const Robot& r, const nb::dict& o) {
  const nb::object motion = o["motion"];
  return motion.is_none() ? nullptr : sampled_motion_of(r, motion);
}

// A controller by name, which follows the motion or holds the first position.
Controller controller_of(const Robot& r, const nb::dict& o,
                         std::shared_ptr<const Sampled> reference) {
  const std::string law = get<std::string>(o, "controller");
  Controller c;
  if (law == "pd")
    c.law = ControlLaw::pd;
  else if (law == "gravity-pd")
    c.law = ControlLaw::gravity_pd;
  else if (law == "computed-torque")
    c.law = ControlLaw::computed_torque;
  else
    throw InputError({}, "there is no controller '" + law + "'",
                     "give 'pd', 'gravity-pd', 'computed-torque' or a function f(t, q, v)");
  c.kp = get_vector(o, "kp", r.nv()), c.kd = get_vector(o, "kd", r.nv());
  c.reference = std::move(reference);
  if (c.reference != nullptr) return c;
  const Eigen::VectorXd q0 = get_vector(o, "q", r.nq());
  Eigen::MatrixXd q = Eigen::MatrixXd::Zero(r.m.nv, 1);
  for (const JointInfo& j : r.m.names->joints) {
    if (!j.mimic && j.nq == j.nv) q.col(0).segment(j.v, j.nv) = q0.segment(j.q, j.nq);
  }
  c.reference = std::make_shared<Sampled>(Sampled::linear({0}, q));
  return c;
}

template <class S>
void add_drives(const nb::dict& o, const std::shared_ptr<const Sampled>& reference, S& system) {
  for (nb::handle v : nb::list(nb::handle(o["driven"]))) {
    const int velocity = nb::cast<int>(v);
    system.drive(velocity, sampled_motion(reference, velocity));
  }
}

std::unique_ptr<System> tree_system(Robot& r, const nb::dict& o, Callbacks& callbacks) {
  const nb::object method_name = o["method"];
  const Formulation<double>& method = *r.method(method_name).table;
  auto tree = std::make_unique<TreeSystem>(
      r.m, method, TreeOptions{get<bool>(o, "stops"), get<double>(o, "restitution")});
  add_forces(r, o["tau"], callbacks, *tree);
  const nb::object controller = o["controller"];
  const auto reference = reference_of(r, o);
  if (PyCallable_Check(controller.ptr())) {
    add_forces(r, controller, callbacks, *tree);
  } else if (!controller.is_none()) {
    // Dry friction jumps; a controller that made up for it would jump with it.
    tree->add_forces(control_forces(tree->mechanism(), method, controller_of(r, o, reference)));
  }
  add_drives(o, reference, *tree);
  return tree;
}

ClosedOptions closed_options(const nb::dict& o) {
  ClosedOptions options;
  options.through_singularities = get<bool>(o, "through_singularities");
  options.method = loop_method(get<std::string>(o, "loops"));
  const std::string stabilise = get<std::string>(o, "stabilise");
  options.stabilisation = stabilise == "baumgarte" ? Stabilisation::baumgarte
                          : stabilise == "none"    ? Stabilisation::none
                                                   : Stabilisation::projection;
  options.alpha = get<double>(o, "alpha"), options.beta = get<double>(o, "beta");
  options.independent = get<bool>(o, "independent");
  options.stops = get<bool>(o, "stops"), options.restitution = get<double>(o, "restitution");
  options.nearest = true;
  bool own = false;  // integrators of the library take up what a projection changes
  const std::string name = get<std::string>(o, "integrator");
  for (const IntegratorInfo& info : integrators()) own = own || info.name == name;
  options.every_evaluation = !own && options.stabilisation == Stabilisation::projection;
  return options;
}

std::unique_ptr<System> closed_system(Robot& r, const nb::dict& o, Callbacks& callbacks) {
  auto system = std::make_unique<ClosedSystem>(r.model, r.options, closed_options(o));
  add_forces(r, o["tau"], callbacks, *system);
  const nb::object controller = o["controller"];
  const auto reference = reference_of(r, o);
  if (PyCallable_Check(controller.ptr()))
    add_forces(r, controller, callbacks, *system);
  else if (!controller.is_none())
    system->add_forces(closed_control_forces(r.model, r.options, controller_of(r, o, reference)));
  add_drives(o, reference, *system);
  return system;
}

std::unique_ptr<Integrator> integrator_of(const nb::dict& o, System& system) {
  const std::string name = get<std::string>(o, "integrator");
  IntegratorOptions options{get<double>(o, "rtol"), get<double>(o, "atol"), get<double>(o, "step"),
                            get<double>(o, "max_step")};
#ifdef CATENA_HAS_SUNDIALS
  for (const IntegratorInfo& info : sundials_integrators()) {
    if (info.name == name) return make_sundials_integrator(name, system, options);
  }
#endif
  return make_integrator(name, system, options);
}

// One run.
class Run {
 public:
  Run(Robot& r, const nb::dict& o)
      : r_(r),
        q0_(get_vector(o, "q", r.nq())),
        v0_(get_vector(o, "v", r.nv())),
        accelerations_(get<bool>(o, "accelerations")),
        forces_(get<bool>(o, "forces")),
        energy_(get<bool>(o, "energy")),
        system_(r.closed != nullptr ? closed_system(r, o, callbacks_)
                                    : tree_system(r, o, callbacks_)),
        closed_(dynamic_cast<ClosedSystem*>(system_.get())),
        integrator_(integrator_of(o, *system_)),
        a_(r.nv()),
        tau_(r.nv()) {
    times_.end = get<double>(o, "duration"), times_.sample = get<double>(o, "sample");
    python_ = PyCallable_Check(nb::object(o["tau"]).ptr()) ||
              PyCallable_Check(nb::object(o["controller"]).ptr());
    for (nb::handle e : nb::list(nb::handle(o["events"]))) add_event(e);
    columns_ = {"time"};
    const auto add = [&](const char* prefix, const std::vector<std::string>& names) {
      for (const std::string& name : with_prefix(prefix, names)) columns_.push_back(name);
    };
    add("q", position_names(r.m)), add("qd", velocity_names(r.m));
    if (accelerations_) add("qdd", velocity_names(r.m));
    if (forces_) add("tau", velocity_names(r.m));
    if (energy_) add("energy", {"kinetic", "potential", "total"});
    const nb::object state = o["resume"];
    if (!state.is_none()) take_up(nb::cast<nb::dict>(state));
  }

  nb::dict execute() {
    Listener listener;
    listener.sample = [this](double t, System::In q, System::In v) { sample(t, q, v); };
    listener.event = [this](const Event& e, double t, bool rising, System::In q, System::In v) {
      if (e.stops) stopped_by_ = e.name;
      found_.push_back({e.name, t, rising, {q.begin(), q.end()}, {v.begin(), v.end()}});
      if (e.stops) sample(t, q, v);
    };
    Simulation simulation(*system_, *integrator_, times_, std::move(events_), listener);
    const auto begin = Clock::now();
    if (python_) {
      loop(simulation);
    } else {
      nb::gil_scoped_release release;
      loop(simulation);
    }
    seconds_ += std::chrono::duration<double>(Clock::now() - begin).count();
    return report(simulation);
  }

 private:
  struct Found {
    std::string name;
    double time;
    bool rising;
    std::vector<double> q, v;
  };

  // The run after its last whole step: all that it needs to go on.
  struct Checkpoint {
    SimulationState state;
    std::size_t numbers = 0, events = 0;  // how many there are then
    double drift = 0, residual = 0, last_time = 0;
    NearSingularity nearest;
    int choices = 0;
  };

  void remember(const Simulation& simulation) {
    if (!integrator_->can_resume() || !system_->can_go_on()) return;
    if (!checkpoint_) checkpoint_.emplace();
    checkpoint_->state = simulation.state();
    checkpoint_->numbers = values_.size(), checkpoint_->events = found_.size();
    checkpoint_->drift = drift_, checkpoint_->residual = residual_;
    checkpoint_->last_time = last_time_;
    if (closed_ == nullptr) return;
    checkpoint_->nearest = closed_->nearest_singularity();
    checkpoint_->choices = closed_->num_choices();
  }

  // As a dictionary of numbers and text, which can be kept in a file.
  nb::object checkpoint() const {
    if (!checkpoint_ || status_ == "finished" || status_ == "stopped") return nb::none();
    const Checkpoint& c = *checkpoint_;
    const SimulationState& s = c.state;
    nb::dict all;
    all["time"] = s.time, all["q"] = s.q, all["v"] = s.v;
    all["step"] = s.memory.step, all["last_error"] = s.memory.last_error;
    all["steps"] = s.counts.steps, all["rejected"] = s.counts.rejected;
    all["evaluations"] = s.counts.evaluations;
    all["next_sample"] = s.next_sample, all["regime"] = s.regime, all["switches"] = s.switches;
    all["rows"] = c.numbers / columns_.size(), all["events"] = c.events;
    all["first_energy"] = first_energy_, all["drift"] = c.drift, all["residual"] = c.residual;
    all["last_time"] = c.last_time, all["seconds"] = seconds_;
    all["nearest_distance"] = c.nearest.distance, all["nearest_time"] = c.nearest.time;
    all["nearest_q"] = std::vector<double>(c.nearest.q.begin(), c.nearest.q.end());
    all["choices"] = c.choices;
    return all;
  }

  // The same, read, with its rows.
  void take_up(const nb::dict& all) {
    if (!integrator_->can_resume())
      throw InputError({}, "resume: this integrator looks back over steps that are not kept",
                       "use another one");
    resumed_.emplace();
    SimulationState& s = *resumed_;
    s.time = get<double>(all, "time");
    s.q = get<std::vector<double>>(all, "q"), s.v = get<std::vector<double>>(all, "v");
    if (s.q.size() != r_.nq() || s.v.size() != r_.nv())
      throw InputError({}, "resume: the run that was interrupted had another model");
    s.memory = {get<double>(all, "step"), get<double>(all, "last_error")};
    s.counts = {get<long>(all, "steps"), get<long>(all, "rejected"), get<long>(all, "evaluations")};
    s.next_sample = get<long>(all, "next_sample"), s.switches = get<long>(all, "switches");
    s.regime = get<std::string>(all, "regime");
    const nb::object values = all["values"];
    const Input rows("the rows of the run", values, columns_.size());
    values_.assign(rows.data(), rows.data() + rows.size());
    first_energy_ = get<double>(all, "first_energy"), drift_ = get<double>(all, "drift");
    residual_ = get<double>(all, "residual"), last_time_ = get<double>(all, "last_time");
    seconds_ = get<double>(all, "seconds");
    if (closed_ == nullptr) return;
    const auto q = get<std::vector<double>>(all, "nearest_q");
    closed_->remember(
        {get<double>(all, "nearest_distance"), get<double>(all, "nearest_time"),
         Eigen::Map<const Eigen::VectorXd>(q.data(), static_cast<Eigen::Index>(q.size()))},
        get<int>(all, "choices"));
  }

  static System::In span_of(const Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }

  // (name, direction, stops, function), or (name, direction, stops, "q", "qd" or "singularity",
  // index, level); direction: 1 rising only, -1 falling only, 0 both
  void add_event(nb::handle e) {
    Event event;
    event.name = nb::cast<std::string>(e[0]);
    const int direction = nb::cast<int>(e[1]);
    event.direction = direction > 0   ? Event::Direction::rising
                      : direction < 0 ? Event::Direction::falling
                                      : Event::Direction::both;
    event.stops = nb::cast<bool>(e[2]);
    event.value = nb::len(e) == 4 ? value_of(nb::object(e[3])) : level_of(e);
    events_.push_back(std::move(event));
  }

  using Value = std::function<double(double, System::In, System::In)>;
  Value value_of(const nb::object& f) {
    python_ = true;
    return [this, f](double t, System::In q, System::In v) {
      return callbacks_.call(
          [&] { return nb::cast<double>(nb::float_(nb::handle(f(t, array_of(q), array_of(v))))); });
    };
  }
  Value level_of(nb::handle e) {
    const std::string of = nb::cast<std::string>(e[3]);
    const auto i = nb::cast<std::size_t>(e[4]);
    const double level = nb::cast<double>(e[5]);
    if (of == "singularity")
      return [level, closed = closed_](double, System::In q, System::In) {
        return closed->distance_to_singularity(q) - level;
      };
    if (of == "q") return [i, level](double, System::In q, System::In) { return q[i] - level; };
    return [i, level](double, System::In, System::In v) { return v[i] - level; };
  }

  void sample(double t, System::In q, System::In v) {
    const std::size_t size = values_.size();
    values_.push_back(t);
    values_.insert(values_.end(), q.begin(), q.end());
    values_.insert(values_.end(), v.begin(), v.end());
    try {
      if (accelerations_ || forces_) system_->acceleration(t, q, v, a_);
      if (accelerations_) values_.insert(values_.end(), a_.begin(), a_.end());
      if (forces_) {
        system_->joint_forces(t, q, v, a_, tau_);
        values_.insert(values_.end(), tau_.begin(), tau_.end());
      }
      const Energies e = system_->energies(q, v);
      if (energy_) values_.insert(values_.end(), {e.kinetic, e.potential, e.total()});
      if (size == 0) first_energy_ = e.total();
      drift_ = std::max(drift_, std::fabs(e.total() - first_energy_));
      residual_ = std::max(residual_, system_->residual(t, q, v));
      for (std::size_t i = size; i < values_.size(); ++i) {
        if (!std::isfinite(values_[i]))
          throw NumericalError(at_time(t) + "the state is no longer finite");
      }
    } catch (...) {
      values_.resize(size);  // whole rows only
      throw;
    }
    last_time_ = t;
    check_signals();
  }

  void check_signals() {
    const auto now = Clock::now();
    if (now - checked_ < std::chrono::milliseconds(20)) return;
    checked_ = now;
    if (python_) {
      { nb::gil_scoped_release others; }  // other threads may want to go on
      return callbacks_.check_signals();
    }
    nb::gil_scoped_acquire acquire;
    callbacks_.check_signals();
  }

  void loop(Simulation& simulation) {
    try {
      if (resumed_)
        simulation.resume(*resumed_);
      else
        simulation.start(span_of(q0_), span_of(v0_));
      remember(simulation);
      for (;;) {
        const Simulation::Status status = simulation.advance();
        if (status == Simulation::Status::running) remember(simulation);
        check_signals();
        if (status == Simulation::Status::running) continue;
        status_ = status == Simulation::Status::finished ? "finished" : "stopped";
        return;
      }
    } catch (const NumericalError& error) {
      status_ = callbacks_.interrupted ? "interrupted" : "failed";
      message_ = error.what();
    }
  }

  nb::dict report(const Simulation& simulation) {
    nb::dict all;
    const std::size_t rows = values_.size() / columns_.size();
    all["columns"] = columns_;
    all["values"] = new_array(values_, {rows, columns_.size()});
    all["status"] = status_, all["message"] = message_, all["stopped_by"] = stopped_by_;
    all["error"] = callbacks_.thrown.is_valid() ? callbacks_.thrown : nb::none();
    nb::list events;
    for (const Found& e : found_)
      events.append(nb::make_tuple(e.name, e.time, e.rising, new_array(e.q, {e.q.size()}),
                                   new_array(e.v, {e.v.size()})));
    all["events"] = events;
    const StepCounts& counts = integrator_->counts();
    nb::dict statistics;
    statistics["time"] = last_time_;
    statistics["steps"] = counts.steps, statistics["rejected"] = counts.rejected;
    statistics["evaluations"] = counts.evaluations;
    statistics["switches"] = simulation.num_switches();
    statistics["first_energy"] = first_energy_, statistics["energy_drift"] = drift_;
    statistics["residual"] = residual_, statistics["seconds"] = seconds_;
    if (closed_ != nullptr) {
      statistics["nearest_singularity"] = closed_->nearest_singularity().distance;
      statistics["nearest_singularity_time"] = closed_->nearest_singularity().time;
    }
    all["statistics"] = statistics;
    all["state"] = checkpoint();
    return all;
  }

  Robot& r_;
  Callbacks callbacks_;
  Eigen::VectorXd q0_, v0_;
  bool accelerations_, forces_, energy_, python_ = false;
  std::unique_ptr<System> system_;
  ClosedSystem* closed_;  // the same, with loops
  std::unique_ptr<Integrator> integrator_;
  SimulationOptions times_;
  std::vector<Event> events_;
  std::vector<std::string> columns_;
  std::vector<double> values_, a_, tau_;
  std::vector<Found> found_;
  std::string status_, message_, stopped_by_;
  double first_energy_ = 0, drift_ = 0, residual_ = 0, last_time_ = 0, seconds_ = 0;
  Clock::time_point checked_ = Clock::now();
  std::optional<Checkpoint> checkpoint_;
  std::optional<SimulationState> resumed_;
};

}  // namespace

// The public function with its documentation is in catena/robot.py.
void bind_simulation(nb::module_& module, nb::class_<Robot>& robot) {
  robot.def("_simulate",
            [](Robot& r, const nb::dict& options) { return Run(r, options).execute(); });
  module.def(
      "integrators",
      [] {
        nb::list all;
        for (const IntegratorInfo& info : all_integrators())
          all.append(nb::make_tuple(info.name, info.title, info.order, info.adaptive));
        return all;
      },
      nb::sig("def integrators() -> list[tuple[str, str, int, bool]]"),
      "Name, title, order and adaptivity of every integrator, the default first.");
}

}  // namespace catena::python
