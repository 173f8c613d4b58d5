#include "catena/simulation/hermite_output.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "catena/linear/singular_values.hpp"

namespace catena {
namespace {

constexpr int most_rounds = 4;

// Inner points of a round: evenly spaced. An even number: with an odd one the values at the ends
// say nothing that the slopes do not say already.
int num_points(int round) { return round == 0 ? 0 : round == 1 ? 2 : 4; }
double point(int round, int i) { return (i + 1.) / (num_points(round) + 1.); }

// From values and slopes at 0 and 1 and slopes at the inner points to powers of theta:
// coefficients = data * matrix.
Eigen::MatrixXd conversion(int round) {
  const int n = 4 + num_points(round);
  Eigen::MatrixXd conditions = Eigen::MatrixXd::Zero(n, n);  // row: power, column: condition
  for (int p = 0; p < n; ++p) {
    conditions(p, 0) = p == 0;
    conditions(p, 1) = p == 1;
    conditions(p, 2) = 1;
    conditions(p, 3) = p;
    for (int i = 0; i < num_points(round); ++i)
      conditions(p, 4 + i) = p == 0 ? 0 : p * std::pow(point(round, i), p - 1);
  }
  const Eigen::MatrixXd inverse = least_squares(conditions, Eigen::MatrixXd::Identity(n, n), 0).X;
  return 2 * inverse - inverse * conditions * inverse;  // one step of Newton, for the last digits
}

const Eigen::MatrixXd& conversion_of(int round) {
  static const std::vector<Eigen::MatrixXd> all = [] {
    std::vector<Eigen::MatrixXd> result;
    for (int r = 0; r <= most_rounds; ++r) result.push_back(conversion(r));
    return result;
  }();
  return all[static_cast<std::size_t>(round)];
}

}  // namespace

HermiteOutput::HermiteOutput(int size, int order)
    : rounds_(std::clamp(order - 4, 0, most_rounds)),
      data_(size, 4 + num_points(rounds_)),
      coefficients_(size, 4 + num_points(rounds_)),
      y_(size) {}

void HermiteOutput::set(const Eigen::VectorXd& y0, const Eigen::VectorXd& hf0,
                        const Eigen::VectorXd& y1, const Eigen::VectorXd& hf1, double h,
                        const Derivative& derivative) {
  data_.col(0) = y0;
  data_.col(1) = hf0;
  data_.col(2) = y1;
  data_.col(3) = hf1;
  coefficients_.setZero();
  for (int round = 0; round <= rounds_; ++round) {
    const int points = num_points(round);
    for (int i = 0; i < points; ++i) {
      at(point(round, i), y_);
      derivative(point(round, i), y_, data_.col(4 + i));
      data_.col(4 + i) *= h;
    }
    coefficients_.leftCols(4 + points).noalias() =
        data_.leftCols(4 + points) * conversion_of(round);
  }
}

void HermiteOutput::at(double theta, Eigen::VectorXd& y) const {
  y = coefficients_.col(coefficients_.cols() - 1);
  for (Eigen::Index p = coefficients_.cols() - 1; p-- > 0;) y = y * theta + coefficients_.col(p);
}

}  // namespace catena
