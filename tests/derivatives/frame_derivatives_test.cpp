// Derivatives of frames against differences in quadruple precision.
#include "catena/kinematics/frame_derivatives.hpp"
#include "derivatives/derivatives.hpp"

namespace catena::oracle {
namespace {

#if CATENA_HAS_QUAD
// Entries 6 k + r times a direction.
std::vector<Quad> columns_times(const std::vector<Quad>& J, const std::vector<Quad>& x) {
  std::vector<Quad> sum(6, 0);
  for (std::size_t k = 0; k < x.size(); ++k) {
    for (std::size_t r = 0; r < 6; ++r) sum[r] += J[6 * k + r] * x[k];
  }
  return sum;
}

TEST(FrameDerivatives, AreDifferencesInAllAxes) {
  Worst V_q("twist by q", 1e-24), V_v("twist by v", 1e-24), A_q("acceleration by q", 1e-24),
      A_v("acceleration by v", 1e-24), A_a("acceleration by a", 1e-24);
  for_each_model(
      100,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.nv == 0) return;
        Machine<Quad> machine(m);
        const State<Quad> s = random_state_of(machine, m, random, false);
        const std::size_t n = at(m.nv);
        const int body = random.below(m.num_bodies());
        const Pose<double> X = random.pose();
        const auto exact = [](const Vec3<double>& v) { return Vec3<Quad>{v.x, v.y, v.z}; };
        const Pose<Quad> X_BF{orthogonal({exact(X.R.x), exact(X.R.y), exact(X.R.z)}), exact(X.p)};
        for (const Axes axes : {Axes::frame, Axes::world_aligned, Axes::world}) {
          std::vector<Quad> J(6 * n), dV_dq(6 * n), dA_dq(6 * n), dA_dv(6 * n);
          frame_derivatives<Quad>(machine.m, s.q, s.qd, s.qdd, body, X_BF, axes, machine.w,
                                  {J, dV_dq, dA_dq, dA_dv});
          const std::vector<Quad> along = random_direction(random, m.nv);
          // twist, then acceleration
          const auto motion = [&](const State<Quad>& x) {
            const auto all = machine.motions(x.q, x.qd, x.qdd);
            std::vector<Quad> r =
                numbers(frame_twist<Quad>(all.X[at(body)], all.V[at(body)], X_BF, axes));
            const auto a = numbers(frame_acceleration<Quad>(all.X[at(body)], all.V[at(body)],
                                                            all.A[at(body)], X_BF, axes));
            r.insert(r.end(), a.begin(), a.end());
            return r;
          };
          const Directional d = along_direction(machine, s, along, motion);
          const std::vector<Quad> by_a = derivative([&](Quad t) {
            State<Quad> x = s;
            for (std::size_t k = 0; k < n; ++k) x.qdd[k] += t * along[k];
            return motion(x);
          });
          const auto compare = [&](const std::vector<Quad>& matrix, const std::vector<Quad>& both,
                                   int first, Worst& worst) {
            const std::vector<Quad> part(both.begin() + first, both.begin() + first + 6);
            worst.meet(difference(columns_times(matrix, along), part, 1), where);
          };
          compare(dV_dq, d.q, 0, V_q), compare(J, d.v, 0, V_v), compare(dA_dq, d.q, 6, A_q);
          compare(dA_dv, d.v, 6, A_v), compare(J, by_a, 6, A_a);
        }
      },
      20);
}
#endif

}  // namespace
}  // namespace catena::oracle
