// The machines of models/ with loops over their range of motion: every method gives the same.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

namespace fs = std::filesystem;
using Eigen::VectorXd;

VectorXd some_numbers(Random& random, int n) {
  VectorXd v(n);
  for (double& x : v) x = random.uniform();
  return v;
}

// From place to place as far as the loops let the independent joints go; f(q) at each.
template <class F>
void wander(const ClosedMechanism& m, Random& random, int places, F f) {
  LoopState loops(m);
  const Assembly start = assemble_from_afar(m, loops, m.start);
  ASSERT_TRUE(start.closed);
  VectorXd q = start.q;
  f(q);
  for (int i = 0; i < places; ++i) {
    loops.set_position(q);
    std::vector<char> chosen(at(m.tree.nv), 0);
    const std::vector<int> lead = m.has_actuators ? m.actuated : std::vector<int>{};
    for (int v : independent_velocities(loops.jacobian(), lead)) chosen[at(v)] = 1;
    const VectorXd way = some_numbers(random, m.tree.nv);
    for (double size = 2; size > 0.02; size *= 0.5) {
      VectorXd step = VectorXd::Zero(m.tree.nv), there(m.tree.nq);
      for (int v = 0; v < m.tree.nv; ++v) {
        if (chosen[at(v)] != 0) step[v] = size * way[v];
      }
      integrate_configuration<double>(m.tree, {q.data(), at(m.tree.nq)},
                                      {step.data(), at(m.tree.nv)}, {there.data(), at(m.tree.nq)});
      const Assembly a = follow(m, loops, q, there, chosen);
      if (!a.closed) continue;
      q = a.q;
      break;
    }
    f(q);
  }
}

TEST(RangeOfMotion, EveryMethodGivesTheSameOnEveryMachine) {
  Worst motion("accelerations of the methods", 1e-9), force("actuator forces of the methods", 1e-9);
  Worst rows("forces in the loops", 1e-9), closed("loops", 1e-12);
  std::set<std::string> machines;
  for (const auto& entry : fs::directory_iterator(CATENA_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    const Model model = read_model(entry.path().string());
    if (!model.closed()) continue;
    const std::string name = entry.path().stem().string();
    machines.insert(name);
    ClosedDynamics dynamics(model);
    const ClosedMechanism& m = dynamics.mechanism();
    Random random(3);
    wander(m, random, m.tree.nv > 50 ? 0 : 6, [&](const VectorXd& q) {
      dynamics.state().set_position(q);
      if (m.num_rows() > 0) closed.meet(dynamics.state().values().cwiseAbs().maxCoeff(), name);
      const RowMatrix K = dynamics.state().jacobian();
      if (m.num_rows() > 0 && mobility_of(K).smallest < 1e-3) return;  // few digits near there
      const Eigen::MatrixXd G = null_space(unit_rows(K));
      const VectorXd qd = G * some_numbers(random, static_cast<int>(G.cols()));
      const VectorXd tau = some_numbers(random, m.tree.nv);
      ClosedForward first;
      ClosedInverse needed;
      for (const LoopMethodRow& row : loop_methods()) {
        if (!loop_refusal(row.method, m).empty()) continue;
        const std::string where = name + ", " + std::string(row.name);
        const ClosedForward r = dynamics.forward_dynamics(q, qd, tau, {}, row.method);
        if (first.qdd.size() == 0) {
          first = r;
          needed = dynamics.inverse_dynamics(q, qd, first.qdd);
        }
        motion.meet((r.qdd - first.qdd).norm() / (1 + first.qdd.norm()), where);
        rows.meet((r.lambda - first.lambda).norm() / (1 + first.lambda.norm()), where);
        const ClosedInverse i = dynamics.inverse_dynamics(q, qd, first.qdd, {}, row.method);
        force.meet((i.tau - needed.tau).norm() / (1 + needed.tau.norm() + first.lambda.norm()),
                   where);
      }
    });
  }
  for (const char* name :
       {"four-bar", "slider-crank", "five-bar", "five-bar-above", "carpet-scraper",
        "carpet-scraper-left", "planar-3rrr", "delta", "stewart-gough", "andrews", "bricard",
        "n-four-bar-2", "n-four-bar-40", "flyball-governor", "knee", "ankle"})
    EXPECT_EQ(machines.count(name), 1u) << name;
}

}  // namespace
}  // namespace catena::oracle
