#include "catena/loops/singularity.hpp"

#include <algorithm>
#include <cmath>

#include "catena/linear/cholesky.hpp"
#include "catena/linear/singular_values.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Larger matrices are not taken apart as a whole.
constexpr Index small_enough = 24;

struct Extremes {
  double smallest = 0, largest = 0;  // eigenvalues
  VectorXd direction;                // of the smallest
};

// All eigenvalues; `skip` of them are zero everywhere.
Extremes by_eigenvalues(const MatrixXd& square, Index skip) {
  const SymmetricModes modes(square);
  const VectorXd& s = modes.values;  // smallest first
  return {std::max(0., s[skip]), s[s.size() - 1], modes.V.col(skip)};
}

// Powers of the matrix and of its inverse, from directions that were good before.
Extremes by_powers(const MatrixXd& square, const VectorXd& before) {
  const Index n = square.rows();
  VectorXd x = VectorXd::LinSpaced(n, 1, 2).normalized();
  for (int i = 0; i < 12; ++i) x = (square * x).normalized();
  Extremes r;
  r.largest = x.dot(square * x);
  const auto shifted = [&](double shift) {
    MatrixXd more = square;
    more.diagonal().array() += shift * r.largest;
    return Cholesky(more);
  };
  double shift = 1e-15;  // as little as rounding allows
  Cholesky inverse = shifted(shift);
  while (!inverse.definite() && shift < 1) inverse = shifted(shift *= 10);
  VectorXd y = before.size() == n ? before : VectorXd(VectorXd::LinSpaced(n, 1, -0.7).normalized());
  for (int i = 0; i < (before.size() == n ? 3 : 12); ++i) y = inverse.solve(y).normalized();
  r.smallest = std::max(0., y.dot(square * y)), r.direction = y;
  return r;
}

}  // namespace

SingularityWatch::SingularityWatch(std::vector<int> columns, int rank)
    : columns_(std::move(columns)), rank_(rank) {}

MatrixXd SingularityWatch::scaled(const LoopState& state) const {
  const RowMatrix& K = state.jacobian();
  const VectorXd sizes = state.row_sizes();
  MatrixXd J(K.rows(), columns_.empty() ? K.cols() : static_cast<Index>(columns_.size()));
  for (Index r = 0; r < K.rows(); ++r) {
    for (Index c = 0; c < J.cols(); ++c) {
      const Index v = columns_.empty() ? c : columns_[static_cast<std::size_t>(c)];
      J(r, c) = sizes[r] > 0 ? K(r, v) / sizes[r] : 0;
    }
  }
  return J;
}

void SingularityWatch::follow(const LoopState& state) {
  const MatrixXd J = scaled(state);
  const Index skip = J.cols() - rank_;
  if (rank_ == 0 || J.rows() == 0 || skip < 0) return;
  const MatrixXd square = J.transpose() * J;
  const Extremes e = skip > 0 || J.cols() <= small_enough ? by_eigenvalues(square, skip)
                                                          : by_powers(square, right_);
  largest_ = std::sqrt(std::max(e.largest, 1e-300));
  right_ = e.direction;
  left_ = J * right_;
  distance_ = left_.norm() / largest_;
  if (left_.norm() > 0) left_.normalize();
}

double SingularityWatch::signed_distance(const LoopState& state) const {
  return right_.size() == 0 ? 1 : left_.dot(scaled(state) * right_) / largest_;
}

double distance_to_singularity(const LoopState& state, const std::vector<int>& columns, int rank) {
  SingularityWatch watch(columns, rank);
  watch.follow(state);
  return watch.distance();
}

}  // namespace catena
