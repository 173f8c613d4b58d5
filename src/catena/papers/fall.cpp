// Free fall: motion under gravity alone, from rest.
#include <algorithm>
#include <cmath>

#include "catena/data/columns.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/model/compile.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/papers/closed_motion.hpp"
#include "catena/papers/run.hpp"
#include "catena/simulation/closed_system.hpp"
#include "catena/simulation/simulation.hpp"

namespace catena::papers {
namespace {

using Eigen::VectorXd;

// Where a machine stands, and what moves it.
struct Fall {
  Mechanism<double> m;
  std::unique_ptr<System> system;
  VectorXd q;
};

Fall fall_of(const Settings& s) {
  const Model model = s.model();
  if (model.closed()) {
    ClosedMotion motion(model);
    motion.lead(motion.dynamics().mechanism().actuated);
    VectorXd q = motion.dynamics().mechanism().start, qd = VectorXd::Zero(motion.tree().nv),
             qdd = qd;
    s.set_positions("at", motion.tree(), q);
    motion.go(q, qd, qdd);
    return {motion.tree(), std::make_unique<ClosedSystem>(model, CompileOptions{}), q};
  }
  Fall fall{compile(model), nullptr, {}};
  fall.q.resize(fall.m.nq);
  neutral_configuration<double>(fall.m, {fall.q.data(), index(fall.m.nq)});
  s.set_positions("at", fall.m, fall.q);
  const std::string name = s.text("method", "spatial");
  const Formulation<double>* method = find_formulation<double>(name);
  if (method == nullptr)
    s.fail("method", "there is no method '" + name + "'", "catena info lists the methods");
  fall.system = std::make_unique<TreeSystem>(fall.m, *method);
  return fall;
}

struct FallSample {
  double time;
  VectorXd q, v;
};

// All samples until the end, or until the machine is singular.
struct FallCourse {
  std::vector<FallSample> samples;
  std::string stopped;  // why it ended early
  StepCounts counts;
};

FallCourse course_of(const Settings& s, const std::string& integrator_name) {
  Fall fall = fall_of(s);
  const double tolerance = s.number("tolerance", dimension::number, 1e-10);
  const auto integrator = make_integrator(integrator_name, *fall.system, {tolerance, tolerance});
  SimulationOptions options;
  options.end = s.number("duration", {0, 0, 1, 0});
  options.sample = s.number("sample", {0, 0, 1, 0}, 0.01);
  if (!(options.sample > 0 && options.end / options.sample <= 1e6))
    s.fail("sample", "'sample' is too short or not above zero", "write e.g. sample: 0.01");
  FallCourse course;
  Listener listener;
  listener.sample = [&](double t, System::In q, System::In v) {
    course.samples.push_back({t, Eigen::Map<const VectorXd>(q.data(), fall.m.nq),
                              Eigen::Map<const VectorXd>(v.data(), fall.m.nv)});
  };
  Simulation simulation(*fall.system, *integrator, options, {}, listener);
  const std::vector<double> rest(index(fall.m.nv), 0);
  try {
    simulation.start({fall.q.data(), index(fall.m.nq)}, rest);
    while (simulation.advance() == Simulation::Status::running) {
    }
  } catch (const NumericalError& error) {
    course.stopped = error.what();
  }
  course.counts = integrator->counts();
  return course;
}

void measure_energy(Run& run, System& system, const FallCourse& course) {
  double first = 0, drift = 0, swing = 0;
  for (const FallSample& sample : course.samples) {
    const auto& [t, q, v] = sample;
    const Energies e = system.energies({q.data(), static_cast<std::size_t>(q.size())},
                                       {v.data(), static_cast<std::size_t>(v.size())});
    if (&sample == &course.samples.front()) first = e.total();
    drift = std::max(drift, std::abs(e.total() - first));
    swing = std::max(swing, e.kinetic);
  }
  run.set("energy.drift", drift / std::max({swing, 1e-6 * std::abs(first), 1e-300}), "",
          "drift of the energy, relative to the largest kinetic energy");
}

// How often each joint turns back, and which way it begins to move.
void measure_swings(Run& run, const FallCourse& course, const std::vector<std::string>& names,
                    const std::vector<double>& start, const std::vector<Dimension>& dimensions) {
  for (std::size_t k = 0; k < names.size(); ++k) {
    int turns = 0;
    double last = 0;
    for (const FallSample& sample : course.samples) {
      const double rate = sample.v[static_cast<Eigen::Index>(k)];
      turns += last * rate < 0;
      if (rate != 0) last = rate;
    }
    run.set(names[k] + ".swings", turns, "", "times that " + names[k] + " turns back");
    run.set(names[k] + ".start", start[k], dimensions[k] == dimension::length ? "m/s²" : "rad/s²",
            "first acceleration of " + names[k]);
  }
}

}  // namespace

Run run_fall(const Settings& s) {
  Run run;
  Fall fall = fall_of(s);
  const FallCourse course = course_of(s, s.text("integrator", "verner"));
  const auto positions = position_names(fall.m), velocities = velocity_names(fall.m);
  run.table.columns = {"time"};
  for (const auto& name : positions) run.table.columns.push_back("q." + name);
  for (const auto& name : velocities) run.table.columns.push_back("qd." + name);
  for (std::size_t i = 0; i < positions.size(); ++i)
    run.labels["q." + positions[i]] = motion_label(position_dimensions(fall.m)[i], 0);
  for (std::size_t i = 0; i < velocities.size(); ++i)
    run.labels["qd." + velocities[i]] = motion_label(velocity_dimensions(fall.m)[i], 1);
  const auto every = static_cast<std::size_t>(s.whole("every", 1));
  for (std::size_t i = 0; i < course.samples.size(); ++i) {
    if (i % every != 0 && i + 1 != course.samples.size()) continue;
    std::vector<double> row = {course.samples[i].time};
    row.insert(row.end(), course.samples[i].q.begin(), course.samples[i].q.end());
    row.insert(row.end(), course.samples[i].v.begin(), course.samples[i].v.end());
    run.table.add_row(row);
  }
  measure_columns(run, "q.");
  measure_energy(run, *fall.system, course);
  std::vector<double> start(index(fall.m.nv)), rest(index(fall.m.nv), 0);
  fall.system->acceleration(0, {fall.q.data(), index(fall.m.nq)}, rest, start);
  measure_swings(run, course, velocities, start, velocity_dimensions(fall.m));
  run.set("stop.time", course.samples.back().time, "s", "end of the run");
  run.measures["ends"] = {course.stopped.find("singular") != std::string::npos
                              ? std::string("singular")
                          : course.stopped.empty() ? std::string("finished")
                                                   : course.stopped,
                          "", "how it ends"};
  run.set("evaluations", static_cast<double>(course.counts.evaluations));
  // Another integrator must find the same course.
  const FallCourse second = course_of(s, s.text("second_integrator", "dormand-prince-8"));
  double gap = 0;
  const std::size_t common = std::min(second.samples.size(), course.samples.size());
  for (std::size_t i = 0; i + 1 < common; ++i)
    gap = std::max(gap, (second.samples[i].q - course.samples[i].q).cwiseAbs().maxCoeff());
  run.set("integrators.difference", gap, "", "largest difference between two integrators");
  return run;
}

}  // namespace catena::papers
