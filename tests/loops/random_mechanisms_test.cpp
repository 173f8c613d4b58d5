// Random closed mechanisms: every joint closes loops, and maximal coordinates say what is right.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/closed_dynamics.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "oracles/cases.hpp"
#include "oracles/maximal.hpp"
#include "oracles/random_mechanism.hpp"

namespace catena::oracle {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> plain(const VectorXd& v) { return {v.begin(), v.end()}; }
VectorXd eigen(const VecX& v) { return v.cast<double>(); }
VectorXd random_vector(Random& random, Eigen::Index n) {
  VectorXd v(n);
  for (double& x : v) x = random.uniform();
  return v;
}
VectorXd moved(const Mechanism<double>& m, const VectorXd& q, const VectorXd& step) {
  VectorXd r(m.nq);
  integrate_configuration<double>(m, {q.data(), at(m.nq)}, {step.data(), at(m.nv)},
                                  {r.data(), at(m.nq)});
  return r;
}
double off(const VectorXd& a, const VectorXd& b) {
  if (a.size() != b.size()) return INFINITY;
  const double gap = (a - b).cwiseAbs().maxCoeff();
  return gap / (1 + b.cwiseAbs().maxCoeff());
}

// f(case, dynamics, a velocity that keeps the loops closed, random, name)
template <class F>
void for_each_mechanism(int count, F f, std::uint64_t seed = 5, bool mobile = true) {
  int used = 0;
  for (int i = 0; used < count && i < 3 * count; ++i) {
    Random random(seed * 7919 + static_cast<std::uint64_t>(i));
    const ClosedCase c = random_mechanism(random, mobile);
    CompileOptions options;
    options.keep_fixed = true;
    ClosedDynamics dynamics(c.model, options);
    dynamics.state().set_position(c.q);
    const RowMatrix K = dynamics.state().jacobian();
    if (mobility_of(K).smallest < 1e-3) continue;  // near a singularity nothing has many digits
    const MatrixXd G = null_space(K);
    const VectorXd qd = G * random_vector(random, G.cols());
    ++used;
    f(c, dynamics, qd, random, "mechanism " + std::to_string(i));
  }
  EXPECT_EQ(used, count);
}

TEST(RandomMechanisms, AllMethodsMatchMaximalCoordinates) {
  Worst rates("rates that the oracle's joints forbid", 1e-12);
  Worst residual("the oracle's own equations", 1e-12), balance("the oracle's power balance", 1e-12);
  std::map<LoopMethod, Worst> worst;
  for (const LoopMethodRow& row : loop_methods())
    worst.try_emplace(row.method, std::string(row.name) + " against maximal coordinates", 1e-9);
  Worst forces("lambda of the methods among each other", 1e-9);
  for (const bool mobile : {true, false}) {
    for_each_mechanism(
        mobile ? 150 : 40,
        [&](const ClosedCase& c, ClosedDynamics& dynamics, const VectorXd& qd, Random& random,
            const std::string& where) {
          const Mechanism<double>& m = dynamics.mechanism().tree;
          State<double> state;
          const auto wrenches = random_wrenches(c.model, m, random, state);
          std::map<std::string, Force<double>> on;
          for (const auto& [name, F] : wrenches) {
            const auto d = [](Real x) { return static_cast<double>(x); };
            on[name] = {{d(F.n.x()), d(F.n.y()), d(F.n.z())}, {d(F.f.x()), d(F.f.y()), d(F.f.z())}};
          }
          const VectorXd tau = random_vector(random, m.nv);
          const Maximal oracle(c.model, coordinate_order(m));
          const MaximalResult right = oracle.compute(plain(c.q), plain(qd), plain(tau), wrenches);
          const double scale = 1 + right.qdd.cwiseAbs().maxCoeff();
          rates.meet(static_cast<double>(right.velocity_gap) / (1 + qd.norm()), where);
          residual.meet(static_cast<double>(right.residual), where);
          balance.meet(std::abs(static_cast<double>(right.power - right.kinetic_rate)) /
                           (scale + std::abs(static_cast<double>(right.power))),
                       where);
          ClosedForward first;
          for (const LoopMethodRow& row : loop_methods()) {
            if (!loop_refusal(row.method, dynamics.mechanism()).empty()) continue;
            const ClosedForward r = dynamics.forward_dynamics(c.q, qd, tau, on, row.method);
            worst.at(row.method).meet(off(r.qdd, eigen(right.qdd)), where);
            if (first.lambda.size() == 0) first = r;
            forces.meet(off(r.lambda, first.lambda), where);
            EXPECT_EQ(r.rank, first.rank) << where << " " << row.name;
          }
        },
        5, mobile);
  }
}

// A wrench about the world's origin from one at a point.
Six about_origin(const Vec& p, const Force<double>& F) {
  const Vec n(F.n.x, F.n.y, F.n.z), f(F.f.x, F.f.y, F.f.z);
  Six r;
  r << n + p.cross(f), f;
  return r;
}
Vec point_on(const MovingPose& X, const Vec3<double>& p) {
  return X.p[0] + X.R[0] * Vec(p.x, p.y, p.z);
}

TEST(RandomMechanisms, ReactionsMatchMaximalCoordinatesAndBalanceEveryBody) {
  Worst alone("reactions where they are determined", 1e-9), balance("balance of every body", 1e-9);
  for_each_mechanism(
      120,
      [&](const ClosedCase& c, ClosedDynamics& dynamics, const VectorXd& qd, Random& random,
          const std::string& where) {
        const Mechanism<double>& m = dynamics.mechanism().tree;
        const VectorXd tau = random_vector(random, m.nv);
        const MaximalResult right =
            Maximal(c.model, coordinate_order(m)).compute(plain(c.q), plain(qd), plain(tau));
        const ClosedForward r = dynamics.forward_dynamics(c.q, qd, tau);
        std::map<std::string, Six> ours;
        std::map<std::string, Six> sum;
        Real size = 1;
        const auto add = [&](const std::string& name, const std::string& one,
                             const std::string& two, const Vec& p, const Force<double>& F) {
          ours[name] = about_origin(p, F);
          size = std::max(size, ours[name].cwiseAbs().maxCoeff());
          if (!sum.count(one)) sum[one] = Six::Zero();
          if (!sum.count(two)) sum[two] = Six::Zero();
          sum[two] += ours[name], sum[one] -= ours[name];
        };
        for (const NamedReaction& reaction :
             dynamics.reactions(c.q, qd, r.qdd, r.lambda, {}, true)) {
          for (const Joint& j : c.model.joints) {
            if (j.name == reaction.name)
              add(j.name, j.parent, j.child, point_on(right.bodies.at(j.child), inverse(j.X_MB).p),
                  reaction.wrench);
          }
          for (const Loop& l : c.model.loops) {
            if (l.name == reaction.name)
              add(l.name, l.body1, l.body2, point_on(right.bodies.at(l.body2), l.X_2L.p),
                  reaction.wrench);
          }
        }
        for (const auto& [body, F] : right.needed)
          balance.meet(static_cast<double>((sum[body] - F).cwiseAbs().maxCoeff() / size),
                       where + " " + body);
        if (right.open > 0) return;
        for (const auto& [name, F] : right.wrenches)
          alone.meet(static_cast<double>((ours.at(name) - F).cwiseAbs().maxCoeff() / size),
                     where + " " + name);
      },
      11);
}

TEST(RandomMechanisms, InverseDynamicsGivesTheForcesBack) {
  Worst same("forces of as many actuators as freedoms", 1e-8);
  Worst motion("motion that the inverse forces make", 1e-9);
  Worst more("size of the smallest forces over the given ones", 1 + 1e-9);
  for_each_mechanism(
      100,
      [&](const ClosedCase& c, ClosedDynamics& dynamics, const VectorXd& qd, Random& random,
          const std::string& where) {
        const Mechanism<double>& m = dynamics.mechanism().tree;
        const Actuation actuation = with_actuators(c, random);
        if (!actuation.holds) return;
        CompileOptions options;
        options.keep_fixed = true;
        ClosedDynamics actuated(actuation.model, options);
        VectorXd tau = VectorXd::Zero(m.nv);
        for (const int v : actuated.mechanism().actuated) tau[v] = random.uniform();
        const ClosedForward forward = actuated.forward_dynamics(c.q, qd, tau);
        const double size = 1 + forward.qdd.norm() + forward.lambda.norm();
        for (const LoopMethodRow& row : loop_methods()) {
          if (!loop_refusal(row.method, actuated.mechanism()).empty()) continue;
          const std::string here = where + " " + std::string(row.name);
          const ClosedInverse back =
              actuated.inverse_dynamics(c.q, qd, forward.qdd, {}, row.method);
          if (actuation.exact) {
            same.meet((back.tau - tau).norm() / size, here);
            same.meet((back.lambda - forward.lambda).norm() / size, here);
          }
          more.meet(back.tau.norm() / (tau.norm() + 1e-9 * size), here);
          EXPECT_EQ(back.redundantly_actuated, !actuation.exact) << here;
          EXPECT_EQ(back.unbalanced_motion.size(), 0) << here;
          EXPECT_EQ(back.rank, forward.rank) << here;
          motion.meet(off(actuated.forward_dynamics(c.q, qd, back.tau).qdd, forward.qdd), here);
        }
      },
      17);
}

// First and second derivative at t = 0, eighth order.
template <class F>
std::pair<VectorXd, VectorXd> differences(F f, double h) {
  const double first[] = {4. / 5, -1. / 5, 4. / 105, -1. / 280};
  const double second[] = {8. / 5, -1. / 5, 8. / 315, -1. / 560};
  const VectorXd middle = f(0.0);
  VectorXd d = VectorXd::Zero(middle.size()), dd = (-205. / 72) * middle;
  for (int k = 1; k <= 4; ++k) {
    const VectorXd a = f(k * h), b = f(-k * h);
    d += first[k - 1] * (a - b), dd += second[k - 1] * (a + b);
  }
  return {d / h, dd / (h * h)};
}

TEST(RandomMechanisms, RowsAreTheDerivativesOfTheirValues) {
  Worst jacobian("K against differences of the values", 1e-10);
  Worst acceleration("acceleration of the rows against differences", 1e-8);
  for_each_mechanism(
      100,
      [&](const ClosedCase& c, ClosedDynamics& dynamics, const VectorXd& qd, Random& random,
          const std::string& where) {
        const Mechanism<double>& m = dynamics.mechanism().tree;
        LoopState& state = dynamics.state();
        const auto along = [&](const VectorXd& v) {
          return differences(
              [&](double t) {
                state.set_position(moved(m, c.q, t * v));
                return state.values();
              },
              0.01);
        };
        const VectorXd any = random_vector(random, m.nv);
        const VectorXd rate = along(any).first;
        state.set_position(c.q);
        EXPECT_LT(state.values().cwiseAbs().maxCoeff(), 1e-13) << where;
        jacobian.meet(off(rate, state.jacobian() * any), where);
        const VectorXd second = along(qd).second;
        state.set_motion(c.q, qd);
        acceleration.meet(off(second, state.accelerations()), where);
      },
      23);
}

// How far a loop is open, from poses alone.
double opening(const Loop& l, const MovingPose& X1, const MovingPose& X2) {
  const auto mat = [](const Mat3<double>& R) {
    Mat r;
    r << R.x.x, R.y.x, R.z.x, R.x.y, R.y.y, R.z.y, R.x.z, R.y.z, R.z.z;
    return r;
  };
  const auto vec = [](const Vec3<double>& v) { return Vec(v.x, v.y, v.z); };
  const Mat R = (X1.R[0] * mat(l.X_1L.R)).transpose() * (X2.R[0] * mat(l.X_2L.R));  // L2 in L1
  const Vec p =
      (X1.R[0] * mat(l.X_1L.R)).transpose() * (point_on(X2, l.X_2L.p) - point_on(X1, l.X_1L.p));
  const Vec a = vec(l.axis), b = vec(l.axis2);
  const Real tilt = (R * a - a).norm(), turn = (R - Mat::Identity()).norm();
  const Real beside = (p - p.dot(a) * a).norm();
  if (l.rod) return static_cast<double>(std::abs(p.norm() - l.length));
  switch (l.kind) {
    case JointKind::fixed:
      return static_cast<double>(turn + p.norm());
    case JointKind::revolute:
      return static_cast<double>(tilt + p.norm());
    case JointKind::prismatic:
      return static_cast<double>(turn + beside);
    case JointKind::cylindrical:
      return static_cast<double>(tilt + beside);
    case JointKind::planar:
      return static_cast<double>(tilt + std::abs(p.dot(a)));
    case JointKind::spherical:
      return static_cast<double>(p.norm());
    case JointKind::universal:
      return static_cast<double>(p.norm() + std::abs(a.dot(R * b) - a.dot(b)));
    case JointKind::screw: {
      Vec x = a.unitOrthogonal();
      const Real angle = std::atan2((R * x).dot(a.cross(x)), (R * x).dot(x));
      const Real lead = 2 * std::acos(Real(-1)) * l.pitch;
      return static_cast<double>(tilt + beside +
                                 std::abs(std::remainder(p.dot(a) - l.pitch * angle, lead)));
    }
    default:
      return INFINITY;
  }
}

double opening(const Model& model, const Mechanism<double>& m, const VectorXd& q) {
  const std::vector<double> zero(at(m.nv), 0);
  const auto bodies = Naive(model, coordinate_order(m)).compute(plain(q), zero, zero).bodies;
  double worst = 0;
  for (const Loop& l : model.loops)
    worst = std::max(worst, opening(l, bodies.at(l.body1), bodies.at(l.body2)));
  return worst;
}

TEST(RandomMechanisms, AssembleFromNearby) {
  Worst closed("opening after assembly", 1e-12), away("way to the assembled position", 1);
  int failed = 0;
  for_each_mechanism(
      120,
      [&](const ClosedCase& c, ClosedDynamics& dynamics, const VectorXd&, Random& random,
          const std::string& where) {
        const Mechanism<double>& m = dynamics.mechanism().tree;
        const VectorXd off_by = 0.1 * random_vector(random, m.nv);
        const Assembly a = assemble(dynamics.mechanism(), dynamics.state(), moved(m, c.q, off_by));
        if (!a.closed) {
          ++failed;
          return;
        }
        closed.meet(opening(c.model, m, a.q), where);
        VectorXd way(m.nv);
        difference_configuration<double>(m, {c.q.data(), at(m.nq)}, {a.q.data(), at(m.nq)},
                                         {way.data(), at(m.nv)});
        away.meet(way.cwiseAbs().maxCoeff(), where);
      },
      29);
  EXPECT_LE(failed, 2);
}

TEST(RandomMechanisms, FollowGoesThereAndBackOnOneBranch) {
  Worst back("where there and back leads", 1e-9), held("held coordinates", 1e-15);
  Worst closed("opening on the way", 1e-12), path("one step against ten", 1e-9);
  int stuck = 0, went = 0;
  for_each_mechanism(
      400,
      [&](const ClosedCase& c, ClosedDynamics& dynamics, const VectorXd& qd, Random&,
          const std::string& where) {
        const ClosedMechanism& m = dynamics.mechanism();
        for (const JointInfo& j : m.tree.names->joints) {
          if (j.nq != j.nv) return;  // targets below are moved by plain addition
        }
        dynamics.state().set_position(c.q);
        std::vector<char> hold(at(m.tree.nv), 0);
        const auto free = independent_velocities(dynamics.state().jacobian(), {});
        for (int v : free) hold[at(v)] = 1;
        const VectorXd target = c.q + 0.2 / (1e-9 + qd.cwiseAbs().maxCoeff()) * qd;
        const Assembly there = follow(m, dynamics.state(), c.q, target, hold);
        if (!there.closed) {
          ++stuck;
          return;
        }
        ++went;
        VectorXd q = c.q;
        bool smooth = true;
        for (int i = 1; i <= 10; ++i) {
          const VectorXd next = c.q + 0.1 * i * (target - c.q);
          const Assembly small = follow(m, dynamics.state(), q, next, hold);
          smooth = smooth && small.closed;
          q = small.q;
        }
        if (smooth) path.meet(off(q, there.q), where);
        closed.meet(opening(c.model, m.tree, there.q), where);
        for (int v : free) held.meet(std::abs(there.q[v] - target[v]), where);
        const Assembly again = follow(m, dynamics.state(), there.q, c.q, hold);
        if (again.closed) back.meet(off(again.q, c.q), where);
      },
      31);
  std::printf("  followed %d, stopped at a dead end %d\n", went, stuck);
  EXPECT_GE(went, 40);
  EXPECT_LE(stuck, went / 4);
}

}  // namespace
}  // namespace catena::oracle
