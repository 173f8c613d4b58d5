// Subsystems of closed chains: found from the tree, solved in the order in which they can be.
#include <gtest/gtest.h>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/subsystems.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"
#include "oracles/maximal.hpp"
#include "oracles/random_mechanism.hpp"

namespace catena::oracle {
namespace {

using Eigen::VectorXd;

Model subsystem_machine(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}

SubsystemPlan plan_at_start(const Model& model) {
  const ClosedMechanism m = compile_closed(model);
  LoopState state(m);
  const Assembly a = assemble(m, state, m.start);
  EXPECT_TRUE(a.closed);
  state.set_position(a.q);
  return plan_subsystems(m, state.jacobian(), m.actuated);
}

// "III I II+IV"
std::string order_of(const SubsystemPlan& plan) {
  std::string text;
  for (const SubsystemStep& step : plan.steps) {
    text += text.empty() ? "" : " ";
    for (std::size_t i = 0; i < step.subsystems.size(); ++i)
      text += (i > 0 ? "+" : "") + plan.subsystems[at(step.subsystems[i])].name;
  }
  return text;
}

// [Saha, 4.4]: 2, 1 and 4 freedoms; III has four unknowns and comes first, then I, then II.
TEST(Subsystems, OfTheCarpetScraperAreThoseOfThePaper) {
  for (const char* name : {"carpet-scraper", "carpet-scraper-left"}) {
    Model model = subsystem_machine(name);
    for (Joint& j : model.joints) j.name = "renamed_" + j.name;  // names do not matter
    for (Actuator& a : model.actuators) a.joint = "renamed_" + a.joint;
    for (StartPosition& s : model.start) s.joint = "renamed_" + s.joint;
    const SubsystemPlan plan = plan_at_start(model);
    ASSERT_EQ(plan.subsystems.size(), 3u);
    const int freedoms[] = {2, 1, 4}, unknowns[] = {6, 3, 4};
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_EQ(static_cast<int>(plan.subsystems[j].velocities.size()), freedoms[j]);
      EXPECT_EQ(plan.subsystems[j].unknowns, unknowns[j]);
      EXPECT_EQ(plan.subsystems[j].determinate, j == 2);
    }
    EXPECT_EQ(order_of(plan), "III I II");
    for (const SubsystemStep& step : plan.steps) EXPECT_TRUE(step.determinate);
    EXPECT_EQ(plan.steps[0].closures, (std::vector<int>{1, 2}));
    EXPECT_EQ(plan.steps[1].closures, (std::vector<int>{0}));
    EXPECT_EQ(plan.steps[2].drives.size(), 1u);
  }
}

// [Saha, fig. 17]: a four-bar whose coupler hangs on the crank has no determinate subsystem; one
// whose coupler hangs on the rocker has, with two freedoms and the two forces of the cut crank pin.
TEST(Subsystems, OfAFourBarDependOnTheCut) {
  Model model = subsystem_machine("four-bar");
  EXPECT_EQ(order_of(plan_at_start(model)), "I+II");
  std::swap(model.joints[1], model.joints[2]);
  Joint& pin = model.joints[2];
  Loop& loop = model.loops[0];
  const Vec3<double> on_coupler = loop.X_1L.p, on_crank = pin.X_PJ.p;
  pin.parent = "rocker";
  pin.X_PJ.p = loop.X_2L.p, pin.X_MB.p = -on_coupler;
  loop.body1 = "crank_link", loop.body2 = "coupler";
  loop.X_1L.p = on_crank, loop.X_2L.p = {0, 0, 0};
  model.start = {{"crank", {1.05}, {}}, {"rocker_pivot", {1.2}, {}}, {"crank_pin", {-0.7}, {}}};
  const SubsystemPlan plan = plan_at_start(model);
  EXPECT_EQ(order_of(plan), "II I");
  EXPECT_EQ(plan.subsystems[0].unknowns, 3);
  EXPECT_EQ(plan.subsystems[1].unknowns, 2);
}

TEST(Subsystems, OfMachinesAreSolvedInTheirOrder) {
  EXPECT_EQ(order_of(plan_at_start(subsystem_machine("andrews"))), "III IV I+II");
  EXPECT_EQ(order_of(plan_at_start(subsystem_machine("five-bar"))), "I+II");
  EXPECT_EQ(order_of(plan_at_start(subsystem_machine("slider-crank"))), "I");
  EXPECT_EQ(order_of(plan_at_start(subsystem_machine("planar-3rrr"))), "I+II+III");
}

// Joints that are geared to each other belong together.
TEST(Subsystems, AMimicTiesTwoTogether) {
  Model model = subsystem_machine("carpet-scraper");
  model.joints[3].mimic = Mimic{"II_1", 0.5, 0};  // III_1_0
  const std::vector<Subsystem> all = find_subsystems(compile_closed(model));
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[1].joints.size(), 5u);
  EXPECT_EQ(all[1].velocities.size(), 4u);
}

// Machines whose parts drive each other: branches on the ground, tied at their tips, with exactly
// as many actuators as freedoms.
TEST(Subsystems, OfRandomMechanismsGiveTheForcesOfMaximalCoordinates) {
  Worst forces("drives by subsystems", 1e-8), reactions("lambda by subsystems", 1e-8);
  Worst accelerations("accelerations by subsystems against maximal coordinates", 1e-9);
  int recursive = 0, together = 0;
  for (int i = 0; i < 240; ++i) {
    Random random(60013 + static_cast<std::uint64_t>(i));
    const ClosedCase c = i % 2 == 0 ? random_parallel(random) : random_mechanism(random);
    const Actuation actuation = with_actuators(c, random);
    if (!actuation.holds || !actuation.exact) continue;
    ClosedDynamics dynamics(actuation.model);
    const ClosedMechanism& m = dynamics.mechanism();
    dynamics.state().set_position(c.q);
    const RowMatrix K = dynamics.state().jacobian();
    if (mobility_of(K).smallest < 1e-3) continue;
    const SubsystemPlan plan = plan_subsystems(m, K, m.actuated);
    std::size_t largest = 0, ties = 0;
    for (const SubsystemStep& step : plan.steps) {
      largest = std::max(largest, step.subsystems.size());
      ties += step.closures.size();
    }
    if (ties == 0 || plan.subsystems.size() < 2) continue;
    recursive += plan.steps.size() > 1;
    together += largest > 1;
    const auto list = [](const VectorXd& v) { return std::vector<double>(v.begin(), v.end()); };
    VectorXd rates(m.tree.nv), tau = VectorXd::Zero(m.tree.nv);
    for (double& x : rates) x = random.uniform();
    for (const int v : m.actuated) tau[v] = random.uniform();
    const VectorXd qd = complete_rates(K, VectorXd::Zero(m.num_rows()), rates,
                                       [&] {
                                         std::vector<char> known(at(m.tree.nv), 0);
                                         for (const int v : m.actuated) known[at(v)] = 1;
                                         return known;
                                       }())
                            .rates;
    const std::string where = "mechanism " + std::to_string(i);
    const MaximalResult right =
        Maximal(actuation.model, coordinate_order(m.tree)).compute(list(c.q), list(qd), list(tau));
    const VectorXd qdd = right.qdd.cast<double>();
    const ClosedForward reference = dynamics.forward_dynamics(c.q, qd, tau);
    const double size = 1 + qdd.norm() + reference.lambda.norm();
    const ClosedForward r = dynamics.forward_dynamics(c.q, qd, tau, {}, LoopMethod::subsystems);
    accelerations.meet((r.qdd - qdd).norm() / (1 + qdd.norm()), where);
    reactions.meet((r.lambda - reference.lambda).norm() / size, where);
    const ClosedInverse back = dynamics.inverse_dynamics(c.q, qd, qdd, {}, LoopMethod::subsystems);
    forces.meet((back.tau - tau).norm() / size, where);
    reactions.meet((back.lambda - reference.lambda).norm() / size, where);
  }
  std::printf("  one after the other in %d mechanisms, some at once in %d\n", recursive, together);
  EXPECT_GE(recursive, 10);
  EXPECT_GE(together, 10);
}

}  // namespace
}  // namespace catena::oracle
