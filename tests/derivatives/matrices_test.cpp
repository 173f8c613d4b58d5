// Coriolis, centroidal and operational-space matrices: laws that they obey.
#include "catena/formulations/spatial/centroidal.hpp"
#include "catena/formulations/spatial/coriolis_matrix.hpp"
#include "catena/formulations/spatial/operational_space.hpp"
#include "derivatives/derivatives.hpp"

namespace catena::oracle {
namespace {

#if CATENA_HAS_QUAD
TEST(CoriolisMatrix, GivesTheForcesAndLeavesASkewMatrix) {
  Worst forces("C v is what velocities need", 1e-28), skew("dM/dt - 2 C is skew", 1e-24);
  for_each_model(
      100,
      [&](Model model, Random& random, const std::string& where) {
        for (Joint& j : model.joints) j.dynamics = {0, 0, 0, 0, j.dynamics.rotor_inertia, 2};
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        Differentiator<Quad> d(m);
        Machine<Quad>& machine = d.machine;
        const State<Quad> s = random_state_of(machine, m, random, false);
        const std::size_t n = at(m.nv);
        std::vector<Quad> C(n * n);
        coriolis_matrix<Quad>(machine.m, s.q, s.qd, d.w, C);
        const std::vector<Quad> rest(n, 0);
        std::vector<Quad> moving = machine.inverse(s.q, s.qd, rest),
                          still = machine.inverse(s.q, rest, rest);
        const double size = largest(moving) + largest(still);
        for (std::size_t i = 0; i < n; ++i) moving[i] -= still[i];
        forces.meet(difference(times(C, s.qd), moving, size), where);
        const std::vector<Quad> rate =
            derivative([&](Quad t) { return machine.inertia(machine.moved(s.q, s.qd, t)); });
        std::vector<Quad> sum(n * n), zero(n * n, 0);
        for (std::size_t i = 0; i < n; ++i) {
          for (std::size_t j = 0; j < n; ++j)
            sum[i * n + j] = rate[i * n + j] + rate[j * n + i] - 2 * (C[i * n + j] + C[j * n + i]);
        }
        skew.meet(difference(sum, zero, largest(rate) + largest(C)), where);
      },
      20);
}

TEST(CentroidalMomentum, IsTheMomentumAndItsRateThatOfOutsideForces) {
  Worst value("A v", 1e-28), rate("d/dt A", 1e-24), place("mass centre", 1e-28);
  for_each_model(
      100,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        Differentiator<Quad> d(m);
        Machine<Quad>& machine = d.machine;
        const State<Quad> s = random_state_of(machine, m, random, false);
        const std::size_t n = at(m.nv);
        std::vector<Quad> A(6 * n), Adot(6 * n);
        const Vec3<Quad> c = centroidal_momentum<Quad>(machine.m, s.q, s.qd, d.w, A, Adot);
        const Vec3<Quad> expected_c = mass_centre<Quad>(machine.m, s.q, d.w, {});
        place.meet(difference(numbers(c), numbers(expected_c), 1), where);
        std::vector<Quad> h(6, 0);
        for (std::size_t k = 0; k < n; ++k) {
          for (std::size_t r = 0; r < 6; ++r) h[r] += A[6 * k + r] * s.qd[k];
        }
        Force<Quad> momentum_W = momentum<Quad>(machine.m, s.q, s.qd, d.w);
        momentum_W.n = momentum_W.n - cross(c, momentum_W.f);
        value.meet(difference(h, numbers(momentum_W), largest(A)), where);
        const std::vector<Quad> expected = derivative([&](Quad t) {
          std::vector<Quad> there(6 * n), unused(6 * n);
          centroidal_momentum<Quad>(machine.m, machine.moved(s.q, s.qd, t), s.qd, d.w, there,
                                    unused);
          return there;
        });
        rate.meet(difference(Adot, expected, largest(A)), where);
      },
      20);
}
#endif

// A wrench on the frame, and the acceleration that it alone makes.
TEST(OperationalSpace, AnswersAsTheMechanismDoes) {
  Worst answer("J M⁻¹ Jᵀ F", 1e-8), inverse("inertia times mobility", 1e-6);
  for_each_tree(60, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    if (m.nv == 0) return;
    Machine<double> machine(m);
    const State<double> s = random_state(m, random, false);
    const std::size_t n = at(m.nv);
    const int body = m.num_bodies() - 1;
    const Pose<double> X_BF = random.pose();
    std::vector<double> J(6 * n), response(6 * n), mobility(36);
    ASSERT_TRUE(operational_space<double>(m, s.q, body, X_BF, Axes::frame, machine.w,
                                          {J, response, mobility}))
        << where;
    const std::vector<double> rest(n, 0.0);
    const auto acceleration = [&](const std::vector<Force<double>>& Fext) {
      const std::vector<double> qdd = machine.forward(s.q, rest, rest, Fext);
      std::vector<double> a(6, 0.0);
      for (std::size_t k = 0; k < n; ++k) {
        for (std::size_t r = 0; r < 6; ++r) a[r] += J[6 * k + r] * qdd[k];
      }
      return a;
    };
    const Force<double> F{random.vector(), random.vector()};
    std::vector<Force<double>> Fext(m.bodies.size());
    const std::vector<double> before = acceleration(Fext);
    Fext[at(body)] = transform(X_BF, F);
    std::vector<double> gained = acceleration(Fext), expected(6, 0.0);
    const std::vector<double> f = numbers(F);
    for (std::size_t r = 0; r < 6; ++r) {
      gained[r] -= before[r];
      for (std::size_t k = 0; k < 6; ++k) expected[r] += mobility[6 * k + r] * f[k];
    }
    answer.meet(difference(expected, gained, largest(before) + largest(mobility)), where);
    std::vector<double> inertia = mobility;
    if (n < 6 || invert_mobility<double>(inertia) >= 0) return;
    std::vector<double> x = times(inertia, times(mobility, f));
    if (largest(inertia) * largest(mobility) < 1e7) inverse.meet(difference(x, f), where);
  });
}

}  // namespace
}  // namespace catena::oracle
