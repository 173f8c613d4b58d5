// Large machines: the work of forward dynamics grows as the machine does, and everything that
// closes loops still works at sizes that dense matrices do not reach.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "oracles/n_four_bar.hpp"

namespace catena::oracle {
namespace {

using Eigen::VectorXd;

std::size_t products(const Model& model, bool in_space) {
  return Multipliers(compile_closed(model), in_space).system().num_products();
}

TEST(Growth, OfWindowsSideBySideIsLinear) {
  for (const bool in_space : {false, true}) {
    const std::size_t first = products(n_four_bar(10), in_space);
    const std::size_t step = products(n_four_bar(20), in_space) - first;
    EXPECT_GT(step, 0u);
    for (const int n : {30, 60, 110, 1010})
      EXPECT_EQ(products(n_four_bar(n), in_space),
                first + step * static_cast<std::size_t>(n / 10 - 1));
  }
}

// The order of elimination is found from which loops touch, not from the file.
TEST(Growth, DoesNotDependOnTheOrderOfTheLoops) {
  Model shuffled = n_four_bar(100);
  const std::size_t sorted = products(shuffled, false);
  for (std::size_t i = 0; i < shuffled.loops.size(); ++i)
    std::swap(shuffled.loops[i], shuffled.loops[(i * 37 + 11) % shuffled.loops.size()]);
  EXPECT_LE(products(shuffled, false), sorted + sorted / 10);
}

TEST(LargeMachines, AreAssembledCountedAndMoved) {
  constexpr int n = 300;
  const Model model = n_four_bar(n);
  ClosedDynamics dynamics(model);
  const ClosedMechanism& m = dynamics.mechanism();
  LoopState& state = dynamics.state();
  VectorXd q = n_four_bar_vector(n, 1.0);
  for (Eigen::Index i = 0; i < q.size(); ++i) q[i] += 0.02 * std::sin(7.0 * static_cast<double>(i));
  const Assembly a = assemble(m, state, q);
  ASSERT_TRUE(a.closed) << a.residual;
  const double angle = a.q[0];
  EXPECT_LT((a.q - n_four_bar_vector(n, angle)).cwiseAbs().maxCoeff(), 1e-9);

  const Mobility mobility = mobility_of(state.jacobian());
  EXPECT_EQ(mobility.by_rank, 1);
  EXPECT_EQ(mobility.rank, 2 * n);
  EXPECT_EQ(mobility.redundant_rows.size(), 3u * n);
  EXPECT_EQ(independent_velocities(state.jacobian(), {6}), std::vector<int>{6});

  std::vector<char> known(static_cast<std::size_t>(m.tree.nv), 0);
  known[0] = 1;
  VectorXd rates = VectorXd::Zero(m.tree.nv);
  rates[0] = -1;
  const Completion c = complete_rates(state.jacobian(), VectorXd::Zero(m.num_rows()), rates, known);
  EXPECT_LT(c.gap, 1e-12);
  EXPECT_LT((c.rates - n_four_bar_vector(n, -1)).cwiseAbs().maxCoeff(), 1e-9);
  EXPECT_EQ(std::count(c.free.begin(), c.free.end(), 1), 0);

  const ClosedForward r = dynamics.forward_dynamics(a.q, c.rates, VectorXd::Zero(m.tree.nv));
  EXPECT_EQ(r.rank, 2 * n);
  EXPECT_LT((r.qdd - n_four_bar_vector(n, n_four_bar_acceleration(n, angle))).cwiseAbs().maxCoeff(),
            1e-8);
}

}  // namespace
}  // namespace catena::oracle
