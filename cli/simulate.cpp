// catena simulate: motion in time, from a first state and forces.
#include "simulate.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <chrono>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "row_file.hpp"
#ifdef CATENA_HAS_SUNDIALS
#include "catena/sundials/integrators.hpp"
#endif

namespace catena::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

constexpr double most_samples = 1e9;
constexpr std::size_t most_drawn = 100000;

volatile std::sig_atomic_t received_signal = 0;
void receive(int signal) { received_signal = signal; }

// Signals end the run between two rows, while this lives.
class SignalGuard {
 public:
  SignalGuard() : interrupt_(std::signal(SIGINT, receive)), end_(std::signal(SIGTERM, receive)) {}
  ~SignalGuard() {
    std::signal(SIGINT, interrupt_);
    std::signal(SIGTERM, end_);
  }

 private:
  void (*interrupt_)(int);
  void (*end_)(int);
};
struct SignalReceived {};

// Rows for a plot: at most most_drawn of them, evenly spaced.
class Thinned {
 public:
  explicit Thinned(Result& result) : result_(result) {}
  void add(const std::vector<double>& row) {
    if (count_++ % stride_ != 0) {
      last_ = row;
      return;
    }
    last_.clear();
    Table& table = result_.table;
    table.add_row(row);
    if (table.num_rows() < most_drawn) return;
    const std::size_t n = table.num_columns();
    for (std::size_t r = 1; 2 * r < table.num_rows(); ++r)
      std::copy_n(table.values.begin() + static_cast<std::ptrdiff_t>(2 * r * n), n,
                  table.values.begin() + static_cast<std::ptrdiff_t>(r * n));
    table.values.resize((table.num_rows() + 1) / 2 * n);
    stride_ *= 2;
  }
  void finish() {
    if (!last_.empty()) result_.table.add_row(last_);
  }
  bool whole() const { return stride_ == 1; }

 private:
  Result& result_;
  std::size_t stride_ = 1, count_ = 0;
  std::vector<double> last_;
};

// "simulate:  45 % ████░░░░  12 s left", on a terminal.
class Progress {
 public:
  Progress(double begin, double end)
      : begin_(begin),
        end_(end),
        shown_(::isatty(STDERR_FILENO)),
        start_(Clock::now()),
        last_(start_) {}
  ~Progress() { clear(); }
  void show(double t) {
    if (!shown_) return;
    const auto now = Clock::now();
    if (now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    const double part = (t - begin_) / (end_ - begin_);
    const double used = std::chrono::duration<double>(now - start_).count();
    std::string bar;
    for (int i = 0; i < 30; ++i) bar += i < part * 30 ? "█" : "░";
    fmt::print(stderr, "\r\033[K{:3.0f} % {}  {:.0f} s left", 100 * part, bar,
               part > 0 ? used * (1 - part) / part : 0);
    std::fflush(stderr);
    drawn_ = true;
  }
  void clear() {
    if (drawn_) fmt::print(stderr, "\r\033[K");
    drawn_ = false;
  }

 private:
  double begin_, end_;
  bool shown_, drawn_ = false;
  Clock::time_point start_, last_;
};

Result empty_result(const SimulateOptions& o, const Mechanism<double>& m) {
  Result result;
  result.title = m.names->model + ": simulation";
  result.add_column("time", "");
  const auto add = [&](const char* prefix, const std::vector<std::string>& names,
                       const std::vector<Dimension>& dimensions, int derivative) {
    for (std::size_t i = 0; i < names.size(); ++i)
      result.add_column(prefix + names[i], derivative < 0
                                               ? force_panel(dimensions[i])
                                               : motion_panel(dimensions[i], derivative));
  };
  add("q.", position_names(m), position_dimensions(m), 0);
  add("qd.", velocity_names(m), velocity_dimensions(m), 1);
  if (o.accelerations) add("qdd.", velocity_names(m), velocity_dimensions(m), 2);
  if (o.forces) add("tau.", velocity_names(m), velocity_dimensions(m), -1);
  if (o.energy) {
    for (const char* part : {"kinetic", "potential", "total"})
      result.add_column(std::string("energy.") + part, "energy, J");
  }
  return result;
}

// Options that mean nothing for a tree are not passed over in silence.
void refuse_loop_options(const SimulateOptions& o) {
  const SimulateOptions otherwise;
  const char* option = o.loops != otherwise.loops               ? "--loops"
                       : o.stabilise != otherwise.stabilise     ? "--stabilise"
                       : !o.baumgarte.empty()                   ? "--baumgarte"
                       : o.coordinates != otherwise.coordinates ? "--coordinates"
                                                                : nullptr;
  if (option != nullptr)
    throw UsageError(std::string(option) + " is for models with loops; leave it out");
}

// One run: the rows, what is remembered of it, how it ends.
class Run {
 public:
  Run(const SimulateOptions& o, const Model& model, const Mechanism<double>& m)
      : o_(o),
        m_(m),
        initial_(initial_state(o.initial, m, model.closed())),
        run_(fingerprint(o)),
        result_(empty_result(o, m)),
        thinned_(result_),
        a_(static_cast<std::size_t>(m.nv)),
        tau_(static_cast<std::size_t>(m.nv)) {
    if (model.closed()) {
      auto closed = make_closed_system(o, model, m, initial_);
      closed_ = closed.get();
      system_ = std::move(closed);
    } else {
      refuse_loop_options(o);
      system_ = make_system(o, model, m, initial_);
    }
    integrator_ = integrator_of(o, *system_);
    for (const std::string& text : o.events)
      events_.push_back(parse_event(text, false, m, closed_));
    for (const std::string& text : o.stop_events)
      events_.push_back(parse_event(text, true, m, closed_));
    times_.end = seconds(o.duration, "--duration");
    times_.sample = sample_step(o);
    if (times_.end / times_.sample > most_samples)
      throw UsageError(fmt::format("--sample {}: more than {:.0e} rows; give a longer time",
                                   o.sample, most_samples));
    listener_.sample = [this](double t, System::In q, System::In v) { sample(t, q, v); };
    listener_.event = [this](const Event& e, double t, bool rising, System::In q, System::In v) {
      event(e, t, rising, q, v);
    };
  }

  void execute() {
    Simulation simulation(*system_, *integrator_, times_, events_, listener_);
    simulation_ = &simulation;
    open();
    std::string problem;
    begin_ = Clock::now();
    {
      SignalGuard guard;
      Progress progress(times_.begin, times_.end);
      progress_ = &progress;
      problem = loop(simulation);
      progress_ = nullptr;
    }
    finish(problem);
  }

 private:
  bool resumable() const {
    return !o_.output.file.empty() && o_.output.file != "-" &&
           format_of(o_.output) == Format::csv && integrator_->can_resume() &&
           (!std::filesystem::exists(o_.output.file) ||
            std::filesystem::is_regular_file(o_.output.file));
  }

  void open() {
    const bool readable = format_of(o_.output) == Format::readable;
    keeps_rows_ = readable || !o_.output.plot.empty();
    if (o_.resume) {
      if (!resumable())
        throw UsageError(integrator_->can_resume()
                             ? "--resume needs -o FILE, a CSV file"
                             : "--resume: integrator '" + o_.integrator +
                                   "' looks back over steps that are not kept; use another one");
      const Checkpoint c = read_checkpoint(o_.output.file, run_);
      if (c.state.q.size() != index_of(m_.nq) || c.state.v.size() != index_of(m_.nv))
        throw InputError({o_.output.file}, "the run that was interrupted had another model");
      if (c.state.time >= times_.end)
        throw UsageError(
            fmt::format("--duration {}: the run is at {} s already", o_.duration, c.state.time));
      file_ = std::make_unique<RowFile>(o_.output.file, result_.table.columns, false, c.bytes);
      take_up(c);
      if (keeps_rows_) draw_file();
      simulation_->resume(c.state);
    } else {
      if (!readable)
        file_ = std::make_unique<RowFile>(o_.output.file, result_.table.columns,
                                          format_of(o_.output) == Format::json);
      first_energy_ = system_->energies(span_of(initial_.q), span_of(initial_.v)).total();
    }
    remembers_ = file_ != nullptr && resumable();
  }

  // What was known of the run when it was interrupted.
  void take_up(const Checkpoint& c) {
    first_energy_ = c.first_energy, drift_ = c.drift, rows_ = c.rows;
    most_kinetic_ = c.most_kinetic, residual_ = c.residual, last_time_ = c.last_time;
    event_log_ = Json::parse(c.events);
    if (closed_ != nullptr) closed_->remember(c.nearest, c.choices);
  }

  static std::size_t index_of(int i) { return static_cast<std::size_t>(i); }
  static System::In span_of(const Eigen::VectorXd& x) {
    return {x.data(), static_cast<std::size_t>(x.size())};
  }

  // The rows that are there already, for the plot.
  void draw_file() {
    std::ifstream stream(o_.output.file);
    std::string line;
    std::getline(stream, line);
    std::vector<double> row;
    while (std::getline(stream, line)) {
      row.clear();
      for (const char *p = line.data(), *end = p + line.size(); p < end;) {
        double x = 0;
        p = std::from_chars(p, end, x).ptr + 1;
        row.push_back(x);
      }
      if (row.size() == result_.table.num_columns()) thinned_.add(row);
    }
  }

  void sample(double t, System::In q, System::In v) {
    if (received_signal != 0) throw SignalReceived{};
    row_.assign({t});
    row_.insert(row_.end(), q.begin(), q.end());
    row_.insert(row_.end(), v.begin(), v.end());
    if (o_.accelerations || o_.forces) system_->acceleration(t, q, v, a_);
    if (o_.accelerations) row_.insert(row_.end(), a_.begin(), a_.end());
    if (o_.forces) {
      system_->joint_forces(t, q, v, a_, tau_);
      row_.insert(row_.end(), tau_.begin(), tau_.end());
    }
    const Energies e = system_->energies(q, v);
    if (o_.energy) row_.insert(row_.end(), {e.kinetic, e.potential, e.total()});
    drift_ = std::max(drift_, std::fabs(e.total() - first_energy_));
    most_kinetic_ = std::max(most_kinetic_, e.kinetic);
    residual_ = std::max(residual_, system_->residual(t, q, v));
    for (double x : row_) {
      if (!std::isfinite(x))
        throw NumericalError(fmt::format("at t = {} s: the state is no longer finite", t));
    }
    if (file_ != nullptr) file_->add_row(row_);
    if (keeps_rows_) thinned_.add(row_);
    ++rows_;
    last_time_ = t;
    if (progress_ != nullptr) progress_->show(t);
  }

  void event(const Event& e, double t, bool rising, System::In q, System::In v) {
    if (progress_ != nullptr) progress_->clear();
    if (e.stops)
      stopped_by_ = e.name;
    else
      fmt::print(stderr, "simulate: event {} at t = {:.12g} s, {}\n", e.name, t,
                 rising ? "rising" : "falling");
    event_log_.push_back({{"event", e.name},
                          {"time", t},
                          {"rising", rising},
                          {"q", std::vector<double>(q.begin(), q.end())},
                          {"qd", std::vector<double>(v.begin(), v.end())}});
    if (e.stops) sample(t, q, v);
  }

  void remember() {
    if (!system_->can_go_on()) return;
    checkpoint_.run = run_;
    checkpoint_.state = simulation_->state();
    checkpoint_.bytes = file_->size();
    checkpoint_.rows = rows_;
    checkpoint_.first_energy = first_energy_;
    checkpoint_.drift = drift_;
    checkpoint_.most_kinetic = most_kinetic_;
    checkpoint_.residual = residual_;
    checkpoint_.last_time = last_time_;
    if (closed_ != nullptr) {
      checkpoint_.nearest = closed_->nearest_singularity();
      checkpoint_.choices = closed_->num_choices();
    }
    num_remembered_events_ = event_log_.size();
  }
  void save() {
    file_->flush();
    checkpoint_.events =
        Json(event_log_.begin(),
             event_log_.begin() + static_cast<std::ptrdiff_t>(num_remembered_events_))
            .dump();
    write_checkpoint(o_.output.file, checkpoint_);
    saved_ = Clock::now();
  }

  // Until the end, or what ended it early.
  std::string loop(Simulation& simulation) {
    try {
      if (!o_.resume) simulation.start(span_of(initial_.q), span_of(initial_.v));
      if (remembers_) remember(), save();
      for (;;) {
        const Simulation::Status status = simulation.advance();
        if (status == Simulation::Status::finished) return "";
        if (status == Simulation::Status::stopped)
          return fmt::format("stopped by '{}' at t = {:.12g} s", stopped_by_, simulation.time());
        if (progress_ != nullptr) progress_->show(simulation.time());
        if (file_ != nullptr && file_->closed()) return "";
        if (remembers_) {
          remember();
          if (Clock::now() - saved_ > std::chrono::seconds(1)) save();
        }
        if (received_signal != 0) throw SignalReceived{};
      }
    } catch (const NumericalError& error) {
      return error.what();
    } catch (const SignalReceived&) {
      return "interrupted";
    }
  }

  void finish(const std::string& problem) {
    if (file_ != nullptr) {
      const bool keep = remembers_ && received_signal != 0;
      if (keep)
        save();
      else if (remembers_)
        remove_checkpoint(o_.output.file);
      file_->finish();
    }
    thinned_.finish();
    if (file_ == nullptr) {
      write_result(o_.output, result_);
    } else if (!o_.output.plot.empty()) {
      OutputOptions plot = o_.output;
      write_plot(plot, result_);
    }
    tell(problem);
    if (problem.empty()) return;
    const std::string kept = fmt::format("{} rows up to t = {:.12g} s are kept", rows_, last_time_);
    if (received_signal != 0) {
      throw Interrupted(received_signal,
                        fmt::format("interrupted: {}{}", kept,
                                    remembers_ ? "; --resume with the same options goes on" : ""));
    }
    throw NumericalError(problem + "\n    " + kept);
  }

  // The statistics: on a terminal, and as a file.
  void tell(const std::string& problem) {
    const StepCounts& counts = integrator_->counts();
    const double used = std::chrono::duration<double>(Clock::now() - begin_).count();
    if (::isatty(STDERR_FILENO) || o_.statistics) {
      fmt::print(
          stderr,
          "simulate: {} steps, {} rejected, {} evaluations, {} switches; energy drift {:.3g} "
          "J (kinetic energy up to {:.6g} J); {:.3g} s\n",
          counts.steps, counts.rejected, counts.evaluations, simulation_->num_switches(), drift_,
          most_kinetic_, used);
      tell_loops();
    }
    if (o_.report.empty()) return;
    Json all = {{"model", m_.names->model},
                {"integrator", o_.integrator},
                {"method", o_.method},
                {"end", problem.empty() ? "finished" : problem},
                {"time", last_time_},
                {"rows", rows_},
                {"steps", counts.steps},
                {"rejected", counts.rejected},
                {"evaluations", counts.evaluations},
                {"switches", simulation_->num_switches()},
                {"first_energy", first_energy_},
                {"energy_drift", drift_},
                {"most_kinetic_energy", most_kinetic_},
                {"residual", residual_},
                {"seconds", used},
                {"events", event_log_}};
    if (closed_ != nullptr) all["loops"] = loop_report();
    write_file_whole(o_.report, all.dump(2) + "\n");
  }

  // Models with loops: how near the run came to a singular position, and what was done about it.
  void tell_loops() const {
    if (closed_ == nullptr || closed_->mechanism().num_rows() == 0) return;
    const NearSingularity& near = closed_->nearest_singularity();
    fmt::print(stderr, "simulate: loops open by {:.3g} at most", residual_);
    if (near.q.size() > 0)
      fmt::print(stderr, "; nearest to a singularity, {:.3g}, at t = {:.6g} s", near.distance,
                 near.time);
    if (o_.coordinates == "independent")
      fmt::print(stderr, "; other independent joints chosen {} times", closed_->num_choices());
    fmt::print(stderr, "\n");
  }
  Json loop_report() const {
    const NearSingularity& near = closed_->nearest_singularity();
    Json all = {{"method", o_.loops}, {"stabilise", o_.stabilise}, {"coordinates", o_.coordinates}};
    if (near.q.size() > 0) {
      Json q = Json::object();
      const auto names = position_names(m_);
      for (std::size_t i = 0; i < names.size(); ++i)
        q[names[i]] = near.q[static_cast<Eigen::Index>(i)];
      all["nearest_singularity"] = {{"distance", near.distance}, {"time", near.time}, {"q", q}};
    }
    if (o_.coordinates == "independent") {
      all["independent"] = Json::array();
      for (int v : closed_->independent_velocities())
        all["independent"].push_back(velocity_names(m_)[index_of(v)]);
      all["choices"] = closed_->num_choices();
    }
    return all;
  }

  const SimulateOptions& o_;
  const Mechanism<double>& m_;
  InitialState initial_;
  std::string run_;  // the fingerprint, taken before any file is written
  std::unique_ptr<System> system_;
  ClosedSystem* closed_ = nullptr;  // the system, if the model has loops
  std::unique_ptr<Integrator> integrator_;
  std::vector<Event> events_;
  SimulationOptions times_;
  Listener listener_;
  Simulation* simulation_ = nullptr;
  Progress* progress_ = nullptr;
  Result result_;
  Thinned thinned_;
  std::unique_ptr<RowFile> file_;
  std::vector<double> row_, a_, tau_;
  Checkpoint checkpoint_;
  std::string stopped_by_;
  Json event_log_ = Json::array();
  bool keeps_rows_ = false, remembers_ = false;
  double first_energy_ = 0, drift_ = 0, most_kinetic_ = 0, residual_ = 0, last_time_ = 0;
  long rows_ = 0;
  std::size_t num_remembered_events_ = 0;
  Clock::time_point begin_, saved_;
};

void run(const SimulateOptions& o) {
  if (o.output.file == o.output.plot && !o.output.plot.empty())
    throw UsageError("-o and --plot name the same file");
  const Model model = load_model(o.model);
  const Mechanism<double> m = compile(model, compile_options(o.model));
  Run(o, model, m).execute();
}

void add_motion_options(Command& command, SimulateOptions& o) {
  command.add_option(
      "--initial", o.initial,
      "First state: \"joint=value,qd.joint=value,...\" or a CSV file of one row; what "
      "is not named is 0 (quaternions: no turn)");
  command.add_option("--torque", o.torques,
                     "Joint forces: \"joint=value,...\" or a CSV file with time, tau.JOINT and "
                     "n.FRAME.x to f.FRAME.z; may be repeated");
  add_choice(command, "--interpolation", o.interpolation, {"linear", "cubic"},
             "Between the rows of --torque");
  add_choice(command, "--controller", o.controller, {"pd", "gravity-pd", "computed-torque"},
             "Follows --motion, or holds the first position");
  command.add_option("--motion", o.motion, "CSV with time, q.JOINT, qd.JOINT, qdd.JOINT")
      ->type_name("FILE");
  command.add_option("--kp", o.kp, "Gain of the controller: a number, or \"joint=value,...\"");
  command.add_option("--kd", o.kd, "The same for velocities");
  command.add_option("--driven", o.driven,
                     "Joints that follow --motion exactly: \"joint1,joint2\"");
  auto* stops = command.add_flag("--stops", o.stops, "Joint limits are stops");
  command.add_option("--restitution", o.restitution, "Of the stops: speed after over speed before")
      ->between(0., 1.)
      ->needs(stops);
}

void add_integration_options(Command& command, SimulateOptions& o) {
  add_choice(command, "--integrator", o.integrator, integrator_names(), "How time goes on");
  command.add_option("--rtol", o.rtol, "Relative tolerance of a step")
      ->between(1e-15, 1.)
      ->capture_default_str();
  command.add_option("--atol", o.atol, "Absolute tolerance of a step")
      ->between(1e-300, 1e300)
      ->capture_default_str();
  command.add_option("--step", o.step, "Seconds: the step of rk4, euler and variational");
  command.add_option("--max-step", o.max_step, "Seconds: no step is longer");
  add_method_option(command, o.method);
  add_choice(command, "--loops", o.loops, loop_method_names(), "How closed loops are solved");
  add_choice(command, "--stabilise", o.stabilise, {"projection", "baumgarte", "none"},
             "What keeps loops closed");
  command.add_option("--baumgarte", o.baumgarte,
                     "Gains alpha,beta of --stabilise baumgarte, 1/s (default: 20,20)");
  add_choice(command, "--coordinates", o.coordinates, {"all", "independent"},
             "Closed chains: what is integrated");
  command.add_flag("--through-singularities", o.through_singularities,
                   "Closed chains: do not stop where the actuated joints lose their hold");
}

}  // namespace

std::vector<std::string> integrator_names() {
  std::vector<std::string> names;
  for (const IntegratorInfo& info : integrators()) names.emplace_back(info.name);
#ifdef CATENA_HAS_SUNDIALS
  for (const IntegratorInfo& info : sundials_integrators()) names.emplace_back(info.name);
#endif
  return names;
}

std::unique_ptr<Integrator> integrator_of(const SimulateOptions& o, System& system) {
  IntegratorOptions options{o.rtol, o.atol};
  if (!o.step.empty()) options.step = seconds(o.step, "--step");
  if (!o.max_step.empty()) options.max_step = seconds(o.max_step, "--max-step");
  for (const IntegratorInfo& info : integrators()) {
    if (info.name == o.integrator && !info.adaptive && o.step.empty())
      throw UsageError("--integrator " + o.integrator + " needs --step, e.g. --step 0.001");
  }
#ifdef CATENA_HAS_SUNDIALS
  for (const IntegratorInfo& info : sundials_integrators()) {
    if (info.name == o.integrator) return make_sundials_integrator(o.integrator, system, options);
  }
#endif
  return make_integrator(o.integrator, system, options);
}

void add_simulate_command(Command& app) {
  Command& command = add_command(
      app, "simulate", "Motion in time, from a first state and forces",
      "catena simulate models/puma.yaml --duration 2 --energy -o fall.csv --plot fall.svg\n"
      "catena simulate models/planar-3r.yaml --duration 1 --initial joint1=30deg,qd.joint2=1");
  const auto o = std::make_shared<SimulateOptions>();
  add_model_options(command, o->model);
  command.add_option("--duration", o->duration, "Seconds, or with a unit: 500ms")->required();
  command.add_option("--sample", o->sample,
                     "Seconds between rows (default: 0.01, with 100 to 100,000 rows)");
  add_motion_options(command, *o);
  add_integration_options(command, *o);
  command.add_option("--event", o->events,
                     "Tell when, e.g. \"q.joint1=0.5\", \"qd.joint1<0\" (falling only) or "
                     "\"singularity<0.01\"; may be repeated");
  command.add_option("--stop-on", o->stop_events, "Stop when, e.g. \"qd.joint2=0\"");
  command.add_flag("--energy", o->energy, "Also energy.kinetic, energy.potential, energy.total");
  command.add_flag("--qdd", o->accelerations, "Also qdd.JOINT");
  command.add_flag("--tau", o->forces, "Also tau.JOINT");
  command.add_flag("--resume", o->resume, "Go on with the run in -o FILE that was interrupted");
  command.add_flag("--statistics", o->statistics,
                   "Steps, evaluations and energy drift on standard error; a terminal shows them "
                   "anyway");
  command.add_option("--report", o->report, "The same and the events as JSON")->type_name("FILE");
  add_output_options(command, o->output);
  when_run(command, [o] { run(*o); });
}

}  // namespace catena::cli
