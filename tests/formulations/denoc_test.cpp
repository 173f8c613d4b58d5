// The quantities that `denoc` names, against kinematics, `spatial` and dense linear algebra.
#include <gtest/gtest.h>

#include "catena/formulations/denoc/factors.hpp"
#include "catena/formulations/denoc/forward_dynamics.hpp"
#include "catena/formulations/denoc/inverse_dynamics.hpp"
#include "catena/formulations/denoc/natural_orthogonal_complement.hpp"
#include "oracles/cases.hpp"
#include "oracles/differences.hpp"

namespace catena::oracle {
namespace {

using denoc::MassRate;
using denoc::Matrix;

// A random tree without mimic joints, springs, friction and drives, at a random state, in T.
template <class T>
struct Case {
  Machine<T> machine;
  State<T> s;
  denoc::NaturalOrthogonalComplement<T> noc;

  Case(const Mechanism<double>& m, Random& random)
      : machine(m), s(random_state_of(machine, m, random)), noc(complement(s.q)) {}
  denoc::NaturalOrthogonalComplement<T> complement(const std::vector<T>& q) const {
    return denoc::natural_orthogonal_complement<T>(machine.m, q.data(), s.qd.data());
  }
  int nv() const { return machine.m.nv; }
};
template <class T, class F>
void for_each_case(int trees, F f, int most_bodies = 20) {
  for_each_model(
      trees,
      [&](const Model& model, Random& random, const std::string& where) {
        Mechanism<double> m = compile(model);
        if (m.coupled || m.nv == 0) return;
        m.has_passive = m.has_armature = false;
        for (double& rotor : m.armature) rotor = 0;
        Case<T> c(m, random);
        f(c, where);
      },
      most_bodies);
}

template <class T>
Matrix<T> operator*(const Matrix<T>& a, const Matrix<T>& b) {
  Matrix<T> r(a.rows, b.columns);
  for (int i = 0; i < a.rows; ++i) {
    for (int k = 0; k < a.columns; ++k) {
      for (int j = 0; j < b.columns; ++j) r(i, j) = r(i, j) + a(i, k) * b(k, j);
    }
  }
  return r;
}
template <class T>
Matrix<T> transpose(const Matrix<T>& a) {
  Matrix<T> r(a.columns, a.rows);
  for (int i = 0; i < a.rows; ++i) {
    for (int j = 0; j < a.columns; ++j) r(j, i) = a(i, j);
  }
  return r;
}

TEST(Denoc, ComplementIsMadeOfTheJacobiansOfTheMassCentres) {
  Worst jacobians("N = N_l N_d", 1e-13), twists("t = N qd", 1e-13);
  for_each_case<double>(100, [&](Case<double>& c, const std::string& where) {
    const auto& m = c.machine.m;
    const Matrix<double> N = denoc::twist_propagation(c.noc) * denoc::joint_rate_propagation(c.noc);
    const auto centres = denoc::mass_centres(m);
    std::vector<double> from_kinematics, from_complement, t;
    std::vector<double> J(6 * at(c.nv()));
    for (int i = 1; i < m.num_bodies(); ++i) {
      frame_jacobian<double>(m, c.s.q, i, {{}, centres[at(i)].d}, Axes::world_aligned, c.machine.w,
                             J);
      for (int v = 0; v < c.nv(); ++v) {
        for (int r = 0; r < 6; ++r) {
          from_kinematics.push_back(J[at(6 * v + r)]);
          from_complement.push_back(N(6 * (i - 1) + r, v));
        }
      }
      for (double x : numbers(c.noc.t[at(i - 1)])) t.push_back(x);
    }
    jacobians.meet(difference(from_complement, from_kinematics), where);
    Matrix<double> qd(c.nv(), 1);
    qd.entries = c.s.qd;
    twists.meet(difference((N * qd).entries, t), where);
  });
}

TEST(Denoc, ElementsOfTheGeneralizedInertiaMatrix) {
  Worst elements("i_ij", 1e-13), product("Nᵀ M N", 1e-13);
  for_each_case<double>(100, [&](Case<double>& c, const std::string& where) {
    const std::vector<double> I = c.machine.inertia(c.s.q);
    elements.meet(difference(denoc::generalized_inertia(c.noc).entries, I), where);
    const Matrix<double> N = denoc::twist_propagation(c.noc) * denoc::joint_rate_propagation(c.noc);
    product.meet(difference((transpose(N) * denoc::mass_matrix(c.noc) * N).entries, I), where);
  });
}

TEST(Denoc, ConvectiveInertiaTimesRatesIsTheBias) {
  Worst worst("C qd", 1e-12);
  for_each_case<double>(150, [&](Case<double>& c, const std::string& where) {
    c.machine.m.gravity = c.machine.m.gravity_0 = {};
    const std::vector<double> bias = c.machine.inverse(c.s.q, c.s.qd, {});
    const double scale = largest(c.machine.inertia(c.s.q));  // rates are below 1
    for (MassRate rate : {MassRate::derivative, MassRate::cross_only}) {
      const std::vector<double> C = denoc::convective_inertia(c.noc, rate).entries;
      worst.meet(difference(times(C, c.s.qd), bias, scale), where);
    }
  });
}

#if CATENA_HAS_QUAD
// dI/dt - 2 C = -(dI/dt - 2 C)ᵀ holds where (8) is read as w x I, and not where it is read as the
// derivative of I.
TEST(Denoc, InertiaRateMinusTwiceConvectiveInertiaIsSkewSymmetric) {
  Worst skew("dI/dt - 2 C, w x I", 1e-26);
  double other = 0;
  for_each_case<Quad>(
      30,
      [&](Case<Quad>& c, const std::string& where) {
        const std::vector<Quad> rate = derivative([&](Quad time) {
          return denoc::generalized_inertia(c.complement(c.machine.moved(c.s.q, c.s.qd, time)))
              .entries;
        });
        const auto error = [&](MassRate kind) {
          const Matrix<Quad> C = denoc::convective_inertia(c.noc, kind);
          double worst = 0;
          for (int i = 0; i < c.nv(); ++i) {
            for (int j = 0; j <= i; ++j) {
              const Quad a = rate[at(i * c.nv() + j)] - 2 * C(i, j);
              const Quad b = rate[at(j * c.nv() + i)] - 2 * C(j, i);
              worst = std::max(worst, magnitude(Quad(a + b)));
            }
          }
          return worst / (1 + largest(C.entries));
        };
        skew.meet(error(MassRate::cross_only), where);
        other = std::max(other, error(MassRate::derivative));
      },
      8);
  EXPECT_GT(other, 1e-3);
}
#endif

TEST(Denoc, GeneralizedForceOfWeightsAndWrenches) {
  Worst worst("tau of w", 1e-12);
  for_each_case<double>(100, [&](Case<double>& c, const std::string& where) {
    const auto& m = c.machine.m;
    const std::vector<Pose<double>> X = c.machine.poses(c.s.q);
    std::vector<Force<double>> w;
    for (int i = 1; i < m.num_bodies(); ++i) {
      const auto& b = m.bodies[at(i)];
      const Pose<double>& X_WB = X[at(i)];
      const Vec3<double> arm = X_WB.p - c.noc.centre[at(i - 1)];
      Force<double> F{{0, 0, 0}, b.M.m * m.gravity};
      if (!c.s.Fext.empty()) {
        const Vec3<double> f = X_WB.R * c.s.Fext[at(i)].f;
        F += {X_WB.R * c.s.Fext[at(i)].n + cross(arm, f), f};
      }
      w.push_back(F);
    }
    const std::vector<double> rest(at(c.nv()), 0);
    std::vector<double> tau = denoc::generalized_force(c.noc, w);
    for (double& x : tau) x = -x;
    worst.meet(difference(tau, c.machine.inverse(c.s.q, rest, rest, c.s.Fext)), where);
  });
}

template <class T>
void centres_and_origins(int trees, double tolerance) {
  Worst worst("about centres, about origins", tolerance);
  for_each_case<T>(trees, [&](Case<T>& c, const std::string& where) {
    const auto& m = c.machine.m;
    Workspace<T> w(m, denoc::room<T>(m));
    const auto centres = denoc::mass_centres(m);
    std::vector<T> a(at(c.nv())), b(at(c.nv()));
    const T *q = c.s.q.data(), *qd = c.s.qd.data(), *qdd = c.s.qdd.data();
    const Force<T>* F = c.s.Fext.empty() ? nullptr : c.s.Fext.data();
    denoc::inverse_dynamics<T>(m, q, qd, qdd, F, w.arena(), a.data());
    denoc::inverse_dynamics_about_centres<T>(m, centres.data(), q, qd, qdd, F, w.arena(), b.data());
    worst.meet(difference(a, b, product_size(c.machine.inertia(c.s.q), c.s.qdd)), where);
  });
}
TEST(Denoc, TwistsAboutCentresGiveTheForcesOfTwistsAboutOrigins) {
  centres_and_origins<double>(200, 1e-12);
}
#if CATENA_HAS_QUAD
TEST(Denoc, TheSameInQuadruplePrecision) { centres_and_origins<Quad>(60, 1e-29); }
#endif

// The same with drives, which stand on the diagonal.
template <class F>
void for_each_driven_case(int trees, F f) {
  for_each_model(
      trees,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        if (m.coupled || m.nv == 0) return;
        Machine<double> machine(m);
        const State<double> s = random_state(m, random);
        f(machine, s, where);
      },
      20);
}

TEST(Denoc, FactorsAreThoseOfReverseGaussianElimination) {
  Worst upper("U", 1e-12), diagonal("D", 1e-11), product("U D Uᵀ", 1e-13);
  for_each_driven_case(
      200, [&](Machine<double>& machine, const State<double>& s, const std::string& where) {
        const int n = machine.m.nv;
        const std::vector<double> I = machine.inertia(s.q);
        const denoc::Factors<double> f = denoc::factor_inertia<double>(machine.m, s.q.data());
        std::vector<double> dense = I;
        ASSERT_EQ(factor_udut<double>(machine.m, dense), -1);
        Matrix<double> U(n, n), D(n, n);
        U.entries = f.U;
        for (int k = 0; k < n; ++k) {
          D(k, k) = f.m_hat[at(k)];
          diagonal.meet(std::abs(dense[at(k * n + k)] / f.m_hat[at(k)] - 1), where);
          dense[at(k * n + k)] = 1;
        }
        upper.meet(difference(f.U, dense), where);
        product.meet(difference((U * D * transpose(U)).entries, I), where);
      });
}

// The 6x6 matrix that a mass, rigid or articulated, is.
template <class Mass>
std::vector<double> six_by_six(const Mass& M) {
  std::vector<double> r;
  for (int k = 0; k < 6; ++k) {
    double e[6] = {};
    e[k] = 1;
    for (double x : numbers(M * Motion<double>{{e[0], e[1], e[2]}, {e[3], e[4], e[5]}}))
      r.push_back(x);
  }
  return r;
}

// M^_k = M~_i - sum over l > k below of psi^_il psi_ilᵀ: what the articulated body resists with is
// what the rigid composite body resists with, less what its joints give way.
TEST(Denoc, NamedQuantitiesAreThoseOfTheAppendix) {
  Worst scaled("psi = psi^ / m^", 1e-15), masses("M^_k", 1e-12);
  for_each_driven_case(
      100, [&](Machine<double>& machine, const State<double>& s, const std::string& where) {
        const auto& m = machine.m;
        const denoc::Factors<double> f = denoc::factor_inertia<double>(m, s.q.data());
        const std::vector<Pose<double>> X = machine.poses(s.q);
        for (int k = 0; k < m.nv; ++k) {
          std::vector<double> psi_hat = numbers(f.psi[at(k)]);
          for (double& x : psi_hat) x *= f.m_hat[at(k)];
          scaled.meet(difference(psi_hat, numbers(f.psi_hat[at(k)])), where);

          const int i = m.body_of_v[at(k)];
          const Pose<double> X_iW = inverse(X[at(i)]);
          Inertia<double> composite{};
          for (int j = i; j < m.bodies[at(i)].subtree_end; ++j)
            composite = composite + transform(X_iW * X[at(j)], m.bodies[at(j)].M);
          std::vector<double> M = six_by_six(composite);
          const double scale = largest(M);
          for (int l = k + 1; l < m.bodies[at(i)].subtree_end_v; ++l) {
            const auto psi = numbers(transform(X_iW * X[at(m.body_of_v[at(l)])], f.psi[at(l)]));
            for (int r = 0; r < 36; ++r)
              M[at(r)] -= f.m_hat[at(l)] * psi[at(r / 6)] * psi[at(r % 6)];
          }
          masses.meet(difference(six_by_six(f.M_hat[at(k)]), M, scale), where);
        }
      });
}

TEST(Denoc, InverseOfTheInertiaMatrix) {
  Worst worst("I I⁻¹ = 1", 1e-14), symmetric("I⁻¹ = I⁻ᵀ", 1e-13);
  for_each_driven_case(
      100, [&](Machine<double>& machine, const State<double>& s, const std::string& where) {
        const int n = machine.m.nv;
        Matrix<double> I(n, n), inverse(n, n), one(n, n);
        I.entries = machine.inertia(s.q);
        inverse.entries = denoc::inverse_inertia_matrix<double>(
            machine.m, s.q.data(), denoc::factor_inertia<double>(machine.m, s.q.data()));
        for (int k = 0; k < n; ++k) one(k, k) = 1;
        worst.meet(difference((I * inverse).entries, one.entries,
                              largest(I.entries) * largest(inverse.entries)),
                   where);
        symmetric.meet(difference(inverse.entries, transpose(inverse).entries), where);
      });
}

// Revolute joints on the ground without drives have a way of their own: trees of revolute joints.
TEST(Denoc, SolvesTreesOfRevoluteJoints) {
  Worst solved("M x = f", 1e-13), forward("qdd, by its forces", 1e-13);
  for (int i = 0; i < 200; ++i) {
    Random random(900 + static_cast<std::uint64_t>(i));
    TreeOptions options;
    options.bodies = 1 + i % 9;
    options.kinds = {JointKind::revolute};
    options.branching = i % 2 == 0 ? 0 : 0.4;
    const Mechanism<double> m = compile(random_model(random, options));
    Machine<double> machine(m);
    const State<double> s = random_state(m, random);
    Workspace<double> w(m, denoc::room<double>(m));
    std::vector<double> x(s.qd.size());
    const std::vector<double> I = machine.inertia(s.q);
    EXPECT_EQ(denoc::solve_inertia<double>(m, s.q.data(), s.tau.data(), w.arena(), x.data()), -1);
    solved.meet(difference(times(I, x), s.tau, product_size(I, x)), std::to_string(i));
    EXPECT_EQ(denoc::forward_dynamics<double>(m, s.q.data(), s.qd.data(), s.tau.data(), nullptr,
                                              w.arena(), x.data()),
              -1);
    forward.meet(difference(machine.inverse(s.q, s.qd, x), s.tau, product_size(I, x)),
                 std::to_string(i));
  }
}

// A gimbal whose first and third axis meet but for 1e-9: the first joint has no inertia but for
// rounding of what the third moves.
TEST(Denoc, SaysThatTheFirstJointMovesNothing) {
  Model model;
  model.name = "gimbal";
  for (int i = 1; i <= 3; ++i) {
    Body body;
    body.name = "b" + std::to_string(i);
    if (i == 3) body.mass = 3, body.com = {0.3, 0.1, 0.7}, body.inertia = {0.3, 0, 0, 0.4, 0, 0.5};
    model.bodies.push_back(body);
    Joint joint;
    joint.name = "j" + std::to_string(i);
    joint.kind = JointKind::revolute;
    joint.parent = i == 1 ? "world" : "b" + std::to_string(i - 1);
    joint.child = body.name;
    if (i == 2) joint.axis = {0, 1, 0};
    model.joints.push_back(joint);
  }
  const Mechanism<double> m = compile(model);
  Workspace<double> w(m, denoc::room<double>(m));
  Random random(5);
  for (int k = 0; k < 50; ++k) {
    State<double> s = random_state(m, random);
    std::vector<double> x(3);
    const auto solve = [&] {
      return denoc::solve_inertia<double>(m, s.q.data(), s.tau.data(), w.arena(), x.data());
    };
    s.q[1] = 0.1;
    EXPECT_EQ(solve(), -1);
    s.q[1] = 1e-9;
    EXPECT_EQ(solve(), 0);
  }
}

}  // namespace
}  // namespace catena::oracle
