// Configurations: integrate, difference, neutral, normalise, random.
#include <gtest/gtest.h>

#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

template <class C>
class Configurations : public ::testing::Test {};
TYPED_TEST_SUITE(Configurations, Scalars);

template <class C>
std::vector<C> difference_of(const Machine<C>& machine, const std::vector<C>& from,
                             const std::vector<C>& to) {
  std::vector<C> v(at(machine.m.nv));
  difference_configuration<C>(machine.m, from, to, v);
  return v;
}

// Poses do not see the sign of a quaternion.
template <class C>
double pose_difference(Machine<C>& machine, const std::vector<C>& a, const std::vector<C>& b) {
  const auto X = machine.poses(a), Y = machine.poses(b);
  double worst = 0;
  for (std::size_t i = 0; i < X.size(); ++i)
    worst = std::max(worst, difference(numbers(X[i]), numbers(Y[i])));
  return worst;
}

TYPED_TEST(Configurations, IntegrateUndoesDifference) {
  using C = TypeParam;
  Worst worst("integrate(a, difference(a, b)) = b, " + scalar_name<C>(), 100 * epsilon<C>());
  for_each_model(
      60,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        Machine<C> machine(m);
        const std::vector<C> a = random_state_of(machine, m, random).q,
                             b = random_state_of(machine, m, random).q;
        worst.meet(
            pose_difference(machine, machine.moved(a, difference_of(machine, a, b), C(1)), b),
            where);
        EXPECT_EQ(largest(difference_of(machine, a, a)) > 10 * epsilon<C>(), false) << where;
      },
      12);
}

// Steps of every size, as far as half a turn: there the way back is the same.
TYPED_TEST(Configurations, DifferenceUndoesIntegrate) {
  using C = TypeParam;
  Worst worst("difference(a, integrate(a, v)) = v, " + scalar_name<C>(), 20 * epsilon<C>());
  for (double size :
       {0.0, 1e-12, 1e-9, 1e-6, 0.9e-5, 1.1e-5, 0.9e-3, 1.1e-3, 0.02, 0.04, 0.3, 1.0, 1.8}) {
    for_each_model(
        10,
        [&](const Model& model, Random& random, const std::string& where) {
          const Mechanism<double> m = compile(model);
          Machine<C> machine(m);
          const std::vector<C> a = random_state_of(machine, m, random).q;
          std::vector<C> v(at(m.nv));
          for (C& x : v) x = C(static_cast<Constant<C>>(size * random.uniform()));
          // relative to the positions, which carry the rounding
          worst.meet(
              difference(difference_of(machine, a, machine.moved(a, v, C(1))), v, 3.2 + size),
              where + " step " + std::to_string(size));
        },
        12);
  }
}

// A constant velocity is one motion: two steps of half the time lead to the same place.
TYPED_TEST(Configurations, TwoHalfStepsAreOneStep) {
  using C = TypeParam;
  Worst worst("two half steps, " + scalar_name<C>(), 100 * epsilon<C>());
  for_each_model(
      40,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        Machine<C> machine(m);
        const State<C> s = random_state_of(machine, m, random);
        const std::vector<C> half = machine.moved(s.q, s.qd, C(0.5));
        worst.meet(pose_difference(machine, machine.moved(half, s.qd, C(0.5)),
                                   machine.moved(s.q, s.qd, C(1))),
                   where);
      },
      12);
}

TYPED_TEST(Configurations, SmallQuaternionStepsKeepTheirDigits) {
  using C = TypeParam;
  Random random(5);
  const Mechanism<double> m = compile(single_joint(random, JointKind::spherical));
  Machine<C> machine(m);
  const std::vector<C> neutral{C(0), C(0), C(0), C(1)};
  for (double size : {1e-3, 0.9e-3, 1.1e-3, 1e-5, 3e-2, 1e-8, 1.0, 3.0}) {
    const std::vector<C> v{C(static_cast<Constant<C>>(size)), C(0), C(0)};
    const std::vector<C> back = difference_of(machine, neutral, machine.moved(neutral, v, C(1)));
    EXPECT_LE(difference(back, v), 20 * epsilon<C>()) << size;
  }
}

TYPED_TEST(Configurations, KeepUnitQuaternions) {
  using C = TypeParam;
  Random random(6);
  const Mechanism<double> m = compile(single_joint(random, JointKind::free));
  Machine<C> machine(m);
  State<C> s = random_state_of(machine, m, random);
  for (int i = 0; i < 1000; ++i) s.q = machine.moved(s.q, s.qd, C(0.125));
  EXPECT_LE(magnitude(normalise_configuration<C>(machine.m, s.q)), 4 * epsilon<C>());
  for (int k = 3; k < 7; ++k) s.q[at(k)] = s.q[at(k)] * C(1.5);
  EXPECT_NEAR(to_double(normalise_configuration<C>(machine.m, s.q)), 0.5, 1e-5);
  EXPECT_LE(to_double(normalise_configuration<C>(machine.m, s.q)), 2 * epsilon<C>());
}

TYPED_TEST(Configurations, NeutralIsWhereJointsDoNothing) {
  using C = TypeParam;
  for_each_model(
      20,
      [&](const Model& model, Random&, const std::string& where) {
        const Mechanism<double> m = compile(model);
        std::vector<C> q(at(m.nq), C(7));
        neutral_configuration<C>(cast<C>(m), q);
        for (const JointInfo& j : m.names->joints) {
          for (int k = 0; k < j.nq; ++k) {
            const bool w = k + 1 == j.nq && j.nq != j.nv;
            EXPECT_EQ(to_double(q[at(j.q + k)]), w ? 1.0 : 0.0) << where;
          }
        }
      },
      12);
}

TEST(Configuration, BothSignsOfAQuaternionAreTheSameAttitude) {
  Random random(8);
  const Mechanism<double> m = compile(single_joint(random, JointKind::free));
  Machine<double> machine(m);
  for (int i = 0; i < 50; ++i) {
    const std::vector<double> from = random_state(m, random).q, to = random_state(m, random).q;
    std::vector<double> other = to, back = from;
    for (int k = 3; k < 7; ++k) other[at(k)] = -to[at(k)], back[at(k)] = -from[at(k)];
    const std::vector<double> v = difference_of(machine, from, to);
    EXPECT_LE(std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]), M_PI * (1 + 1e-15));
    EXPECT_LE(difference(difference_of(machine, from, other), v), 1e-14);
    EXPECT_LE(largest(difference_of(machine, from, back)), 1e-15);
  }
}

TEST(Configuration, RandomOnesAreWithinLimitsAndReproducible) {
  Random random(9);
  TreeOptions options;
  options.bodies = 30, options.limits = true;
  const Mechanism<double> m = compile(random_model(random, options));
  std::mt19937_64 a(1), b(1);
  std::vector<double> q(at(m.nq)), r(at(m.nq));
  double lowest = 0, highest = 0;
  for (int i = 0; i < 200; ++i) {
    random_configuration(m, a, q);
    random_configuration(m, b, r);
    EXPECT_EQ(q, r);
    for (const JointInfo& j : m.names->joints) {
      if (j.nq != 1) continue;
      EXPECT_GE(q[at(j.q)], j.limits.lower);
      EXPECT_LE(q[at(j.q)], j.limits.upper);
      const double share = (q[at(j.q)] - j.limits.lower) / (j.limits.upper - j.limits.lower);
      lowest = std::max(lowest, 1 - share), highest = std::max(highest, share);
    }
    std::vector<double> unit = q;
    EXPECT_LE(normalise_configuration<double>(m, unit), 1e-15);
  }
  EXPECT_GT(lowest, 0.99);  // the whole range is used
  EXPECT_GT(highest, 0.99);
}

TEST(Configuration, RandomOnesRespectASingleLimitFarAway) {
  Random random(10);
  const double inf = std::numeric_limits<double>::infinity();
  for (const auto& [lower, upper] :
       {std::pair<double, double>{5, inf}, {-inf, -5}, {2, inf}, {4, 4}}) {
    Model model = single_joint(random, JointKind::revolute);
    model.joints[0].limits.lower = lower, model.joints[0].limits.upper = upper;
    const Mechanism<double> m = compile(model);
    for (int i = 0; i < 20; ++i) {
      std::vector<double> q(1);
      random_configuration(m, random.generator(), q);
      EXPECT_GE(q[0], lower);
      EXPECT_LE(q[0], upper);
    }
  }
}

}  // namespace
}  // namespace catena::oracle
