// What the methods with 4x4 matrices cost on general chains of n revolute joints. The paper gives
// no formulas.
#include <gtest/gtest.h>

#include "catena/analysis/count.hpp"
#include "catena/model/compile.hpp"

namespace catena {
namespace {

MethodCount homogeneous_counts(const char* method, int n) {
  return count_operations(*find_formulation<Counting>(method), compile(general_chain(n)));
}

TEST(HomogeneousCounts, OfNewtonEulerAreLinear) {
  for (int n = 2; n < 20; ++n) {
    const MethodCount c = homogeneous_counts("homogeneous", n);
    EXPECT_EQ(c.inverse.multiplications, 181 * n - 162);
    EXPECT_EQ(c.inverse.additions, 158 * n - 172);
    EXPECT_EQ(c.inertia.multiplications, 3 * n * n + 145 * n - 145);
    EXPECT_EQ(2 * c.inertia.additions, 5 * n * n + 225 * n - 242);
    // one placement of the links serves the bias and the matrix
    EXPECT_EQ(6 * c.forward.multiplications, n * n * n + 27 * n * n + 1244 * n - 1188);
    EXPECT_EQ(6 * c.forward.additions, n * n * n + 21 * n * n + 1100 * n - 1242);
    EXPECT_EQ(c.forward.divisions, n);
  }
}

TEST(HomogeneousCounts, OfLagrangeAreQuadratic) {
  for (int n = 3; n < 20; ++n) {
    const MethodCount c = homogeneous_counts("lagrange", n);
    EXPECT_EQ(c.inverse.multiplications, 4 * n * n + 235 * n - 236);
    EXPECT_EQ(c.inverse.additions, 5 * n * n + 207 * n - 242);
    EXPECT_EQ(c.inertia.multiplications, 3 * n * n + 145 * n - 145);
    EXPECT_EQ(c.inertia.additions, 4 * n * n + 111 * n - 121);
    EXPECT_EQ(6 * c.forward.multiplications, n * n * n + 27 * n * n + 1406 * n - 1416);
    EXPECT_EQ(6 * c.forward.additions, n * n * n + 30 * n * n + 1241 * n - 1452);
    EXPECT_EQ(c.forward.divisions, n);
  }
}

}  // namespace
}  // namespace catena
