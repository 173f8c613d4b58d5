// Machines that move in a plane are computed in it: the same answers as in space.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"
#include "oracles/machine.hpp"
#include "oracles/n_four_bar.hpp"
#include "oracles/random_model.hpp"

namespace catena::oracle {
namespace {

using Eigen::VectorXd;

Vec3<double> normal_to(Random& random, const Vec3<double>& n) {
  const Vec3<double> any = random.unit(), in = any - dot(any, n) * n;
  return dot(in, in) > 0.01 ? (1 / std::sqrt(dot(in, in))) * in : normal_to(random, n);
}

struct PlaneCase {
  Model model;
  Vec3<double> normal;  // of the plane
  VectorXd q;           // closed here
};

// A random tree in a random plane, its frames turned and shifted in all directions.
PlaneCase random_plane_tree(Random& random) {
  PlaneCase c;
  Model& model = c.model;
  model.gravity = random.vector(10);
  c.normal = random.unit();
  const int bodies = 4 + random.below(6);
  std::map<std::string, Vec3<double>> normal{{model.ground, c.normal}};
  for (int i = 0; i < bodies; ++i) {
    Joint j;
    j.name = "joint" + std::to_string(i), j.child = "body" + std::to_string(i);
    const int parent = random.chance(0.3) ? -1 : random.below(i + 1) - 1;
    j.parent = parent < 0 ? model.ground : "body" + std::to_string(parent);
    j.X_PJ = random.pose(), j.X_MB = random.pose();
    const Vec3<double> n = transpose_times(j.X_PJ.R, normal[j.parent]);
    const double kind = random.uniform(0, 1);
    j.kind = kind < 0.7   ? JointKind::revolute
             : kind < 0.9 ? JointKind::prismatic
                          : JointKind::planar;
    j.axis = j.kind == JointKind::prismatic ? normal_to(random, n) : random.chance(0.5) ? n : -n;
    if (random.chance(0.3)) {
      j.dynamics.rotor_inertia = random.uniform(0, 0.2), j.dynamics.gear_ratio = 3;
      j.dynamics.stiffness = random.uniform(0, 2), j.dynamics.viscous = random.uniform(0, 1);
      j.dynamics.rest = random.uniform(), j.dynamics.coulomb = random.uniform(0, 0.2);
    }
    normal[j.child] = transpose_times(j.X_MB.R, n);
    model.joints.push_back(j);
    model.bodies.push_back(random_body(random, j.child));
  }
  return c;
}

// Closes it by one or two random joints that can move in the plane, and ties a spring to it.
void close_in_plane(Random& random, PlaneCase& c) {
  const Mechanism<double> m = compile(c.model);
  const State<double> s = random_state(m, random, false);
  c.q = Eigen::Map<const VectorXd>(s.q.data(), static_cast<Eigen::Index>(s.q.size()));
  const auto X_WB = Machine<double>(m).poses(s.q);
  const auto pose = [&](const std::string& body) {
    const FrameInfo& f = m.names->frames[at(m.names->frame(body))];
    return X_WB[at(f.body)] * f.X_BF;
  };
  const auto any_body = [&] {
    const int i = random.below(static_cast<int>(c.model.bodies.size()) + 1);
    return i == 0 ? c.model.ground : c.model.bodies[at(i - 1)].name;
  };
  const int loops = 1 + random.below(2);
  for (int i = 0; i < loops; ++i) {
    Loop l;
    l.name = "loop" + std::to_string(i);
    do {
      l.body1 = any_body(), l.body2 = any_body();
    } while (l.body1 == l.body2);
    l.X_1L = random.pose();
    const Pose<double> X_W1 = pose(l.body1) * l.X_1L, X_W2 = pose(l.body2);
    const Vec3<double> n = transpose_times(X_W1.R, c.normal);
    const JointKind kinds[] = {JointKind::revolute, JointKind::spherical,   JointKind::prismatic,
                               JointKind::planar,   JointKind::cylindrical, JointKind::universal,
                               JointKind::screw};
    const int choice = random.below(8);
    l.rod = choice == 7;
    l.kind = l.rod ? JointKind::revolute : kinds[choice];
    l.axis = l.kind == JointKind::prismatic ? normal_to(random, n) : n;
    if (l.kind == JointKind::spherical) l.axis = random.unit();
    l.axis2 = normal_to(random, l.axis);
    l.pitch = 0.2;
    l.X_2L = inverse(X_W2) * X_W1;
    if (l.rod) {
      l.X_2L = random.pose();
      const Vec3<double> d = (X_W2 * l.X_2L).p - X_W1.p;
      l.length = std::sqrt(dot(d, d));
    }
    c.model.loops.push_back(l);
  }
  SpringDamper spring;
  spring.name = "spring", spring.body1 = c.model.bodies[0].name, spring.body2 = c.model.ground;
  spring.point1 = random.vector(), spring.point2 = random.vector();
  spring.stiffness = 5, spring.damping = 1, spring.length = 0.4;
  c.model.springs.push_back(spring);
}

VectorXd random_plane_vector(Random& random, Eigen::Index n) {
  VectorXd v(n);
  for (double& x : v) x = random.uniform();
  return v;
}

TEST(PlaneMachines, MoveAsInSpaceAndAsByTheNullSpace) {
  Worst space("plane against space", 1e-9), null("plane against null-space", 1e-9),
      forces("what lambda does along the joints", 1e-9);
  int used = 0;
  for (int i = 0; i < 400 && used < 150; ++i) {
    Random random(static_cast<std::uint64_t>(i) + 1);
    PlaneCase c = random_plane_tree(random);
    close_in_plane(random, c);
    ClosedDynamics dynamics(c.model);
    const ClosedMechanism& m = dynamics.mechanism();
    Multipliers plane(m), around(m, true);
    ASSERT_TRUE(plane.in_plane()) << i;
    ASSERT_FALSE(around.in_plane());
    dynamics.state().set_position(c.q);
    const RowMatrix K = dynamics.state().jacobian();
    const Eigen::MatrixXd G = null_space(K);
    if (G.cols() == 0 || mobility_of(K).smallest < 1e-3) continue;
    const VectorXd qd = G * random_plane_vector(random, G.cols());
    const VectorXd tau = random_plane_vector(random, m.tree.nv);
    const std::map<std::string, Force<double>> wrenches{
        {c.model.bodies.back().name, {random.vector(), random.vector()}}};
    const ClosedForward right =
        dynamics.forward_dynamics(c.q, qd, tau, wrenches, LoopMethod::null_space);
    const ClosedForward r = dynamics.forward_dynamics(c.q, qd, tau, wrenches);
    const double scale = 1 + right.qdd.cwiseAbs().maxCoeff();
    const std::string where = "machine " + std::to_string(i);
    null.meet((r.qdd - right.qdd).cwiseAbs().maxCoeff() / scale, where);
    forces.meet((K.transpose() * (r.lambda - right.lambda)).cwiseAbs().maxCoeff() /
                    (1 + (K.transpose() * right.lambda).cwiseAbs().maxCoeff()),
                where);
    EXPECT_EQ(r.rank, right.rank) << where;
    // and without wrenches by name
    std::vector<double> one(at(m.tree.nv)), two(one);
    const std::vector<double> q(c.q.begin(), c.q.end()), v(qd.begin(), qd.end()),
        f(tau.begin(), tau.end());
    if (plane.solve(q, v, f, {}, one, {}) != Multipliers::Outcome::good) continue;
    if (around.solve(q, v, f, {}, two, {}) != Multipliers::Outcome::good) continue;
    ++used;
    double gap = 0, size = 1;
    for (std::size_t k = 0; k < one.size(); ++k)
      gap = std::max(gap, std::abs(one[k] - two[k])), size = std::max(size, std::abs(two[k]));
    space.meet(gap / size, where);
  }
  EXPECT_GE(used, 100);
}

TEST(PlaneMachines, AreThoseWhoseAxesAreParallel) {
  const auto in_plane = [](const std::string& name) {
    return Multipliers(compile_closed(read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml")))
        .in_plane();
  };
  for (const char* name :
       {"four-bar", "five-bar", "planar-3rrr", "knee", "andrews", "carpet-scraper", "n-four-bar-2"})
    EXPECT_TRUE(in_plane(name)) << name;
  for (const char* name : {"delta", "ankle", "stewart-gough", "bricard"})
    EXPECT_FALSE(in_plane(name)) << name;
}

}  // namespace
}  // namespace catena::oracle
