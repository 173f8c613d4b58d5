// Inverse kinematics and Cartesian paths against closed forms and Denavit-Hartenberg products.
#include "catena/motion/inverse_kinematics.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <random>

#include "catena/dynamics.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/motion/cartesian.hpp"
#include "catena/readers/readers.hpp"

namespace catena {
namespace {

Model model_of_file(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}

// O_7 of the PUMA and its axes: the product of its DH matrices, from the table of the paper.
Eigen::Isometry3d puma_tip(const std::vector<double>& q) {
  const double a[] = {0, .432, .02, 0, 0, 0}, b[] = {0, .149, 0, .432, 0, .05};
  const double alpha[] = {-M_PI / 2, 0, -M_PI / 2, -M_PI / 2, -M_PI / 2, 0};
  Eigen::Isometry3d X = Eigen::Isometry3d::Identity();
  for (std::size_t i = 0; i < 6; ++i)
    X = X * Eigen::AngleAxisd(q[i], Eigen::Vector3d::UnitZ()) *
        Eigen::Translation3d(a[i], 0, b[i]) * Eigen::AngleAxisd(alpha[i], Eigen::Vector3d::UnitX());
  return X;
}

const FrameTarget puma_line_begin{Vec3<double>{0.5, 0, 0.05}, rotation_from_zyz(0, M_PI / 2, M_PI)};

TEST(InverseKinematics, FindsTheEightSolutionsOfThePuma) {
  const Mechanism<double> m = compile(model_of_file("puma"));
  InverseKinematics kinematics(m, "link6");
  const auto found = kinematics.solutions(puma_line_begin, std::vector<double>(6), 200);
  ASSERT_EQ(found.size(), 8u);
  Eigen::Matrix3d R;  // ZYZ (0, 90 deg, 180 deg)
  R << 0, 0, 1, 0, -1, 0, 1, 0, 0;
  for (const auto& q : found) {
    const Eigen::Isometry3d X = puma_tip(q);
    EXPECT_LT((X.translation() - Eigen::Vector3d(0.5, 0, 0.05)).norm(), 1e-12);
    EXPECT_LT((X.linear() - R).norm(), 1e-12);
  }
}

TEST(InverseKinematics, SolvesTheTwoLinkArmAsTheCosineRuleDoes) {
  Model model;
  model.bodies = {{"a", 1, {}, {1, 0, 0, 1, 0, 1}}, {"b", 1, {}, {1, 0, 0, 1, 0, 1}}};
  Joint one, two;
  one.name = "one", one.kind = JointKind::revolute, one.parent = "world", one.child = "a";
  two.name = "two", two.kind = JointKind::revolute, two.parent = "a", two.child = "b";
  two.X_PJ.p = {0.5, 0, 0};
  model.joints = {one, two};
  model.frames = {{"tip", "b", {{}, {0.4, 0, 0}}, {}}};
  const double x = 0.3, y = 0.6;
  const double elbow = std::acos((x * x + y * y - 0.25 - 0.16) / (2 * 0.5 * 0.4));
  {
    const Mechanism<double> m = compile(model);
    InverseKinematics kinematics(m, "tip");
    const auto found =
        kinematics.solutions({Vec3<double>{x, y, 0}, {}}, std::vector<double>(2), 20);
    ASSERT_EQ(found.size(), 2u);
    for (const auto& q : found) {
      EXPECT_NEAR(std::fabs(q[1]), elbow, 1e-12);
      EXPECT_NEAR(q[0],
                  std::atan2(y, x) - std::atan2(0.4 * std::sin(q[1]), 0.5 + 0.4 * std::cos(q[1])),
                  1e-12);
    }
  }
  model.joints[1].limits = {-3, 0};  // only one is left
  const Mechanism<double> m = compile(model);
  InverseKinematics kinematics(m, "tip");
  const auto found = kinematics.solutions({Vec3<double>{x, y, 0}, {}}, std::vector<double>(2), 20);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NEAR(found[0][1], -elbow, 1e-12);
  InverseKinematics unlimited(m, "tip", {false});
  EXPECT_EQ(unlimited.solutions({Vec3<double>{x, y, 0}, {}}, std::vector<double>(2), 20).size(),
            2u);
}

TEST(InverseKinematics, ComesBackOnEveryKindOfJoint) {
  for (const char* name : {"joint-zoo", "quadruped", "arm-7r", "stanford"}) {
    Dynamics dynamics(model_of_file(name));
    const Mechanism<double>& m = dynamics.mechanism();
    std::mt19937_64 generator(3);
    for (std::size_t f = 0; f < m.names->frames.size(); f += 2) {
      const std::string& frame = m.names->frames[f].name;
      if (m.names->frames[f].body == 0) continue;
      const Eigen::VectorXd there = dynamics.random(generator);
      const Eigen::Isometry3d X = dynamics.pose(frame, there);
      FrameTarget target;
      target.position = Vec3<double>{X(0, 3), X(1, 3), X(2, 3)};
      target.attitude = Mat3<double>{
          {X(0, 0), X(1, 0), X(2, 0)}, {X(0, 1), X(1, 1), X(2, 1)}, {X(0, 2), X(1, 2), X(2, 2)}};
      Eigen::VectorXd off = Eigen::VectorXd::Zero(m.nv);
      for (int i = 0; i < m.nv; ++i) off[i] = 0.1 * (i % 3 - 1);
      Eigen::VectorXd q = dynamics.integrate(there, off);
      InverseKinematics kinematics(m, frame, {false});
      EXPECT_TRUE(kinematics.solve(target, {q.data(), static_cast<std::size_t>(m.nq)})) << frame;
      EXPECT_LT((dynamics.pose(frame, q).matrix() - X.matrix()).norm(), 3e-12) << name << frame;
    }
  }
}

TEST(InverseKinematics, SaysHowFarAPointOutOfReachIs) {
  const Mechanism<double> m = compile(model_of_file("puma"));
  InverseKinematics kinematics(m, "link6");
  std::vector<double> q = {0, -0.3, 0.2, 0.1, 0.4, 0};
  const FrameTarget target{Vec3<double>{3, 0, 0}, {}};
  EXPECT_FALSE(kinematics.solve(target, q));
  // Stretched out, offset and wrist included, the arm reaches at most this far from its shoulder.
  const double reach = 0.432 + std::hypot(0.02, 0.432) + 0.05;
  const Eigen::Vector3d tip = puma_tip(q).translation();
  EXPECT_NEAR(tip.norm(), std::hypot(reach, 0.149), 2e-3);
}

TEST(CartesianLine, OfThePaperHasTheRatesOfItsDifferences) {
  const Mechanism<double> m = compile(model_of_file("puma"));
  InverseKinematics kinematics(m, "link6");
  const CartesianPath line = CartesianPath::line({0.5, 0, 0.05}, {0.62, 0.3, 0.11});
  const std::vector<double> near = {-0.337, -1.17, 0.58, 2.74, 2.12, 0.22};
  const auto at = [&](double t, std::vector<double>& qd, std::vector<double>& qdd) {
    PathFollower follower(kinematics, line, puma_line_begin.attitude, near);
    std::vector<double> q(6);
    follower.at(t / 5, 0.2, 0, q, qd, qdd);
    return q;
  };
  std::vector<double> qd(6), qdd(6), v(6), unused(6), before(6), after(6);
  for (double t : {0., 1.3, 2.5, 4.2, 5.}) {
    const auto q = at(t, qd, qdd);
    const Eigen::Isometry3d X = puma_tip(q);
    EXPECT_LT(
        (X.translation() - Eigen::Vector3d(0.5 + 0.024 * t, 0.06 * t, 0.05 + 0.012 * t)).norm(),
        1e-12);
    const double h = 1e-4;
    if (t == 0 || t == 5) continue;
    const auto a = at(t - h, before, unused), b = at(t + h, after, unused);
    for (std::size_t i = 0; i < 6; ++i) {
      EXPECT_NEAR(qd[i], (b[i] - a[i]) / (2 * h), 1e-9) << t << " " << i;
      EXPECT_NEAR(qdd[i], (after[i] - before[i]) / (2 * h), 1e-9) << t << " " << i;
    }
  }
  // The branch of the paper: theta1 about -19.3 deg, elbow above the base plane, theta5 > 0.
  const auto first = at(0, qd, qdd);
  EXPECT_NEAR(first[0] * 180 / M_PI, -19.336, 1e-3);
  EXPECT_GT(-0.432 * std::sin(first[1]), 0);
  EXPECT_GT(first[4], 0);
}

TEST(CartesianArc, IsTheCircleThroughThreePoints) {
  const Vec3<double> a{1, 0.2, -0.3}, b{0.4, 1.1, 0.2}, c{-0.8, 0.3, 0.9};
  const CartesianPath arc = CartesianPath::arc(a, b, c);
  const auto distance = [](const Vec3<double>& x, const Vec3<double>& y) {
    return std::sqrt(dot(x - y, x - y));
  };
  EXPECT_LT(distance(arc.at(0).p, a), 1e-14);
  EXPECT_LT(distance(arc.at(1).p, c), 1e-14);
  double nearest = 1, length = 0;
  Vec3<double> last = a;
  constexpr int n = 20000;
  for (int i = 0; i <= n; ++i) {
    const PathPoint p = arc.at(static_cast<double>(i) / n);
    nearest = std::min(nearest, distance(p.p, b));
    length += distance(p.p, last);
    last = p.p;
    // On a circle: constant speed, acceleration across it.
    EXPECT_NEAR(std::sqrt(dot(p.first, p.first)), arc.length(), 1e-12);
    EXPECT_NEAR(dot(p.first, p.second), 0, 1e-12);
  }
  EXPECT_LT(nearest, 1e-4);
  EXPECT_NEAR(length, arc.length(), 1e-7);
  EXPECT_THROW(CartesianPath::arc({0, 0, 0}, {1, 1, 1}, {2, 2, 2}), InputError);
}

TEST(Rates, AreRefusedWhereTheMachineIsSingular) {
  const Mechanism<double> m = compile(model_of_file("planar-3r"));
  InverseKinematics kinematics(m, "link3");
  const std::vector<double> stretched(3);
  std::vector<double> qd(3), qdd(3);
  const FrameTarget target{Vec3<double>{0.77, 0, 0}, {}};
  EXPECT_THROW(kinematics.rates(target, stretched, {{}, {-0.1, 0, 0}}, {}, qd, qdd),
               NumericalError);
  // Across the arm it can move; the tip then needs what pulls it to the centre, and no more.
  const double l[] = {0.3, 0.25, 0.22}, arm[] = {0.77, 0.47, 0.22};
  const double share = 0.1 / (0.77 * 0.77 + 0.47 * 0.47 + 0.22 * 0.22);
  double inward = 0, turning = 0;
  for (std::size_t i = 0; i < 3; ++i) turning += share * arm[i], inward -= l[i] * turning * turning;
  kinematics.rates(target, stretched, {{}, {0, 0.1, 0}}, {{}, {inward, 0, 0}}, qd, qdd);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(qd[i], share * arm[i], 1e-14);  // the shortest
    EXPECT_NEAR(qdd[i], 0, 1e-12);
  }
  EXPECT_THROW(kinematics.rates(target, stretched, {{}, {0, 0.1, 0}}, {}, qd, qdd), NumericalError);
}

TEST(ZyzAngles, AreTurnsAboutMovingAxes) {
  const Mat3<double> R = rotation_from_zyz(0.3, 0.5, -0.7);
  const Eigen::Matrix3d expected = (Eigen::AngleAxisd(0.3, Eigen::Vector3d::UnitZ()) *
                                    Eigen::AngleAxisd(0.5, Eigen::Vector3d::UnitY()) *
                                    Eigen::AngleAxisd(-0.7, Eigen::Vector3d::UnitZ()))
                                       .toRotationMatrix();
  EXPECT_LT((Eigen::Vector3d(R.x.x, R.x.y, R.x.z) - expected.col(0)).norm(), 1e-15);
  EXPECT_LT((Eigen::Vector3d(R.z.x, R.z.y, R.z.z) - expected.col(2)).norm(), 1e-15);
}

}  // namespace
}  // namespace catena
