// Singularity: how near a mechanism is to a position where its loops leave more motions than
// elsewhere, and on which side of it.
#pragma once

#include <vector>

#include "catena/loops/closed_mechanism.hpp"

namespace catena {

// The smallest singular value that counts of the rows of the loops, over the largest; rows are
// divided by LoopState::row_sizes(), so that units do not count. With its directions it can be
// followed through zero, where singular values themselves turn round.
class SingularityWatch {
 public:
  SingularityWatch() = default;
  // columns: velocities that should follow from the others (empty: all); rank: how many singular
  // values count elsewhere.
  SingularityWatch(std::vector<int> columns, int rank);

  // From now on this is the direction that is followed.
  //   reads   state, at a position
  void follow(const LoopState& state);
  bool follows() const { return right_.size() > 0; }
  // Between 0 and 1, of the position of follow().
  double distance() const { return distance_; }
  // The same for another position near that one: below zero on the other side.
  double signed_distance(const LoopState& state) const;

 private:
  Eigen::MatrixXd scaled(const LoopState& state) const;

  std::vector<int> columns_;
  int rank_ = 0;
  double distance_ = 1, largest_ = 1;
  Eigen::VectorXd left_, right_;
};

// The distance at a position, anew.
double distance_to_singularity(const LoopState& state, const std::vector<int>& columns, int rank);

}  // namespace catena
