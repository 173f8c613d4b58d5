// What the methods with 4x4 matrices cost on general chains of n revolute joints. The paper gives
// no formulas.
#include <gtest/gtest.h>

#include "catena/analysis/count.hpp"
#include "catena/model/compile.hpp"

namespace catena {
namespace {

MethodCount counts(const char* method, int n) {
  return count_operations(*find_formulation<Counting>(method), compile(general_chain(n)));
}

TEST(HomogeneousCounts, OfNewtonEulerAreLinear) {
  for (int n = 2; n < 20; ++n) {
    const MethodCount c = counts("homogeneous", n);
    EXPECT_EQ(c.inverse.multiplications, 181 * n - 162);
    EXPECT_EQ(c.inverse.additions, 158 * n - 172);
    EXPECT_EQ(c.inertia.multiplications, 3 * n * n + 145 * n - 145);
    EXPECT_EQ(2 * c.inertia.additions, 5 * n * n + 225 * n - 242);
    EXPECT_EQ(c.forward.divisions, n);
  }
}

TEST(HomogeneousCounts, OfLagrangeAreQuadratic) {
  for (int n = 3; n < 20; ++n) {
    const MethodCount c = counts("lagrange", n);
    EXPECT_EQ(c.inverse.multiplications, 4 * n * n + 304 * n - 283);
    EXPECT_EQ(c.inverse.additions, 5 * n * n + 258 * n - 282);
    EXPECT_EQ(c.inertia.multiplications, 3 * n * n + 145 * n - 145);
    EXPECT_EQ(c.inertia.additions, 4 * n * n + 111 * n - 121);
    EXPECT_EQ(c.forward.divisions, n);
  }
}

}  // namespace
}  // namespace catena
