// Sine and cosine of packs and arrays against quadruple precision, in units of the last place.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "catena/scalar/isa.hpp"
#include "catena/scalar/sincos.hpp"
#include "oracles/cases.hpp"

#if CATENA_HAS_QUAD
namespace catena::oracle {
namespace {

template <class E>
double ulps(E value, Quad exact) {
  const double size = std::abs(static_cast<double>(exact));
  const double unit = std::is_same_v<E, float>
                          ? std::ldexp(1.0, std::max(std::ilogb(size), -126) - 23)
                          : std::ldexp(1.0, std::max(std::ilogb(size), -1022) - 52);
  return std::abs(
      static_cast<double>((static_cast<Quad>(value) - exact) / static_cast<Quad>(unit)));
}

// Angles of every size, and next to the multiples of a quarter turn, where digits cancel.
std::vector<double> angles(double largest_angle, int count) {
  Random random(41);
  std::vector<double> x{0.0, -0.0, 1e-300, 1e-20, 1e-8, 0.5, 1, 2, 3, M_PI, M_PI_2, M_PI_4};
  for (int i = 0; i < count; ++i) {
    x.push_back(random.uniform(-4, 4));
    x.push_back(random.uniform(-largest_angle, largest_angle));
    x.push_back(std::exp(random.uniform(-40, std::log(largest_angle))));
    const double n = std::floor(random.uniform(0, largest_angle / M_PI_2));
    x.push_back(n * M_PI_2);
    x.push_back(std::nextafter(n * M_PI_2, 0));
  }
  while (x.size() % 16 != 0) x.push_back(0.25);
  return x;
}

template <class T, class F>
void check(const std::string& what, const std::vector<double>& all, double tolerance,
           F sine_cosine) {
  std::vector<T> x, s(all.size()), c(all.size());
  for (double v : all) x.push_back(static_cast<T>(v));
  sine_cosine(x.data(), s.data(), c.data(), x.size());
  Worst worst(what + ", ulps", tolerance);
  for (std::size_t i = 0; i < x.size(); ++i) {
    Quad exact_s, exact_c;
    sincos(static_cast<Quad>(x[i]), exact_s, exact_c);
    const std::string where = std::to_string(static_cast<double>(x[i]));
    if (x[i] != 0) worst.meet(ulps(s[i], exact_s), where);
    worst.meet(ulps(c[i], exact_c), where);
  }
  EXPECT_EQ(s[0], T(0));
  EXPECT_EQ(c[0], T(1));
}

// As the library's kernels run them: compiled for the instruction set in use.
template <class P>
struct Packs {
  using E = typename P::Element;
  static void run(const E* x, E* s, E* c, std::size_t n) {
    for (std::size_t i = 0; i < n; i += P::size) {
      P a, b;
      sincos(P::load(x + i), a, b);
      a.store(s + i), b.store(c + i);
    }
  }
};
template <class E>
struct Arrays {
  static void run(const E* x, E* s, E* c, std::size_t n) {
    const std::vector<E> zero(n);
    sincos_all(x, zero.data(), s, c, n);
  }
};
template <class P, class E>
void by_packs(const E* x, E* s, E* c, std::size_t n) {
  run_kernel<P, Packs<P>>(x, s, c, n);
}
template <class E>
void by_arrays(const E* x, E* s, E* c, std::size_t n) {
  run_kernel<E, Arrays<E>>(x, s, c, n);
}

TEST(SineAndCosine, OfPacksAreWithinAnUlpOrSo) {
  check<double>("pack of double", angles(2e6, 20000), 1.0, by_packs<Pack<double, 4>, double>);
  check<double>("pack of eight", angles(2e6, 20000), 1.0, by_packs<Pack<double, 8>, double>);
  check<float>("pack of float", angles(2e6, 20000), 1.5, by_packs<Pack<float, 8>, float>);
  check<float>("pack of sixteen", angles(2e6, 20000), 1.5, by_packs<Pack<float, 16>, float>);
}

TEST(SineAndCosine, OfArraysAreWithinAnUlp) {
  check<double>("array of double", angles(2e6, 20000), 1.0, by_arrays<double>);
  check<float>("array of float", angles(2e6, 20000), 0.51, by_arrays<float>);
}

// Where the quadruple-precision reduction itself ends, the C library is the reference.
TEST(SineAndCosine, OfHugeAnglesAreThoseOfTheCLibrary) {
  Random random(42);
  for (int i = 0; i < 5000; ++i) {
    double x[16], s[16], c[16];
    for (double& v : x) v = std::exp(random.uniform(std::log(1e6), std::log(1e300)));
    x[3] = 0.5;  // near and far in one pack
    by_packs<Pack<double, 4>>(x, s, c, 16);
    for (int k = 0; k < 16; ++k) {
      ASSERT_NEAR(s[k], std::sin(x[k]), 2.3e-16) << x[k];
      ASSERT_NEAR(c[k], std::cos(x[k]), 2.3e-16) << x[k];
    }
    by_arrays<double>(x, s, c, 16);
    for (int k = 0; k < 16; ++k) {
      ASSERT_NEAR(s[k], std::sin(x[k]), 2.3e-16) << x[k];
      ASSERT_NEAR(c[k], std::cos(x[k]), 2.3e-16) << x[k];
    }
  }
}

TEST(SineAndCosine, OfWhatIsNoNumberAreNotNumbers) {
  const double inf = std::numeric_limits<double>::infinity();
  double x[16] = {inf, -inf, std::nan(""), 1}, s[16], c[16];
  by_packs<Pack<double, 4>>(x, s, c, 16);
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::isnan(s[k]) && std::isnan(c[k])) << k;
  EXPECT_NEAR(s[3], std::sin(1.0), 1e-16);
  by_arrays<double>(x, s, c, 16);
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(std::isnan(s[k]) && std::isnan(c[k])) << k;
}

}  // namespace
}  // namespace catena::oracle
#endif
