// Small linear algebra, by what defines it: the parts rebuild the matrix and are orthonormal.
#include <gtest/gtest.h>

#include <Eigen/Core>

#include "catena/linear/cholesky.hpp"
#include "catena/linear/singular_values.hpp"
#include "oracles/random.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd random_matrix(oracle::Random& random, Index rows, Index cols) {
  MatrixXd A(rows, cols);
  for (double& x : A.reshaped()) x = random.uniform(-1, 1);
  return A;
}

// Of every shape, with the rank that is asked for at most, rows of very different size in some.
template <class F>
void for_each_matrix(F f) {
  oracle::Random random(5);
  for (Index rows : {1, 2, 3, 6, 7, 12, 30}) {
    for (Index cols : {1, 2, 3, 6, 7, 12, 30}) {
      for (Index rank : {Index(0), Index(1), std::min(rows, cols) / 2, std::min(rows, cols)}) {
        MatrixXd A = random_matrix(random, rows, rank) * random_matrix(random, rank, cols);
        f(A, std::min(rank, std::min(rows, cols)));
        A.row(0) *= 1e-6, A.row(rows - 1) *= 1e5;
        f(A, -1);
      }
    }
  }
}

double largest_of(const MatrixXd& A) { return A.size() > 0 ? A.cwiseAbs().maxCoeff() : 0; }

TEST(SingularValuesOf, RebuildTheMatrixAndAreOrthonormal) {
  for_each_matrix([](const MatrixXd& A, Index rank) {
    const SingularValues svd(A);
    const double size = A.norm();
    EXPECT_LE(largest_of(svd.U * svd.s.asDiagonal() * svd.V.transpose() - A), 1e-14 * size);
    const MatrixXd one = MatrixXd::Identity(A.cols(), A.cols());
    EXPECT_LE(largest_of(svd.V.transpose() * svd.V - one), 2e-14);
    Index count = 0;
    for (Index k = 0; k < svd.s.size(); ++k) {
      EXPECT_LE(svd.s[k], svd.s[std::max<Index>(k - 1, 0)]);
      count += svd.s[k] > 1e-12 * size;
    }
    EXPECT_EQ(count, rank >= 0 ? rank : count);
    const MatrixXd U = svd.U.leftCols(count);
    EXPECT_LE(largest_of(U.transpose() * U - MatrixXd::Identity(count, count)), 1e-9);
  });
}

// A diagonal matrix between two turns: the values are known.
TEST(SingularValuesOf, KnownMatricesAreFound) {
  MatrixXd A(2, 2);
  A << 1, 1, 0, 1;
  const double golden = (1 + std::sqrt(5.)) / 2;
  const SingularValues svd(A);
  EXPECT_NEAR(svd.s[0], golden, 1e-15);
  EXPECT_NEAR(svd.s[1], 1 / golden, 1e-15);
}

TEST(LeastSquaresSolution, LeavesNothingInTheRangeAndHasNoPartThatDoesNothing) {
  oracle::Random random(6);
  for_each_matrix([&](const MatrixXd& A, Index rank) {
    if (rank < 1) return;
    const MatrixXd B = random_matrix(random, A.rows(), 2);
    const LeastSquares solution = least_squares(A, B, 1e-12);
    EXPECT_EQ(solution.rank, rank);
    const double size = A.norm() * (solution.X.norm() + 1);
    EXPECT_LE(largest_of(A.transpose() * (A * solution.X - B)), 1e-13 * size * (A.norm() + 1));
    const SingularValues svd(A);
    const MatrixXd idle = svd.V.rightCols(A.cols() - rank);
    EXPECT_LE(largest_of(idle.transpose() * solution.X), 1e-12 * (1 + largest_of(solution.X)));
  });
}

TEST(SymmetricModesOf, AreEigenvectorsSmallestFirst) {
  for_each_matrix([](const MatrixXd& A, Index) {
    const MatrixXd square = A.transpose() * A;
    const SymmetricModes modes(square);
    const MatrixXd rest = square * modes.V - modes.V * modes.values.asDiagonal();
    EXPECT_LE(largest_of(rest), 1e-13 * (square.norm() + 1));
    for (Index k = 1; k < modes.values.size(); ++k)
      EXPECT_GE(modes.values[k], modes.values[k - 1] - 1e-13 * square.norm());
  });
}

TEST(CholeskyFactors, SolveDefiniteSystemsAndSayWhichAreNot) {
  oracle::Random random(7);
  for (Index n : {1, 2, 3, 7, 20}) {
    const MatrixXd G = random_matrix(random, n, n);
    const MatrixXd A = G * G.transpose() + 0.1 * MatrixXd::Identity(n, n);
    const VectorXd b = random_matrix(random, n, 1);
    const Cholesky factors(A);
    ASSERT_TRUE(factors.definite());
    EXPECT_LE(largest_of(A * factors.solve(b) - b), 1e-13);
    MatrixXd indefinite = A;
    indefinite(n - 1, n - 1) = -1;
    EXPECT_FALSE(Cholesky(indefinite).definite());
  }
}

}  // namespace
}  // namespace catena
