// Derivatives of many states at once, beside those of one state.
#include <gtest/gtest.h>

#include <cmath>

#include "batch/states.hpp"
#include "catena/formulations/spatial/forward_derivatives.hpp"

namespace catena::oracle {
namespace {

template <class E>
class BatchDerivatives : public ::testing::Test {};
using DerivedScalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(BatchDerivatives, DerivedScalars);

// Matrices by rows: a b
template <class E>
std::vector<E> product(const std::vector<E>& a, const std::vector<E>& b, std::size_t n) {
  std::vector<E> r(n * n, E(0));
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < n; ++k) {
      for (std::size_t j = 0; j < n; ++j) r[i * n + j] += a[i * n + k] * b[k * n + j];
    }
  }
  return r;
}

template <class E>
struct Alone {
  std::vector<E> dq, dv, dx, qdd;
};

TYPED_TEST(BatchDerivatives, EveryStateGetsWhatItGetsAlone) {
  using E = TypeParam;
  Worst inverse("inverse, " + scalar_name<E>(), 30 * epsilon<E>());
  // Compared by M times them, where rounding does not depend on how well M can be inverted.
  Worst forward("forward, " + scalar_name<E>(), 100 * epsilon<E>());
  for_each_model(
      25,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        const ManyStates<E> s(m, 11, random, true);
        const std::size_t n = at(m.nv), size = n * n;
        Batch<E> batch(s.m);
        Alone<E> all{std::vector<E>(s.n * size), std::vector<E>(s.n * size),
                     std::vector<E>(s.n * size), std::vector<E>(s.n * n)};
        Alone<E> both = all;
        batch.inverse_derivatives(s.q, s.qd, s.qdd, all.dq, all.dv, all.dx, s.Fext);
        EXPECT_TRUE(batch.forward_derivatives(s.q, s.qd, s.tau, both.qdd, both.dq, both.dv, both.dx,
                                              s.Fext));
        Workspace<E> w(s.m, derivatives_room<E>(s.m));
        for (std::size_t i = 0; i < s.n; ++i) {
          const State<E> state = s.one(i);
          Alone<E> one{std::vector<E>(size), std::vector<E>(size), std::vector<E>(size),
                       std::vector<E>(n)};
          inverse_dynamics_derivatives<E>(s.m, state.q, state.qd, state.qdd, state.Fext, w, one.dq,
                                          one.dv, one.dx);
          const auto gap = [&](const std::vector<E>& ours, const std::vector<E>& right) {
            const double scale = largest(one.dq) + largest(one.dv) + largest(one.dx) + 1;
            return difference(s.part(ours, i, 1, size), right, scale);
          };
          inverse.meet(gap(all.dq, one.dq), where);
          inverse.meet(gap(all.dv, one.dv), where);
          inverse.meet(gap(all.dx, one.dx), where);
          const std::vector<E> M = one.dx;
          ASSERT_TRUE(
              (forward_dynamics_derivatives<E>(s.m, state.q, state.qd, state.tau, state.Fext, w,
                                               {one.qdd, one.dq, one.dv, one.dx})));
          const auto weighed = [&](const std::vector<E>& ours, const std::vector<E>& right) {
            std::vector<E> d = s.part(ours, i, 1, size);
            for (std::size_t k = 0; k < size; ++k) d[k] -= right[k];
            const double scale = largest(M) * (largest(right) + 1) * static_cast<double>(n);
            return largest(product(M, d, n)) / scale;
          };
          forward.meet(weighed(both.dq, one.dq), where);
          forward.meet(weighed(both.dv, one.dv), where);
          forward.meet(weighed(both.dx, one.dx), where);
        }
      },
      40);
}

// Larger mechanisms go one state at a time: to the bit.
TEST(DerivativesOfBatches, OfLargeMechanismsAreThoseOfOneState) {
  Random random(3);
  TreeOptions options;
  options.bodies = 70, options.kinds = {JointKind::revolute};
  const Mechanism<double> m = compile(random_model(random, options));
  const ManyStates<double> s(m, 3, random);
  const std::size_t n = at(m.nv), size = n * n;
  ASSERT_GT(m.nv, most_lane_velocities);
  Batch<double> batch(m, {.threads = 2});
  std::vector<double> dq(3 * size), dv(dq), dx(dq), qdd(3 * n);
  Workspace<double> w(m, derivatives_room<double>(m));
  std::vector<double> one_q(size), one_v(size), one_x(size), one_a(n);
  batch.inverse_derivatives(s.q, s.qd, s.qdd, dq, dv, dx);
  const State<double> last = s.one(2);
  inverse_dynamics_derivatives<double>(m, last.q, last.qd, last.qdd, {}, w, one_q, one_v, one_x);
  EXPECT_TRUE(same_bits<double>(s.part(dq, 2, 1, size), one_q));
  EXPECT_TRUE(same_bits<double>(s.part(dx, 2, 1, size), one_x));
  EXPECT_TRUE(batch.forward_derivatives(s.q, s.qd, s.tau, qdd, dq, dv, dx));
  ASSERT_TRUE((forward_dynamics_derivatives<double>(m, last.q, last.qd, last.tau, {}, w,
                                                    {one_a, one_q, one_v, one_x})));
  EXPECT_TRUE(same_bits<double>(s.part(qdd, 2, 1, n), one_a));
  EXPECT_TRUE(same_bits<double>(s.part(dv, 2, 1, size), one_v));
}

// A slider that carries nothing: its state has no derivatives, and the joint is named.
TYPED_TEST(BatchDerivatives, NameTheJointWithoutInertia) {
  using E = TypeParam;
  // A point mass on an arm that turns about y, on a shaft that turns about z: where the arm is
  // upright, the mass is on the shaft's axis.
  Model model;
  Body shaft, arm;
  shaft.name = "shaft", shaft.mass = 0;
  arm.name = "arm", arm.mass = 1, arm.com = {0, 0, 1};
  model.bodies = {shaft, arm};
  Joint turn, lift;
  turn.name = "turn", turn.kind = JointKind::revolute, turn.axis = {0, 0, 1};
  turn.parent = "world", turn.child = "shaft";
  lift.name = "lift", lift.kind = JointKind::revolute, lift.axis = {0, 1, 0};
  lift.parent = "shaft", lift.child = "arm";
  model.joints = {turn, lift};
  const Mechanism<E> m = cast<E>(compile(model));
  Batch<E> batch(m);
  std::vector<E> q;
  for (int i = 0; i < 9; ++i) q.push_back(E(0)), q.push_back(i == 5 ? E(0) : E(0.5));
  std::vector<E> qdd(18), dq(36), dv(36), dx(36);
  const BatchStatus status = batch.forward_derivatives(q, {}, {}, qdd, dq, dv, dx);
  EXPECT_EQ(status.state, 5u);
  EXPECT_EQ(status.status.massless_velocity, 0);
  for (std::size_t k = 0; k < 36; ++k) {
    EXPECT_EQ(std::isnan(dq[k]), k / 4 == 5) << k;
    EXPECT_EQ(std::isnan(dx[k]), k / 4 == 5) << k;
  }
}

TEST(DerivativesOfBatches, SayWhichSizeIsWrong) {
  Random random(4);
  const Mechanism<double> m = compile(random_model(random, {}));
  Batch<double> batch(m);
  std::vector<double> q(2 * at(m.nq)), square(2 * at(m.nv) * at(m.nv)), short_one(1);
  EXPECT_THROW(batch.inverse_derivatives(q, {}, {}, square, square, short_one), SizeError);
}

}  // namespace
}  // namespace catena::oracle
