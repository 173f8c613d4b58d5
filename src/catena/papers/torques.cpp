// Inverse dynamics along a cycloidal trajectory: of a tree, or of the actuated joints of a closed
// chain.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/data/columns.hpp"
#include "catena/dynamics.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/motion/trajectory.hpp"
#include "catena/papers/closed_motion.hpp"
#include "catena/papers/planar_chain.hpp"
#include "catena/papers/run.hpp"

namespace catena::papers {
namespace {

using Eigen::VectorXd;

std::span<double> span_of(VectorXd& x) { return {x.data(), static_cast<std::size_t>(x.size())}; }

void add_columns(Run& run, const std::string& prefix, const std::vector<std::string>& names,
                 const std::vector<Dimension>& dimensions, int derivative) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    run.table.columns.push_back(prefix + names[i]);
    run.labels[prefix + names[i]] =
        derivative < 0 ? force_label(dimensions[i]) : motion_label(dimensions[i], derivative);
  }
}

void add_motion_columns(Run& run, const Mechanism<double>& m) {
  run.table.columns = {"time"};
  add_columns(run, "q.", position_names(m), position_dimensions(m), 0);
  add_columns(run, "qd.", velocity_names(m), velocity_dimensions(m), 1);
  add_columns(run, "qdd.", velocity_names(m), velocity_dimensions(m), 2);
  add_columns(run, "tau.", velocity_names(m), velocity_dimensions(m), -1);
}

void add_state(Run& run, double t, const VectorXd& q, const VectorXd& qd, const VectorXd& qdd,
               const VectorXd& tau) {
  std::vector<double> row = {t};
  for (const VectorXd* part : {&q, &qd, &qdd, &tau})
    row.insert(row.end(), part->begin(), part->end());
  run.table.add_row(row);
}

PointToPoint trajectory_of(const Settings& s, const Mechanism<double>& m, VectorXd from) {
  VectorXd to = from;
  s.set_positions("from", m, from);
  s.set_positions("to", m, to);
  return {m, span_of(from), span_of(to), {Timing::cycloidal, s.number("duration", {0, 0, 1, 0})}};
}

PlanarChain explicit_chain(const Settings& s) {
  PlanarChain chain;
  const yaml::Value& value = s.need("explicit");
  const yaml::Table table(value, "explicit", {"length", "mass", "centre", "inertia", "gravity"});
  const auto fill = [&](const std::string& key, std::vector<double>& numbers) {
    for (const auto& item : table.list_of(key, table.need(key, "the equations need it")))
      numbers.push_back(table.number_of(key, *item, dimension::number));
    if (numbers.size() != chain.length.size())
      table.fail(key,
                 fmt::format("'{}' has {} numbers, but there are {} links", key, numbers.size(),
                             chain.length.size()),
                 "give one number per link");
  };
  fill("length", chain.length);
  fill("mass", chain.mass);
  fill("centre", chain.centre);
  fill("inertia", chain.inertia);
  chain.gravity = table.number("gravity", dimension::number, 9.81);
  return chain;
}

// The largest difference of the other methods, relative to the largest force.
double method_spread(const Model& model, const Run& run) {
  Dynamics dynamics(model);
  const Mechanism<double>& m = dynamics.mechanism();
  double spread = 0, size = 0;
  for (const Formulation<double>& method : formulations<double>()) {
    if (method.inverse_dynamics == nullptr || !method.refusal(m).empty()) continue;
    dynamics.use(method.name);
    for (std::size_t r = 0; r < run.table.num_rows(); ++r) {
      const auto at = [&](int from, int count) {
        return Eigen::Map<const VectorXd>(run.table.row(r).data() + 1 + from, count);
      };
      const VectorXd tau =
          dynamics.inverse_dynamics(at(0, m.nq), at(m.nq, m.nv), at(m.nq + m.nv, m.nv));
      const auto kept = at(m.nq + 2 * m.nv, m.nv);
      spread = std::max(spread, (tau - kept).cwiseAbs().maxCoeff());
      size = std::max(size, kept.cwiseAbs().maxCoeff());
    }
  }
  return spread / std::max(size, 1e-300);
}

// The same motion with other data: the largest difference of each joint's force.
void measure_beside(const Settings& s, Run& run) {
  Dynamics other(s.model("beside"));
  const Mechanism<double>& m = other.mechanism();
  VectorXd largest = VectorXd::Zero(m.nv);
  for (std::size_t r = 0; r < run.table.num_rows(); ++r) {
    const auto at = [&](int from, int count) {
      return Eigen::Map<const VectorXd>(run.table.row(r).data() + 1 + from, count);
    };
    const VectorXd tau = other.inverse_dynamics(at(0, m.nq), at(m.nq, m.nv), at(m.nq + m.nv, m.nv));
    largest = largest.cwiseMax((tau - at(m.nq + 2 * m.nv, m.nv)).cwiseAbs());
  }
  const auto names = velocity_names(m);
  const auto dimensions = velocity_dimensions(m);
  for (int v = 0; v < m.nv; ++v)
    run.set("beside." + names[index(v)], largest[v], force_unit(dimensions[index(v)]),
            "difference of " + names[index(v)]);
  run.set("beside.largest", largest.maxCoeff());
}

Run tree_torques(const Settings& s, const Model& model) {
  Run run;
  Dynamics dynamics(model);
  const Mechanism<double>& m = dynamics.mechanism();
  add_motion_columns(run, m);
  const PointToPoint path = trajectory_of(s, m, dynamics.neutral());
  VectorXd q(m.nq), qd(m.nv), qdd(m.nv);
  double explicit_gap = 0;
  for (double t : sample_times(path.profile().duration, s.whole("samples", 101))) {
    path.at(t, span_of(q), span_of(qd), span_of(qdd));
    const VectorXd tau = dynamics.inverse_dynamics(q, qd, qdd);
    add_state(run, t, q, qd, qdd, tau);
    if (!s.has("explicit")) continue;
    const VectorXd by_hand = explicit_chain(s).torques(q, qd, qdd);
    explicit_gap = std::max(explicit_gap, (tau - by_hand).cwiseAbs().maxCoeff());
  }
  measure_columns(run, "tau.");
  run.set("methods.spread", method_spread(model, run), "",
          "largest relative difference between formulations");
  if (s.has("explicit")) run.set("explicit.difference", explicit_gap, "N m", "largest difference");
  if (s.has("beside")) measure_beside(s, run);
  return run;
}

Run closed_torques(const Settings& s, const Model& model) {
  Run run;
  ClosedMotion motion(model);
  const Mechanism<double>& m = motion.tree();
  add_motion_columns(run, m);
  motion.lead(motion.dynamics().mechanism().actuated);
  const PointToPoint path = trajectory_of(s, m, motion.dynamics().mechanism().start);
  VectorXd q(m.nq), qd(m.nv), qdd(m.nv);
  double spread = 0, size = 0, open = 0;
  for (double t : sample_times(path.profile().duration, s.whole("samples", 101))) {
    path.at(t, span_of(q), span_of(qd), span_of(qdd));
    motion.go(q, qd, qdd);
    const ClosedInverse inverse = motion.dynamics().inverse_dynamics(q, qd, qdd);
    add_state(run, t, q, qd, qdd, inverse.tau);
    // Those forces must produce this motion again, by every way of solving loops.
    for (const std::string& name : loop_method_names()) {
      const ClosedForward forward =
          motion.dynamics().forward_dynamics(q, qd, inverse.tau, {}, loop_method(name));
      spread = std::max(spread, (forward.qdd - qdd).cwiseAbs().maxCoeff());
      size = std::max(size, qdd.cwiseAbs().maxCoeff());
    }
    motion.dynamics().state().set_position(q);
    open = std::max(open, motion.dynamics().state().values().cwiseAbs().maxCoeff());
  }
  measure_columns(run, "tau.");
  measure_columns(run, "q.", "q.");
  run.set("methods.spread", spread / std::max(size, 1e-300), "", "largest relative difference");
  run.set("loops.open", open, "m", "largest gap");
  return run;
}

}  // namespace

Run run_torques(const Settings& s) {
  const Model model = s.model();
  return model.closed() ? closed_torques(s, model) : tree_torques(s, model);
}

}  // namespace catena::papers
