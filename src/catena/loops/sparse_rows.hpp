// Sparse rows: the questions of linear_algebra.hpp for machines with hundreds of loops, whose rows
// are nearly all zeros. Ranks come from Gaussian elimination with partial pivots, not from singular
// values, solutions from normal equations of the rows or columns that count, refined.
#pragma once

#include <Eigen/SparseCore>
#include <optional>
#include <vector>

#include "catena/loops/linear_algebra.hpp"

namespace catena {

using SparseRows = Eigen::SparseMatrix<double>;

// The matrix without its zeros, if it is so large that this pays.
std::optional<SparseRows> if_large(const Eigen::MatrixXd& A);
std::optional<SparseRows> if_large(const Rows& A);

// As least_norm() and null_space(). With mu > 0 the rank is not looked for.
LeastNorm least_norm(const SparseRows& A, const Eigen::VectorXd& b, double mu);
Eigen::MatrixXd null_space(const SparseRows& A);
// What is left of x in the range of A.
Eigen::VectorXd in_range(const SparseRows& A, const Eigen::VectorXd& x);

// Columns of A, as many as its rank, that the others follow from: those of `last` only if there are
// not enough without.
struct IndependentColumns {
  std::vector<int> columns;
  double smallest = 0;  // of the pivots, relative to the largest
};
IndependentColumns independent_columns(const SparseRows& A, const std::vector<int>& last = {});

}  // namespace catena
