// Sampled functions: polynomials come back, splines are smooth and end as they shall.
#include "catena/motion/sampled.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "catena/support/error.hpp"

namespace catena {
namespace {

const std::vector<double> times = {0, 0.3, 0.5, 1.2, 2, 2.1};

// A polynomial and its derivatives at the times.
Eigen::MatrixXd rows_of(const std::function<double(double)>& f) {
  Eigen::MatrixXd values(1, 6);
  for (int i = 0; i < 6; ++i) values(0, i) = f(times[static_cast<std::size_t>(i)]);
  return values;
}

double cubic(double t) { return 1 - 2 * t + 3 * t * t - 0.7 * t * t * t; }
double cubic1(double t) { return -2 + 6 * t - 2.1 * t * t; }
double cubic2(double t) { return 6 - 4.2 * t; }

TEST(Sampled, GivesPolynomialsBack) {
  const auto fifth = [](double t) { return cubic(t) + std::pow(t, 5) - 0.2 * std::pow(t, 4); };
  const auto fifth1 = [](double t) {
    return cubic1(t) + 5 * std::pow(t, 4) - 0.8 * std::pow(t, 3);
  };
  const auto fifth2 = [](double t) { return cubic2(t) + 20 * std::pow(t, 3) - 2.4 * t * t; };
  const Sampled smooth = Sampled::spline(times, rows_of(cubic), SplineEnds::smooth);
  const Sampled hermite = Sampled::cubic(times, rows_of(cubic), rows_of(cubic1));
  const Sampled quintic = Sampled::quintic(times, rows_of(fifth), rows_of(fifth1), rows_of(fifth2));
  const Sampled line = Sampled::linear(times, rows_of([](double t) { return 3 - 2 * t; }));
  for (double t = 0; t <= 2.1; t += 0.037) {
    for (const Sampled* s : {&smooth, &hermite}) {
      EXPECT_NEAR(s->at(t, 0).value, cubic(t), 1e-13) << t;
      EXPECT_NEAR(s->at(t, 0).first, cubic1(t), 1e-12) << t;
      EXPECT_NEAR(s->at(t, 0).second, cubic2(t), 1e-11) << t;
    }
    EXPECT_NEAR(quintic.at(t, 0).value, fifth(t), 1e-12) << t;
    EXPECT_NEAR(quintic.at(t, 0).first, fifth1(t), 1e-11) << t;
    EXPECT_NEAR(quintic.at(t, 0).second, fifth2(t), 1e-9) << t;
    EXPECT_NEAR(line.at(t, 0).value, 3 - 2 * t, 1e-14) << t;
  }
}

TEST(Spline, HasTwoContinuousDerivativesAndTheEndsItWasAskedFor) {
  const auto f = [](double t) { return std::sin(3 * t); };
  for (SplineEnds ends : {SplineEnds::at_rest, SplineEnds::natural, SplineEnds::smooth}) {
    const Sampled s = Sampled::spline(times, rows_of(f), ends);
    for (std::size_t i = 0; i < times.size(); ++i) {
      EXPECT_NEAR(s.at(times[i], 0).value, f(times[i]), 1e-15);
      if (i == 0 || i + 1 == times.size()) continue;
      const auto before = s.at(std::nextafter(times[i], 0), 0), after = s.at(times[i], 0);
      EXPECT_NEAR(before.first, after.first, 1e-12);
      EXPECT_NEAR(before.second, after.second, 1e-11);
    }
    for (double end : {0., 2.1}) {
      const Sampled::Point p = s.at(end, 0);
      EXPECT_NEAR(ends == SplineEnds::at_rest ? p.first : 0, 0, 1e-12);
      EXPECT_NEAR(ends == SplineEnds::natural ? p.second : 0, 0, 1e-12);
    }
  }
}

TEST(Sampled, HoldsItsEndsAndRefusesTimesThatDoNotGrow) {
  const Sampled s = Sampled::linear(times, rows_of(cubic));
  EXPECT_EQ(s.at(-5, 0).value, cubic(0));
  EXPECT_EQ(s.at(9, 0).value, s.at(2.1, 0).value);
  EXPECT_EQ(s.at(9, 0).first, 0);
  EXPECT_THROW(Sampled::linear({0, 1, 1}, Eigen::MatrixXd::Zero(1, 3)), InputError);
  EXPECT_THROW(Sampled::linear({0, 1}, Eigen::MatrixXd::Zero(1, 3)), SizeError);
}

}  // namespace
}  // namespace catena
