// Global analysis: its matrices against the tree, its augmented system solved as a whole, and the
// constraint force algorithm in one and in several parts.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <thread>

#include "catena/analysis/count.hpp"
#include "catena/formulations/global/constraint_force.hpp"
#include "catena/formulations/global/forward_dynamics.hpp"
#include "catena/formulations/global/incidence.hpp"
#include "catena/formulations/global/inverse_dynamics.hpp"
#include "catena/formulations/global/joint_basis.hpp"
#include "catena/model/joints.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

using Dense = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using global_analysis::GlobalMatrices;

Eigen::Map<const Vector> vector(const std::vector<double>& v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}
double largest_entry(const Dense& m) { return m.size() == 0 ? 0 : m.cwiseAbs().maxCoeff(); }

// f(mechanism, state, where) for trees in which tree coordinates are the user's.
template <class F>
void for_each_uncoupled(int trees, F f) {
  for_each_model(trees, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    const State<double> s = random_state(m, random, false);
    if (!m.coupled && m.num_bodies() > 1) f(m, s, where);
  });
}

TEST(Incidence, IsThatOfTheTreeAndItsInverseThatOfAncestors) {
  for_each_uncoupled(60, [&](const auto& m, const auto& s, const std::string& where) {
    const GlobalMatrices g = global_analysis::global_matrices(m, s.q);
    const int n = m.num_bodies() - 1;
    Dense P = Dense::Zero(6 * n, 6 * n), ancestors = P;
    for (int i = 1; i <= n; ++i) {
      const int parent = m.bodies[at(i)].parent;
      P.block(6 * i - 6, 6 * i - 6, 6, 6).setIdentity();
      if (parent > 0) P.block(6 * i - 6, 6 * parent - 6, 6, 6) = -Dense::Identity(6, 6);
      for (int j = i; j > 0; j = m.bodies[at(j)].parent) {
        ancestors.block(6 * i - 6, 6 * j - 6, 6, 6).setIdentity();
      }
    }
    EXPECT_EQ(largest_entry(P - g.P.toDense()), 0) << where;
    EXPECT_EQ(largest_entry(P * ancestors - Dense::Identity(6 * n, 6 * n)), 0) << where;
    EXPECT_EQ(largest_entry(g.P.toDense().inverse() - ancestors), 0) << where;
  });
}

TEST(GlobalMatrices, FactorTheInertiaMatrixAndDoNoWorkAgainstConstraints) {
  Worst inertia("M = HT P-T I P-1 H", 1e-13), work("TT S = 0", 1e-13), drive("FT S = 1", 1e-13);
  for_each_uncoupled(150, [&](const auto& m, const auto& s, const std::string& where) {
    const GlobalMatrices g = global_analysis::global_matrices(m, s.q);
    const Dense S = global_analysis::motion_subspace(g).toDense();
    EXPECT_EQ(g.T.cols() + g.H.cols(), g.T.rows());
    Machine<double> machine(m);
    std::vector<double> M = machine.inertia(s.q);
    Dense expected = Eigen::Map<const Dense>(M.data(), m.nv, m.nv);
    for (int v = 0; v < m.nv; ++v) expected(v, v) -= m.armature[at(v)];
    const Dense product = global_analysis::inertia_matrix(g).toDense();
    inertia.meet(largest_entry(product - expected) / (largest_entry(expected) + 1e-300), where);
    const double size = 1 + largest_entry(S) * largest_entry(g.T.toDense());
    work.meet(largest_entry(g.T.transpose() * S) / size, where);
    drive.meet(largest_entry(g.F.transpose() * S - Dense::Identity(m.nv, m.nv)) / size, where);
  });
}

// The known accelerations a_0 of (24), P⁻¹ (Hdot qd + gravity), and v x I v, in the common frame.
struct Knowns {
  Vector a_0, bias;
  Knowns(const Mechanism<double>& m, const GlobalMatrices& g, const State<double>& s)
      : a_0(g.P.rows()), bias(g.P.rows()) {
    const Vector rates = g.H * vector(s.qd);
    const Vector v = global_analysis::motion_subspace(g) * vector(s.qd);
    const Vector momentum = g.I * v;
    for (int i = 1; i < m.num_bodies(); ++i) {
      const Eigen::Index row = 6 * i - 6;
      const auto three = [&](const Vector& x, int k) {
        return Eigen::Vector3d(x.segment(row + k, 3));
      };
      const Eigen::Vector3d w = three(v, 0), u = three(v, 3);
      a_0.segment(row, 3) = w.cross(three(rates, 0));
      a_0.segment(row + 3, 3) = w.cross(three(rates, 3)) + u.cross(three(rates, 0));
      bias.segment(row, 3) = w.cross(three(momentum, 0)) + u.cross(three(momentum, 3));
      bias.segment(row + 3, 3) = w.cross(three(momentum, 3));
      if (m.bodies[at(i)].parent == 0) {
        a_0.segment(row + 3, 3) -= Eigen::Vector3d(m.gravity_0.x, m.gravity_0.y, m.gravity_0.z);
      }
    }
    a_0 = Vector(g.P.triangularView<Eigen::Lower>().solve(a_0));
  }
};

TEST(AugmentedSystem, SolvedAsAWholeGivesTheSameAccelerationsAndConstraintForces) {
  Worst motion("qdd", 1e-10), forces("beta", 1e-10), drives("HT f = tau - J qdd", 1e-12);
  for_each_uncoupled(120, [&](const auto& m, const auto& s, const std::string& where) {
    if (m.num_bodies() > 25) return;
    Workspace<double> w(m, global_analysis::room<double>(m));
    std::vector<double> qdd(at(m.nv));
    std::vector<Motion<double>> A(m.bodies.size());
    std::vector<Force<double>> F(m.bodies.size());
    ASSERT_EQ(global_analysis::augmented_dynamics<double>(m, s.q.data(), s.qd.data(), s.tau.data(),
                                                          nullptr, w.arena(), qdd.data(), A.data(),
                                                          F.data()),
              -1);
    // (27), with I + Pᵀ diag(Psi J Psiᵀ) P in the place of I where drives have inertia
    const GlobalMatrices g = global_analysis::global_matrices(m, s.q);
    const Knowns known(m, g, s);
    const Eigen::Index n = g.I.rows();
    const Dense J = vector(m.armature).asDiagonal();
    const Dense drive = g.F * J * g.F.transpose();
    Dense K = global_analysis::augmented_matrix(g).toDense();
    K.topLeftCorner(n, n) += drive;
    Vector right(K.rows());
    right << g.F * vector(s.tau) - known.bias + drive * known.a_0, g.T.transpose() * known.a_0;
    const Vector x = K.fullPivLu().solve(right);
    const Vector whole = g.F.transpose() * (x.head(n) - known.a_0);
    motion.meet((whole - vector(qdd)).cwiseAbs().maxCoeff() / (1 + largest(qdd)), where);

    Eigen::Index row = n;
    double scale = 1;
    for (const auto& f : F) scale = std::max(scale, largest(numbers(f)));
    for (int i = 1; i < m.num_bodies(); ++i) {
      const auto& b = m.bodies[at(i)];
      with_joint(b.kind, [&](auto joint) {
        for (int axis = 0; axis < 6; ++axis) {
          if (!global_analysis::is_held(joint, axis)) continue;
          forces.meet(std::abs(global_analysis::component(F[at(i)], axis) + x(row++)) / scale,
                      where);
        }
        std::vector<double> along(at(m.nv));
        project(joint, b, F[at(i)], along.data());
        for (int v = b.v; v < b.v + joint.nv; ++v) {
          const double expected = s.tau[at(v)] - m.armature[at(v)] * qdd[at(v)];
          drives.meet(std::abs(along[at(v)] - expected) / scale, where);
        }
      });
    }
  });
}

struct Chains {
  const char* name;
  std::vector<JointKind> kinds;
  bool floating = false, passive = false, fixed = false;
};
const std::vector<Chains>& chains() {
  using K = JointKind;
  static const std::vector<Chains> all{
      {"revolute", {K::revolute}},
      {"prismatic", {K::prismatic}},
      {"screw", {K::screw}},
      {"spherical", {K::spherical}},
      {"all kinds", {K::revolute, K::prismatic, K::screw, K::spherical}},
      {"floating", {K::revolute, K::prismatic, K::screw, K::spherical}, true},
      {"free bodies", {K::revolute, K::free, K::spherical}},
      {"rotors", {K::revolute, K::prismatic, K::screw, K::spherical, K::free}, true, true},
      {"fixed", {K::revolute, K::fixed, K::screw}, false, false, true},
  };
  return all;
}
Mechanism<double> chain(const Chains& c, int n, Random& random) {
  TreeOptions options;
  options.bodies = n;
  options.kinds = c.kinds;
  options.branching = 0;
  options.floating = c.floating;
  options.passive = c.passive;
  CompileOptions how;
  how.keep_fixed = c.fixed;
  return compile(random_model(random, options), how);
}

std::vector<double> by_parts(const Mechanism<double>& m, const State<double>& s, int parts) {
  Workspace<double> w(m, constraint_force::room<double>(m));
  std::vector<double> qdd(at(m.nv));
  constraint_force::constraint_force_dynamics<double>(m, s.q.data(), s.qd.data(), s.tau.data(),
                                                      s.Fext.data(), parts, w.arena(), qdd.data());
  return qdd;
}

TEST(ConstraintForce, IsTheSameInOnePartAndInSeveral) {
  Worst one("one part, by its forces", 1e-11), several("several parts, by their forces", 1e-11);
  for (const Chains& c : chains()) {
    for (int n : {1, 2, 3, 4, 8, 9, 12, 16, 17, 33, 100, 300}) {
      Random random(static_cast<std::uint64_t>(n));
      Mechanism<double> m = chain(c, n, random);
      // forces of springs and friction are the table's part
      m.has_passive = false;
      ASSERT_EQ(constraint_force::refusal<double>(m), "");
      const State<double> s = random_state(m, random);
      Machine<double> machine(m);
      const std::vector<double> inertia = machine.inertia(s.q);
      for (int parts = 1; parts <= 4; ++parts) {
        const std::string where =
            std::string(c.name) + " " + std::to_string(n) + " in " + std::to_string(parts);
        const std::vector<double> qdd = by_parts(m, s, parts);
        const double size = product_size(inertia, qdd) + largest(s.tau);
        const double error = difference(machine.inverse(s.q, s.qd, qdd, s.Fext), s.tau, size);
        (parts == 1 ? one : several).meet(error, where);
      }
    }
  }
}

TEST(ConstraintForce, KeepsItsDigitsOnLongChains) {
  Worst qdd("qdd of 1000 joints, beside spatial", 1e-11);
  const Mechanism<double> m = compile(general_chain(1000));
  Random random(5);
  const State<double> s = random_state(m, random);
  Machine<double> machine(m);
  const std::vector<double> expected = machine.forward(s);
  for (int parts = 1; parts <= 4; ++parts) {
    qdd.meet(difference(by_parts(m, s, parts), expected), std::to_string(parts));
  }
}

TEST(ConstraintForce, GivesTheSameBitsForTheSamePartsWhoeverComputesThem) {
  Random random(11);
  const Mechanism<double> m = chain(chains()[4], 200, random);
  const State<double> s = random_state(m, random);
  for (int parts : {1, 2, 3, 4, 7}) {
    const std::vector<double> first = by_parts(m, s, parts);
    std::vector<std::vector<double>> found(6);
    std::vector<std::thread> callers;
    for (auto& qdd : found) {
      callers.emplace_back([&, parts] {
        for (int k = 0; k < 20; ++k) qdd = by_parts(m, s, parts);
      });
    }
    for (std::thread& t : callers) t.join();
    for (const auto& qdd : found) EXPECT_EQ(qdd, first) << parts;
  }
}

std::string refusal(const Model& model) {
  return constraint_force::refusal<double>(compile(model));
}

TEST(ConstraintForce, SaysWhatItCannotDoAndWhoCan) {
  Model model = general_chain(4);
  EXPECT_EQ(refusal(model), "");
  model.joints[3].parent = "link2";
  EXPECT_NE(refusal(model).find("branches at body 'link2'; use --method global"), std::string::npos)
      << refusal(model);
  model = general_chain(4);
  model.bodies[1].mass = 0, model.bodies[1].inertia = {}, model.bodies[1].com = {};
  EXPECT_NE(refusal(model).find("body 'link2' has no mass; use --method global"), std::string::npos)
      << refusal(model);
  model = general_chain(4);
  model.bodies[2].inertia = {};
  EXPECT_NE(refusal(model).find("body 'link3' has an axis without inertia"), std::string::npos)
      << refusal(model);
  model = general_chain(4);
  model.joints[3].mimic = Mimic{"joint2", 1, 0};
  EXPECT_NE(refusal(model).find("mimic joints; use --method global"), std::string::npos)
      << refusal(model);
  model = general_chain(4);
  model.joints[1].kind = JointKind::universal;
  model.joints[1].axis2 = {1, 0, 0};
  EXPECT_NE(refusal(model).find("has no mass"), std::string::npos) << refusal(model);
}

}  // namespace
}  // namespace catena::oracle
