// The counting scalar: values of double, costs by hand.
#include <gtest/gtest.h>

#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

// What f costs.
template <class F>
OperationCount cost(F f) {
  Counting::count() = {};
  f();
  return Counting::count();
}

TEST(Counting, CountsOperationsOfVariables) {
  const Counting a = Counting::variable(3), b = Counting::variable(4);
  Counting r;
  const OperationCount n = cost([&] { r = (a * b + a - b) / a, r = sqrt(r * r); });
  EXPECT_EQ(n.multiplications, 2);
  EXPECT_EQ(n.additions, 2);
  EXPECT_EQ(n.divisions, 1);
  EXPECT_EQ(n.square_roots, 1);
  EXPECT_NEAR(r.value(), 11.0 / 3, 1e-15);
}

TEST(Counting, StructuralZerosAndOnesAreFree) {
  const Counting zero(0.0), one(1.0), minus(-1.0), x = Counting::variable(2.5);
  const OperationCount n = cost([&] {
    EXPECT_EQ((x * one).value(), 2.5);
    EXPECT_EQ((minus * x).value(), -2.5);
    EXPECT_EQ((x * zero).value(), 0);
    EXPECT_EQ((x + zero).value(), 2.5);
    EXPECT_EQ((zero - x).value(), -2.5);
    EXPECT_EQ((x / one).value(), 2.5);
    EXPECT_EQ((x * zero + x * one - zero).value(), 2.5);
    EXPECT_EQ((-x).value(), -2.5);
  });
  EXPECT_EQ(n.multiplications + n.additions + n.divisions, 0);
  EXPECT_EQ(n.raw_multiplications, 5);
  EXPECT_EQ(n.raw_additions, 4);
}

// A quantity that happens to be zero costs like any other.
TEST(Counting, VariablesAreNeverStructural) {
  const Counting zero = Counting::variable(0), one = Counting::variable(1),
                 x = Counting::variable(2);
  const OperationCount n = cost([&] { static_cast<void>(x * zero + x * one); });
  EXPECT_EQ(n.multiplications, 2);
  EXPECT_EQ(n.additions, 1);
  // and a structural zero stays one through products and sums
  const OperationCount m =
      cost([&] { static_cast<void>(x * (Counting(0.0) * x + Counting(0.0))); });
  EXPECT_EQ(m.multiplications + m.additions, 0);
}

TEST(Counting, TrigonometryCountsTwoForAnAngle) {
  Counting s, c;
  const OperationCount n = cost([&] { sincos(Counting::variable(0.3), s, c); });
  EXPECT_EQ(n.trigonometric, 2);
  EXPECT_DOUBLE_EQ(s.value(), std::sin(0.3));
  EXPECT_DOUBLE_EQ(c.value(), std::cos(0.3));
  EXPECT_EQ(sign(Counting::variable(-2)).value(), -1);
}

// Linear in the number of joints, and the same at every state: there are no branches on values.
TEST(Counting, CostOfAlgorithmsGrowsLinearlyAndDoesNotDependOnTheState) {
  auto costs = [](int n, std::uint64_t seed) {
    Random random(1);
    TreeOptions options;
    options.bodies = n, options.branching = 0, options.kinds = {JointKind::revolute};
    Model model = random_model(random, options);
    for (Joint& joint : model.joints)
      joint.X_PJ = {{}, {0.1, 0.2, 0.3}}, joint.axis = {0, 0, 1}, joint.X_MB = {};
    const Mechanism<double> m = compile(model);
    Machine<Counting> machine(m);
    Random states(seed);
    const State<Counting> s = random_state_of(machine, m, states, false);
    const OperationCount a = cost([&] { machine.inverse(s); }),
                         b = cost([&] { machine.forward(s); });
    return std::pair<long, long>(a.multiplications + a.additions, b.multiplications + b.additions);
  };
  EXPECT_EQ(costs(10, 1), costs(10, 2));
  const auto [i10, f10] = costs(10, 1);
  const auto [i20, f20] = costs(20, 1);
  const auto [i30, f30] = costs(30, 1);
  EXPECT_EQ(i30 - i20, i20 - i10);
  EXPECT_EQ(f30 - f20, f20 - f10);
}

}  // namespace
}  // namespace catena::oracle
