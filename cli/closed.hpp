// Rows of data files for mechanisms with loops: what a row leaves open, the loops decide.
#pragma once

#include "catena/data/columns.hpp"
#include "catena/loops/closed_dynamics.hpp"
#include "common.hpp"

namespace catena::cli {

// A state in which the loops are closed.
struct ClosedRow {
  double time = 0;
  Eigen::VectorXd q, qd, qdd, tau;
  std::map<std::string, Force<double>> wrenches;
};

// Completes the rows of a table one after the other, so that a mechanism stays on its branch.
class ClosedRows {
 public:
  // `motion`: rates and accelerations are completed, too, and every free motion must be given.
  enum class Use { state, motion };
  ClosedRows(const ClosedMechanism& m, LoopState& state, const Table& table, Use use);

  bool has_time() const { return columns_.has_time(); }
  std::size_t num_rows() const { return columns_.num_rows(); }
  //   throws  InputError, naming row and joint, if given numbers contradict the loops, or leave a
  //           motion open that must be given; NumericalError if the loops cannot be closed there
  ClosedRow next();
  // The velocities that were chosen freely in the last row: given ones, actuated ones first.
  const std::vector<int>& independent() const { return independent_; }

 private:
  std::vector<int> actuated_of(const std::vector<int>& velocities) const;
  void close(std::size_t row, ClosedRow& r);
  void complete(std::size_t row, ClosedRow& r);
  [[noreturn]] void fail_open(std::size_t row, const Assembly& assembly) const;

  const ClosedMechanism& m_;
  LoopState& state_;
  const Table& table_;
  DataColumns columns_;
  Use use_;
  std::vector<int> independent_;
  std::vector<char> held_;  // velocities whose positions are taken from the table
  Eigen::VectorXd last_;    // the configuration of the row before
  std::size_t row_ = 0;
};

// "loop 'a' is open by 0.012 m ..."
std::string describe_open(const ClosedMechanism& m, const Assembly& assembly);
// Throws NumericalError if nothing can move, at the position of the state.
void require_mobility(const LoopState& state);
// Warns once if rows are redundant, naming the loops.
void warn_of_redundancy(const ClosedMechanism& m, const Mobility& mobility);

}  // namespace catena::cli
