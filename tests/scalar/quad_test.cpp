// Quadruple precision against published digits, identities and extended precision.
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "oracles/cases.hpp"

#if CATENA_HAS_QUAD
namespace catena::oracle {
namespace {

// From decimal digits: exact to rounding for up to 40 of them.
Quad parse(const std::string& digits) {
  Quad value = 0, unit = 1;
  bool fraction = false;
  for (char c : digits) {
    if (c == '.') fraction = true;
    if (c < '0' || c > '9') continue;
    value = 10 * value + (c - '0');
    if (fraction) unit *= 10;
  }
  return (digits[0] == '-' ? -value : value) / unit;
}
double error(Quad a, Quad b) { return magnitude(Quad(a - b)) / std::max(magnitude(b), 1e-300); }

TEST(QuadRoot, HasPublishedDigits) {
  EXPECT_LE(error(sqrt(Quad(2)), parse("1.41421356237309504880168872420969807857")), 1e-33);
  EXPECT_LE(error(sqrt(Quad(3)), parse("1.73205080756887729352744634150587236694")), 1e-33);
  EXPECT_EQ(to_double(sqrt(Quad(0))), 0);
  Random random(51);
  for (int i = 0; i < 2000; ++i) {
    const Quad x = std::exp(random.uniform(-600, 600)) * (1 + Quad(random.uniform()) * Quad(1e-20));
    const Quad r = sqrt(x);
    EXPECT_LE(error(r * r, x), 4e-34);
  }
}

TEST(QuadSineAndCosine, HavePublishedDigits) {
  struct {
    double x;
    const char* sine;
    const char* cosine;
  } table[] = {
      {1, "0.841470984807896506652502321630298999623", "0.540302305868139717400936607442976603732"},
      {2, "0.909297426825681695396019865911744842702",
       "-0.416146836547142386997568229500762189766"},
      {0.5, "0.479425538604203000273287935215571388082",
       "0.877582561890372716116281582603829651992"},
      {10, "-0.544021110889369813404747661851377281684",
       "-0.839071529076452452258863947824064834520"}};
  for (const auto& row : table) {
    Quad s, c;
    sincos(Quad(row.x), s, c);
    EXPECT_LE(error(s, parse(row.sine)), 1e-32) << row.x;
    EXPECT_LE(error(c, parse(row.cosine)), 1e-32) << row.x;
  }
}

TEST(QuadSineAndCosine, ObeyTheirIdentities) {
  Random random(52);
  double unit = 0, doubled = 0, sum = 0, extended = 0;
  for (int i = 0; i < 20000; ++i) {
    const Quad a = random.uniform(-1, 1) * std::pow(10, random.uniform(-8, 6)),
               b = random.uniform(-3, 3);
    Quad sa, ca, sb, cb, s2, c2, sab, cab;
    sincos(a, sa, ca), sincos(b, sb, cb), sincos(Quad(2 * a), s2, c2),
        sincos(Quad(a + b), sab, cab);
    unit = std::max(unit, magnitude(Quad(sa * sa + ca * ca - 1)));
    doubled = std::max(
        {doubled, magnitude(Quad(s2 - 2 * sa * ca)), magnitude(Quad(c2 - (1 - 2 * sa * sa)))});
    // a + b is rounded: its error is that of the angle
    const double rounding = magnitude(a) * 2e-34;
    sum = std::max({sum, magnitude(Quad(sab - (sa * cb + ca * sb))) - rounding,
                    magnitude(Quad(cab - (ca * cb - sa * sb))) - rounding});
    const long double x = static_cast<long double>(a);
    extended = std::max({extended, magnitude(Quad(sa - Quad(std::sin(x)))),
                         magnitude(Quad(ca - Quad(std::cos(x))))});
  }
  std::printf("  sin²+cos²=1 %.1e, double angles %.1e, sums %.1e, long double %.1e\n", unit,
              doubled, sum, extended);
  EXPECT_LE(unit, 2e-33);
  EXPECT_LE(doubled, 4e-33);
  EXPECT_LE(sum, 4e-33);
  EXPECT_LE(extended, 1.1e-19);
}

}  // namespace
}  // namespace catena::oracle
#endif
