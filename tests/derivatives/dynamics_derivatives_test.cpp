// Derivatives of inverse and forward dynamics against differences in quadruple precision.
#include "derivatives/derivatives.hpp"

namespace catena::oracle {
namespace {

#if CATENA_HAS_QUAD
State<double> rounded_state(const State<Quad>& s) {
  State<double> r{rounded(s.q), rounded(s.qd), rounded(s.qdd), rounded(s.tau), {}};
  for (const Force<Quad>& F : s.Fext) {
    const std::vector<double> x = rounded(numbers(F));
    r.Fext.push_back({{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
  }
  return r;
}

// Along two random directions, so that a wrong entry shows in any matrix.
TEST(InverseDerivatives, AreDifferencesInQuadruplePrecision) {
  Worst q("dtau/dq, quadruple", 1e-24), v("dtau/dv, quadruple", 1e-24), a("dtau/da", 1e-29);
  Worst plain_q("dtau/dq, double", 1e-12), plain_v("dtau/dv, double", 1e-12),
      plain_a("dtau/da, double", 1e-13);
  for_each_model(300, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    if (m.nv == 0) return;
    Differentiator<Quad> exact(m);
    Differentiator<double> plain(m);
    const State<Quad> s = random_state_of(exact.machine, m, random);
    const Derivatives<Quad> d = exact.inverse(s);
    const auto tau = [&](const State<Quad>& x) { return exact.machine.inverse(x); };
    for (int k = 0; k < 2; ++k) {
      const std::vector<Quad> along = random_direction(random, m.nv);
      const Directional expected = along_direction(exact.machine, s, along, tau);
      q.meet(difference(times(d.dq, along), expected.q, largest(d.dq)), where);
      v.meet(difference(times(d.dv, along), expected.v, largest(d.dv)), where);
    }
    a.meet(difference(d.da, exact.machine.inertia(s.q)), where);
    const Derivatives<double> p = plain.inverse(rounded_state(s));
    plain_q.meet(difference(p.dq, rounded(d.dq)), where);
    plain_v.meet(difference(p.dv, rounded(d.dv), largest(d.da)), where);
    plain_a.meet(difference(p.da, rounded(d.da)), where);
  });
}

TEST(ForwardDerivatives, AreDifferencesInQuadruplePrecision) {
  Worst q("dqdd/dq, quadruple", 1e-20), v("dqdd/dv, quadruple", 1e-20),
      a("M times dqdd/dtau is one", 1e-24), itself("qdd, quadruple", 1e-24);
  Worst plain_q("dqdd/dq, double", 1e-9), plain_v("dqdd/dv, double", 1e-9),
      plain_a("dqdd/dtau, double", 1e-9);
  for_each_model(
      300,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        Differentiator<Quad> exact(m);
        Differentiator<double> plain(m);
        const State<Quad> s = random_state_of(exact.machine, m, random);
        const Derivatives<Quad> d = exact.forward(s);
        ASSERT_TRUE(exact.machine.status) << where;
        const auto qdd = [&](const State<Quad>& x) { return exact.machine.forward(x); };
        const std::vector<Quad> along = random_direction(random, m.nv);
        const Directional expected = along_direction(exact.machine, s, along, qdd);
        q.meet(difference(times(d.dq, along), expected.q, largest(d.dq)), where);
        v.meet(difference(times(d.dv, along), expected.v, largest(d.dv)), where);
        itself.meet(difference(d.qdd, exact.machine.forward(s)), where);
        const std::size_t n = at(m.nv);
        const std::vector<Quad> M = exact.machine.inertia(s.q);
        const std::vector<Quad> solved = times(d.da, along);
        a.meet(difference(times(M, solved), along, product_size(M, solved)), where);
        for (std::size_t i = 0; i < n * n; ++i)
          ASSERT_EQ(to_double(d.da[i]), to_double(d.da[i % n * n + i / n])) << where;
        const Derivatives<double> p = plain.forward(rounded_state(s));
        EXPECT_TRUE(plain.machine.status) << where;
        plain_q.meet(difference(p.dq, rounded(d.dq), largest(d.da)), where);
        plain_v.meet(difference(p.dv, rounded(d.dv), largest(d.da)), where);
        plain_a.meet(difference(p.da, rounded(d.da)), where);
      },
      20);
}

// A wrench that keeps its components in the world turns in the body's axes as the body turns.
TEST(InverseDerivatives, HoldWrenchesInTheWorld) {
  Worst q("dtau/dq with a wrench held in the world", 1e-24);
  for_each_model(
      100,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        Differentiator<Quad> exact(m);
        State<Quad> s = random_state_of(exact.machine, m, random, false);
        const int body = 1 + random.below(m.num_bodies() - 1);
        const auto vector = [&] {
          return Vec3<Quad>{Quad(random.uniform()), Quad(random.uniform()), Quad(random.uniform())};
        };
        const Vec3<Quad> p_B = vector();
        const Force<Quad> F_W{vector(), vector()};
        const auto with_wrench = [&](State<Quad> x) {
          const Mat3<Quad> R = exact.machine.poses(x.q)[at(body)].R;
          const Force<Quad> F{transpose_times(R, F_W.n), transpose_times(R, F_W.f)};
          x.Fext.assign(m.bodies.size(), Force<Quad>{});
          x.Fext[at(body)] = {F.n + cross(p_B, F.f), F.f};
          return x;
        };
        s = with_wrench(s);
        Derivatives<Quad> d = exact.inverse(s);
        hold_wrench_in_world<Quad>(exact.machine.m, s.q, body, p_B, F_W, exact.w, d.dq);
        const std::vector<Quad> along = random_direction(random, m.nv);
        const Directional expected = along_direction(
            exact.machine, s, along,
            [&](const State<Quad>& x) { return exact.machine.inverse(with_wrench(x)); });
        q.meet(difference(times(d.dq, along), expected.q, largest(d.dq)), where);
      },
      12);
}
#endif

// Memory beyond the matrices stays as it is, also for one or two coordinates.
TEST(Derivatives, WriteTheirMatricesAndNothingElse) {
  for (int bodies = 1; bodies <= 10; ++bodies) {
    Random random(static_cast<std::uint64_t>(bodies));
    TreeOptions options;
    options.bodies = bodies, options.kinds = {JointKind::revolute};
    const Mechanism<double> m = compile(random_model(random, options));
    const std::size_t n = at(m.nv);
    Workspace<double> w(m, derivatives_room<double>(m));
    const State<double> s = random_state(m, random, false);
    std::vector<double> memory(3 * n * n + n + 8, 7);
    const std::span<double> all(memory);
    const auto guarded = [&] {
      for (std::size_t k = memory.size() - 8; k < memory.size(); ++k) EXPECT_EQ(memory[k], 7);
    };
    for (std::size_t last = 0; last < 3; ++last) {  // each of the matrices stands at the end once
      const auto matrix = [&](std::size_t k) {
        return all.subspan((k + last) % 3 * n * n + n, n * n);
      };
      inverse_dynamics_derivatives<double>(m, s.q, s.qd, s.qdd, {}, w, matrix(0), matrix(1),
                                           matrix(2));
      guarded();
      EXPECT_TRUE(forward_dynamics_derivatives<double>(
          m, s.q, s.qd, s.tau, {}, w, {all.first(n), matrix(0), matrix(1), matrix(2)}));
      guarded();
    }
  }
}

TEST(ForwardDerivatives, NameAJointWithoutInertia) {
  Model model;
  model.bodies = {Body{"link", 1, {0.5, 0, 0}, {0.1, 0, 0, 0.1, 0, 0.1}, {}},
                  Body{"tip", 0, {}, {}, {}}};
  Joint a, b;
  a.name = "a", a.kind = JointKind::revolute, a.parent = "world", a.child = "link";
  b.name = "b", b.kind = JointKind::revolute, b.parent = "link", b.child = "tip";
  b.X_PJ.p = {1, 0, 0};
  model.joints = {a, b};
  const Mechanism<double> m = compile(model);
  Differentiator<double> plain(m);
  Random random(1);
  (void)plain.forward(random_state(m, random, false));
  EXPECT_EQ(plain.machine.status.massless_velocity, 1);
}

}  // namespace
}  // namespace catena::oracle
