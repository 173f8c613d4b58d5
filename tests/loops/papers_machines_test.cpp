// The papers' machines over their range of motion, against geometry and forces by hand.
#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>

#include "catena/loops/closed_dynamics.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"
#include "oracles/maximal.hpp"
#include "oracles/planar.hpp"

namespace catena::oracle {
namespace {

using Eigen::VectorXd;
using planar::Jet;

Model machine(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}

// Runs a machine of the library beside one by hand: positions, rates, accelerations, drives, pins.
class Beside {
 public:
  Beside(const Model& model, std::vector<std::string> joints, std::vector<int> driven,
         const std::string& name)
      : dynamics_(model),
        joints_(std::move(joints)),
        driven_(std::move(driven)),
        gravity_(model.gravity.y),
        position_(name + ": joint angles", 1e-12),
        rate_(name + ": rates", 1e-11),
        acceleration_(name + ": accelerations", 1e-10),
        drive_(name + ": drives", 1e-10),
        pin_(name + ": forces in the joints", 1e-10),
        forward_(name + ": forward dynamics of all methods", 1e-9) {
    Assembly a = assemble(dynamics_.mechanism(), dynamics_.state(), dynamics_.mechanism().start);
    EXPECT_TRUE(a.closed) << name;
    q_ = a.q;
  }

  void meet(const planar::Machine& right, const std::vector<std::string>& pins,
            const std::string& where) {
    const ClosedMechanism& m = dynamics_.mechanism();
    const int n = m.tree.nv;
    std::vector<int> at_v;
    for (const std::string& j : joints_)
      at_v.push_back(m.tree.names->joints[at(m.tree.names->joint(j))].v);
    std::vector<char> known(at(n), 0);
    VectorXd target = q_, qd = VectorXd::Zero(n), qdd = VectorXd::Zero(n);
    for (int i : driven_) {
      const int v = at_v[at(i)];
      const Jet& jet = right.joints[at(i)];
      known[at(v)] = 1;
      target[v] = static_cast<double>(jet.x), qd[v] = static_cast<double>(jet.d);
      qdd[v] = static_cast<double>(jet.dd);
    }
    LoopState& state = dynamics_.state();
    const Assembly a = follow(m, state, q_, target, known);
    ASSERT_TRUE(a.closed) << where;
    q_ = a.q;
    state.set_position(q_);
    const RowMatrix K = state.jacobian();
    qd = complete_rates(K, VectorXd::Zero(m.num_rows()), qd, known).rates;
    state.set_motion(q_, qd);
    qdd = complete_rates(K, -state.accelerations(), qdd, known).rates;
    Real rate_size = 1, acceleration_size = 1;
    for (const Jet& j : right.joints) {
      rate_size = std::max(rate_size, std::abs(j.d));
      acceleration_size = std::max(acceleration_size, std::abs(j.dd));
    }
    for (std::size_t i = 0; i < at_v.size(); ++i) {
      const Jet& j = right.joints[i];
      const Real turn = 2 * std::acos(Real(-1));
      position_.meet(std::abs(static_cast<double>(std::remainder(q_[at_v[i]] - j.x, turn))), where);
      rate_.meet(std::abs(static_cast<double>((qd[at_v[i]] - j.d) / rate_size)), where);
      acceleration_.meet(std::abs(static_cast<double>((qdd[at_v[i]] - j.dd) / acceleration_size)),
                         where);
    }
    compare_forces(right, pins, at_v, qd, qdd, where);
  }

 private:
  void compare_forces(const planar::Machine& right, const std::vector<std::string>& pins,
                      const std::vector<int>& at_v, const VectorXd& qd, const VectorXd& qdd,
                      const std::string& where) {
    const planar::Forces forces =
        planar::solve(right.links, right.pins, right.slides, right.driven, gravity_);
    Real size = 1;
    for (const auto& f : forces.pins) size = std::max(size, f.norm());
    for (const LoopMethodRow& row : loop_methods()) {
      const std::string here = where + " " + std::string(row.name);
      const ClosedInverse inverse = dynamics_.inverse_dynamics(q_, qd, qdd, {}, row.method);
      for (std::size_t i = 0; i < driven_.size(); ++i) {
        const double tau = inverse.tau[at_v[at(driven_[i])]];
        drive_.meet(std::abs(static_cast<double>((tau - forces.torques[i]) / size)), here);
      }
      for (const NamedReaction& r : dynamics_.reactions(q_, qd, qdd, inverse.lambda, {}, true)) {
        for (std::size_t i = 0; i < pins.size(); ++i) {
          if (pins[i] != r.name) continue;
          pin_.meet(static_cast<double>(std::hypot(r.wrench.f.x - forces.pins[i].x(),
                                                   r.wrench.f.y - forces.pins[i].y()) /
                                        size),
                    here + " " + r.name);
        }
      }
      const ClosedForward f = dynamics_.forward_dynamics(q_, qd, inverse.tau, {}, row.method);
      forward_.meet((f.qdd - qdd).cwiseAbs().maxCoeff() / (1 + qdd.cwiseAbs().maxCoeff()), here);
    }
  }

  ClosedDynamics dynamics_;
  std::vector<std::string> joints_;
  std::vector<int> driven_;
  Real gravity_;
  VectorXd q_;
  Worst position_, rate_, acceleration_, drive_, pin_, forward_;
};

Jet cycloid(Real from, Real to, Real t, Real T) {
  const Real w = 2 * std::acos(Real(-1)) / T, v = (to - from) / T;
  return {from + v * (t - std::sin(w * t) / w), v * (1 - std::cos(w * t)), v * w * std::sin(w * t)};
}

TEST(Machines, FiveBarMatchesGeometryAndForcesByHand) {
  for (const std::string name : {"five-bar", "five-bar-above"}) {
    Beside both(machine(name), {"leg1_joint1", "leg1_joint2", "leg2_joint1", "leg2_joint2"}, {0, 2},
                name);
    for (int i = 0; i <= 80; ++i) {
      const Real t = 0.25L * i, degree = std::acos(Real(-1)) / 180;
      both.meet(planar::five_bar(cycloid(30 * degree, 90 * degree, t, 20),
                                 cycloid(30 * degree, 70.3L * degree, t, 20),
                                 name == "five-bar" ? -1 : 1),
                {"leg1_joint1", "leg1_joint2", "leg2_joint1", "leg2_joint2", "tip"},
                "t = " + std::to_string(0.25 * i));
    }
  }
}

TEST(Machines, CarpetScraperMatchesGeometryAndForcesByHand) {
  for (const std::string name : {"carpet-scraper", "carpet-scraper-left"}) {
    for (const bool gravity : {true, false}) {
      Model model = machine(name);
      if (!gravity) model.gravity = {0, 0, 0};
      Beside both(model, {"I_1", "I_2", "II_1", "III_1_0", "III_2_0", "III_3_0", "III_1_1"}, {2},
                  name + (gravity ? "" : " without gravity"));
      for (int i = 0; i <= 72; ++i) {
        const Real turn = 2 * std::acos(Real(-1));
        const Jet crank{turn * i / 72, 0.75L * turn, i % 2 == 0 ? Real(0) : Real(3)};
        both.meet(planar::carpet_scraper(crank, name == "carpet-scraper" ? -1 : 1),
                  {"lambda_1", "lambda_2", "lambda_3", "II_1", "I_1", "I_2", "III_1_0", "III_2_0",
                   "III_3_0", "III_1_1"},
                  std::to_string(5 * i) + " deg");
      }
    }
  }
}

TEST(Machines, SliderCrankMatchesItsClosedForm) {
  Beside both(machine("slider-crank"), {"crank", "rod", "pin", "slider"}, {0}, "slider-crank");
  for (int i = 0; i < 72; ++i) {
    const Real angle = 2 * std::acos(Real(-1)) * i / 72;
    for (const Real acceleration : {2, 0})
      both.meet(planar::slider_crank({angle, 10, acceleration}), {"crank", "rod", "pin"},
                std::to_string(5 * i) + " deg");
  }
}

// ---- machines whose rows are redundant ----

Pose<double> at_point(double x, double y, double z) { return {Mat3<double>{}, {x, y, z}}; }

// Uniform bars of 1 kg/m and square section between corner points, joints with these axes at the
// points, all world axes at the start; the last joint closes the loop to the ground.
Model spatial_loop(const std::vector<Vec3<double>>& corners,
                   const std::vector<Vec3<double>>& axes) {
  Model model;
  model.gravity = {0, -9.81, 0};
  Vec3<double> last{0, 0, 0};
  for (std::size_t i = 0; i + 1 < corners.size(); ++i) {
    const Vec3<double> way = corners[i + 1] - corners[i];
    const double m = std::sqrt(dot(way, way)), l2 = dot(way, way), s2 = 0.01;
    Body b;
    b.name = "bar" + std::to_string(i + 1), b.mass = m, b.com = 0.5 * way;
    const double thick = m * s2 / 6, thin = m * (l2 + s2) / 12;
    const auto along = [&](double x) { return thin + (thick - thin) * x * x / l2; };
    b.inertia = {
        along(way.x), (thick - thin) * way.x * way.y / l2, (thick - thin) * way.x * way.z / l2,
        along(way.y), (thick - thin) * way.y * way.z / l2, along(way.z)};
    model.bodies.push_back(b);
    Joint j;
    j.name = "joint" + std::to_string(i + 1), j.kind = JointKind::revolute;
    j.parent = i == 0 ? model.ground : "bar" + std::to_string(i), j.child = b.name;
    j.X_PJ.p = corners[i] - last, j.axis = axes[i];
    last = corners[i];
    model.joints.push_back(j);
  }
  Loop loop;
  loop.name = "last", loop.kind = JointKind::revolute;
  loop.body1 = model.ground, loop.body2 = model.bodies.back().name;
  loop.X_1L = at_point(corners.back().x, corners.back().y, corners.back().z);
  loop.X_2L.p = corners.back() - last;
  loop.axis = axes.back();
  model.loops.push_back(loop);
  model.actuators.push_back({"joint1", {}});
  return model;
}
Model bricard() {
  return spatial_loop({{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {1, -1, 1}, {0, -1, 1}, {0, 0, 1}},
                      {{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}});
}

// The whole model stands on a turned and shifted frame of the ground.
Model turned(Model model, Random& random) {
  const Pose<double> X = random.pose(2);
  for (Joint& j : model.joints) {
    if (j.parent == model.ground) j.X_PJ = X * j.X_PJ;
  }
  for (Loop& l : model.loops) {
    if (l.body1 == model.ground) l.X_1L = X * l.X_1L;
    if (l.body2 == model.ground) l.X_2L = X * l.X_2L;
  }
  model.gravity = X.R * model.gravity;
  return model;
}

// Drives one joint through its range in small steps; at each, all methods against the oracle.
void expect_right_motion(const Model& model, const std::string& name, const std::string& driver,
                         double from, double to, int redundant, double tolerance = 1e-9) {
  Worst methods(name + ": all methods against maximal coordinates", tolerance);
  Worst size(name + ": lambda beyond the range of the rows", 1e-9);
  Worst back(name + ": drive from inverse dynamics", tolerance);
  ClosedDynamics dynamics(model);
  const ClosedMechanism& m = dynamics.mechanism();
  const Maximal oracle(model, coordinate_order(m.tree));
  Assembly a = assemble(m, dynamics.state(), m.start);
  ASSERT_TRUE(a.closed) << name;
  const int v = m.tree.names->joints[at(m.tree.names->joint(driver))].v;
  std::vector<char> known(at(m.tree.nv), 0);
  known[at(v)] = 1;
  for (int i = 0; i <= 20; ++i) {
    const std::string where = name + " " + std::to_string(i);
    VectorXd target = a.q;
    target[v] = m.start[v] + from + (to - from) * i / 20;
    a = follow(m, dynamics.state(), a.q, target, known);
    ASSERT_TRUE(a.closed) << where;
    EXPECT_EQ(static_cast<int>(mobility_of(dynamics.state().jacobian()).redundant_rows.size()),
              redundant)
        << where;
    EXPECT_EQ(mobility_of(dynamics.state().jacobian()).by_rank, 1) << where;
    VectorXd rates = VectorXd::Zero(m.tree.nv), tau = VectorXd::Zero(m.tree.nv);
    rates[v] = 1.3, tau[v] = 0.7;
    const RowMatrix K = dynamics.state().jacobian();
    const VectorXd qd = complete_rates(K, VectorXd::Zero(m.num_rows()), rates, known).rates;
    const auto list = [](const VectorXd& x) { return std::vector<double>(x.begin(), x.end()); };
    const MaximalResult right = oracle.compute(list(a.q), list(qd), list(tau));
    EXPECT_LT(right.residual, 1e-9) << where;
    const VectorXd qdd = right.qdd.cast<double>();
    for (const LoopMethodRow& row : loop_methods()) {
      const ClosedForward r = dynamics.forward_dynamics(a.q, qd, tau, {}, row.method);
      methods.meet((r.qdd - qdd).norm() / (1 + qdd.norm()), where);
      EXPECT_EQ(r.rank, m.num_rows() - redundant) << where;
      // The smallest lambda is K x for some x.
      const Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> K_(K);
      size.meet((K * K_.solve(r.lambda) - r.lambda).norm() / (1 + r.lambda.norm()), where);
      back.meet(
          std::abs(dynamics.inverse_dynamics(a.q, qd, r.qdd, {}, row.method).tau[v] - tau[v]) /
              (1 + r.lambda.norm()),
          where);
    }
  }
}

TEST(Machines, RedundantRowsLeaveTheMotionRight) {
  expect_right_motion(bricard(), "Bricard", "joint1", 0.02, 0.9, 1);
  expect_right_motion(machine("four-bar"), "four-bar", "crank", 0, 6.2, 3);
}

TEST(Machines, TheMotionIsTheSameInEveryPlane) {
  Random random(3);
  for (int i = 0; i < 5; ++i) {
    expect_right_motion(turned(machine("four-bar"), random), "turned four-bar", "crank", 0, 6.2, 3);
    expect_right_motion(turned(bricard(), random), "turned Bricard", "joint1", 0.02, 0.9, 1);
    expect_right_motion(turned(machine("carpet-scraper"), random), "turned scraper", "II_1", 0, 6.2,
                        9);
  }
}

// Lengths in millimetres and masses in tonnes, and the other way round.
TEST(Machines, SizesAndMassesDoNotMatter) {
  for (const double length : {1e-3, 1e3}) {
    for (const double mass : {1e-6, 1e4}) {
      Model model = machine("four-bar");
      for (Body& b : model.bodies) {
        b.mass *= mass, b.com = length * b.com;
        Sym3<double>& I = b.inertia;
        for (double* x : {&I.xx, &I.yy, &I.zz}) *x *= mass * length * length;
      }
      for (Joint& j : model.joints) j.X_PJ.p = length * j.X_PJ.p;
      for (Loop& l : model.loops) l.X_1L.p = length * l.X_1L.p, l.X_2L.p = length * l.X_2L.p;
      ClosedDynamics dynamics(model);
      const ClosedMechanism& m = dynamics.mechanism();
      const Assembly a = assemble(m, dynamics.state(), m.start);
      ASSERT_TRUE(a.closed);
      VectorXd qd = VectorXd::Zero(3), tau = VectorXd::Zero(3);
      qd[0] = 1.3, tau[0] = 0.7 * mass * length * length;
      dynamics.state().set_position(a.q);
      qd = complete_rates(dynamics.state().jacobian(), VectorXd::Zero(5), qd, {1, 0, 0}).rates;
      const auto list = [](const VectorXd& x) { return std::vector<double>(x.begin(), x.end()); };
      const VectorXd right = Maximal(model, coordinate_order(m.tree))
                                 .compute(list(a.q), list(qd), list(tau))
                                 .qdd.cast<double>();
      for (const LoopMethodRow& row : loop_methods()) {
        const ClosedForward r = dynamics.forward_dynamics(a.q, qd, tau, {}, row.method);
        EXPECT_LT((r.qdd - right).norm(), 1e-9 * (1 + right.norm()))
            << "length " << length << " mass " << mass << " method " << row.name;
      }
    }
  }
}

}  // namespace
}  // namespace catena::oracle
