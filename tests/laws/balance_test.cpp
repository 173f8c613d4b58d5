// Power, momentum and cuts: what any motion of any mechanism obeys, in quadruple precision.
#include <gtest/gtest.h>

#include "catena/dynamics.hpp"
#include "oracles/cases.hpp"
#include "oracles/differences.hpp"

#if CATENA_HAS_QUAD
namespace catena::oracle {
namespace {

using Vector = std::vector<Quad>;

// The power that friction takes.
Quad dissipation(const Mechanism<Quad>& m, const Vector& qd) {
  Quad power = 0;
  for (int k = 0; k < m.tree_nv; ++k) {
    const auto& map = m.v_map[at(k)];
    const Quad rate = map.ratio * qd[at(map.index)];
    power += m.viscous[at(k)] * rate * rate + m.coulomb[at(k)] * (rate > 0 ? rate : -rate);
  }
  return power;
}

// d/dt (T + V) = joint power + external power - dissipation, along qd(t) = qd + t qdd.
TEST(Balance, PowerBecomesEnergy) {
  Worst worst("power balance", 1e-26);
  for_each_model(
      80,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        Machine<Quad> machine(m);
        const State<Quad> s = random_state_of(machine, m, random);
        const auto total = [&](Quad t) {
          Vector qd = s.qd, mean = s.qd;
          for (std::size_t k = 0; k < qd.size(); ++k) qd[k] += t * s.qdd[k];
          const Vector q = machine.moved(s.q, mean, t);
          return Vector{kinetic_energy<Quad>(machine.m, q, qd, machine.w) +
                        potential_energy<Quad>(machine.m, q, machine.w)};
        };
        const Quad rate = derivative(total)[0];
        const Vector tau = machine.inverse(s);
        const auto motions = machine.motions(s.q, s.qd, s.qdd);
        Quad power = -dissipation(machine.m, s.qd), size = 1;
        for (std::size_t k = 0; k < tau.size(); ++k)
          power += tau[k] * s.qd[k], size += magnitude(Quad(tau[k] * s.qd[k]));
        for (std::size_t b = 1; b < motions.V.size(); ++b) power += dot(motions.V[b], s.Fext[b]);
        worst.meet(magnitude(Quad(rate - power)) / to_double(size), where);
      },
      30);
}

// The world's share of the motion: d/dt momentum = weight + external wrenches + ground reaction,
// with the rate of momentum by differences. With a floating base and no forces in its joint the
// reaction is that of the other branches alone.
TEST(Balance, MomentumChangesByForcesFromOutside) {
  Worst worst("momentum balance", 1e-26), floating("floating base without forces", 1e-26);
  for_each_tree(
      80,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        Machine<Quad> machine(m);
        State<Quad> s = random_state_of(machine, m, random);
        const bool floats = model.joints[0].kind == JointKind::free && m.bodies.size() > 1;
        if (floats) {
          s.qdd = machine.forward(s);
          ASSERT_TRUE(machine.status);
        }
        const Vector rate = derivative([&](Quad t) {
          Vector qd = s.qd;
          for (std::size_t k = 0; k < qd.size(); ++k) qd[k] += t * s.qdd[k];
          return numbers(momentum<Quad>(machine.m, machine.moved(s.q, s.qd, t), qd, machine.w));
        });
        const std::vector<Pose<Quad>> X = machine.poses(s.q);
        const Vec3<Quad> zero{0, 0, 0};
        Force<Quad> sum{zero, zero};
        for (std::size_t b = 1; b < X.size(); ++b) {
          const auto& M = machine.m.bodies[b].M;
          const Vec3<Quad> f = M.m * machine.m.gravity;
          sum += {cross(M.m * X[b].p + X[b].R * M.h, machine.m.gravity), f};
          sum += transform(X[b], s.Fext[b]);
        }
        // entry 0: the sum of the wrenches that the ground exerts, at the world's origin
        const Force<Quad> ground = transform(machine.m.X_W0, machine.reactions(s)[0]);
        const double size = largest(rate) + largest(numbers(ground)) + largest(numbers(sum)) + 1;
        worst.meet(difference(rate, numbers(sum + ground), size), where);

        int roots = 0;
        for (const auto& b : machine.m.bodies) roots += b.parent == 0;
        if (!floats || roots != 2 || m.coupled || m.has_passive || m.has_armature) return;
        // tau of a free joint is the wrench of the ground on its moving frame
        const Pose<Quad> X_WB = X[1];
        const Force<Quad> F{{s.tau[0], s.tau[1], s.tau[2]}, {s.tau[3], s.tau[4], s.tau[5]}};
        floating.meet(difference(rate, numbers(sum + transform(X_WB, F)), size), where);
      },
      30);
}

// Cutting any joint: the wrench through it carries the rate of momentum of all that is beyond it,
// less weight and external wrenches. The rates are differences, body by body.
TEST(Balance, ReactionsCarryTheSubtreeBeyondTheCut) {
  Worst worst("sum over a cut", 1e-26);
  for_each_tree(
      60,
      [&](const Model& model, Random& random, const std::string& where) {
        const Mechanism<double> m = compile(model);
        Machine<Quad> machine(m);
        const State<Quad> s = random_state_of(machine, m, random);
        // momentum of every body at the world's origin, in world axes
        const Vector rate = derivative([&](Quad t) {
          Vector qd = s.qd, h;
          for (std::size_t k = 0; k < qd.size(); ++k) qd[k] += t * s.qdd[k];
          const auto all = machine.motions(machine.moved(s.q, s.qd, t), qd, {});
          for (std::size_t b = 0; b < all.X.size(); ++b) {
            for (Quad x : numbers(transform(all.X[b], machine.m.bodies[b].M * all.V[b])))
              h.push_back(x);
          }
          return h;
        });
        const std::vector<Pose<Quad>> X = machine.poses(s.q);
        const std::vector<Force<Quad>> F = machine.reactions(s);
        for (int cut = 1; cut < m.num_bodies(); ++cut) {
          Vector sum(6, 0);
          for (int b = cut; b < m.bodies[at(cut)].subtree_end; ++b) {
            const auto& M = machine.m.bodies[at(b)].M;
            const Force<Quad> weight{cross(M.m * X[at(b)].p + X[at(b)].R * M.h, machine.m.gravity),
                                     M.m * machine.m.gravity};
            const Vector outer = numbers(weight + transform(X[at(b)], s.Fext[at(b)]));
            for (std::size_t i = 0; i < 6; ++i) sum[i] += rate[6 * at(b) + i] - outer[i];
          }
          const Vector reaction = numbers(transform(X[at(cut)], F[at(cut)]));
          worst.meet(difference(reaction, sum, largest(rate) + 1), where);
        }
      },
      30);
}

// The Eigen interface: reactions at M in M and in world axes, fixed joints that are kept.
TEST(Balance, KeptFixedJointsChangeNothingAndCarryTheirLoad) {
  Worst same("tau with fixed joints kept", 1e-13), axes("reactions turned to the world", 1e-13);
  Worst load("reaction of a welded leaf", 1e-13);
  for_each_tree(
      100,
      [&](const Model& model, Random& random, const std::string& where) {
        Dynamics merged(model), kept(model, {true, false});
        ASSERT_EQ(merged.nv(), kept.nv());
        const State<double> s = random_state(merged.mechanism(), random, false);
        auto eigen = [](const std::vector<double>& v) {
          return Eigen::VectorXd(
              Eigen::Map<const Eigen::VectorXd>(v.data(), static_cast<Eigen::Index>(v.size())));
        };
        const Eigen::VectorXd q = eigen(s.q), qd = eigen(s.qd), qdd = eigen(s.qdd);
        FrameWrenches wrenches;
        for (const Body& body : model.bodies) {
          const Vec3<double> n = random.vector(), f = random.vector();
          wrenches[body.name] = {n, f};
        }
        const Eigen::VectorXd a = merged.inverse_dynamics(q, qd, qdd, wrenches);
        const Eigen::VectorXd b = kept.inverse_dynamics(q, qd, qdd, wrenches);
        const std::vector<Force<double>> F = kept.reactions(q, qd, qdd, wrenches);
        const std::vector<Force<double>> F_W = kept.reactions(q, qd, qdd, wrenches, true);
        double size = 1;
        for (const Force<double>& f : F) size = std::max(size, largest(numbers(f)));
        if (a.size() > 0) same.meet((a - b).cwiseAbs().maxCoeff() / size, where);
        for (std::size_t i = 0; i < F.size(); ++i) {
          const JointInfo& j = kept.mechanism().names->joints[i];
          const Joint* joint = nullptr;
          bool leaf = true;
          for (const Joint& x : model.joints) {
            if (x.name == j.name) joint = &x;
          }
          for (const Joint& x : model.joints) leaf = leaf && x.parent != joint->child;
          // X_WM from the pose of the child
          const Eigen::Isometry3d X_WB = kept.pose(joint->child, q);
          const auto eig = [](const Vec3<double>& v) { return Eigen::Vector3d(v.x, v.y, v.z); };
          Eigen::Matrix3d R_MB;
          R_MB << eig(joint->X_MB.R.x), eig(joint->X_MB.R.y), eig(joint->X_MB.R.z);
          const Eigen::Matrix3d R_WM = X_WB.linear() * R_MB.transpose();
          axes.meet((R_WM * eig(F[i].f) - eig(F_W[i].f)).norm() / size, where);
          axes.meet((R_WM * eig(F[i].n) - eig(F_W[i].n)).norm() / size, where);
          if (!leaf) continue;
          // Newton-Euler of the leaf body, at M: f = m (a - g) - fext
          const Body* body = nullptr;
          for (const Body& x : model.bodies) {
            if (x.name == joint->child) body = &x;
          }
          const auto A = kept.acceleration(joint->child, q, qd, qdd);
          const auto V = kept.twist(joint->child, q, qd);
          const Eigen::Vector3d w = V.head<3>(), alpha = A.head<3>(),
                                c = X_WB.linear() * eig(body->com);
          const Eigen::Vector3d ac = A.tail<3>() + alpha.cross(c) + w.cross(w.cross(c));
          Eigen::Matrix3d I;
          const Sym3<double>& B = body->inertia;
          I << B.xx, B.xy, B.xz, B.xy, B.yy, B.yz, B.xz, B.yz, B.zz;
          I = X_WB.linear() * I * X_WB.linear().transpose();
          const Force<double> ext = wrenches.at(body->name);
          const Eigen::Vector3d fext = X_WB.linear() * eig(ext.f);
          const Eigen::Vector3d f = body->mass * (ac - eig(model.gravity)) - fext;
          // from the body's origin to M
          const Eigen::Vector3d to_M = -(R_WM * eig(joint->X_MB.p));
          const Eigen::Vector3d n = I * alpha + w.cross(I * w) + (c - to_M).cross(f + fext) -
                                    X_WB.linear() * eig(ext.n) + to_M.cross(fext);
          load.meet((f - eig(F_W[i].f)).norm() / size, where);
          load.meet((n - eig(F_W[i].n)).norm() / size, where);
        }
      },
      30);
}

}  // namespace
}  // namespace catena::oracle
#endif
