// What the methods cost, counted on general chains of revolute joints, against the papers'
// formulas.
#include <gtest/gtest.h>

#include "catena/analysis/count.hpp"
#include "catena/model/compile.hpp"

namespace catena {
namespace {

MethodCount counts(const char* method, int n) {
  return count_operations(*find_formulation<Counting>(method), compile(general_chain(n)));
}

TEST(Counts, OfSpatialAreWhatTheyWere) {
  for (int n = 2; n < 30; ++n) {
    const MethodCount c = counts("spatial", n);
    EXPECT_EQ(c.inverse.multiplications, 110 * n - 109);
    EXPECT_EQ(c.inverse.additions, 89 * n - 97);
  }
}

}  // namespace
}  // namespace catena
