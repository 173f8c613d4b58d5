#include "catena/motion/sampled.hpp"

#include <algorithm>
#include <string>

#include "catena/support/error.hpp"

namespace catena {
namespace {

// First derivatives of the spline: a system with three diagonals, solved by elimination. The smooth
// ends reach one entry further; they are eliminated against the row beside them.
Eigen::MatrixXd spline_slopes(const std::vector<double>& t, const Eigen::MatrixXd& y,
                              SplineEnds ends) {
  const Eigen::Index n = y.cols();
  if (n == 1) return Eigen::MatrixXd::Zero(y.rows(), 1);
  const auto h = [&](Eigen::Index i) {
    return t[static_cast<std::size_t>(i + 1)] - t[static_cast<std::size_t>(i)];
  };
  const auto secant = [&](Eigen::Index i) -> Eigen::VectorXd {
    return (y.col(i + 1) - y.col(i)) / h(i);
  };
  if (n == 2 && ends == SplineEnds::smooth) ends = SplineEnds::natural;
  Eigen::VectorXd lower(n), diagonal(n), upper(n);
  Eigen::MatrixXd d(y.rows(), n);
  const auto end_row = [&](Eigen::Index i, Eigen::Index first, Eigen::Index second, double& own,
                           double& beside) {
    if (ends == SplineEnds::at_rest) {
      own = 1, beside = 0, d.col(i).setZero();
    } else if (ends == SplineEnds::natural) {
      own = 2, beside = 1, d.col(i) = 3 * secant(first);
    } else if (n == 3) {  // one parabola
      own = 1, beside = 1, d.col(i) = 2 * secant(first);
    } else {  // equal third derivatives on both sides of the inner sample
      const double a = h(first), b = h(second);
      own = b, beside = a + b;
      d.col(i) = ((a + 2 * (a + b)) * b * secant(first) + a * a * secant(second)) / (a + b);
    }
  };
  end_row(0, 0, n > 2 ? 1 : 0, diagonal[0], upper[0]);
  end_row(n - 1, n - 2, n > 2 ? n - 3 : 0, diagonal[n - 1], lower[n - 1]);
  for (Eigen::Index i = 1; i + 1 < n; ++i) {
    lower[i] = h(i), diagonal[i] = 2 * (h(i) + h(i - 1)), upper[i] = h(i - 1);
    d.col(i) = 3 * (h(i) * secant(i - 1) + h(i - 1) * secant(i));
  }
  for (Eigen::Index i = 1; i < n; ++i) {
    const double factor = lower[i] / diagonal[i - 1];
    diagonal[i] -= factor * upper[i - 1];
    d.col(i) -= factor * d.col(i - 1);
  }
  d.col(n - 1) /= diagonal[n - 1];
  for (Eigen::Index i = n - 1; i-- > 0;)
    d.col(i) = (d.col(i) - upper[i] * d.col(i + 1)) / diagonal[i];
  return d;
}

}  // namespace

Sampled::Sampled(std::vector<double> times, Eigen::MatrixXd values)
    : times_(std::move(times)), values_(std::move(values)) {
  if (times_.empty()) throw InputError({}, "there are no samples");
  check_size("values", static_cast<std::size_t>(values_.cols()), times_.size());
  for (std::size_t i = 1; i < times_.size(); ++i) {
    if (!(times_[i] > times_[i - 1]))
      throw InputError({},
                       "the time does not grow from row " + std::to_string(i) + " to row " +
                           std::to_string(i + 1),
                       "sort the rows by time and keep one row per instant");
  }
}

Sampled Sampled::linear(std::vector<double> times, Eigen::MatrixXd values) {
  return Sampled(std::move(times), std::move(values));
}

Sampled Sampled::spline(std::vector<double> times, Eigen::MatrixXd values, SplineEnds ends) {
  Sampled s(std::move(times), std::move(values));
  s.degree_ = 3;
  s.first_ = spline_slopes(s.times_, s.values_, ends);
  return s;
}

Sampled Sampled::cubic(std::vector<double> times, Eigen::MatrixXd values, Eigen::MatrixXd first) {
  Sampled s(std::move(times), std::move(values));
  s.degree_ = 3;
  s.first_ = std::move(first);
  return s;
}

Sampled Sampled::quintic(std::vector<double> times, Eigen::MatrixXd values, Eigen::MatrixXd first,
                         Eigen::MatrixXd second) {
  Sampled s(std::move(times), std::move(values));
  s.degree_ = 5;
  s.first_ = std::move(first);
  s.second_ = std::move(second);
  return s;
}

std::size_t Sampled::piece(double t) const {
  const std::size_t last_piece = times_.size() - 2;
  std::size_t i = std::min(last_, last_piece);
  if (!(times_[i] <= t && t < times_[i + 1])) {
    const auto after = std::upper_bound(times_.begin(), times_.end(), t);
    i = after == times_.begin() ? 0 : static_cast<std::size_t>(after - times_.begin()) - 1;
    i = std::min(i, last_piece);
  }
  return last_ = i;
}

Sampled::Point Sampled::at(double t, Eigen::Index k) const {
  if (times_.size() == 1 || t < begin()) return {values_(k, 0), 0, 0};
  if (t > end()) return {values_(k, values_.cols() - 1), 0, 0};
  const std::size_t i = piece(t);
  const auto a = static_cast<Eigen::Index>(i), b = a + 1;
  const double h = times_[i + 1] - times_[i], x = (t - times_[i]) / h;
  const double way = values_(k, b) - values_(k, a);
  if (degree_ == 1) return {values_(k, a) + x * way, way / h, 0};
  const double d0 = h * first_(k, a), d1 = h * first_(k, b);
  if (degree_ == 3) {
    const double c2 = 3 * way - 2 * d0 - d1, c3 = d0 + d1 - 2 * way;
    return {values_(k, a) + x * (d0 + x * (c2 + x * c3)), (d0 + x * (2 * c2 + 3 * x * c3)) / h,
            (2 * c2 + 6 * x * c3) / (h * h)};
  }
  const double s0 = h * h * second_(k, a) / 2, s1 = h * h * second_(k, b) / 2;
  const double e = way - d0 - s0, de = d1 - d0 - 2 * s0, dde = s1 - s0;
  const double c3 = 10 * e - 4 * de + dde, c4 = -15 * e + 7 * de - 2 * dde,
               c5 = 6 * e - 3 * de + dde;
  return {values_(k, a) + x * (d0 + x * (s0 + x * (c3 + x * (c4 + x * c5)))),
          (d0 + x * (2 * s0 + x * (3 * c3 + x * (4 * c4 + x * 5 * c5)))) / h,
          (2 * s0 + x * (6 * c3 + x * (12 * c4 + x * 20 * c5))) / (h * h)};
}

}  // namespace catena
