// What `denoc` costs on a general chain of n revolute joints, beside the tables of its papers.
// A division counts as a multiplication, as there.
#include <gtest/gtest.h>

#include "catena/analysis/count.hpp"
#include "catena/formulations/denoc/inverse_dynamics.hpp"
#include "catena/model/compile.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

std::int64_t multiplications(const OperationCount& c) { return c.multiplications + c.divisions; }

MethodCount counts(int n) {
  return count_operations(*find_formulation<Counting>("denoc"), compile(general_chain(n)));
}

TEST(DenocCounts, InverseDynamicsCostsLessThanRidim) {
  for (int n = 2; n < 30; ++n) {
    const OperationCount c = counts(n).inverse;
    EXPECT_EQ(multiplications(c), 116 * n - 115);
    EXPECT_EQ(c.additions, 92 * n - 103);
    EXPECT_LE(multiplications(c), 120 * n - 44);
    EXPECT_LE(c.additions, 97 * n - 55);
  }
}

TEST(DenocCounts, TwistsAboutCentresCostLessThanRidim) {
  for (int n = 2; n < 30; ++n) {
    const Mechanism<Counting> m = cast<Counting>(compile(general_chain(n)));
    const auto centres = denoc::mass_centres(m);
    Workspace<Counting> w(m, denoc::room<Counting>(m));
    const std::vector<Counting> x(index(n), Counting::variable(0.3));
    std::vector<Counting> tau(index(n));
    Counting::count() = {};
    denoc::inverse_dynamics_about_centres<Counting>(m, centres.data(), x.data(), x.data(), x.data(),
                                                    nullptr, w.arena(), tau.data());
    const OperationCount c = Counting::count();
    EXPECT_EQ(multiplications(c), 116 * n - 109);
    EXPECT_EQ(c.additions, 92 * n - 97);
    EXPECT_LE(multiplications(c), 120 * n - 44);
    EXPECT_LE(c.additions, 97 * n - 55);
  }
}

// The paper counts forward dynamics from phi = tau - C qd on.
TEST(DenocCounts, SolutionCostsLessThanRfdsim) {
  for (int n = 3; n < 30; ++n) {
    const OperationCount c = counts(n).solve;
    EXPECT_EQ(multiplications(c), 140 * n - 216);
    EXPECT_EQ(c.additions, 136 * n - 238);
    EXPECT_LE(multiplications(c), 201 * n - 335);  // Saha 1999
    EXPECT_LE(c.additions, 193 * n - 361);
    EXPECT_LE(multiplications(c), 173 * n - 128);  // Mohan & Saha 2007
    EXPECT_LE(c.additions, 150 * n - 133);
  }
}

TEST(DenocCounts, OfForwardDynamicsAndOfTheInertiaMatrix) {
  for (int n = 3; n < 30; ++n) {
    const MethodCount c = counts(n);
    EXPECT_EQ(multiplications(c.forward), 230 * n - 317);
    EXPECT_EQ(c.forward.additions, 211 * n - 337);
    EXPECT_EQ(multiplications(c.inertia), 11 * n * n + 26 * n - 37);
    EXPECT_EQ(c.inertia.additions, 8 * n * n + 35 * n - 43);
  }
}

}  // namespace
}  // namespace catena
