// Closed forms: Lagrange's equations of pendulums, as textbooks have them.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

constexpr double g = 9.81;

Body point(const std::string& name, double mass, const Vec3<double>& at, double inertia = 0) {
  return {name, mass, at, {inertia, 0, 0, inertia, 0, inertia}, {}};
}
Joint joint(const std::string& name, JointKind kind, const std::string& parent,
            const std::string& child, const Vec3<double>& axis, const Vec3<double>& at = {}) {
  Joint j;
  j.name = name, j.kind = kind, j.parent = parent, j.child = child;
  j.axis = axis, j.X_PJ.p = at;
  return j;
}

// Inverse dynamics gives the forces of `lagrange`, and forward dynamics the accelerations that
// `lagrange` turns back into the forces.
using Lagrange = std::function<std::vector<double>(
    const std::vector<double>& q, const std::vector<double>& qd, const std::vector<double>& qdd)>;
void compare(const std::string& name, const Model& model, const Lagrange& lagrange) {
  Worst inverse("inverse dynamics, " + name, 1e-14), forward("forward dynamics, " + name, 1e-13);
  const Mechanism<double> m = compile(model);
  Machine<double> machine(m);
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    State<double> s = random_state(m, random, false);
    for (double& x : s.qd) x *= 3;
    const std::string where = "state " + std::to_string(i);
    inverse.meet(difference(machine.inverse(s), lagrange(s.q, s.qd, s.qdd), 30), where);
    const std::vector<double> qdd = machine.forward(s);
    forward.meet(difference(lagrange(s.q, s.qd, qdd), s.tau, 30 + 10 * largest(qdd)), where);
  }
}

const Vec3<double> lifts{0, -1,
                         0};  // turning about it by a swings (0, 0, -l) to (l sin a, 0, -l cos a)

TEST(Pendulums, MatchesLagrangeForTheSinglePendulum) {
  const double m = 1.3, l = 0.8, I = 0.05;
  Model model;
  model.bodies = {point("bob", m, {0, 0, -l}, I)};
  model.joints = {joint("hinge", JointKind::revolute, "world", "bob", lifts)};
  compare("single pendulum", model, [=](auto& q, auto&, auto& qdd) {
    return std::vector<double>{(m * l * l + I) * qdd[0] + m * g * l * std::sin(q[0])};
  });
}

TEST(Pendulums, MatchesLagrangeForTheDoublePendulum) {
  const double m1 = 1.3, m2 = 0.7, l1 = 0.8, l2 = 0.5;
  Model model;
  model.bodies = {point("one", m1, {0, 0, -l1}), point("two", m2, {0, 0, -l2})};
  model.joints = {joint("first", JointKind::revolute, "world", "one", lifts),
                  joint("second", JointKind::revolute, "one", "two", lifts, {0, 0, -l1})};
  compare("double pendulum", model, [=](auto& q, auto& qd, auto& qdd) {
    const double a = q[0], b = q[0] + q[1];  // angles from the vertical
    const double ad = qd[0], bd = qd[0] + qd[1], add = qdd[0], bdd = qdd[0] + qdd[1];
    const double c = std::cos(a - b), s = std::sin(a - b), k = m2 * l1 * l2;
    const double Qa = (m1 + m2) * l1 * l1 * add + k * c * bdd + k * s * bd * bd +
                      (m1 + m2) * g * l1 * std::sin(a);
    const double Qb =
        m2 * l2 * l2 * bdd + k * c * add - k * s * ad * ad + m2 * g * l2 * std::sin(b);
    return std::vector<double>{Qa + Qb, Qb};
  });
}

TEST(Pendulums, MatchesLagrangeForTheCartPole) {
  const double M = 2.1, m = 0.6, l = 0.9;
  Model model;
  model.bodies = {point("cart", M, {0.1, 0, 0}), point("pole", m, {0, 0, -l})};
  model.joints = {joint("rail", JointKind::prismatic, "world", "cart", {1, 0, 0}),
                  joint("hinge", JointKind::revolute, "cart", "pole", lifts)};
  compare("cart-pole", model, [=](auto& q, auto& qd, auto& qdd) {
    const double c = std::cos(q[1]), s = std::sin(q[1]);
    return std::vector<double>{(M + m) * qdd[0] + m * l * c * qdd[1] - m * l * s * qd[1] * qd[1],
                               m * l * c * qdd[0] + m * l * l * qdd[1] + m * g * l * s};
  });
}

// Azimuth and angle from the vertical; a little inertia keeps the poles regular.
TEST(Pendulums, MatchesLagrangeForTheSphericalPendulum) {
  const double m = 1.1, l = 0.7, I = 0.2;
  Model model;
  model.bodies = {point("bob", m, {0, 0, -l}, I)};
  model.joints = {joint("hook", JointKind::universal, "world", "bob", {0, 0, 1})};
  model.joints[0].axis2 = lifts;
  compare("spherical pendulum", model, [=](auto& q, auto& qd, auto& qdd) {
    const double s = std::sin(q[1]), c = std::cos(q[1]), k = m * l * l;
    return std::vector<double>{(k * s * s + I) * qdd[0] + 2 * k * s * c * qd[0] * qd[1],
                               (k + I) * qdd[1] - k * s * c * qd[0] * qd[0] + m * g * l * s};
  });
}

// Euler's equations in body axes, with the weight's moment: A w' + w x A w = c x m g.
TEST(Pendulums, MatchesEulerForTheHeavyTop) {
  const double m = 1.4, l = 0.6, A = 0.3, C = 0.1;
  Model model;
  model.bodies = {{"top", m, {0, 0, l}, {A, 0, 0, A, 0, C}, {}}};
  model.joints = {joint("tip", JointKind::spherical, "world", "top", {0, 0, 1})};
  const double J = A + m * l * l;
  compare("heavy top", model, [=](auto& q, auto& w, auto& wd) {
    // the third row of R: the vertical in the body
    const double x = q[0], y = q[1], z = q[2], e = q[3];
    const double ux = 2 * (x * z - e * y), uy = 2 * (y * z + e * x);
    // - c x m g with g = -9.81 u: + m g l (ez x u) = m g l (-uy, ux, 0)
    return std::vector<double>{J * wd[0] + (C - J) * w[1] * w[2] - m * g * l * uy,
                               J * wd[1] + (J - C) * w[0] * w[2] + m * g * l * ux, C * wd[2]};
  });
}

// The ill-conditioned pair of links of Mata et al. 2002, section 5.1: D and g in closed form.
TEST(Pendulums, MatchesTheTwoBodyExampleOfThePaper) {
  const double l1 = 0.02, l2 = 2, m1 = 0.1, m2 = 10, w = 0.02;
  const double I1 = m1 * (l1 * l1 + w * w) / 12, I2 = m2 * (l2 * l2 + w * w) / 12;
  const Model model = read_model(CATENA_SOURCE_DIR "/models/two-body.yaml");
  const Mechanism<double> m = compile(model);
  Machine<double> machine(m);
  Worst worst("two-body example, inertia matrix", 1e-14),
      weight("two-body example, gravity", 1e-14);
  Worst residual("two-body example, accelerations", 1e-14);
  for (int k = 0; k < 180; ++k) {
    const double q2 = k * M_PI / 90;
    const double D22 = I2 + m2 * l2 * l2 / 4, D12 = D22 + m2 * l1 * l2 / 2 * std::cos(q2);
    const double D11 = I1 + m1 * l1 * l1 / 4 + m2 * l1 * l1 + D22 + m2 * l1 * l2 * std::cos(q2);
    const double g2 = m2 * g * l2 / 2 * std::cos(q2), g1 = (m1 / 2 + m2) * g * l1 + g2;
    const std::string where = std::to_string(2 * k) + " deg";
    worst.meet(difference(machine.inertia({0, q2}), {D11, D12, D12, D22}), where);
    weight.meet(difference(machine.inverse({0, q2}, {0, 0}, {0, 0}), {g1, g2}, m2 * g * l2), where);
    const std::vector<double> a = machine.forward({0, q2}, {0, 0}, {0, 0});
    const std::vector<double> forces{D11 * a[0] + D12 * a[1], D12 * a[0] + D22 * a[1]};
    residual.meet(difference(forces, {-g1, -g2}, m2 * g * l2 + D11 * largest(a)), where);
  }
}

}  // namespace
}  // namespace catena::oracle
