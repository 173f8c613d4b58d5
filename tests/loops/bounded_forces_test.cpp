// Forces within bounds: every choice of who is at a bound is tried, and the optimum is the one.
#include "catena/loops/bounded_forces.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "oracles/random.hpp"

namespace catena::oracle {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(Random& random, Index rows, Index columns) {
  MatrixXd m(rows, columns);
  for (double& x : m.reshaped()) x = random.uniform();
  return m;
}

double cost(const MatrixXd& A, const VectorXd& b, const VectorXd& x) {
  return 0.5 * x.dot(A * x) + b.dot(x);
}

// The least cost over all 3^n choices of lower bound, upper bound and between.
double least_cost(const MatrixXd& A, const VectorXd& b, const VectorXd& lower,
                  const VectorXd& upper) {
  const auto n = static_cast<int>(b.size());
  double best = INFINITY;
  for (int code = 0, last = static_cast<int>(std::lround(std::pow(3, n))); code < last; ++code) {
    VectorXd x = VectorXd::Zero(n);
    std::vector<int> free;
    for (int i = 0, rest = code; i < n; ++i, rest /= 3) {
      if (rest % 3 == 0) x[i] = lower[i];
      if (rest % 3 == 1) x[i] = upper[i];
      if (rest % 3 == 2) free.push_back(i);
    }
    if (!x.allFinite()) continue;
    const VectorXd rest = A * x + b;
    MatrixXd part(static_cast<Index>(free.size()), static_cast<Index>(free.size()));
    VectorXd g(part.rows());
    for (Index i = 0; i < part.rows(); ++i) {
      g[i] = -rest[free[static_cast<std::size_t>(i)]];
      for (Index j = 0; j < part.cols(); ++j)
        part(i, j) = A(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(j)]);
    }
    if (part.rows() > 0) {
      const VectorXd y = part.completeOrthogonalDecomposition().solve(g);
      for (Index i = 0; i < part.rows(); ++i) x[free[static_cast<std::size_t>(i)]] = y[i];
    }
    if ((x - lower).minCoeff() >= -1e-12 && (upper - x).minCoeff() >= -1e-12)
      best = std::min(best, cost(A, b, x));
  }
  return best;
}

TEST(BoundedForces, FindTheOptimumOfAllChoices) {
  Random random(11);
  int at_bounds = 0;
  for (int i = 0; i < 300; ++i) {
    const Index n = 1 + i % 5, rank = i % 2 == 0 ? n : 1 + i % 3;  // forces that do the same, too
    const MatrixXd L = random_matrix(random, n, rank);
    const MatrixXd A = L * L.transpose();
    const VectorXd b = 2 * L * random_matrix(random, rank, 1);  // as accelerations of one motion
    VectorXd lower(n), upper(n);
    for (Index k = 0; k < n; ++k) {
      lower[k] = -std::fabs(random.uniform()), upper[k] = std::fabs(random.uniform());
    }
    const BoundedForces r = bounded_forces(A, b, lower, upper);
    ASSERT_TRUE(r.possible);
    EXPECT_GE((r.force - lower).minCoeff(), 0);
    EXPECT_GE((upper - r.force).minCoeff(), 0);
    EXPECT_NEAR(cost(A, b, r.force), least_cost(A, b, lower, upper), 1e-10) << i;
    for (Index k = 0; k < n; ++k) {
      const bool low = r.force[k] == lower[k], high = r.force[k] == upper[k];
      at_bounds += low || high;
      EXPECT_TRUE(low || r.rest[k] < 1e-9) << i;
      EXPECT_TRUE(high || r.rest[k] > -1e-9) << i;
    }
  }
  EXPECT_GT(at_bounds, 100);
}

TEST(BoundedForces, WithoutBoundsSolveAndSayWhatContradicts) {
  const VectorXd none = VectorXd::Constant(2, INFINITY);
  MatrixXd A(2, 2);
  A << 2, 1, 1, 3;
  const BoundedForces r = bounded_forces(A, VectorXd::Constant(2, 5), -none, none);
  EXPECT_TRUE(r.possible);
  EXPECT_NEAR(r.force[0], -2, 1e-14);
  EXPECT_NEAR(r.force[1], -1, 1e-14);
  A << 1, 1, 1, 1;  // two drives of one motion that want different things
  EXPECT_FALSE(bounded_forces(A, VectorXd{{1, 2}}, -none, none).possible);
  EXPECT_TRUE(bounded_forces(A, VectorXd{{2, 2}}, -none, none).possible);
}

// A joint that only turns round: no force moves it, so that friction is at its bound.
TEST(BoundedForces, NoForceHoldsWhatItDoesNotMove) {
  MatrixXd A(2, 2);
  A << 1e-32, 1e-16, 1e-16, 1;
  const BoundedForces r =
      bounded_forces(A, VectorXd{{3, 0.5}}, VectorXd{{-2, -1}}, VectorXd{{2, 1}});
  EXPECT_EQ(r.force[0], -2);
  EXPECT_NEAR(r.rest[0], 3, 1e-12);
  EXPECT_NEAR(r.force[1], -0.5, 1e-12);
}

}  // namespace
}  // namespace catena::oracle
