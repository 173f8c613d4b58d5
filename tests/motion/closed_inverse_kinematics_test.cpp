// Inverse kinematics of mechanisms with loops.
#include <gtest/gtest.h>

#include <cmath>

#include "catena/loops/loop_conditions.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/motion/cartesian.hpp"
#include "catena/readers/readers.hpp"

namespace catena {
namespace {

struct Led {
  explicit Led(const std::string& name)
      : closed(compile_closed(read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml"))),
        loops(closed) {
    LoopState state(closed);
    const Assembly start = assemble_from_afar(closed, state, closed.start);
    q.assign(start.q.begin(), start.q.end());
  }
  double of(const std::vector<double>& all, const std::string& joint) const {
    for (const JointInfo& j : closed.tree.names->joints) {
      if (j.name == joint) return all[static_cast<std::size_t>(j.q)];
    }
    return NAN;
  }
  ClosedMechanism closed;
  LoopConditions loops;
  std::vector<double> q;
};

// Each leg reaches the point with its elbow on either side: the rule of cosines.
TEST(ClosedInverseKinematics, FindsTheFourWaysOfTheFiveBar) {
  Led five("five-bar");
  InverseKinematics kinematics(five.closed.tree, "end", {}, &five.loops);
  const double x = 0.6, y = -0.9;
  const FrameTarget target{Vec3<double>{x, y, 0}, {}};
  const auto found = kinematics.solutions(target, five.q, 100);
  ASSERT_EQ(found.size(), 4u);
  const auto shoulder = [](double u, double v, double a, double b, double side) {
    const double r = std::hypot(u, v);
    return std::atan2(v, u) + side * std::acos((a * a + r * r - b * b) / (2 * a * r));
  };
  for (double one : {-1., 1.}) {
    for (double two : {-1., 1.}) {
      const double a = shoulder(x, y, 0.6, 1.1, one), b = shoulder(x - 1.2, y, 0.7, 1.2, two);
      const auto is = [&](const std::vector<double>& q) {
        return std::fabs(std::remainder(five.of(q, "leg1_joint1") - a, 2 * M_PI)) < 1e-12 &&
               std::fabs(std::remainder(five.of(q, "leg2_joint1") - b, 2 * M_PI)) < 1e-12;
      };
      EXPECT_EQ(std::count_if(found.begin(), found.end(), is), 1) << one << two;
    }
  }
  for (const auto& q : found) EXPECT_LT(kinematics.error(target, q), 1e-12);
}

// A Stewart platform: legs are as long as the distances of their ends.
TEST(ClosedInverseKinematics, GivesThePlatformAnyPose) {
  Led stewart("stewart-gough");
  InverseKinematics kinematics(stewart.closed.tree, "platform", {}, &stewart.loops);
  const FrameTarget target{Vec3<double>{0.05, 0.03, 0.6}, rotation_from_zyz(0.2, 0.1, -0.15)};
  std::vector<double> q = stewart.q;
  ASSERT_TRUE(kinematics.solve(target, q));
  EXPECT_LT(kinematics.error(target, q), 1e-12);
  EXPECT_TRUE(stewart.loops.accepts(q));
}

// Along a line: rates are those of differences, and keep the loops closed.
TEST(ClosedInverseKinematics, HasTheRatesOfItsDifferences) {
  for (const auto& [name, frame, turns] :
       {std::tuple{"five-bar", "end", true}, {"stewart-gough", "platform", false}}) {
    Led machine(name);
    const ClosedMechanism& c = machine.closed;
    InverseKinematics kinematics(c.tree, frame, {}, &machine.loops);
    LoopState state(c);
    state.set_position(Eigen::VectorXd::Map(machine.q.data(), c.tree.nq));
    const FrameInfo f = c.tree.names->frames[static_cast<std::size_t>(c.tree.names->frame(frame))];
    const Pose<double> X = state.poses()[static_cast<std::size_t>(f.body)] * f.X_BF;
    const CartesianPath path = CartesianPath::line(X.p, X.p + Vec3<double>{0.1, -0.05, 0});
    PathFollower follower(kinematics, path,
                          turns ? std::optional<Mat3<double>>() : std::optional(X.R), machine.q);
    const std::size_t nq = machine.q.size(), nv = static_cast<std::size_t>(c.tree.nv);
    std::vector<double> q(nq), qd(nv), qdd(nv);
    const double h = 1e-4;
    std::vector<std::vector<double>> at, rates, accelerations;
    for (int i = -1; i <= 1; ++i) {
      follower.at(0.5 + i * h, 1, 0, q, qd, qdd);
      at.push_back(q), rates.push_back(qd), accelerations.push_back(qdd);
    }
    for (const JointInfo& j : c.tree.names->joints) {
      if (j.mimic || j.nq != j.nv) continue;
      for (int k = 0; k < j.nv; ++k) {
        const auto p = static_cast<std::size_t>(j.q + k), v = static_cast<std::size_t>(j.v + k);
        EXPECT_NEAR(rates[1][v], (at[2][p] - at[0][p]) / (2 * h), 1e-7) << name << j.name;
        EXPECT_NEAR(accelerations[1][v], (rates[2][v] - rates[0][v]) / (2 * h), 1e-6)
            << name << j.name;
      }
    }
    state.set_motion(Eigen::VectorXd::Map(at[1].data(), c.tree.nq),
                     Eigen::VectorXd::Map(rates[1].data(), c.tree.nv));
    const Eigen::VectorXd v = Eigen::VectorXd::Map(rates[1].data(), c.tree.nv),
                          a = Eigen::VectorXd::Map(accelerations[1].data(), c.tree.nv);
    EXPECT_LT((state.jacobian() * v).cwiseAbs().maxCoeff(), 1e-12) << name;
    EXPECT_LT((state.jacobian() * a + state.accelerations()).cwiseAbs().maxCoeff(), 1e-11) << name;
  }
}

}  // namespace
}  // namespace catena
