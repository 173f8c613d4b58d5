// What the Gibbs-Appell method costs on general chains of revolute joints, beside the formulas of
// Mata et al. 2002.
#include <gtest/gtest.h>

#include "catena/analysis/count.hpp"
#include "catena/model/compile.hpp"

namespace catena {
namespace {

struct Cost {
  std::int64_t multiplications, additions;  // with divisions and square roots
  explicit Cost(const OperationCount& c)
      : multiplications(c.multiplications + c.divisions + c.square_roots), additions(c.additions) {}
};
MethodCount counts(int n) {
  return count_operations(*find_formulation<Counting>("gibbs-appell"), compile(general_chain(n)));
}

TEST(GibbsAppellCounts, InverseDynamicsCostsLessThanTableOne) {
  for (int n = 2; n < 30; ++n) {
    const Cost c(counts(n).inverse);
    EXPECT_EQ(c.multiplications, 94 * n - 113);
    EXPECT_EQ(c.additions, 82 * n - 106);
    EXPECT_LE(c.multiplications, 96 * n - 101);
    EXPECT_LE(c.additions, 84 * n - 100);
  }
  const Cost c(counts(6).inverse);  // the best row of table 1 at n = 6: 475 and 404
  EXPECT_EQ(c.multiplications, 451);
  EXPECT_EQ(c.additions, 386);
}

TEST(GibbsAppellCounts, BiasCostsLessThanTableThree) {
  for (int n = 2; n < 30; ++n) {
    const Cost c(counts(n).bias);
    if (n > 2) {
      EXPECT_EQ(c.multiplications, 94 * n - 123);
      EXPECT_EQ(c.additions, 81 * n - 115);
    }
    EXPECT_LE(c.multiplications, 96 * n - 108);
    EXPECT_LE(c.additions, 83 * n - 105);
  }
}

TEST(GibbsAppellCounts, InertiaMatrixCostsLessThanTableTwo) {
  for (int n = 2; n < 30; ++n) {
    const Cost c(counts(n).inertia);
    EXPECT_EQ(2 * c.multiplications, 23 * n * n + 13 * n - 62);
    EXPECT_EQ(c.additions, 8 * n * n + 22 * n - 50);
    EXPECT_LE(2 * c.multiplications, 23 * n * n + 39 * n - 98);
    EXPECT_LE(2 * c.additions, 17 * n * n + 63 * n - 138);
  }
}

TEST(GibbsAppellCounts, ForwardDynamicsCostsLessThanTableThree) {
  for (int n = 2; n < 30; ++n) {
    const MethodCount m = counts(n);
    const Cost bias(m.bias), inertia(m.inertia), solve(m.solve), forward(m.forward);
    // factors, and two triangular solutions: n³/6 + n²/2 + n/3 and n²; n³/6 - n/6 and n² - n
    EXPECT_EQ(6 * (solve.multiplications - inertia.multiplications), n * n * n + 9 * n * n + 2 * n);
    EXPECT_EQ(6 * (solve.additions - inertia.additions), n * n * n + 6 * n * n - 7 * n);
    EXPECT_EQ(forward.multiplications, bias.multiplications + solve.multiplications);
    EXPECT_EQ(forward.additions, bias.additions + solve.additions + n);
    EXPECT_LE(6 * forward.multiplications, n * n * n + 78 * n * n + 695 * n - 6 * 157);
    EXPECT_LE(6 * forward.additions, n * n * n + 60 * n * n + 683 * n - 6 * 174);
  }
  const Cost c(counts(6).forward);  // table 4: 1042 and 905
  EXPECT_EQ(c.multiplications, 955);
  EXPECT_EQ(c.additions, 812);
}

}  // namespace
}  // namespace catena
