// Rollouts against the integrators of the simulation, which step one trajectory at a time, and
// against laws that know no integrator.
#include <gtest/gtest.h>

#include <cmath>

#include "batch/states.hpp"
#include "catena/kinematics/energy.hpp"
#include "catena/simulation/forces.hpp"
#include "catena/simulation/integrator.hpp"
#include "catena/simulation/tree_system.hpp"

namespace catena::oracle {
namespace {

class HeldForces final : public Forces {
 public:
  explicit HeldForces(std::vector<double> tau) : tau_(std::move(tau)) {}
  void add(double, System::In, System::In, System::Out tau, std::span<Force<double>>) override {
    for (std::size_t v = 0; v < tau.size(); ++v) tau[v] += tau_[v];
  }

 private:
  std::vector<double> tau_;
};

// A tree of any joints without dry friction, which a simulation lets hold.
Mechanism<double> smooth_tree(Random& random, int bodies, bool floating) {
  catena::oracle::TreeOptions options;
  options.bodies = bodies, options.floating = floating, options.passive = true;
  Mechanism<double> m = compile(random_model(random, options));
  for (double& c : m.coulomb) c = 0;
  return m;
}

// The differences of positions as velocities, so that quaternions count as turns.
template <class E>
double position_error(const Mechanism<double>& m, std::span<const E> a, const Eigen::VectorXd& b) {
  std::vector<double> from(a.begin(), a.end()), to(b.begin(), b.end()), d(at(m.nv));
  normalise_configuration<double>(m, from);
  difference_configuration<double>(m, from, to, d);
  return largest(d);
}

template <class E>
class Rollouts : public ::testing::Test {};
using RolloutScalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Rollouts, RolloutScalars);

TYPED_TEST(Rollouts, StepAsTheIntegratorsDo) {
  using E = TypeParam;
  Worst worst("rollout beside integrator, " + scalar_name<E>(), 50 * epsilon<E>());
  for (int i = 0; i < 8; ++i) {
    Random random(300 + static_cast<std::uint64_t>(i));
    const Mechanism<double> m = smooth_tree(random, 1 + i, i % 2 == 1);
    if (m.nv == 0) continue;
    ManyStates<E> s(m, 9, random);
    for (E& x : s.qd) x *= E(3);  // turns of up to 0.15 rad in a step
    Batch<E> batch(s.m);
    const E h = E(1. / 32);
    const int steps = 6;
    for (Stepper stepper : {Stepper::rk4, Stepper::euler}) {
      std::vector<E> q(s.n * 2 * s.nq), qd(s.n * 2 * s.nv);
      ASSERT_TRUE(batch.rollout({stepper, h, steps, 3}, s.q, s.qd, s.tau, q, qd));
      for (std::size_t k = 0; k < s.n; k += 4) {
        TreeSystem system(m, formulations<double>().front());
        const State<E> start = s.one(k);
        const auto d = [](const std::vector<E>& x) {
          return std::vector<double>(x.begin(), x.end());
        };
        system.add_forces(std::make_shared<HeldForces>(d(start.tau)));
        IntegratorOptions options;
        options.step = static_cast<double>(h);
        const auto integrator =
            make_integrator(stepper == Stepper::rk4 ? "rk4" : "euler", system, options);
        integrator->start(0, d(start.q), d(start.qd));
        for (int step = 1; step <= steps; ++step) {
          integrator->step(1e9);
          if (step % 3 != 0) continue;
          const std::size_t place = 2 * k + at(step / 3) - 1;
          const std::string where = "tree " + std::to_string(i) + ", step " + std::to_string(step);
          const double speed = 1 + integrator->v().cwiseAbs().maxCoeff();
          worst.meet(position_error<E>(m, {q.data() + place * s.nq, s.nq}, integrator->q()) / speed,
                     where);
          double error = 0;
          for (std::size_t v = 0; v < s.nv; ++v)
            error = std::max(error, std::abs(static_cast<double>(qd[place * s.nv + v]) -
                                             integrator->v()[static_cast<Eigen::Index>(v)]));
          worst.meet(error / speed, where);
        }
      }
    }
  }
}

// Turns beyond one radian in a step, where series end and closed forms begin: a body that turns at
// a constant rate about a principal axis is at angle w t after any step.
TYPED_TEST(Rollouts, TurnFarInAStep) {
  using E = TypeParam;
  for (JointKind kind : {JointKind::spherical, JointKind::free}) {
    Model model;
    Body top;
    top.name = "top", top.mass = 2, top.inertia = {1, 0, 0, 1, 0, 2};
    model.bodies = {top};
    model.gravity = {0, 0, 0};
    Joint joint;
    joint.name = "ball", joint.kind = kind, joint.parent = "world", joint.child = "top";
    model.joints = {joint};
    const Mechanism<double> m = compile(model);
    Random random(2);
    ManyStates<E> s(m, 20, random);
    const std::size_t at_w = kind == JointKind::free ? 5 : 2;  // z of the quaternion
    std::fill(s.q.begin(), s.q.end(), E(0)), std::fill(s.qd.begin(), s.qd.end(), E(0));
    for (std::size_t i = 0; i < s.n; ++i) {
      s.q[i * s.nq + at_w + 1] = E(1);
      s.qd[i * s.nv + 2] = E(0.11) * E(i);  // about z, up to 2.1 rad in a step
      if (kind == JointKind::free) s.qd[i * s.nv + 5] = E(0.5);
    }
    Batch<E> batch(s.m);
    for (Stepper stepper : {Stepper::rk4, Stepper::euler}) {
      std::vector<E> q(s.q.size()), qd(s.qd.size());
      ASSERT_TRUE(batch.rollout({stepper, E(1), 3}, s.q, s.qd, {}, q, qd));
      for (std::size_t i = 0; i < s.n; ++i) {
        const double angle = 3 * static_cast<double>(s.qd[i * s.nv + 2]);
        EXPECT_NEAR(q[i * s.nq + at_w], std::sin(angle / 2), 10 * epsilon<E>()) << i;
        EXPECT_NEAR(q[i * s.nq + at_w + 1], std::cos(angle / 2), 10 * epsilon<E>()) << i;
        if (kind == JointKind::free) {
          EXPECT_NEAR(q[i * s.nq + 2], 1.5, 10 * epsilon<E>()) << i;
        }
      }
    }
  }
}

// Forces that change from step to step are those of that step: two steps with their own forces are
// one step each.
TYPED_TEST(Rollouts, TakeForcesStepByStep) {
  using E = TypeParam;
  Random random(12);
  const Mechanism<double> m = smooth_tree(random, 5, true);
  const ManyStates<E> s(m, 21, random);
  Batch<E> batch(s.m);
  std::vector<E> forces(s.n * 2 * s.nv), first(s.n * s.nv), second(s.n * s.nv);
  for (std::size_t i = 0; i < s.n; ++i) {
    for (std::size_t v = 0; v < s.nv; ++v) {
      first[i * s.nv + v] = forces[(2 * i) * s.nv + v] = static_cast<E>(random.uniform(-1, 1));
      second[i * s.nv + v] = forces[(2 * i + 1) * s.nv + v] = static_cast<E>(random.uniform(-1, 1));
    }
  }
  std::vector<E> q(s.n * 2 * s.nq), qd(s.n * 2 * s.nv), q1(s.q.size()), qd1(s.qd.size()), q2 = q1,
                                                                                          qd2 = qd1;
  ASSERT_TRUE(batch.rollout({Stepper::rk4, E(0.01), 2, 1}, s.q, s.qd, forces, q, qd));
  ASSERT_TRUE(batch.rollout({Stepper::rk4, E(0.01), 1}, s.q, s.qd, first, q1, qd1));
  ASSERT_TRUE(batch.rollout({Stepper::rk4, E(0.01), 1}, q1, qd1, second, q2, qd2));
  for (std::size_t i = 0; i < s.n; ++i) {
    EXPECT_TRUE(same_bits<E>(s.part(q, 2 * i, 1, s.nq), s.part(q1, i, 1, s.nq)));
    EXPECT_TRUE(same_bits<E>(s.part(q, 2 * i + 1, 1, s.nq), s.part(q2, i, 1, s.nq)));
    EXPECT_TRUE(same_bits<E>(s.part(qd, 2 * i + 1, 1, s.nv), s.part(qd2, i, 1, s.nv)));
  }
}

}  // namespace
}  // namespace catena::oracle
