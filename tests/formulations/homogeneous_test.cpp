// The 4x4 matrices: SPACELIB's operations against plain products of sixteen entries, the words of
// spatial/, the kinematics and the reactions; and chains of links.
#include "catena/formulations/homogeneous/matrices.hpp"

#include <gtest/gtest.h>

#include "catena/formulations/homogeneous/chain.hpp"
#include "catena/formulations/homogeneous/inverse_dynamics.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

using namespace homogeneous;

// ---- oracle: matrices with all their entries ----

using Full = Matrix4<double>;

Full operator*(const Full& a, const Full& b) {
  Full r;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) {
      for (int k = 0; k < 4; ++k) r.at(i, j) += a.at(i, k) * b.at(k, j);
    }
  }
  return r;
}
Full combine(const Full& a, double factor, const Full& b) {
  Full r;
  for (std::size_t i = 0; i < 16; ++i) r.entries[i] = a.entries[i] + factor * b.entries[i];
  return r;
}
Full transposed(const Full& a) {
  Full r;
  for (int i = 0; i < 4; ++i) {
    for (int j = 0; j < 4; ++j) r.at(i, j) = a.at(j, i);
  }
  return r;
}
double trace_of(const Full& a) { return a.at(0, 0) + a.at(1, 1) + a.at(2, 2) + a.at(3, 3); }
// The pseudo-scalar product as printed, with indices from 1.
double pseudo_product(const Full& A, const Full& B) {
  const auto term = [&](int i, int j) { return A.at(i - 1, j - 1) * B.at(i - 1, j - 1); };
  return term(3, 2) + term(1, 3) + term(2, 1) + term(1, 4) + term(2, 4) + term(3, 4);
}
Full full(const Moments<double>& X) {
  return matrix(Acceleration<double>{X.X, X.x});  // the same places
}
double distance(const Full& a, const Full& b) {
  double worst = 0;
  for (std::size_t i = 0; i < 16; ++i)
    worst = std::max(worst, std::abs(a.entries[i] - b.entries[i]));
  return worst;
}

// ---- random matrices ----

struct Sample {
  Random random;
  explicit Sample(int k) : random(static_cast<std::uint64_t>(k) + 11) {}
  Position<double> position() {
    const auto e = random.quaternion();
    return {rotation_from_quaternion(e[0], e[1], e[2], e[3]), random.vector(2)};
  }
  Screw<double> screw() { return {random.unit(), random.vector()}; }
  Velocity<double> velocity() { return {random.vector(3), random.vector(3)}; }
  Acceleration<double> acceleration() {
    return homogeneous::acceleration(random.vector(3), {random.vector(3), random.vector(3)});
  }
  Inertia<double> inertia() {
    const Body body = random_body(random, "b");
    return inertia_from_com(body.mass, body.com, body.inertia);
  }
  Action<double> action() { return {random.vector(5), random.vector(5)}; }
};

TEST(Homogeneous, FramesChangeAsProductsOfMatrices) {
  Worst worst("change of frame, by products", 2e-14);
  for (int k = 0; k < 100; ++k) {
    Sample s(k);
    const Position<double> M = s.position();
    const Full m = matrix(M), i = matrix(inverse(M)), t = transposed(m);
    const auto meet = [&](const Full& a, const Full& b) { worst.meet(distance(a, b), "sample"); };
    Full one;
    for (int d = 0; d < 4; ++d) one.at(d, d) = 1;
    meet(m * i, one);
    const auto L = s.screw();
    meet(matrix(change_frame(M, L)), m * matrix(L) * i);
    const auto W = s.velocity();
    meet(matrix(change_frame(M, W)), m * matrix(W) * i);
    const auto H = s.acceleration();
    meet(matrix(change_frame(M, H)), m * matrix(H) * i);
    const auto J = pseudo_inertia(s.inertia());
    meet(matrix(change_frame(M, J)), m * matrix(J) * t);
    const auto Phi = s.action();
    meet(matrix(change_frame(M, Phi)), m * matrix(Phi) * t);
  }
}

TEST(Homogeneous, ProductsLeaveOutZerosOnly) {
  Worst worst("products, skew and traces", 2e-14);
  for (int k = 0; k < 100; ++k) {
    Sample s(k);
    const auto V = s.velocity(), W = s.velocity();
    const auto H = s.acceleration();
    const auto J = pseudo_inertia(s.inertia());
    const auto L = s.screw(), K = s.screw();
    const auto Phi = s.action();
    const Full j = matrix(J);
    const auto meet = [&](const Full& a, const Full& b) { worst.meet(distance(a, b), "sample"); };
    meet(matrix(V * W), matrix(V) * matrix(W));
    meet(matrix(square(W)), matrix(W) * matrix(W));
    meet(matrix(commutator(V, W)), combine(matrix(V) * matrix(W), -1, matrix(W) * matrix(V)));
    meet(full(H * J), matrix(H) * j);
    meet(full(L * J), matrix(L) * j);
    const Full hj = matrix(H) * j, lj = matrix(L) * j;
    meet(matrix(skew(H, J)), combine(hj, -1, transposed(hj)));
    meet(matrix(skew(H * J)), combine(hj, -1, transposed(hj)));
    meet(matrix(skew(L, J)), combine(lj, -1, transposed(lj)));
    const double w = pseudo_product(matrix(Phi), matrix(L));
    worst.meet(std::abs(work(Phi, L) - w), "work");
    const double trace_hl = trace_of(hj * transposed(matrix(L)));
    worst.meet(std::abs(trace(H * J, L) - trace_hl), "trace");
    worst.meet(std::abs(work(skew(H, J), L) - trace_hl), "trace as work");
    worst.meet(std::abs(trace(L * J, K) - trace(K * J, L)), "symmetry of the mass matrix");
    const double energy = trace_of(matrix(W) * j * transposed(matrix(W))) / 2;
    worst.meet(std::abs(homogeneous::kinetic_energy(W, J) - energy), "kinetic energy");
    Full Hg;
    const Vec3<double> g = s.random.vector(9.81);
    Hg.at(0, 3) = g.x, Hg.at(1, 3) = g.y, Hg.at(2, 3) = g.z;
    worst.meet(std::abs(homogeneous::potential_energy(g, J) + trace_of(Hg * j)),
               "potential energy");
  }
}

TEST(Homogeneous, FramesChangeAsInSpatial) {
  Worst worst("change of frame, by poses, twists, wrenches and inertias", 1e-14);
  for (int k = 0; k < 100; ++k) {
    Sample s(k);
    const Position<double> M = s.position();
    const auto W = s.velocity();
    const auto Phi = s.action();
    const Inertia<double> I = s.inertia();
    const Motion<double> V = to_child(inverse(M), motion(W));
    worst.meet(difference(numbers(motion(change_frame(M, W))), numbers(V)), "twist");
    worst.meet(difference(numbers(force(change_frame(M, Phi))), numbers(transform(M, force(Phi)))),
               "wrench");
    const Inertia<double> a = inertia(change_frame(M, pseudo_inertia(I))), b = transform(M, I);
    const auto entries = [](const Inertia<double>& x) {
      return std::vector<double>{x.m,    x.h.x,  x.h.y,  x.h.z,  x.I.xx,
                                 x.I.xy, x.I.xz, x.I.yy, x.I.yz, x.I.zz};
    };
    worst.meet(difference(entries(a), entries(b)), "inertia");
    // momentum: skew(W J) is M V
    const Screw<double> L{W.w, W.v};
    worst.meet(difference(numbers(force(skew(L, pseudo_inertia(I)))), numbers(I * motion(W))),
               "momentum");
  }
}

// ---- mechanisms ----

template <class T>
struct Matrices {
  std::vector<Position<T>> M;
  std::vector<Velocity<T>> W;
  std::vector<Acceleration<T>> H;
  Matrices(const Mechanism<T>& m, const std::vector<T>& q, const std::vector<T>& qd,
           const std::vector<T>& qdd)
      : M(m.bodies.size()), W(m.bodies.size()), H(m.bodies.size()) {
    Workspace<T> w(m, homogeneous::room<T>(m));
    link_motions<T>(m, q, qd, qdd, w, M, W, H);
  }
};

#if CATENA_HAS_QUAD
// M' = W M, M'' = H M and W' = H - W², by differences along a motion with constant rates.
TEST(Homogeneous, VelocityAndAccelerationAreDerivatives) {
  Worst first("M' = W M", 1e-12), second("M'' = H M", 1e-12), rate("W' = H - W²", 1e-12);
  for_each_model(40, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> d = compile(model);
    if (d.nv > 30) return;
    Machine<Quad> machine(d);
    State<Quad> s = convert<Quad>(random_state(d, random));
    normalise_configuration<Quad>(machine.m, s.q);
    const std::vector<Quad> none(s.qd.size(), Quad(0));
    const Quad h = Quad(1e-8);
    const Matrices<Quad> a(machine.m, machine.moved(s.q, s.qd, -h), s.qd, none);
    const Matrices<Quad> b(machine.m, s.q, s.qd, none);
    const Matrices<Quad> c(machine.m, machine.moved(s.q, s.qd, h), s.qd, none);
    for (std::size_t i = 1; i < b.M.size(); ++i) {
      const auto A = matrix(a.M[i]).entries, B = matrix(b.M[i]).entries, C = matrix(c.M[i]).entries;
      const auto Wa = matrix(a.W[i]).entries, Wc = matrix(c.W[i]).entries;
      const auto W = matrix(b.W[i]), H = matrix(b.H[i]), W2 = matrix(square(b.W[i]));
      for (int r = 0; r < 4; ++r) {
        for (int k = 0; k < 4; ++k) {
          const std::size_t e = at(4 * r + k);
          Quad WM = 0, HM = 0;
          for (int l = 0; l < 4; ++l) {
            WM += W.at(r, l) * B[at(4 * l + k)];
            HM += H.at(r, l) * B[at(4 * l + k)];
          }
          first.meet(magnitude(Quad((C[e] - A[e]) / (2 * h) - WM)), where);
          second.meet(magnitude(Quad((C[e] - 2 * B[e] + A[e]) / (h * h) - HM)), where);
          rate.meet(magnitude(Quad((Wc[e] - Wa[e]) / (2 * h) - (H.at(r, k) - W2.at(r, k)))), where);
        }
      }
    }
  });
}
#endif

TEST(Homogeneous, MatricesAreThoseOfTheKinematics) {
  Worst position("M", 1e-12), velocity("W", 1e-12), acceleration("H", 1e-12);
  for_each_model(100, [&](const Model& model, Random& random, const std::string& where) {
    Machine<double> machine(compile(model));
    const State<double> s = random_state(machine.m, random);
    const Matrices<double> own(machine.m, s.q, s.qd, s.qdd);
    const auto other = machine.motions(s.q, s.qd, s.qdd);
    const Pose<double> X_0W = inverse(machine.m.X_W0);
    for (std::size_t i = 1; i < own.M.size(); ++i) {
      const Pose<double> X = X_0W * other.X[i];
      position.meet(difference(numbers(own.M[i]), numbers(X)), where);
      const Velocity<double> W = change_frame(X, homogeneous::velocity(other.V[i]));
      velocity.meet(difference(numbers(motion(own.W[i])), numbers(motion(W)), 1), where);
      const auto H = change_frame(X, homogeneous::acceleration(other.V[i].w, other.A[i]));
      double size = 1;
      for (double x : matrix(H).entries) size = std::max(size, std::abs(x));
      acceleration.meet(distance(matrix(own.H[i]), matrix(H)) / size, where);
    }
  });
}

TEST(Homogeneous, JointActionsAreTheReactionsOfSpatial) {
  Worst worst("Psi", 1e-12);
  for_each_model(100, [&](const Model& model, Random& random, const std::string& where) {
    Machine<double> machine(compile(model));
    const State<double> s = random_state(machine.m, random);
    const Matrices<double> own(machine.m, s.q, s.qd, s.qdd);
    std::vector<Action<double>> Psi(machine.m.bodies.size());
    Workspace<double> w(machine.m, homogeneous::room(machine.m));
    joint_actions<double>(machine.m, s.q, s.qd, s.qdd, s.Fext, w, Psi);
    const auto F = machine.reactions(s);
    double size = 0;
    for (const Action<double>& P : Psi) size = std::max(size, largest(numbers(force(P))));
    for (std::size_t i = 0; i < Psi.size(); ++i) {
      const Force<double> mine = force(-Psi[i]), other = transform(own.M[i], F[i]);
      worst.meet(difference(numbers(mine), numbers(other), size), where);
    }
  });
}

TEST(Homogeneous, EnergiesAreTraces) {
  Worst kinetic("½ Trace(W J Wᵀ)", 1e-13), potential("-Trace(H_g J)", 1e-12);
  for_each_model(100, [&](const Model& model, Random& random, const std::string& where) {
    Machine<double> machine(compile(model));
    const auto& m = machine.m;
    if (m.has_armature || m.has_passive) return;
    const State<double> s = random_state(m, random);
    const Matrices<double> own(m, s.q, s.qd, s.qdd);
    double t = 0, v = 0, size = 0;
    for (std::size_t i = 1; i < own.M.size(); ++i) {
      const auto& b = m.bodies[i];
      const Position<double> M_W = m.X_W0 * own.M[i];
      const auto J = change_frame(M_W, PseudoInertia<double>{b.E, b.M.h, b.M.m});
      t += homogeneous::kinetic_energy(change_frame(m.X_W0, own.W[i]), J);
      v += homogeneous::potential_energy(m.gravity, J);
      size += std::abs(homogeneous::potential_energy(m.gravity, J));
    }
    const double T = kinetic_energy<double>(m, s.q, s.qd, machine.w);
    kinetic.meet(std::abs(t - T) / std::max(T, 1e-6), where);
    const double V = potential_energy<double>(m, s.q, machine.w);
    potential.meet(std::abs(v - V) / std::max(size, 1e-6), where);
  });
}

// ---- chains of links ----

TEST(Chain, OfAnyModelHasTheForcesOfSpatial) {
  Worst worst("tau of ChainObject", 1e-12), place("M0 of ChainObject", 1e-12);
  for_each_model(100, [&](const Model& model, Random& random, const std::string& where) {
    CompileOptions keep;
    keep.keep_fixed = true;
    const Mechanism<double> m = compile(model, keep);
    if (m.coupled || m.has_armature || m.has_passive) return;
    Machine<double> machine(m);
    State<double> s = random_state(m, random);
    s.Fext.clear();
    ChainObject chain(model);
    const auto tau = chain.inverse_dynamics(s.q, s.qd, s.qdd), other = machine.inverse(s);
    const double size = product_size(machine.inertia(s.q), s.qdd) + largest(other);
    worst.meet(difference(tau, other, size), where);
    const auto X = machine.poses(s.q);
    for (const FrameInfo& frame : m.names->frames) {
      for (int i = 1; i <= chain.links() && frame.is_body; ++i) {
        if (chain[i].name != frame.name) continue;
        place.meet(difference(numbers(chain[i].M0), numbers(X[at(frame.body)] * frame.X_BF)),
                   where);
      }
    }
  });
}

TEST(Chain, FollowsExternalActions) {
  Random random(5);
  const Model model = read_model(CATENA_SOURCE_DIR "/models/puma.yaml");
  Machine<double> machine(compile(model));
  State<double> s = random_state(machine.m, random);
  ChainObject chain(machine.m);
  for (int i = 1; i <= chain.links(); ++i) {
    // Fext is at Bo in B; the link's frame is `after` from there.
    chain[i].external = change_frame(inverse(chain[i].after), action(s.Fext[at(i)]));
  }
  EXPECT_LE(difference(chain.inverse_dynamics(s.q, s.qd, s.qdd), machine.inverse(s)), 1e-13);
}

// Built link by link, with SPACELIB's parameters, and moved by the loop of fig. 5.
TEST(Chain, OfDenavitHartenbergRowsIsTheStanfordArm) {
  const double right = std::acos(-1.0) / 2;
  ChainObject arm;
  arm.gravity = {0, 0, -9.81};
  const auto add = [&](JointType type, double s, double alfa, double mass, Vec3<double> centre,
                       Sym3<double> moments) {
    arm.add(LinkObject::dh(type, 0, s, 0, 0, alfa).set_inertia(mass, moments, centre));
  };
  add(Rev, 0.1, -right, 9, {0, 0.1, 0}, {0.01, 0, 0, 0.02, 0, 0.01});
  add(Rev, 0.1, -right, 6, {}, {0.05, 0, 0, 0.06, 0, 0.01});
  add(Pri, 0, 0, 4, {}, {0.4, 0, 0, 0.4, 0, 0.01});
  add(Rev, 0.6, right, 1, {0, 0.1, 0}, {0.001, 0, 0, 0.001, 0, 0.0005});
  add(Rev, 0, -right, 0.6, {0, 0, 0.06}, {0.0005, 0, 0, 0.0005, 0, 0.0002});
  add(Rev, 0, 0, 0.5, {0, 0, -0.2}, {0.003, 0, 0, 0.001, 0, 0.002});
  Machine<double> machine(compile(read_model(CATENA_SOURCE_DIR "/models/stanford.yaml")));
  Random random(9);
  const State<double> s = random_state(machine.m, random, false);
  for (int i = 1; i <= arm.links(); ++i) {
    LinkObject& link = arm[i];
    const LinkObject& last = arm[link.previous];
    link.set_motion(s.q[at(i - 1)], s.qd[at(i - 1)], s.qdd[at(i - 1)]);
    link.M0 = last.M0 * link.A;
    link.W0 = change_frame(last.M0, link.W);
    link.H0 = change_frame(last.M0, link.H);
    link.WA = last.WA + link.W0;
    link.HA = last.HA + link.H0 + 2.0 * last.WA * link.W0;
  }
  arm.dynamics();
  const auto tau = machine.inverse(s.q, s.qd, s.qdd);
  for (int i = 1; i <= 6; ++i) EXPECT_NEAR(arm[i].tau[0], tau[at(i - 1)], 1e-12) << i;
}

// Section 4.1 of the paper, with the signs that its printing lost.
TEST(Chain, HasTheMatricesOfThePapersStanfordArm) {
  const double right = std::acos(-1.0) / 2, d2 = 0.3, d3 = 0.7, d4 = 0.2, q1 = 0.4, q2 = -1.1;
  ChainObject arm;
  arm.add(LinkObject::dh(Rev, 0, 0, 0, 0, -right));
  arm.add(LinkObject::dh(Rev, 0, d2, 0, 0, right));
  arm.add(LinkObject::dh(Pri, 0, 0, 0, 0, 0));
  arm.add(LinkObject::dh(Rev, 0, d4, 0, 0, -right));
  arm.inverse_dynamics(std::vector{q1, q2, d3, 0.2}, std::vector{1., 2., 3., 4.},
                       std::vector{5., 6., 7., 8.});
  const double C1 = std::cos(q1), S1 = std::sin(q1), C2 = std::cos(q2), S2 = std::sin(q2);
  const double C4 = std::cos(0.2), S4 = std::sin(0.2);
  const auto meet = [](const Full& a, const Full& b) { EXPECT_LE(distance(a, b), 1e-15); };
  meet(matrix(arm[1].A), {{C1, 0, -S1, 0, S1, 0, C1, 0, 0, -1, 0, 0, 0, 0, 0, 1}});
  meet(matrix(arm[2].A), {{C2, 0, S2, 0, S2, 0, -C2, 0, 0, 1, 0, d2, 0, 0, 0, 1}});
  meet(matrix(arm[3].A), {{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, d3, 0, 0, 0, 1}});
  meet(matrix(arm[4].A), {{C4, 0, -S4, 0, S4, 0, C4, 0, 0, -1, 0, d4, 0, 0, 0, 1}});
  meet(matrix(arm[1].W), {{0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}});
  meet(matrix(arm[1].H), {{-1, -5, 0, 0, 5, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}});
  meet(matrix(arm[2].L0[0]), {{0, 0, C1, 0, 0, 0, S1, 0, -C1, -S1, 0, 0, 0, 0, 0, 0}});
  meet(matrix(arm[3].L0[0]), {{0, 0, 0, C1 * S2, 0, 0, 0, S1 * S2, 0, 0, 0, C2, 0, 0, 0, 0}});
  Full H12 = combine({}, 6, matrix(arm[2].L0[0]));  // L qpp + L² qp²
  H12 = combine(H12, 4,
                {{-C1 * C1, -C1 * S1, 0, 0, -S1 * C1, -S1 * S1, 0, 0, 0, 0, -1, 0, 0, 0, 0, 0}});
  meet(matrix(arm[2].H0), H12);
  meet(matrix(arm[3].H0), combine({}, 7, matrix(arm[3].L0[0])));
}

// Section 5: a slider crank as a chain that ends where it began. Its motion is known in closed
// form, so that the position, velocity and acceleration matrices of the last link are [1], [0] and
// [0] [eqs. (4) to (6)].
TEST(Chain, OfASliderCrankCloses) {
  const double l1 = 0.1, l2 = 0.3, w = 10, dw = 2;
  ChainObject loop;
  loop.add(LinkObject::dh(Rev, 0, 0, 0, l1, 0));
  loop.add(LinkObject::dh(Rev, 0, 0, 0, l2, 0));
  loop.add(LinkObject::dh(Rev, 0, 0, 0, 0, 0));
  LinkObject slider;  // M_34 is a translation by -a along x: it slides along -x
  slider.joint = Primitive::prismatic;
  slider.before.R = rotation_about({0, 1, 0}, -std::acos(-1.0) / 2);
  slider.after.R = transpose(slider.before.R);
  loop.add(slider);
  Full one;
  for (int i = 0; i < 4; ++i) one.at(i, i) = 1;
  for (int k = 0; k < 72; ++k) {
    const double a1 = 2 * std::acos(-1.0) * k / 72, s1 = std::sin(a1), c1 = std::cos(a1);
    const double rod = std::asin(-l1 / l2 * s1), s = std::sin(rod), c = std::cos(rod);
    const double rate = -l1 * c1 * w / (l2 * c);
    const double rate2 = (-l1 * (c1 * dw - s1 * w * w) + l2 * s * rate * rate) / (l2 * c);
    const double a = l1 * c1 + l2 * c, da = -l1 * s1 * w - l2 * s * rate;
    const double dda = -l1 * (s1 * dw + c1 * w * w) - l2 * (s * rate2 + c * rate * rate);
    loop.inverse_dynamics(std::vector{a1, rod - a1, -rod, a}, std::vector{w, rate - w, -rate, da},
                          std::vector{dw, rate2 - dw, -rate2, dda});
    EXPECT_LE(distance(matrix(loop[4].M0), one), 1e-15);
    EXPECT_LE(distance(matrix(loop[4].WA), Full{}), 1e-14);
    EXPECT_LE(distance(matrix(loop[4].HA), Full{}), 1e-13);
    // the columns of the system (7), by rotation about z, x and y
    const double A[3][4] = {
        {1, 1, 1, 0}, {0, l1 * s1, l1 * s1 + l2 * s, -1}, {0, -l1 * c1, -(l1 * c1 + l2 * c), 0}};
    for (int j = 0; j < 4; ++j) {
      const Screw<double>& L = loop[j + 1].L0[0];
      EXPECT_NEAR(L.u.z, A[0][j], 1e-15);
      EXPECT_NEAR(L.b.x, A[1][j], 1e-15);
      EXPECT_NEAR(L.b.y, A[2][j], 1e-15);
    }
  }
}

TEST(Chain, RefusesMotionsThatDoNotFit) {
  ChainObject arm;
  arm.add(LinkObject::dh(Rev, 0, 0, 0, 1, 0));
  const std::vector<double> one(1), two(2);
  EXPECT_THROW(arm.set_motion(two, one, one), SizeError);
  EXPECT_THROW(arm[1].set_motion(one, one, two), SizeError);
  LinkObject link;
  link.previous = 7;
  EXPECT_THROW(arm.add(link), SizeError);
}

}  // namespace
}  // namespace catena::oracle
