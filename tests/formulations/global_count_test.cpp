// What global analysis costs on general chains of revolute joints. The paper gives orders alone.
#include <gtest/gtest.h>

#include "catena/analysis/count.hpp"
#include "catena/model/compile.hpp"

namespace catena {
namespace {

MethodCount counts(const char* method, int n) {
  return count_operations(*find_formulation<Counting>(method), compile(general_chain(n)));
}

TEST(GlobalCounts, AreLinearButForTheEntriesOfTheMatrix) {
  for (int n = 2; n < 30; ++n) {
    const MethodCount c = counts("global", n);
    EXPECT_EQ(c.inverse.multiplications, 223 * n - 217);
    EXPECT_EQ(c.inverse.additions, 184 * n - 205);
    EXPECT_EQ(c.inertia.multiplications, 3 * n * n + 142 * n - 142);
    EXPECT_EQ(2 * c.inertia.additions, 5 * n * n + 229 * n - 242);
    EXPECT_EQ(c.forward.multiplications, 267 * n - 284);
    EXPECT_EQ(c.forward.divisions, n);
    EXPECT_EQ(c.forward.additions, 215 * n - 249);
  }
}

TEST(ConstraintForceCounts, AreLinear) {
  for (int n = 2; n < 30; ++n) {
    const MethodCount c = counts("constraint-force", n);
    EXPECT_EQ(c.forward.multiplications, 761 * n - 602);
    EXPECT_EQ(c.forward.divisions, 7 * n);
    EXPECT_EQ(c.forward.additions, 638 * n - 534);
  }
}

}  // namespace
}  // namespace catena
