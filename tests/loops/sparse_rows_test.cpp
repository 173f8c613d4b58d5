// Sparse factors answer as singular values do.
#include <gtest/gtest.h>

#include "catena/loops/sparse_rows.hpp"
#include "oracles/random.hpp"

namespace catena::oracle {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A band of small blocks; of every third block the last row repeats what the others say, and some
// rows are zero.
MatrixXd banded(Random& random, int blocks) {
  MatrixXd A = MatrixXd::Zero(4 * blocks, 5 * blocks);
  for (int b = 0; b < blocks; ++b) {
    const Index columns = std::min<Index>(8, A.cols() - 5 * b);
    for (Index r = 0; r < 3; ++r)
      for (Index c = 0; c < columns; ++c) A(4 * b + r, 5 * b + c) = random.uniform();
    if (b % 3 == 0) A.row(4 * b + 3) = A.row(4 * b) - 2 * A.row(4 * b + 1);
  }
  return A;
}

SparseRows small_sparse(const MatrixXd& A) { return A.sparseView(); }

double gap(const MatrixXd& a, const MatrixXd& b) { return (a - b).cwiseAbs().maxCoeff(); }

TEST(SparseRows, GiveTheSmallestSolution) {
  Random random(3);
  for (const bool wide : {true, false}) {
    const MatrixXd all = banded(random, 12), A = wide ? all : MatrixXd(all.transpose());
    VectorXd b(A.rows());
    for (double& x : b) x = random.uniform();
    const LeastNorm right = least_norm(A, b), r = least_norm(small_sparse(A), b, 0);
    EXPECT_EQ(r.rank, right.rank);
    EXPECT_LT(gap(r.x, right.x), 1e-10);
    for (const double mu : {1e-4, 1e-2})
      EXPECT_LT(gap(least_norm(small_sparse(A), b, mu).x, least_norm(A, b, mu).x), 1e-4);
  }
}

TEST(SparseRows, SpanTheNullSpaceAndTheRange) {
  Random random(4);
  const MatrixXd A = banded(random, 12), right = null_space(A), N = null_space(small_sparse(A));
  ASSERT_EQ(N.cols(), right.cols());
  EXPECT_LT(gap(N * N.transpose(), right * right.transpose()), 1e-10);
  EXPECT_LT(gap(N.transpose() * N, MatrixXd::Identity(N.cols(), N.cols())), 1e-12);
  VectorXd x(A.rows());
  for (double& e : x) e = random.uniform();
  const VectorXd in = in_range(small_sparse(A), x);
  EXPECT_LT(gap(in, A * least_norm(A, x).x), 1e-10);
}

TEST(SparseRows, FindIndependentColumnsAndTakeSomeLast) {
  Random random(5);
  const MatrixXd A = banded(random, 12);
  const int rank = least_norm(A, VectorXd::Zero(A.rows())).rank;
  const std::vector<int> last{0, 1, 2, 17, 30};
  const IndependentColumns r = independent_columns(small_sparse(A), last);
  ASSERT_EQ(static_cast<int>(r.columns.size()), rank);
  MatrixXd chosen(A.rows(), rank);
  for (int i = 0; i < rank; ++i) chosen.col(i) = A.col(r.columns[static_cast<std::size_t>(i)]);
  EXPECT_EQ(least_norm(chosen, VectorXd::Zero(A.rows())).rank, rank);
  // those that wait are taken only where the rest does not reach
  MatrixXd others = A;
  for (int v : last) others.col(v).setZero();
  const int without = least_norm(others, VectorXd::Zero(A.rows())).rank;
  int taken = 0;
  for (int v : r.columns) taken += std::count(last.begin(), last.end(), v) > 0;
  EXPECT_EQ(taken, rank - without);
}

TEST(SparseRows, AreUsedForLargeMatricesWithFewEntries) {
  Random random(6);
  EXPECT_FALSE(if_large(banded(random, 12)));
  const MatrixXd A = banded(random, 60);
  const auto sparse = if_large(A);
  ASSERT_TRUE(sparse);
  EXPECT_EQ(gap(MatrixXd(*sparse), A), 0);
  EXPECT_EQ(gap(MatrixXd(*if_large(Rows(A))), A), 0);
  EXPECT_FALSE(if_large(MatrixXd(MatrixXd::Ones(300, 300))));
}

}  // namespace
}  // namespace catena::oracle
