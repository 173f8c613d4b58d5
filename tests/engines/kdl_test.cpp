// Orocos KDL on chains of revolute and prismatic joints about any axes.
#ifdef CATENA_HAS_KDL
#include <gtest/gtest.h>

#include <kdl/chain.hpp>
#include <kdl/chaindynparam.hpp>
#include <kdl/chainfksolverpos_recursive.hpp>
#include <kdl/chainidsolver_recursive_newton_euler.hpp>
#include <kdl/chainjnttojacsolver.hpp>

#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

KDL::Vector kdl(const Vec3<double>& v) { return {v.x, v.y, v.z}; }
KDL::Frame kdl(const Pose<double>& X) {
  return {KDL::Rotation(kdl(X.R.x), kdl(X.R.y), kdl(X.R.z)), kdl(X.p)};
}
KDL::JntArray kdl(const std::vector<double>& v) {
  KDL::JntArray r(static_cast<unsigned>(v.size()));
  for (std::size_t i = 0; i < v.size(); ++i) r(static_cast<unsigned>(i)) = v[i];
  return r;
}
std::vector<double> plain(const Eigen::MatrixXd& v) { return {v.data(), v.data() + v.size()}; }

KDL::Chain chain_of(const Model& model) {
  KDL::Chain chain;
  for (std::size_t i = 0; i < model.joints.size(); ++i) {
    const Joint& j = model.joints[i];
    const Body& b = model.bodies[i];
    KDL::Joint joint(j.name, KDL::Joint::None);
    if (j.kind != JointKind::fixed) {
      const auto type = j.kind == JointKind::revolute ? KDL::Joint::RotAxis : KDL::Joint::TransAxis;
      joint = KDL::Joint(j.name, kdl(j.X_PJ.p), kdl(j.X_PJ.R * j.axis), type);
    }
    const Sym3<double>& I = b.inertia;
    const KDL::RigidBodyInertia inertia(b.mass, kdl(b.com),
                                        KDL::RotationalInertia(I.xx, I.yy, I.zz, I.xy, I.xz, I.yz));
    chain.addSegment(KDL::Segment(b.name, joint, kdl(j.X_PJ * j.X_MB), inertia));
  }
  return chain;
}

TEST(Kdl, AgreesOnChains) {
  Worst tau("inverse dynamics with wrenches", 1e-10), M("inertia matrix", 1e-10);
  Worst gravity("gravity forces", 1e-10), coriolis("Coriolis forces", 1e-10);
  Worst pose("pose of the tip", 1e-10), jacobian("Jacobian of the tip", 1e-10);
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Random random(500 + seed);
    TreeOptions options;
    options.bodies = 1 + random.below(20);
    options.branching = 0;
    options.kinds = {JointKind::revolute, JointKind::prismatic, JointKind::revolute};
    if (random.chance(0.5)) options.kinds.push_back(JointKind::fixed);
    const Model model = random_model(random, options);
    const Mechanism<double> m = compile(model);
    if (m.nv == 0) continue;
    const std::string where = "chain " + std::to_string(seed);
    Machine<double> machine(m);
    State<double> s = random_state(m, random);
    const auto wrenches = random_wrenches(model, m, random, s);
    const KDL::Chain chain = chain_of(model);
    const unsigned n = chain.getNrOfJoints();
    ASSERT_EQ(static_cast<int>(n), m.nv);
    const KDL::JntArray q = kdl(s.q), qd = kdl(s.qd), qdd = kdl(s.qdd);
    KDL::Wrenches external;
    for (const Body& body : model.bodies) {
      const BodyWrench& F = wrenches.at(body.name);
      const auto v = [](const Vec& x) {
        return KDL::Vector(static_cast<double>(x.x()), static_cast<double>(x.y()),
                           static_cast<double>(x.z()));
      };
      external.push_back(KDL::Wrench(v(F.f), v(F.n)));
    }
    KDL::ChainIdSolver_RNE solver(chain, kdl(model.gravity));
    KDL::JntArray torque(n);
    ASSERT_EQ(solver.CartToJnt(q, qd, qdd, external, torque), 0);
    const std::vector<double> zero(at(m.nv), 0), weight = machine.inverse(s.q, zero, zero);
    const double scale = largest(weight) + largest(machine.inverse(s));
    tau.meet(difference(machine.inverse(s), plain(torque.data), scale), where);

    KDL::ChainDynParam parameters(chain, kdl(model.gravity));
    KDL::JntSpaceInertiaMatrix inertia(n);
    ASSERT_EQ(parameters.JntToMass(q, inertia), 0);
    M.meet(difference(machine.inertia(s.q), plain(inertia.data)), where);
    KDL::JntArray g(n), c(n);
    ASSERT_EQ(parameters.JntToGravity(q, g), 0);
    ASSERT_EQ(parameters.JntToCoriolis(q, qd, c), 0);
    gravity.meet(difference(weight, plain(g.data), scale), where);
    std::vector<double> bias = machine.inverse(s.q, s.qd, zero);
    for (std::size_t k = 0; k < bias.size(); ++k) bias[k] -= weight[k];
    coriolis.meet(difference(bias, plain(c.data), scale), where);

    KDL::ChainFkSolverPos_recursive position(chain);
    KDL::ChainJntToJacSolver jacobians(chain);
    KDL::Frame tip;
    KDL::Jacobian J(n);
    ASSERT_EQ(position.JntToCart(q, tip), 0);
    ASSERT_EQ(jacobians.JntToJac(q, J), 0);
    const FrameInfo& f = m.names->frames[at(m.names->frame(model.bodies.back().name))];
    const Pose<double> X = machine.poses(s.q)[at(f.body)] * f.X_BF;
    std::vector<double> theirs;
    for (const KDL::Vector& v : {tip.M.UnitX(), tip.M.UnitY(), tip.M.UnitZ(), tip.p}) {
      theirs.insert(theirs.end(), {v.x(), v.y(), v.z()});
    }
    pose.meet(difference(numbers(X), theirs), where);
    std::vector<double> mine(6 * at(m.nv));
    frame_jacobian<double>(m, s.q, f.body, f.X_BF, Axes::world_aligned, machine.w, mine);
    Eigen::MatrixXd swapped(6, n);  // linear part first there
    swapped << J.data.bottomRows(3), J.data.topRows(3);
    jacobian.meet(difference(mine, plain(swapped), 1), where);
  }
}

}  // namespace
}  // namespace catena::oracle
#endif
