// Errors in single precision: against the closed form of the two-body example [Mata et al. 2002,
// 5.1], and in the order that the mathematics demands.
#include "catena/analysis/stability.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "catena/model/compile.hpp"
#include "catena/readers/readers.hpp"

namespace catena {
namespace {

constexpr double degree = 3.14159265358979323846 / 180;

// The two bodies at rest under gravity: q1 = 0, q2 = 2 deg k.
std::vector<VerifyState> turn() {
  std::vector<VerifyState> states;
  for (int k = 0; k < 180; ++k) states.push_back({{0, 2 * degree * k}, {0, 0}, {0, 0}, {0, 0}});
  return states;
}

std::pair<double, double> closed_form(double q2) {
  const double l1 = 0.02, l2 = 2, m1 = 0.1, m2 = 10, width = 0.02, g = 9.81;
  const double I1 = m1 * (l1 * l1 + width * width) / 12, I2 = m2 * (l2 * l2 + width * width) / 12;
  const double D22 = I2 + m2 * l2 * l2 / 4, c = m2 * l1 * l2 / 2 * std::cos(q2), D12 = D22 + c;
  const double D11 = I1 + m1 * l1 * l1 / 4 + m2 * l1 * l1 + D22 + 2 * c;
  const double g2 = m2 * g * l2 / 2 * std::cos(q2), g1 = (m1 / 2 + m2) * g * l1 + g2;
  const double det = D11 * D22 - D12 * D12;
  return {(-g1 * D22 + g2 * D12) / det, (-g2 * D11 + g1 * D12) / det};
}

Stability study() {
  return stability(compile(read_model(CATENA_SOURCE_DIR "/models/two-body.yaml")), turn());
}

TEST(Stability, ReferenceIsTheClosedFormOfTheTwoBodyExample) {
  const Stability r = study();
  for (int k = 0; k < 180; ++k) {
    const auto [a1, a2] = closed_form(2 * degree * k);
    const auto& exact = r.exact[static_cast<std::size_t>(k)];
    EXPECT_NEAR(exact[0], a1, 1e-8) << k;  // the closed form itself loses digits in det
    EXPECT_NEAR(exact[1], a2, 1e-8) << k;
  }
}

TEST(Stability, ErrorsAreOfTheSizeThatConditionAndPrecisionAllow) {
  const Stability r = study();
  for (const MethodStability& a : r.methods) {
    for (std::size_t i = 0; i < r.sizes.size(); ++i) {
      const double bound = 20 * r.condition[i] * r.sizes[i];
      EXPECT_LE(a.errors[i].single, bound * 0x1p-24) << a.method << " " << i;
      EXPECT_LE(a.errors[i].twice, bound * 0x1p-53) << a.method << " " << i;
    }
    EXPECT_GT(a.summary().single_max, 1e3 * a.summary().double_max) << a.method;
  }
}

// What the paper found: articulated bodies lose less than a matrix that is written down and solved.
TEST(Stability, ArticulatedBodiesLoseLessThanTheSolvedMatrix) {
  const Stability r = study();
  const auto of = [&](const std::string& name) {
    for (const MethodStability& a : r.methods) {
      if (a.method == name) return a.summary();
    }
    ADD_FAILURE() << name;
    return MethodStability::Summary{};
  };
  EXPECT_LT(of("spatial").single_mean, 0.1 * of("spatial-dense").single_mean);
  // Table 5 of the paper: CRBA 1.29 at most, 0.275 on average
  EXPECT_NEAR(std::log10(of("spatial-dense").single_max), std::log10(1.2922), 0.7);
  EXPECT_NEAR(std::log10(of("spatial-dense").single_mean), std::log10(0.275), 0.7);
}

}  // namespace
}  // namespace catena
