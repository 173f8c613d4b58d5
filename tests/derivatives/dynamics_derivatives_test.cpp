// Derivatives of inverse and forward dynamics against differences in quadruple precision.
#include "derivatives/derivatives.hpp"

namespace catena::oracle {
namespace {

#if CATENA_HAS_QUAD
TEST(InverseDerivatives, AreDifferencesInQuadruplePrecision) {
  Worst q("dtau/dq, quadruple", 1e-24), v("dtau/dv, quadruple", 1e-24), a("dtau/da", 1e-29);
  Worst plain_q("dtau/dq, double", 1e-12), plain_v("dtau/dv, double", 1e-12),
      plain_a("dtau/da, double", 1e-13);
  for_each_model(
      200,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        Differentiator<Quad> exact(m);
        Differentiator<double> plain(m);
        const State<Quad> s = random_state_of(exact.machine, m, random);
        const Derivatives<Quad> d = exact.inverse(s);
        const Derivatives<Quad> expected = by_differences(
            exact.machine, s, [&](const State<Quad>& x) { return exact.machine.inverse(x); });
        q.meet(difference(d.dq, expected.dq), where);
        v.meet(difference(d.dv, expected.dv), where);
        a.meet(difference(d.da, exact.machine.inertia(s.q)), where);
        State<double> rough{rounded(s.q), rounded(s.qd), rounded(s.qdd), rounded(s.tau), {}};
        for (const Force<Quad>& F : s.Fext) {
          const std::vector<double> x = rounded(numbers(F));
          rough.Fext.push_back({{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
        }
        const Derivatives<double> p = plain.inverse(rough);
        plain_q.meet(difference(p.dq, rounded(d.dq)), where);
        plain_v.meet(difference(p.dv, rounded(d.dv)), where);
        plain_a.meet(difference(p.da, rounded(d.da)), where);
      },
      20);
}

TEST(ForwardDerivatives, AreDifferencesInQuadruplePrecision) {
  Worst q("dqdd/dq, quadruple", 1e-18), v("dqdd/dv, quadruple", 1e-18),
      a("M times dqdd/dtau is one", 1e-24), itself("qdd, quadruple", 1e-24);
  Worst plain_q("dqdd/dq, double", 1e-8), plain_v("dqdd/dv, double", 1e-8);
  for_each_model(
      200,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        Differentiator<Quad> exact(m);
        Differentiator<double> plain(m);
        const State<Quad> s = random_state_of(exact.machine, m, random);
        const Derivatives<Quad> d = exact.forward(s);
        ASSERT_TRUE(exact.machine.status) << where;
        const Derivatives<Quad> expected = by_differences(
            exact.machine, s, [&](const State<Quad>& x) { return exact.machine.forward(x); });
        q.meet(difference(d.dq, expected.dq), where);
        v.meet(difference(d.dv, expected.dv), where);
        itself.meet(difference(d.qdd, exact.machine.forward(s)), where);
        const std::size_t n = at(m.nv);
        const std::vector<Quad> M = exact.machine.inertia(s.q);
        for (std::size_t k = 0; k < n; ++k) {
          std::vector<Quad> column(n), unit(n, 0);
          for (std::size_t i = 0; i < n; ++i) column[i] = d.da[i * n + k];
          unit[k] = 1;
          a.meet(difference(times(M, column), unit, product_size(M, column)), where);
        }
        State<double> rough{rounded(s.q), rounded(s.qd), rounded(s.qdd), rounded(s.tau), {}};
        for (const Force<Quad>& F : s.Fext) {
          const std::vector<double> x = rounded(numbers(F));
          rough.Fext.push_back({{x[0], x[1], x[2]}, {x[3], x[4], x[5]}});
        }
        const Derivatives<double> p = plain.forward(rough);
        EXPECT_TRUE(plain.machine.status) << where;
        plain_q.meet(difference(p.dq, rounded(d.dq)), where);
        plain_v.meet(difference(p.dv, rounded(d.dv)), where);
      },
      12);
}
#endif

}  // namespace
}  // namespace catena::oracle
