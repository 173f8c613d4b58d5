// Sampled functions of time: what lies between the rows of a data file.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

namespace catena {

// How the ends of a spline are closed.
//   at_rest   first derivatives are zero there
//   natural   second derivatives are zero there
//   smooth    the first two pieces are one cubic, and the last two (not-a-knot)
enum class SplineEnds { at_rest, natural, smooth };

// A vector of numbers over time. Before the first and after the last sample the end values hold.
class Sampled {
 public:
  // All throw InputError unless there is a sample, values has a column for each time, and times
  // grow.
  // Straight lines between samples.
  static Sampled linear(std::vector<double> times, Eigen::MatrixXd values);
  // Cubic pieces with two continuous derivatives.
  static Sampled spline(std::vector<double> times, Eigen::MatrixXd values, SplineEnds ends);
  // Cubic pieces through values and first derivatives.
  static Sampled cubic(std::vector<double> times, Eigen::MatrixXd values, Eigen::MatrixXd first);
  // Pieces of degree five through values, first and second derivatives.
  static Sampled quintic(std::vector<double> times, Eigen::MatrixXd values, Eigen::MatrixXd first,
                         Eigen::MatrixXd second);

  Eigen::Index size() const { return values_.rows(); }
  double begin() const { return times_.front(); }
  double end() const { return times_.back(); }

  // Value and derivatives of one entry; allocates nothing.
  struct Point {
    double value, first, second;
  };
  Point at(double t, Eigen::Index entry) const;

 private:
  Sampled(std::vector<double> times, Eigen::MatrixXd values);
  std::size_t piece(double t) const;

  int degree_ = 1;
  std::vector<double> times_;
  Eigen::MatrixXd values_, first_, second_;  // by columns: samples
  mutable std::size_t last_ = 0;             // the piece that was asked for last
};

}  // namespace catena
