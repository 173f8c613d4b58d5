#include "catena/loops/subsystems.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "catena/data/columns.hpp"
#include "catena/papers/closed_motion.hpp"
#include "catena/papers/run.hpp"

namespace catena::papers {
namespace {

// What a step of the plan yields: names of cut joints and drives, and how many numbers they are.
struct Yield {
  std::vector<std::string> names;
  int unknowns = 0;
};
Yield yield_of(const SubsystemStep& step, const SubsystemPlan& plan, const ClosedMechanism& m) {
  Yield yield;
  for (const int c : step.closures) {
    const int forces = static_cast<int>(plan.forces[index(c)].cols());
    if (forces == 0) continue;
    yield.names.push_back(m.closures[index(c)].name);
    yield.unknowns += forces;
  }
  const auto names = velocity_names(m.tree);
  for (const int v : step.drives) yield.names.push_back(names[index(v)]);
  yield.unknowns += static_cast<int>(step.drives.size());
  return yield;
}

// n simultaneous equations by elimination; a single one is a division.
double cost_of(int equations) { return equations == 1 ? 1 : std::pow(equations, 3) / 3; }

// The largest difference between the driving forces by subsystems and by the null space, over a
// turn of the drive at unit speed, relative to the largest force.
double difference_of_forces(ClosedMotion& motion) {
  constexpr int positions = 60;
  const int drive = motion.dynamics().mechanism().actuated.front();
  Eigen::VectorXd q = motion.dynamics().mechanism().start,
                  qd = Eigen::VectorXd::Zero(motion.tree().nv), qdd = qd;
  const double start = q[motion.position_of(drive)];
  double difference = 0, largest = 0;
  for (int i = 0; i <= positions; ++i) {
    q[motion.position_of(drive)] = start + i * 2 * M_PI / positions;
    qd[drive] = 1, qdd[drive] = 0;
    motion.go(q, qd, qdd);
    const auto forces = [&](LoopMethod method) {
      return motion.dynamics().inverse_dynamics(q, qd, qdd, {}, method).tau;
    };
    const Eigen::VectorXd tau = forces(LoopMethod::null_space);
    difference = std::max(difference, (forces(LoopMethod::subsystems) - tau).cwiseAbs().maxCoeff());
    largest = std::max(largest, tau.cwiseAbs().maxCoeff());
  }
  return difference / largest;
}

}  // namespace

Run run_subsystems(const Settings& s) {
  Run run;
  ClosedMotion motion(s.model());
  const ClosedMechanism& m = motion.dynamics().mechanism();
  motion.lead(m.actuated);
  Eigen::VectorXd q = m.start, qd = Eigen::VectorXd::Zero(m.tree.nv), qdd = qd;
  motion.go(q, qd, qdd);
  LoopState state(m);
  state.set_position(q);
  const SubsystemPlan plan = plan_subsystems(m, state.jacobian(), m.actuated);

  Grid grid{"Subsystems in the order in which they are solved",
            {"subsystem", "equations", "unknowns", "yields"},
            {},
            1};
  std::vector<std::string> order;
  double cost = 0;
  int freedom = 0;
  bool determinate = true;
  for (const SubsystemStep& step : plan.steps) {
    std::vector<std::string> together;
    int equations = 0;
    for (const int i : step.subsystems) {
      together.push_back(plan.subsystems[index(i)].name);
      equations += static_cast<int>(plan.subsystems[index(i)].velocities.size());
    }
    const std::string name = fmt::format("{}", fmt::join(together, " + "));
    const Yield yield = yield_of(step, plan, m);
    order.push_back(name);
    cost += cost_of(equations);
    freedom += equations;
    determinate = determinate && step.determinate;
    run.set(name + ".equations", equations, "", "equations of " + name);
    run.set(name + ".unknowns", yield.unknowns, "", "unknowns of " + name);
    grid.rows.push_back({name, std::to_string(equations), std::to_string(yield.unknowns),
                         fmt::format("{}", fmt::join(yield.names, ", "))});
  }
  run.measures["order"] = {fmt::format("{}", fmt::join(order, ", ")), ""};
  run.measures["determinate"] = {std::string(determinate ? "yes" : "no"), ""};
  run.set("freedom", freedom, "", "equations of the spanning tree");
  run.set("cost", cost);
  run.set("cost.uncoupled", std::pow(3. * freedom, 3) / 3, "",
          "cost of three equations per body at once");
  run.set("difference", difference_of_forces(motion), "",
          "driving force by subsystems against null space, relative");
  run.grids.push_back(grid);
  return run;
}

}  // namespace catena::papers
