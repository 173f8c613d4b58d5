// Mimic joints: the same as projecting the uncoupled model, tau = Gᵀ tau_u(G q + c), M = Gᵀ M_u G.
#include <gtest/gtest.h>

#include <Eigen/Dense>

#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd eigen(const std::vector<double>& v) {
  return Eigen::Map<const VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}
std::vector<double> plain(const VectorXd& v) { return {v.data(), v.data() + v.size()}; }

struct Projection {
  MatrixXd Gq, Gv;
  VectorXd c;
};

Projection projection(const Model& model, const Mechanism<double>& coupled,
                      const Mechanism<double>& whole) {
  Projection p{MatrixXd::Zero(whole.nq, coupled.nq), MatrixXd::Zero(whole.nv, coupled.nv),
               VectorXd::Zero(whole.nq)};
  for (const JointInfo& to : whole.names->joints) {
    double ratio = 1, offset = 0;
    std::string name = to.name;
    for (bool again = true; again;) {  // along a chain of mimics
      again = false;
      for (const Joint& joint : model.joints) {
        if (joint.name != name || !joint.mimic) continue;
        offset += ratio * joint.mimic->offset, ratio *= joint.mimic->multiplier;
        name = joint.mimic->joint;
        again = true;
        break;
      }
    }
    const JointInfo& from = coupled.names->joints[at(coupled.names->joint(name))];
    for (int k = 0; k < to.nq; ++k) p.Gq(to.q + k, from.q + k) = ratio, p.c[to.q + k] = offset;
    for (int k = 0; k < to.nv; ++k) p.Gv(to.v + k, from.v + k) = ratio;
  }
  return p;
}

TEST(Mimic, EqualsTheProjectionOfTheUncoupledModel) {
  Worst tau("tau", 1e-13), inertia("M", 1e-13), qdd("residual of qdd", 1e-13),
      jacobian("Jacobian", 1e-13);
  Worst energy("energies", 1e-13), rate("Jacobian rate", 1e-13);
  int coupled_trees = 0;
  for (std::uint64_t seed = 0; seed < 250; ++seed) {
    Random random(4000 + seed);
    TreeOptions options = random_options(random, 25);
    options.mimics = true;
    options.bodies = std::max(options.bodies, 6);
    const Model model = random_model(random, options);
    Model free_model = model;
    for (Joint& joint : free_model.joints) joint.mimic.reset();
    const Mechanism<double> m = compile(model), u = compile(free_model);
    coupled_trees += m.coupled;
    const Projection G = projection(model, m, u);
    Machine<double> a(m), b(u);
    const State<double> s = random_state(m, random);
    const std::string where = "tree " + std::to_string(seed);
    State<double> t;
    t.q = plain(G.Gq * eigen(s.q) + G.c), t.qd = plain(G.Gv * eigen(s.qd));
    t.qdd = plain(G.Gv * eigen(s.qdd)), t.Fext = s.Fext;

    const VectorXd tau_u = eigen(b.inverse(t));
    const double scale =
        tau_u.size() > 0 ? tau_u.cwiseAbs().maxCoeff() * G.Gv.cwiseAbs().maxCoeff() : 1;
    tau.meet(difference(a.inverse(s), plain(G.Gv.transpose() * tau_u), scale), where);
    const std::vector<double> M_u = b.inertia(t.q);
    const MatrixXd M = G.Gv.transpose() * Eigen::Map<const MatrixXd>(M_u.data(), u.nv, u.nv) * G.Gv;
    inertia.meet(difference(a.inertia(s.q), {M.data(), M.data() + M.size()}), where);
    // accelerations: Gᵀ (tau_u of G qdd) = tau
    const std::vector<double> x = a.forward(s);
    ASSERT_TRUE(a.status);
    const VectorXd back =
        G.Gv.transpose() * eigen(b.inverse(t.q, t.qd, plain(G.Gv * eigen(x)), t.Fext));
    qdd.meet(difference(plain(back), s.tau, scale + product_size(a.inertia(s.q), x)), where);

    const FrameInfo& f = m.names->frames.back();
    std::vector<double> J(6 * at(m.nv)), J_u(6 * at(u.nv));
    auto compare = [&](Worst& worst) {
      const MatrixXd expected = Eigen::Map<const MatrixXd>(J_u.data(), 6, u.nv) * G.Gv;
      worst.meet(difference(J, {expected.data(), expected.data() + expected.size()}, 1), where);
    };
    frame_jacobian<double>(m, s.q, f.body, f.X_BF, Axes::world_aligned, a.w, J);
    frame_jacobian<double>(u, t.q, f.body, f.X_BF, Axes::world_aligned, b.w, J_u);
    compare(jacobian);
    frame_jacobian_rate<double>(m, s.q, s.qd, f.body, f.X_BF, Axes::frame, a.w, J);
    frame_jacobian_rate<double>(u, t.q, t.qd, f.body, f.X_BF, Axes::frame, b.w, J_u);
    compare(rate);
    std::vector<Pose<double>> X(m.bodies.size());
    poses_and_jacobians<double>(m, s.q, a.w, X, J);
    poses_and_jacobians<double>(u, t.q, b.w, X, J_u);
    compare(jacobian);
    const double T = kinetic_energy<double>(u, t.q, t.qd, b.w),
                 V = potential_energy<double>(u, t.q, b.w);
    energy.meet(std::abs(kinetic_energy<double>(m, s.q, s.qd, a.w) - T) / (1 + T), where);
    energy.meet(std::abs(potential_energy<double>(m, s.q, a.w) - V) / (1 + std::abs(V)), where);
  }
  EXPECT_GT(coupled_trees, 100);
}

// By hand: a pendulum of a point mass with everything a joint can have.
TEST(Passive, ForcesOfOneJointAreTheTextbookOnes) {
  Model model;
  model.bodies.push_back({"bob", 2.0, {0.5, 0, 0}, {0, 0, 0, 0, 0, 0}, {}});
  Joint joint;
  joint.name = "hinge", joint.kind = JointKind::revolute, joint.parent = "world",
  joint.child = "bob";
  joint.axis = {0, -1, 0};  // a positive angle lifts the bob
  joint.dynamics = {3.0, 0.2, 0.7, 0.4, 1e-3, -30};
  model.joints.push_back(joint);
  const Mechanism<double> m = compile(model);
  Machine<double> machine(m);
  const double q = 0.6, qd = -1.1, qdd = 2.3;
  const double inertia = 2.0 * 0.5 * 0.5 + 1e-3 * 30 * 30;
  const double weight = 2.0 * 9.81 * 0.5 * std::cos(q);
  const double rest = weight + 3.0 * (q - 0.2) + 0.7 * qd - 0.4;
  EXPECT_NEAR(machine.inverse({q}, {qd}, {qdd})[0], inertia * qdd + rest, 1e-14);
  EXPECT_NEAR(machine.inertia({q})[0], inertia, 1e-15);
  EXPECT_NEAR(machine.forward({q}, {qd}, {5.0})[0], (5.0 - rest) / inertia, 1e-14);
  EXPECT_NEAR(machine.solve({q}, {5.0})[0], 5.0 / inertia, 1e-14);
  EXPECT_NEAR(machine.inverse({q}, {0.0}, {0.0})[0], weight + 3.0 * (q - 0.2),
              1e-14);  // no stiction
}

}  // namespace
}  // namespace catena::oracle
