// Numbers with units against the same numbers written by hand.
#include "catena/readers/quantity.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace catena {
namespace {

constexpr double pi = 3.14159265358979323846;

TEST(Quantity, PlainNumbersAreTheNearestDoubles) {
  using dimension::number;
  EXPECT_EQ(evaluate("0.1", number), 0.1);
  EXPECT_EQ(evaluate("-.5", number), -0.5);
  EXPECT_EQ(evaluate("+5.", number), 5);
  EXPECT_EQ(evaluate("1e-3", number), 1e-3);
  EXPECT_EQ(evaluate("1E3", number), 1e3);
  EXPECT_EQ(evaluate("4.9406564584124654e-324", number), 4.9406564584124654e-324);
  EXPECT_TRUE(std::signbit(evaluate("-0", number)));
}

TEST(Quantity, AnglesMayHaveUnitsOrPi) {
  using dimension::angle;
  EXPECT_EQ(evaluate("-90 deg", angle), -pi / 2);
  EXPECT_EQ(evaluate("-90deg", angle), -pi / 2);
  EXPECT_EQ(evaluate("180°", angle), pi);
  EXPECT_EQ(evaluate("-pi/2", angle), -pi / 2);
  EXPECT_EQ(evaluate("0.5*pi", angle), pi / 2);
  EXPECT_EQ(evaluate("π", angle), pi);
  EXPECT_EQ(evaluate("2 pi", angle), 2 * pi);
  EXPECT_EQ(evaluate("0.25 turn", angle), pi / 2);
  EXPECT_EQ(evaluate("pi/2 + 90 deg", angle), pi);
  EXPECT_EQ(evaluate("1.5", angle), 1.5);
  EXPECT_EQ(evaluate("1.5 rad", angle), 1.5);
}

TEST(Quantity, ANumberWithAUnitRoundsOnce) {
  for (int i = 1; i < 1000; ++i) {
    EXPECT_EQ(evaluate(std::to_string(i) + " mm", dimension::length), i / 1000.0);
    EXPECT_EQ(evaluate(std::to_string(i) + " cm", dimension::length), i / 100.0);
  }
}

TEST(Quantity, OperationsGoFromLeftToRightProductsFirst) {
  using dimension::length;
  using dimension::number;
  EXPECT_EQ(evaluate("2 + 3*4", number), 14);
  EXPECT_EQ(evaluate("(2 + 3)*4", number), 20);
  EXPECT_EQ(evaluate("2 - 3 - 4", number), -5);
  EXPECT_EQ(evaluate("8/2/2", number), 2);
  EXPECT_EQ(evaluate("8/(2/2)", number), 8);
  EXPECT_EQ(evaluate("-2^2", number), -4);
  EXPECT_EQ(evaluate("2^-2", number), 0.25);
  EXPECT_EQ(evaluate("2*-3", number), -6);
  EXPECT_EQ(evaluate("--3", number), 3);
  EXPECT_EQ(evaluate("1/2 m", length), 0.5);
  EXPECT_EQ(evaluate("(120 + 45) mm", length), 0.165);
  EXPECT_EQ(evaluate("1 m - 20 cm", length), 0.8);
}

TEST(Quantity, UnitsCombine) {
  EXPECT_DOUBLE_EQ(evaluate("10 kg*mm^2", dimension::inertia), 1e-5);
  EXPECT_DOUBLE_EQ(evaluate("90 deg/s", dimension::angle * per_second), pi / 2);
  EXPECT_DOUBLE_EQ(evaluate("60 rpm", dimension::angle * per_second), 2 * pi);
  EXPECT_DOUBLE_EQ(evaluate("20 mm/turn", dimension::length_per_angle), 0.02 / (2 * pi));
  EXPECT_DOUBLE_EQ(evaluate("1 Nm/deg", dimension::torque / dimension::angle), 180 / pi);
  EXPECT_DOUBLE_EQ(evaluate("3 N*m", dimension::torque), 3);
  EXPECT_DOUBLE_EQ(evaluate("3 N m", dimension::torque), 3);
  EXPECT_DOUBLE_EQ(evaluate("250 g", dimension::mass), 0.25);
}

}  // namespace
}  // namespace catena
