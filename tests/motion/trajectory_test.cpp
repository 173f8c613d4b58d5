// Trajectories: derivatives against finite differences, ends at rest, the papers' formula.
#include "catena/motion/trajectory.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "catena/kinematics/configuration.hpp"
#include "catena/model/compile.hpp"
#include "catena/readers/readers.hpp"

namespace catena {
namespace {

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();
using Vector = std::vector<double>;

Mechanism<double> load(const std::string& name) {
  return compile(read_model(std::string(CATENA_SOURCE_DIR) + "/models/" + name));
}

std::vector<Profile> all_profiles() {
  return {
      {Timing::cycloidal, 10},        {Timing::cycloidal, 0.3}, {Timing::quintic, 10},
      {Timing::quintic, 2.5},         {Timing::trapezoidal, 4}, {Timing::trapezoidal, 4, 0.5},
      {Timing::trapezoidal, 7, 0.01},
  };
}

struct State {
  Vector q, qd, qdd;
};
State at(const Mechanism<double>& m, const PointToPoint& path, double t) {
  State s{Vector(static_cast<std::size_t>(m.nq)), Vector(static_cast<std::size_t>(m.nv)),
          Vector(static_cast<std::size_t>(m.nv))};
  path.at(t, s.q, s.qd, s.qdd);
  return s;
}

Vector random_q(const Mechanism<double>& m, std::mt19937_64& generator) {
  Vector q(static_cast<std::size_t>(m.nq));
  random_configuration(m, generator, q);
  return q;
}

TEST(Progress, CycloidalIsTheFormulaOfThePapers) {
  const double T = 10;
  for (int k = 0; k <= 1000; ++k) {
    const double t = T * k / 1000, a = 2 * pi * t / T;
    const Progress p = progress({Timing::cycloidal, T}, t);
    EXPECT_NEAR(p.s, (t - T / (2 * pi) * std::sin(a)) / T, 4e-16);
    EXPECT_NEAR(p.rate, (1 - std::cos(a)) / T, 1e-15);
    EXPECT_NEAR(p.acceleration, 2 * pi / (T * T) * std::sin(a), 1e-15);
  }
}

TEST(Progress, StartsAndEndsExactlyAndStaysThere) {
  for (const Profile& profile : all_profiles()) {
    for (double t : {-1., 0.}) EXPECT_EQ(progress(profile, t).s, 0);
    for (double t : {profile.duration, profile.duration + 1}) EXPECT_EQ(progress(profile, t).s, 1);
    for (double t : {-1., 0., profile.duration, profile.duration + 1})
      EXPECT_EQ(progress(profile, t).rate, 0);
    EXPECT_EQ(progress(profile, -1).acceleration, 0);
    EXPECT_EQ(progress(profile, profile.duration + 1).acceleration, 0);
    if (profile.timing == Timing::trapezoidal) continue;
    EXPECT_EQ(progress(profile, 0).acceleration, 0);
    EXPECT_EQ(progress(profile, profile.duration).acceleration, 0);
  }
}

TEST(Progress, RatesAreDerivatives) {
  for (const Profile& profile : all_profiles()) {
    const double T = profile.duration, h = 1e-5 * T;
    for (int k = 1; k < 400; ++k) {
      const double t = T * (k + 0.37) / 401;
      // Finite differences mean nothing across a corner.
      if (profile.timing == Timing::trapezoidal)
        if (std::abs(t / T - profile.blend) < 2e-5 || std::abs(1 - t / T - profile.blend) < 2e-5)
          continue;
      const Progress before = progress(profile, t - h), p = progress(profile, t),
                     after = progress(profile, t + h);
      EXPECT_NEAR(p.rate * T, (after.s - before.s) / (2 * h) * T, 1e-8)
          << to_string(profile.timing);
      EXPECT_NEAR(p.acceleration * T * T, (after.rate - before.rate) / (2 * h) * T * T,
                  1e-8 / profile.blend);
    }
  }
}

TEST(Progress, SecondHalfMirrorsTheFirst) {
  for (const Profile& profile : all_profiles())
    for (double u : {0.1, 0.25, 0.4, 0.45}) {
      const double t = u * profile.duration;
      const Progress p = progress(profile, t), r = progress(profile, profile.duration - t);
      EXPECT_NEAR(p.s, 1 - r.s, 1e-15);
      EXPECT_NEAR(p.rate, r.rate, 1e-13 / profile.duration);
      EXPECT_NEAR(p.acceleration, -r.acceleration, 1e-11 / (profile.duration * profile.duration));
    }
}

TEST(FastestProfile, ReachesItsLimitsAndNeverExceedsThem) {
  for (Timing timing : {Timing::cycloidal, Timing::quintic, Timing::trapezoidal})
    for (double max_rate : {0.1, 1., 30., infinity})
      for (double max_acceleration : {0.05, 2., 400.}) {
        const Profile profile = fastest_profile(timing, max_rate, max_acceleration);
        double rate = 0, acceleration = 0;
        for (int k = 0; k <= 100000; ++k) {
          const Progress p = progress(profile, profile.duration * k / 100000);
          rate = std::max(rate, p.rate), acceleration = std::max(acceleration, p.acceleration);
        }
        EXPECT_LE(rate, max_rate * (1 + 1e-12));
        EXPECT_LE(acceleration, max_acceleration * (1 + 1e-12));
        EXPECT_GT(std::max(rate / max_rate, acceleration / max_acceleration), 1 - 1e-8);
      }
}

TEST(FastestProfile, TrapezoidBecomesATriangleOnAShortWay) {
  EXPECT_EQ(fastest_profile(Timing::trapezoidal, 10, 4).blend, 0.5);
  EXPECT_DOUBLE_EQ(fastest_profile(Timing::trapezoidal, 10, 4).duration, 1);    // 2 sqrt(1/4)
  EXPECT_DOUBLE_EQ(fastest_profile(Timing::trapezoidal, 1, 4).duration, 1.25);  // 1/1 + 1/4
}

TEST(FastestProfile, RefusesWhatLimitsNothing) {
  EXPECT_THROW(fastest_profile(Timing::cycloidal, infinity, infinity), InputError);
  EXPECT_THROW(fastest_profile(Timing::trapezoidal, 1, infinity), InputError);
  EXPECT_THROW(fastest_profile(Timing::quintic, 0, 1), InputError);
  EXPECT_THROW(fastest_profile(Timing::quintic, 1, std::nan("")), InputError);
}

TEST(PointToPoint, PumaFollowsTheFormulaOfThePapers) {
  const auto m = load("puma.yaml");
  const double T = 10;
  const PointToPoint path(m, Vector(6, 0.), Vector(6, pi), {Timing::cycloidal, T});
  for (int k = 0; k <= 100; ++k) {
    const double t = 0.1 * k, s = t - T / (2 * pi) * std::sin(2 * pi * t / T);
    const State x = at(m, path, t);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(x.q[i], pi / T * s, 1e-15);
      EXPECT_NEAR(x.qd[i], pi / T * (1 - std::cos(2 * pi * t / T)), 1e-15);
      EXPECT_NEAR(x.qdd[i], pi / T * (2 * pi / T) * std::sin(2 * pi * t / T), 1e-15);
    }
  }
}

TEST(PointToPoint, EndsAreBitForBitWhatWasGiven) {
  const auto m = load("puma.yaml");
  std::mt19937_64 generator(4);
  for (const Profile& profile : all_profiles()) {
    const Vector from = random_q(m, generator), to = random_q(m, generator);
    const PointToPoint path(m, from, to, profile);
    EXPECT_EQ(at(m, path, 0).q, from);
    EXPECT_EQ(at(m, path, profile.duration).q, to);
  }
}

TEST(PointToPoint, EveryJointKindEndsExactlyWhereItShall) {
  const auto m = load("joint-zoo.yaml");
  std::mt19937_64 generator(1);
  for (int trial = 0; trial < 50; ++trial) {
    const Vector from = random_q(m, generator), to = random_q(m, generator);
    for (const Profile& profile : all_profiles()) {
      const PointToPoint path(m, from, to, profile);
      Vector v(static_cast<std::size_t>(m.nv));
      const State first = at(m, path, 0), last = at(m, path, profile.duration);
      for (std::size_t i = 0; i < from.size(); ++i) {
        // Quaternions are brought to unit length, and either sign is the same attitude.
        EXPECT_NEAR(first.q[i], from[i], 3e-16);
        EXPECT_NEAR(std::abs(last.q[i]), std::abs(to[i]), 3e-16);
      }
      difference_configuration<double>(m, to, last.q, v);
      for (double x : v) EXPECT_NEAR(x, 0, 1e-14);
      for (double x : first.qd) EXPECT_EQ(x, 0);
      for (double x : last.qd) EXPECT_EQ(x, 0);
    }
  }
}

TEST(PointToPoint, ComesToTheEndWithoutAJump) {
  const auto m = load("joint-zoo.yaml");
  std::mt19937_64 generator(2);
  for (int trial = 0; trial < 50; ++trial) {
    const PointToPoint path(m, random_q(m, generator), random_q(m, generator),
                            {Timing::cycloidal, 1});
    const State before = at(m, path, 1 - 1e-6), last = at(m, path, 1);
    for (std::size_t i = 0; i < last.q.size(); ++i) EXPECT_NEAR(before.q[i], last.q[i], 1e-13);
  }
}

TEST(PointToPoint, RatesAreDerivativesForEveryJointKind) {
  const auto m = load("joint-zoo.yaml");
  std::mt19937_64 generator(3);
  const double h = 1e-5;
  for (const Profile& profile : {Profile{Timing::cycloidal, 2}, Profile{Timing::quintic, 2},
                                 Profile{Timing::trapezoidal, 2}}) {
    const PointToPoint path(m, random_q(m, generator), random_q(m, generator), profile);
    for (double t : {0.11, 0.4, 0.83, 1.2, 1.77}) {
      const State before = at(m, path, t - h), now = at(m, path, t), after = at(m, path, t + h);
      Vector v(static_cast<std::size_t>(m.nv));
      difference_configuration<double>(m, before.q, after.q, v);
      for (std::size_t i = 0; i < v.size(); ++i) {
        EXPECT_NEAR(now.qd[i], v[i] / (2 * h), 1e-7);
        EXPECT_NEAR(now.qdd[i], (after.qd[i] - before.qd[i]) / (2 * h), 1e-7);
      }
    }
  }
}

TEST(PointToPoint, TurnsAboutOneAxisWhereBothEndsDo) {
  Model model;
  model.bodies.push_back({.name = "ball", .mass = 1, .inertia = {1, 0, 0, 1, 0, 1}});
  Joint joint;
  joint.name = joint.child = "ball", joint.parent = "world";
  joint.kind = JointKind::spherical;
  model.joints.push_back(joint);
  const auto m = compile(model);
  const auto about_x = [](double angle) {
    return Vector{std::sin(angle / 2), 0, 0, std::cos(angle / 2)};
  };
  // 350 deg is -10 deg: the short way is 30 deg back.
  const PointToPoint path(m, about_x(20 * pi / 180), about_x(350 * pi / 180), {Timing::quintic, 1});
  for (double t : {0., 0.3, 0.5, 0.9, 1.}) {
    const State x = at(m, path, t);
    const double s = progress(path.profile(), t).s;
    const Vector expected = about_x((20 - 30 * s) * pi / 180);
    for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(x.q[i], expected[i], 1e-15);
  }
}

TEST(PointToPoint, RefusesWhatCannotBe) {
  const auto m = load("puma.yaml");
  const Vector a(6, 0.), b(6, 1.);
  EXPECT_THROW(PointToPoint(m, Vector(5), b, {}), SizeError);
  EXPECT_THROW(PointToPoint(m, a, Vector(7), {}), SizeError);
  EXPECT_THROW(PointToPoint(m, a, Vector(6, std::nan("")), {}), InputError);
  for (double duration : {0., -1., infinity, std::nan("")})
    EXPECT_THROW(PointToPoint(m, a, b, {Timing::cycloidal, duration}), InputError);
  for (double blend : {0., -0.1, 0.6, std::nan("")})
    EXPECT_THROW(PointToPoint(m, a, b, {Timing::trapezoidal, 1, blend}), InputError);
  Vector q(6), v(5);
  EXPECT_THROW(PointToPoint(m, a, b, {}).at(0, q, v, q), SizeError);
}

TEST(ProgressLimits, FollowFromTheLongestWay) {
  const Vector way{0.5, -4, 2, 0};
  EXPECT_EQ(progress_limits(way, 2, 3).rate, 0.5);
  EXPECT_EQ(progress_limits(way, 2, 3).acceleration, 0.75);
  EXPECT_EQ(progress_limits(Vector(3, 0.), 2, 3).rate, infinity);
}

TEST(SampleTimes, HaveBothEndsAndRoundNumbers) {
  EXPECT_EQ(sample_times(10, 6), (Vector{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(sample_times_by_step(1, 0.25), (Vector{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(sample_times_by_step(1, 0.4), (Vector{0, 0.4, 0.8, 1}));
  const Vector tenths = sample_times_by_step(10, 0.1);
  ASSERT_EQ(tenths.size(), 101u);
  EXPECT_EQ(tenths[3], 0.3);  // and not 0.30000000000000004
  EXPECT_EQ(tenths.back(), 10);
  EXPECT_EQ(sample_times_by_step(1, 5), (Vector{0, 1}));
  EXPECT_THROW(sample_times(1, 1), InputError);
  EXPECT_THROW(sample_times_by_step(1, 0), InputError);
  EXPECT_THROW(sample_times_by_step(1, 1e-12), InputError);
}

TEST(Timing, NamesReadBack) {
  for (Timing timing : {Timing::cycloidal, Timing::quintic, Timing::trapezoidal})
    EXPECT_EQ(timing_from_name(to_string(timing)), timing);
  try {
    timing_from_name("cyclodial");
    FAIL();
  } catch (const InputError& e) {
    EXPECT_STREQ(e.what(),
                 "'cyclodial' is no trajectory (did you mean 'cycloidal'?)\n"
                 "    choose cycloidal, quintic or trapezoidal");
  }
}

}  // namespace
}  // namespace catena
