// Parallel manipulators: base, platform and legs from the graph, and the three-factor DeNOC.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/denoc_parallel.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/cut_joints.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"
#include "oracles/maximal.hpp"
#include "oracles/random_mechanism.hpp"

namespace catena::oracle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

Model parallel_machine(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}
std::vector<double> list_of(const VectorXd& v) { return {v.begin(), v.end()}; }
VectorXd random_rates(Random& random, Eigen::Index n) {
  VectorXd v(n);
  for (double& x : v) x = random.uniform();
  return v;
}

// "platform: leg / leg", legs as their joints
std::string structure_text(const Model& model) {
  const ClosedMechanism m = compile_closed(model);
  const JointGraph graph = joint_graph(m);
  const ParallelStructure s = parallel_structure(graph);
  if (!s.refusal.empty()) return s.refusal;
  std::string text =
      s.platform >= 0 ? graph.bodies[at(s.platform)] : "joint " + graph.edges[at(s.meeting)].name;
  for (const Leg& leg : s.legs) {
    text += " /";
    for (const LegJoint& j : leg.joints) text += " " + graph.edges[at(j.edge)].name;
  }
  return text;
}

TEST(ParallelStructure, IsFoundInTheMachinesOfTheRepository) {
  const std::map<std::string, std::string> right{
      {"five-bar", "joint tip / leg1_joint1 leg1_joint2 tip / leg2_joint1 leg2_joint2 tip"},
      {"four-bar", "coupler / crank crank_pin / rocker_pivot rocker_pin"},
      {"planar-3rrr",
       "platform / leg1_joint1 leg1_joint2 leg1_joint3 / leg2_joint1 leg2_joint2 leg2_joint3 / "
       "leg3_joint1 leg3_joint2 leg3_joint3"},
      {"carpet-scraper",
       "body_I_2 / I_1 I_2 / II_1 lambda_1 / III_1_0 III_2_0 III_1_1 III_3_0 lambda_2 lambda_3"}};
  for (const auto& [name, text] : right) EXPECT_EQ(structure_text(parallel_machine(name)), text);
  EXPECT_EQ(structure_text(parallel_machine("delta")).substr(0, 63),
            "platform / platform_pose / arm1 elbow1a elbow1b ball1a ball1b /");
  EXPECT_EQ(structure_text(parallel_machine("stewart-gough")).substr(0, 64),
            "platform / platform_pose / foot1 leg1 ball1 / foot2 leg2 ball2 /");
}

TEST(ParallelStructure, ARefusalSaysWhatIsMissing) {
  EXPECT_EQ(structure_text(parallel_machine("knee")),
            "no loop passes through the ground, so that there is no base: loop 'lever' closes "
            "between moving bodies");
  EXPECT_EQ(structure_text(parallel_machine("flyball-governor")),
            "it has no closed loop, and so no platform");
  EXPECT_EQ(structure_text(parallel_machine("n-four-bar-40")),
            "with 'link1' as platform, 'bar2', 'link2', 'bar3', 'link3', ... are no leg: 39 joints "
            "lead to the ground");
  // a leg with a loop of its own: a bar beside two links of the first leg
  Model model = parallel_machine("planar-3rrr");
  Loop extra;
  extra.name = "extra", extra.rod = true, extra.length = 0.3;
  extra.body1 = "leg2_link1", extra.body2 = "leg2_link2";
  model.loops.push_back(extra);
  EXPECT_EQ(
      structure_text(model),
      "with 'platform' as platform, 'leg2_link1', 'leg2_link2' are no leg: there is a loop among "
      "them");
  ClosedDynamics dynamics(parallel_machine("knee"));
  const VectorXd q = dynamics.mechanism().start, zero = VectorXd::Zero(4);
  try {
    dynamics.forward_dynamics(q, zero, zero, {}, LoopMethod::denoc_parallel);
    ADD_FAILURE() << "the knee was taken for a parallel manipulator";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "'denoc-parallel' cannot do 'knee': it is not a parallel manipulator: no loop "
                 "passes through the ground, so that there is no base: loop 'lever' closes between "
                 "moving bodies\n    choose one of: multipliers, kkt, null-space, subsystems, "
                 "homogeneous");
  }
}

// The same machine, whichever joint is cut.
TEST(ParallelStructure, DoesNotDependOnTheCutJoints) {
  Model graph = parallel_machine("five-bar");
  Joint tip;  // the cut joint as one of the graph
  tip.name = "tip", tip.kind = JointKind::revolute, tip.axis = {0, 0, 1};
  tip.parent = "leg1_link2", tip.child = "leg2_link2";
  tip.X_PJ.p = {1.1, 0, 0}, tip.X_MB.p = {-1.2, 0, 0};
  graph.loops.clear();
  graph.joints.push_back(tip);
  for (const char* driven : {"tip", "leg1_joint2"}) {
    Model model = graph;
    model.actuators = {{driven, {}}, {"leg1_joint1", {}}};
    model = with_cut_joints(model);
    EXPECT_EQ(model.loops.size(), 1u);
    EXPECT_NE(structure_text(model).find("joint tip"), std::string::npos) << structure_text(model);
    ClosedDynamics dynamics(model);
    const ClosedMechanism& m = dynamics.mechanism();
    const Assembly a = assemble(m, dynamics.state(), m.start);
    ASSERT_TRUE(a.closed);
    Random random(5);
    const MatrixXd G = null_space(dynamics.state().jacobian());
    const VectorXd qd = G * random_rates(random, 2), tau = random_rates(random, 4);
    const VectorXd right = Maximal(model, coordinate_order(m.tree))
                               .compute(list_of(a.q), list_of(qd), list_of(tau))
                               .qdd.cast<double>();
    const ClosedForward r = dynamics.forward_dynamics(a.q, qd, tau, {}, LoopMethod::denoc_parallel);
    EXPECT_LT((r.qdd - right).norm(), 1e-10 * (1 + right.norm())) << driven;
  }
}

// By hand: the end point P moves as Phi v_P = Σ d_l d_lᵀ (joint l x (P - A_l)) th_l, d_l along the
// distal links, Phi = d_1 d_1ᵀ + d_2 d_2ᵀ.
TEST(ParallelMotion, FiveBarHasTheJacobianOfItsDistalLinks) {
  ClosedDynamics dynamics(parallel_machine("five-bar"));
  const ClosedMechanism& m = dynamics.mechanism();
  const DenocParallel method(m);
  Assembly a = assemble(m, dynamics.state(), m.start);
  for (int i = 0; i < 20; ++i) {
    VectorXd target = a.q;
    target[0] += 0.04, target[2] += 0.03;
    a = follow(m, dynamics.state(), a.q, target, {1, 0, 1, 0});
    ASSERT_TRUE(a.closed) << i;
    dynamics.state().set_motion(a.q, VectorXd::Zero(4));
    const ParallelMotion motion = method.motion(dynamics.state());
    EXPECT_EQ(motion.independent, (std::vector<int>{0, 2}));
    const auto u = [](double angle) { return Eigen::Vector2d(std::cos(angle), std::sin(angle)); };
    const Eigen::Vector2d d1 = u(a.q[0] + a.q[1]), d2 = u(a.q[2] + a.q[3]);
    const Eigen::Vector2d P = 0.6 * u(a.q[0]) + 1.1 * d1, A2(1.2, 0);
    EXPECT_LT((P - (A2 + 0.7 * u(a.q[2]) + 1.2 * d2)).norm(), 1e-12);
    EXPECT_NEAR(motion.point.x, P.x(), 1e-12);
    const Eigen::Matrix2d Phi = d1 * d1.transpose() + d2 * d2.transpose();
    const auto turned = [](const Eigen::Vector2d& r) { return Eigen::Vector2d(-r.y(), r.x()); };
    Eigen::Matrix2d right;
    right.col(0) = d1 * d1.dot(turned(P)), right.col(1) = d2 * d2.dot(turned(P - A2));
    right = Phi.inverse() * right;
    const MatrixXd ours = motion.length * motion.J.block(3, 0, 2, 2);
    EXPECT_LT((ours - right).norm(), 1e-11 * right.norm()) << i;
  }
}

// J and G against the motion itself: differences of the platform's pose along the loops.
TEST(ParallelMotion, JacobianMatchesTheTwistOfThePlatform) {
  Worst twist("platform's twist against J th", 1e-12), rates("rates that the rows allow", 1e-12);
  Random random(3);
  for (const char* name : {"planar-3rrr", "delta", "stewart-gough"}) {
    ClosedDynamics dynamics(parallel_machine(name));
    const ClosedMechanism& m = dynamics.mechanism();
    const DenocParallel method(m);
    const Assembly a = assemble(m, dynamics.state(), m.start);
    ASSERT_TRUE(a.closed);
    const MatrixXd G = null_space(dynamics.state().jacobian());
    for (int i = 0; i < 5; ++i) {
      const VectorXd qd = G * random_rates(random, G.cols());
      dynamics.state().set_motion(a.q, qd);
      const ParallelMotion motion = method.motion(dynamics.state());
      VectorXd th(motion.G.cols());
      for (Eigen::Index k = 0; k < th.size(); ++k) th[k] = qd[motion.independent[std::size_t(k)]];
      rates.meet((motion.G * th - qd).norm() / qd.norm(), name);
      const int body = method.graph().first_body[at(method.structure().platform)];
      const BodyInWorld& platform = dynamics.state().bodies()[at(body)];
      const VectorXd t = motion.J * th;
      const double l = motion.length;
      const VectorXd right = (VectorXd(6) << platform.w.x, platform.w.y, platform.w.z,
                              platform.v.x / l, platform.v.y / l, platform.v.z / l)
                                 .finished();
      twist.meet((t - right).norm() / (1 + right.norm()), name);
    }
  }
}

// f(case, dynamics, qd, random, name) for random parallel manipulators away from singularities.
template <class F>
void for_each_parallel(int count, F f, std::uint64_t seed) {
  int used = 0;
  for (int i = 0; used < count && i < 3 * count; ++i) {
    Random random(seed * 7919 + static_cast<std::uint64_t>(i));
    const ClosedCase c = random_parallel(random);
    ClosedDynamics dynamics(c.model);
    dynamics.state().set_position(c.q);
    const RowMatrix K = dynamics.state().jacobian();
    if (mobility_of(K).smallest < 1e-3) continue;
    const MatrixXd G = null_space(K);
    const VectorXd qd = G * random_rates(random, G.cols());
    ++used;
    f(c, dynamics, qd, random, "parallel " + std::to_string(i));
  }
  EXPECT_EQ(used, count);
}

TEST(RandomParallel, MatchesMaximalCoordinates) {
  Worst methods("all methods against maximal coordinates", 1e-9);
  Worst alone("denoc-parallel against maximal coordinates", 1e-9);
  Worst forces("lambda of the methods among each other", 1e-9);
  std::set<std::size_t> legs;
  bool forked = false;
  for_each_parallel(
      60,
      [&](const ClosedCase& c, ClosedDynamics& dynamics, const VectorXd& qd, Random& random,
          const std::string& where) {
        const ClosedMechanism& m = dynamics.mechanism();
        ASSERT_EQ(denoc_parallel_refusal(m), "") << where;
        const ParallelStructure s = DenocParallel(m).structure();
        legs.insert(s.legs.size());
        for (const Leg& leg : s.legs) {
          int tips = 0;
          for (const LegJoint& j : leg.joints) tips += j.at_platform;
          forked = forked || tips > 1;
        }
        const VectorXd tau = random_rates(random, m.tree.nv);
        const VectorXd right = Maximal(c.model, coordinate_order(m.tree))
                                   .compute(list_of(c.q), list_of(qd), list_of(tau))
                                   .qdd.cast<double>();
        ClosedForward first;
        for (const LoopMethodRow& row : loop_methods()) {
          const ClosedForward r = dynamics.forward_dynamics(c.q, qd, tau, {}, row.method);
          Worst& worst = row.method == LoopMethod::denoc_parallel ? alone : methods;
          worst.meet((r.qdd - right).norm() / (1 + right.norm()),
                     where + " " + std::string(row.name));
          if (first.lambda.size() == 0) first = r;
          forces.meet((r.lambda - first.lambda).norm() / (1 + first.lambda.norm()),
                      where + " " + std::string(row.name));
        }
      },
      41);
  EXPECT_GE(legs.size(), 4u);
  EXPECT_TRUE(forked);
}

TEST(RandomParallel, InverseDynamicsGivesTheForcesBack) {
  Worst same("forces and lambda of the actuators", 1e-8);
  for_each_parallel(
      60,
      [&](const ClosedCase& c, ClosedDynamics&, const VectorXd& qd, Random& random,
          const std::string& where) {
        const Actuation actuation = with_actuators(c, random);
        if (!actuation.holds || !actuation.exact) return;
        ClosedDynamics dynamics(actuation.model);
        VectorXd tau = VectorXd::Zero(dynamics.mechanism().tree.nv);
        for (const int v : dynamics.mechanism().actuated) tau[v] = random.uniform();
        const ClosedForward forward = dynamics.forward_dynamics(c.q, qd, tau);
        const ClosedInverse back =
            dynamics.inverse_dynamics(c.q, qd, forward.qdd, {}, LoopMethod::denoc_parallel);
        const double size = 1 + forward.qdd.norm() + forward.lambda.norm();
        same.meet((back.tau - tau).norm() / size, where);
        same.meet((back.lambda - forward.lambda).norm() / size, where);
        EXPECT_EQ(back.unbalanced_motion.size(), 0) << where;
      },
      43);
}

// N_l N_c N_d th, written down, against twists that add up along the legs.
TEST(RandomParallel, ThreeFactorsGiveTheTwistsOfAllSteps) {
  Worst twists("N_l N_c N_d th against sums along the legs", 1e-9);
  Worst triangle("N_l above its diagonal", 0);
  const auto check = [&](const ClosedMechanism& m, LoopState& state, const VectorXd& q,
                         const VectorXd& qd, const std::string& where) {
    state.set_motion(q, qd);
    const ParallelMotion motion = DenocParallel(m).motion(state);
    const ParallelFactors N = parallel_factors(motion);
    VectorXd th(motion.G.cols());
    for (Eigen::Index k = 0; k < th.size(); ++k) th[k] = qd[motion.independent[std::size_t(k)]];
    const VectorXd t = N.N_l * N.N_c * N.N_d * th;
    triangle.meet(MatrixXd(N.N_l.triangularView<Eigen::StrictlyUpper>()).norm(), where);
    Eigen::Index block = 0;
    for (const LegMotion& leg : motion.legs) {
      std::vector<Vector6> sum;
      for (const LegStep& step : leg.steps) {
        sum.push_back(step.before < 0 ? Vector6(Vector6::Zero()) : sum[at(step.before)]);
        const Vector6 ours = t.segment<6>(6 * block++);
        if (step.velocity >= 0) {
          sum.back() += step.p * qd[step.velocity];
          twists.meet((ours - sum.back()).norm() / (1 + qd.norm()), where);
        } else {
          sum.back() = ours;  // the rate of a cut joint is no coordinate
        }
      }
      // the tips move with the platform
      for (std::size_t i = 0; i < leg.steps.size(); ++i) {
        bool last = true;
        for (const LegStep& step : leg.steps) last = last && step.before != static_cast<int>(i);
        if (last)
          twists.meet((sum[i] - motion.J * th).norm() / (1 + qd.norm()), where + " at its tip");
      }
    }
  };
  for_each_parallel(
      40,
      [&](const ClosedCase& c, ClosedDynamics& dynamics, const VectorXd& qd, Random&,
          const std::string& where) {
        // where two legs meet in a joint, tips and platform differ by its motion
        if (DenocParallel(dynamics.mechanism()).structure().meeting >= 0) return;
        check(dynamics.mechanism(), dynamics.state(), c.q, qd, where);
      },
      47);
  Random random(1);
  for (const char* name : {"planar-3rrr", "delta", "stewart-gough"}) {
    ClosedDynamics dynamics(parallel_machine(name));
    const ClosedMechanism& m = dynamics.mechanism();
    const Assembly a = assemble(m, dynamics.state(), m.start);
    const MatrixXd G = null_space(dynamics.state().jacobian());
    check(m, dynamics.state(), a.q, G * random_rates(random, G.cols()), name);
  }
}

// Over their range of motion.
TEST(ParallelRobots, MatchMaximalCoordinatesOverTheirWorkspace) {
  Worst worst("three robots against maximal coordinates", 1e-9);
  Worst back("their drives from inverse dynamics", 1e-9);
  Random random(9);
  const std::map<std::string, double> reach{
      {"planar-3rrr", 0.2}, {"delta", 0.4}, {"stewart-gough", 0.15}};
  for (const auto& [name, size] : reach) {
    const Model model = parallel_machine(name);
    ClosedDynamics dynamics(model);
    const ClosedMechanism& m = dynamics.mechanism();
    const Maximal oracle(model, coordinate_order(m.tree));
    const Assembly start = assemble(m, dynamics.state(), m.start);
    std::vector<char> held(at(m.tree.nv), 0);
    for (const int v : m.actuated) held[at(v)] = 1;
    int reached = 0;
    for (int i = 0; i < 10; ++i) {
      const std::string where = name + " " + std::to_string(i);
      VectorXd target = start.q;
      for (const JointInfo& j : m.tree.names->joints) {
        if (j.nv == 1 && held[at(j.v)] != 0) target[j.q] += size * random.uniform();
      }
      const Assembly a = follow(m, dynamics.state(), start.q, target, held);
      if (!a.closed) continue;
      ++reached;
      VectorXd rates = VectorXd::Zero(m.tree.nv), tau = rates;
      for (const int v : m.actuated) rates[v] = random.uniform(), tau[v] = 10 * random.uniform();
      const VectorXd qd =
          complete_rates(dynamics.state().jacobian(), VectorXd::Zero(m.num_rows()), rates, held)
              .rates;
      const VectorXd right =
          oracle.compute(list_of(a.q), list_of(qd), list_of(tau)).qdd.cast<double>();
      for (const LoopMethodRow& row : loop_methods()) {
        const ClosedForward r = dynamics.forward_dynamics(a.q, qd, tau, {}, row.method);
        worst.meet((r.qdd - right).norm() / (1 + right.norm()),
                   where + " " + std::string(row.name));
        const ClosedInverse inverse = dynamics.inverse_dynamics(a.q, qd, right, {}, row.method);
        back.meet((inverse.tau - tau).norm() / (1 + r.lambda.norm()),
                  where + " " + std::string(row.name));
      }
    }
    EXPECT_GE(reached, 6) << name;
  }
}

}  // namespace
}  // namespace catena::oracle
