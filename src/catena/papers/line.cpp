// A frame on a straight line: inverse kinematics, inverse dynamics, and the motion that those
// forces produce, by several methods of forward dynamics.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "catena/data/columns.hpp"
#include "catena/dynamics.hpp"
#include "catena/formulations/dense.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/motion/cartesian.hpp"
#include "catena/motion/trajectory.hpp"
#include "catena/papers/run.hpp"
#include "catena/simulation/forces.hpp"
#include "catena/simulation/simulation.hpp"

namespace catena::papers {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int fine = 10;         // forces that a spline joins, in the time between two samples
constexpr int repetitions = 25;  // of a run that is timed: the fastest counts

// Inertia matrix and bias forces of `spatial`, solved by LDLᵀ: what Walker and Orin's method is.
ForwardStatus composite_forward(const Mechanism<double>& m, std::span<const double> q,
                                std::span<const double> qd, std::span<const double> tau,
                                std::span<const Force<double>> Fext_B, Workspace<double>& w,
                                std::span<double> qdd) {
  static thread_local std::vector<double> M;
  M.resize(qdd.size() * qdd.size());
  const Formulation<double>& spatial = formulations<double>().front();
  spatial.inverse_dynamics(m, q, qd, {}, Fext_B, w, qdd);
  for (std::size_t i = 0; i < qdd.size(); ++i) qdd[i] = tau[i] - qdd[i];
  spatial.inertia_matrix(m, q, w, M);
  return {solve_dense(M.data(), qdd.data(), m.nv)};
}

Formulation<double> method_called(const Settings& s, const std::string& name) {
  if (name == "spatial-dense") {
    Formulation<double> method = formulations<double>().front();
    method.name = "spatial-dense";
    method.forward_dynamics = composite_forward;
    return method;
  }
  const Formulation<double>* method = find_formulation<double>(name);
  if (method == nullptr)
    s.fail("methods", "there is no method '" + name + "'", "catena info lists them");
  return *method;
}

// The motion that inverse kinematics asks for, and its forces.
struct Plan {
  double step = 0;
  std::vector<double> times;
  MatrixXd q, qd, qdd, tau;  // a column per time

  Eigen::Index index_of(double time) const {
    return std::min(static_cast<Eigen::Index>(std::lround(time / step)), q.cols() - 1);
  }
};

Plan plan_of(const Settings& s, Dynamics& dynamics, const CartesianPath& path, double duration) {
  const Mechanism<double>& m = dynamics.mechanism();
  InverseKinematics kinematics(m, s.text("frame"));
  VectorXd start = dynamics.neutral();
  s.set_positions("near", m, start);
  const Vec3<double> zyz = s.vector("attitude", dimension::angle);
  PathFollower follower(kinematics, path, rotation_from_zyz(zyz.x, zyz.y, zyz.z),
                        {start.begin(), start.end()});
  Plan plan;
  plan.step = s.number("sample", {0, 0, 1, 0}, 0.1) / fine;
  if (!(plan.step > 0 && duration / plan.step < 1e6))
    s.fail("sample", "'sample' is too short or not above zero", "write e.g. sample: 0.1");
  plan.times = sample_times_by_step(duration, plan.step);
  const auto n = static_cast<Eigen::Index>(plan.times.size());
  plan.q.resize(m.nq, n), plan.qd.resize(m.nv, n), plan.qdd.resize(m.nv, n),
      plan.tau.resize(m.nv, n);
  VectorXd q(m.nq), qd(m.nv), qdd(m.nv);
  const auto span_of = [](VectorXd& x) {
    return std::span<double>(x.data(), static_cast<std::size_t>(x.size()));
  };
  for (Eigen::Index i = 0; i < n; ++i) {
    follower.at(plan.times[static_cast<std::size_t>(i)] / duration, 1 / duration, 0, span_of(q),
                span_of(qd), span_of(qdd));
    plan.q.col(i) = q, plan.qd.col(i) = qd, plan.qdd.col(i) = qdd;
    plan.tau.col(i) = dynamics.inverse_dynamics(q, qd, qdd);
  }
  return plan;
}

struct LineCourse {
  std::vector<double> times;
  std::vector<VectorXd> q, qd, qdd;
  long evaluations = 0;
  double seconds = 0;
};

LineCourse simulate_line(const Settings& s, const Mechanism<double>& m,
                         const Formulation<double>& method, const Plan& plan) {
  LineCourse course;
  course.seconds = 1e300;
  const double tolerance = s.number("tolerance", dimension::number, 1e-6);
  const double sample = s.number("sample", {0, 0, 1, 0}, 0.1);
  const VectorXd q0 = plan.q.col(0), v0 = plan.qd.col(0);
  for (int i = 0; i < repetitions; ++i) {
    TreeSystem system(m, method);
    system.add_forces(
        sampled_forces(m, Sampled::spline(plan.times, plan.tau, SplineEnds::smooth), {}));
    IntegratorOptions options{tolerance, tolerance};
    options.max_step = sample;
    const auto integrator =
        make_integrator(s.text("integrator", "dormand-prince"), system, options);
    course.times.clear(), course.q.clear(), course.qd.clear();
    Listener listener;
    listener.sample = [&](double t, System::In q, System::In v) {
      course.times.push_back(t);
      course.q.emplace_back(Eigen::Map<const VectorXd>(q.data(), m.nq));
      course.qd.emplace_back(Eigen::Map<const VectorXd>(v.data(), m.nv));
    };
    const auto begin = std::chrono::steady_clock::now();
    Simulation simulation(system, *integrator, {0, plan.times.back(), sample}, {}, listener);
    simulation.start({q0.data(), index(m.nq)}, {v0.data(), index(m.nv)});
    while (simulation.advance() == Simulation::Status::running) {
    }
    course.seconds =
        std::min(course.seconds,
                 std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    course.evaluations = integrator->counts().evaluations;
    if (i > 0) continue;
    for (std::size_t k = 0; k < course.times.size(); ++k) {
      VectorXd a(m.nv);
      system.acceleration(course.times[k], {course.q[k].data(), index(m.nq)},
                          {course.qd[k].data(), index(m.nv)}, {a.data(), index(m.nv)});
      course.qdd.push_back(a);
    }
  }
  return course;
}

// Average differences from the plan over time, joint by joint.
struct LineErrors {
  VectorXd q, qd, qdd;
};
LineErrors errors_of(const LineCourse& course, const Plan& plan) {
  LineErrors e{VectorXd::Zero(plan.q.rows()), VectorXd::Zero(plan.qd.rows()),
               VectorXd::Zero(plan.qd.rows())};
  for (std::size_t i = 0; i < course.times.size(); ++i) {
    const auto k = plan.index_of(course.times[i]);
    e.q += (course.q[i] - plan.q.col(k)).cwiseAbs();
    e.qd += (course.qd[i] - plan.qd.col(k)).cwiseAbs();
    e.qdd += (course.qdd[i] - plan.qdd.col(k)).cwiseAbs();
  }
  const double n = static_cast<double>(course.times.size());
  return {e.q / n, e.qd / n, e.qdd / n};
}

void add_course(Run& run, Dynamics& dynamics, const std::string& frame, const LineCourse& course,
                const Plan& plan, const CartesianPath& path) {
  const Mechanism<double>& m = dynamics.mechanism();
  const auto names = position_names(m), velocities = velocity_names(m);
  run.table.columns = {"time", "x", "y", "z"};
  for (const char* axis : {"x", "y", "z"}) run.labels[axis] = "position, m";
  for (std::size_t i = 0; i < names.size(); ++i) {
    run.table.columns.push_back("q." + names[i]);
    run.labels["q." + names[i]] = motion_label(position_dimensions(m)[i], 0);
  }
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    run.table.columns.push_back("tau." + velocities[i]);
    run.labels["tau." + velocities[i]] = force_label(velocity_dimensions(m)[i]);
  }
  double off = 0;
  for (std::size_t i = 0; i < course.times.size(); ++i) {
    const Eigen::Vector3d p = dynamics.pose(frame, course.q[i]).translation();
    const Vec3<double> wanted = path.at(course.times[i] / plan.times.back()).p;
    off = std::max(off, (p - Eigen::Vector3d(wanted.x, wanted.y, wanted.z)).norm());
    std::vector<double> row = {course.times[i], p.x(), p.y(), p.z()};
    row.insert(row.end(), course.q[i].begin(), course.q[i].end());
    const VectorXd tau = plan.tau.col(plan.index_of(course.times[i]));
    row.insert(row.end(), tau.begin(), tau.end());
    run.table.add_row(row);
  }
  run.set("path.error", off, "m", "largest distance from the line");
}

}  // namespace

Run run_line(const Settings& s) {
  Run run;
  const Model model = s.model();
  Dynamics dynamics(model);
  const Mechanism<double>& m = dynamics.mechanism();
  const CartesianPath path =
      CartesianPath::line(s.vector("from", dimension::length), s.vector("to", dimension::length));
  const double duration = s.number("duration", {0, 0, 1, 0});
  run.set("distance", path.length(), "m");
  run.set("speed", path.length() / duration, "m/s");
  const Plan plan = plan_of(s, dynamics, path, duration);

  Grid accuracy{"Average differences from the inverse kinematics, over the joints and over time",
                {"method", "angle, rad", "rate, rad/s", "acceleration, rad/s²"},
                {},
                1};
  Grid effort{"Evaluations of the accelerations, and time of the whole simulation on this machine",
              {"method", "evaluations", "time, ms"},
              {},
              1};
  Grid joints{"", {"joint", "angle, rad", "rate, rad/s", "acceleration, rad/s²"}, {}, 1};
  LineCourse first;
  double spread = 0;
  for (const auto& [name, what] : s.pairs("methods")) {
    const Formulation<double> method = method_called(s, what);
    const LineCourse course = simulate_line(s, m, method, plan);
    const LineErrors e = errors_of(course, plan);
    run.set(name + ".q", e.q.mean(), "rad", name + ", angle");
    run.set(name + ".qd", e.qd.mean(), "rad/s", name + ", rate");
    run.set(name + ".qdd", e.qdd.mean(), "rad/s²", name + ", acceleration");
    run.set(name + ".evaluations", static_cast<double>(course.evaluations), "",
            "evaluations of " + name);
    run.set(name + ".time", course.seconds * 1e3, "ms", "time of " + name);
    accuracy.rows.push_back({name, fmt::format("{:.3e}", e.q.mean()),
                             fmt::format("{:.3e}", e.qd.mean()),
                             fmt::format("{:.3e}", e.qdd.mean())});
    effort.rows.push_back(
        {name, fmt::format("{}", course.evaluations), fmt::format("{:.3f}", course.seconds * 1e3)});
    if (first.times.empty()) {
      first = course;
      joints.caption = "The same joint by joint, method " + name;
      const auto names = velocity_names(m);
      for (std::size_t i = 0; i < names.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        joints.rows.push_back({names[i], fmt::format("{:.3e}", e.q[k]),
                               fmt::format("{:.3e}", e.qd[k]), fmt::format("{:.3e}", e.qdd[k])});
      }
    }
    for (std::size_t i = 0; i < course.times.size(); ++i)
      spread = std::max(spread, (course.q[i] - first.q[i]).cwiseAbs().maxCoeff());
  }
  run.set("methods.difference", spread, "rad", "largest difference of an angle");
  add_course(run, dynamics, s.text("frame"), first, plan, path);
  measure_columns(run, "q.");
  run.grids = {accuracy, joints, effort};
  return run;
}

}  // namespace catena::papers
