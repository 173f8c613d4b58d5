// Many states at once: what each gets is its own, whatever the others, the lanes and the threads.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "batch/states.hpp"
#include "catena/formulations/forward_status.hpp"

namespace catena::oracle {
namespace {

template <class E>
class Batches : public ::testing::Test {};
using BatchScalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Batches, BatchScalars);

// The functions of one state, in the order of everything().
template <class E>
std::vector<std::vector<E>> one_by_one(Machine<E>& machine, const State<E>& s) {
  const auto& m = machine.m;
  std::vector<std::vector<E>> r;
  r.push_back(machine.inverse(s));
  r.push_back(machine.inverse(s.q, s.qd, {}));
  r.push_back(machine.inverse(s.q, {}, {}));
  r.push_back(machine.forward(s));
  r.push_back(machine.inertia(s.q));
  const auto X_WB = machine.poses(s.q);
  const auto& frames = m.names->frames;
  std::vector<E> poses;
  const auto frame = [&](const FrameInfo& f) {
    const auto e = [](const Vec3<double>& v) {
      return Vec3<E>{static_cast<E>(v.x), static_cast<E>(v.y), static_cast<E>(v.z)};
    };
    return Pose<E>{{e(f.X_BF.R.x), e(f.X_BF.R.y), e(f.X_BF.R.z)}, e(f.X_BF.p)};
  };
  for (const FrameInfo& f : {frames.back(), frames.front()}) {
    for (const E x : numbers(X_WB[at(f.body)] * frame(f))) poses.push_back(x);
  }
  r.push_back(poses);
  for (Axes axes : {Axes::frame, Axes::world_aligned, Axes::world}) {
    std::vector<E> J(6 * at(m.nv));
    frame_jacobian<E>(m, s.q, frames.back().body, frame(frames.back()), axes, machine.w, J);
    r.push_back(J);
  }
  r.push_back({kinetic_energy<E>(m, s.q, s.qd, machine.w)});
  r.push_back({potential_energy<E>(m, s.q, machine.w)});
  return r;
}

// The sum of the magnitudes that a potential energy is made of, springs aside.
template <class E>
double weight_moments(Machine<E>& machine, const State<E>& s) {
  double sum = 0;
  const auto X_WB = machine.poses(s.q);
  for (std::size_t b = 0; b < X_WB.size(); ++b) {
    const auto& M = machine.m.bodies[b].M;
    sum += static_cast<double>(M.m) * largest(numbers(X_WB[b].p)) + largest(numbers(M.h));
  }
  return sum * largest(numbers(machine.m.gravity));
}

// The lanes compute what the functions of one state do, up to the rounding of fused operations.
TYPED_TEST(Batches, EveryStateGetsWhatItGetsAlone) {
  using E = TypeParam;
  std::map<std::string, double> worst;
  for_each_model(
      25,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        const ManyStates<E> s(m, 19, random, true);
        Machine<E> machine(m);
        Batch<E> batch(s.m);
        const auto all = everything(batch, s);
        for (std::size_t i = 0; i < s.n; ++i) {
          const State<E> state = s.one(i);
          const auto expected = one_by_one(machine, state);
          const double reach = largest(numbers(machine.reactions(state)[0])) + 1 +
                               largest(expected[0]) + largest(machine.inverse(state.q, {}, {}));
          double reactions = 0;
          for (const Force<E>& F : machine.reactions(state))
            reactions = std::max(reactions, largest(numbers(F)));
          for (std::size_t k = 0; k < expected.size(); ++k) {
            const auto& result = all[k];
            std::vector<E> a = s.part(result.values, i, 1, result.width), b = expected[k];
            double scale = largest(b) + 1;
            if (k < 3) scale = reach + reactions;
            if (result.name == "potential energy") scale += weight_moments(machine, state);
            if (result.name == "forward dynamics") {  // compared where rounding is backward
              scale = product_size(expected[4], b) + reach + reactions;
              std::vector<E> d;
              for (std::size_t v = 0; v < a.size(); ++v) d.push_back(a[v] - b[v]);
              a = times(expected[4], d), b.assign(a.size(), E(0));
            }
            const double error = difference(a, b, scale);
            worst[result.name] = std::max(worst[result.name], error);
            EXPECT_LE(error, 30 * epsilon<E>())
                << result.name << " of state " << i << ", " << where;
          }
        }
      },
      40);
  for (const auto& [name, error] : worst)
    std::printf("  %-20s %-20s %9.2e\n", scalar_name<E>().c_str(), name.c_str(), error);
}

// Sizes around those of registers, and parts from anywhere.
TYPED_TEST(Batches, NeitherSizeNorPlaceMatters) {
  using E = TypeParam;
  for_each_model(
      4,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        const ManyStates<E> s(m, 67, random, true);
        Batch<E> batch(s.m);
        const auto all = everything(batch, s);
        for (std::size_t size : {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 33}) {
          const std::size_t first = size * 2 % 31;
          const auto some = everything(batch, s.some(first, size));
          for (std::size_t k = 0; k < all.size(); ++k) {
            EXPECT_TRUE(
                same_bits<E>(some[k].values, s.part(all[k].values, first, size, all[k].width)))
                << all[k].name << ", " << size << " states, " << where;
          }
        }
      },
      12);
}

TYPED_TEST(Batches, ThreadsGiveTheSameBits) {
  using E = TypeParam;
  for_each_tree(
      3,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        const ManyStates<E> s(m, 1000, random);
        Batch<E> one(s.m), two(s.m, {.threads = 2}), five(s.m, {.threads = 5});
        EXPECT_EQ(two.threads(), 2);
        const auto expected = everything(one, s);
        for (Batch<E>* batch : {&two, &five}) {
          const auto result = everything(*batch, s);
          for (std::size_t k = 0; k < expected.size(); ++k) {
            EXPECT_TRUE(same_bits<E>(result[k].values, expected[k].values))
                << expected[k].name << ", " << where;
          }
        }
      },
      12);
}

// A million pendulums: m g l sin q, for all of them.
TEST(Batch, AMillionPendulums) {
  Model model;
  Body bob;
  bob.name = "bob", bob.mass = 2, bob.com = {0, 0, -0.5}, bob.inertia = {1e-3, 0, 0, 1e-3, 0, 1e-3};
  model.bodies = {bob};
  Joint hinge;
  hinge.name = "hinge", hinge.kind = JointKind::revolute, hinge.axis = {0, 1, 0};
  hinge.parent = "world", hinge.child = "bob";
  model.joints = {hinge};
  const Mechanism<double> m = compile(model);
  Batch<double> batch(m, {.threads = 2});
  const std::size_t n = 1000003;
  std::vector<double> q(n), tau(n);
  for (std::size_t i = 0; i < n; ++i) q[i] = 1e-5 * static_cast<double>(i) - 5;
  batch.gravity_forces(q, tau);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    worst = std::max(worst, std::abs(tau[i] - 2 * 9.81 * 0.5 * std::sin(q[i])));
  EXPECT_LE(worst, 1e-14);
}

// States without a result are NaN, the first of them is named; the others are as ever.
TYPED_TEST(Batches, FindStatesWithoutInertia) {
  using E = TypeParam;
  // A point mass on an arm that turns about y, on a shaft that turns about z: where the arm is
  // upright, the mass is on the shaft's axis.
  Model model;
  Body post, mass;
  post.name = "post";
  mass.name = "mass", mass.mass = 1, mass.com = {0, 0, 1};
  model.bodies = {post, mass};
  Joint shaft, arm;
  shaft.name = "shaft", shaft.kind = JointKind::revolute, shaft.axis = {0, 0, 1};
  shaft.parent = "world", shaft.child = "post";
  arm.name = "arm", arm.kind = JointKind::revolute, arm.axis = {0, 1, 0};
  arm.parent = "post", arm.child = "mass";
  model.joints = {shaft, arm};
  const Mechanism<double> m = compile(model);
  Random random(5);
  ManyStates<E> s(m, 100, random);
  for (std::size_t i = 0; i < s.n; ++i) s.q[2 * i + 1] = E(0.5);
  s.q[2 * 41 + 1] = s.q[2 * 77 + 1] = E(0);
  for (int threads : {1, 2}) {
    Batch<E> batch(s.m, {.threads = threads});
    std::vector<E> qdd(2 * s.n);
    const BatchStatus status = batch.forward_dynamics(s.q, s.qd, s.tau, qdd);
    EXPECT_FALSE(status);
    EXPECT_EQ(status.state, 41u);
    EXPECT_EQ(describe(s.m, status.status).substr(0, 41),
              "joint 'shaft' carries no inertia at this ");
    for (std::size_t i = 0; i < s.n; ++i)
      EXPECT_EQ(std::isnan(qdd[2 * i]), i == 41 || i == 77) << i;
    // A trajectory that begins there is lost, too.
    std::vector<E> q(2 * s.n), qd(2 * s.n);
    const BatchStatus trajectory =
        batch.rollout({Stepper::rk4, E(1e-3), 3}, s.q, s.qd, s.tau, q, qd);
    EXPECT_EQ(trajectory.state, 41u);
    EXPECT_EQ(trajectory.status.massless_velocity, status.status.massless_velocity);
    for (std::size_t i = 0; i < s.n; ++i) EXPECT_EQ(std::isnan(q[2 * i]), i == 41 || i == 77) << i;
  }
}

TYPED_TEST(Batches, FarAnglesAreRight) {
  using E = TypeParam;
  Random random(6);
  const Mechanism<double> m = compile(single_joint(random, JointKind::revolute));
  ManyStates<E> s(m, 40, random);
  for (std::size_t i = 0; i < s.n; i += 3) s.q[i] = E(1e6) + E(i);
  s.q[7] = E(1e9);
  Machine<E> machine(m);
  Batch<E> batch(s.m);
  std::vector<E> tau(s.n);
  batch.inverse_dynamics(s.q, s.qd, s.qdd, tau);
  for (std::size_t i = 0; i < s.n; ++i) {
    const std::vector<E> expected = machine.inverse(s.one(i));
    EXPECT_NEAR(tau[i], expected[0], 8 * epsilon<E>() * (1 + std::abs(expected[0]))) << i;
  }
}

// The lower triangle alone, and matrices too large for lanes.
TYPED_TEST(Batches, WriteTrianglesAndLargeMatrices) {
  using E = TypeParam;
  for (int bodies : {9, 80}) {
    Random random(8);
    TreeOptions options;
    options.bodies = bodies;
    options.kinds = {JointKind::revolute};
    const Mechanism<double> m = compile(random_model(random, options));
    const ManyStates<E> s(m, 11, random);
    Batch<E> batch(s.m);
    std::vector<E> both(s.n * s.nv * s.nv), lower = both;
    batch.inertia_matrix(s.q, both);
    batch.inertia_matrix(s.q, lower, Triangle::lower);
    for (std::size_t i = 0; i < s.n; ++i) {
      for (std::size_t r = 0; r < s.nv; ++r) {
        for (std::size_t c = 0; c <= r; ++c) {
          const std::size_t k = (i * s.nv + r) * s.nv + c, mirrored = (i * s.nv + c) * s.nv + r;
          ASSERT_EQ(lower[k], both[k]);
          ASSERT_EQ(both[mirrored], both[k]);
        }
      }
    }
  }
}

TEST(Batch, SaysWhichSizeIsWrong) {
  Random random(9);
  const Mechanism<double> m = compile(single_joint(random, JointKind::universal));
  Batch<double> batch(m);
  std::vector<double> q(6), v(6), out(6), wrong(5);
  const auto message = [](auto call) {
    try {
      call();
    } catch (const SizeError& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  EXPECT_EQ(message([&] { batch.inverse_dynamics(wrong, v, v, out); }),
            "q has 5 entries, but each state needs 2");
  EXPECT_EQ(message([&] { batch.inverse_dynamics(q, wrong, v, out); }),
            "qd has 5 entries, but the mechanism needs 6");
  EXPECT_EQ(message([&] { batch.inertia_matrix(q, out); }),
            "M has 6 entries, but the mechanism needs 12");
  EXPECT_EQ(message([&] { batch.frame_jacobian(q, 99, Axes::world, out); }).substr(0, 5), "J has");
  const std::vector<int> frames{0, 99};
  std::vector<double> poses(72);
  EXPECT_EQ(message([&] { batch.frame_poses(q, frames, poses); }).substr(0, 20),
            "there is no frame 99");
  EXPECT_EQ(message([&] { (void)batch.rollout({.steps = 0}, q, v, v, out, out); }).substr(0, 9),
            "a rollout");
}

}  // namespace
}  // namespace catena::oracle
