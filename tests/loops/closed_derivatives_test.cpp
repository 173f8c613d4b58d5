// Derivatives of closed mechanisms against differences: the independent coordinates are moved, the
// loops closed again, and the dynamics computed anew.
#include "catena/loops/closed_derivatives.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/readers/readers.hpp"
#include "catena/support/error.hpp"
#include "oracles/cases.hpp"
#include "oracles/maximal.hpp"
#include "oracles/random_mechanism.hpp"

namespace catena::oracle {
namespace {

using Eigen::VectorXd;
using NamedWrenches = std::map<std::string, Force<double>>;

VectorXd drawn_numbers(Random& random, Eigen::Index n) {
  VectorXd v(n);
  for (double& x : v) x = random.uniform();
  return v;
}

// d/dt f at t = 0 of eighth order.
template <class F>
VectorXd slope_of(double h, F f) {
  const double weights[] = {4.0 / 5, -1.0 / 5, 4.0 / 105, -1.0 / 280};
  VectorXd sum = (weights[0] / h) * (f(h) - f(-h));
  for (int k = 2; k <= 4; ++k) sum += (weights[k - 1] / h) * (f(k * h) - f(-k * h));
  return sum;
}
// With the step that agrees best with the one before: too long ones do not follow the function, too
// short ones show its rounding.
struct SlopeOf {
  VectorXd value;
  double spread = INFINITY;  // how well the two agree
};
template <class F>
SlopeOf slope_of(F f) {
  SlopeOf best;
  VectorXd last = slope_of(0.04, f);
  for (const double h : {0.016, 0.0064, 0.0026, 0.001, 0.0004}) {
    const VectorXd next = slope_of(h, f);
    const double spread = (next - last).norm();  // NaN where a loop was left open
    if (spread < best.spread) best = {next, spread};
    last = next;
  }
  return best;
}

// A closed mechanism with a motion, and its neighbours.
struct Nearby {
  ClosedDynamics& dynamics;
  std::vector<int> independent;
  VectorXd q, qd;

  const ClosedMechanism& m() const { return dynamics.mechanism(); }
  std::vector<char> held() const {
    std::vector<char> r(at(m().tree.nv), 0);
    for (const int v : independent) r[at(v)] = 1;
    return r;
  }
  // q with the independent positions moved by t along a motion, the others closing the loops; NaN
  // if they cannot be closed there.
  VectorXd moved(const VectorXd& motion, double t) const {
    const Mechanism<double>& tree = m().tree;
    const VectorXd step = t * motion;
    VectorXd start(tree.nq);
    integrate_configuration<double>(tree, {q.data(), at(tree.nq)}, {step.data(), at(tree.nv)},
                                    {start.data(), at(tree.nq)});
    const Assembly a = assemble(m(), dynamics.state(), start, held());
    return a.closed ? a.q : VectorXd::Constant(tree.nq, NAN);
  }
  // Velocities (or accelerations) with these values at the independent ones.
  VectorXd velocity(const VectorXd& position, const VectorXd& values) const {
    dynamics.state().set_position(position);
    return complete_rates(dynamics.state().jacobian(), VectorXd::Zero(m().num_rows()), values,
                          held())
        .rates;
  }
  VectorXd acceleration(const VectorXd& position, const VectorXd& rate,
                        const VectorXd& values) const {
    dynamics.state().set_motion(position, rate);
    return complete_rates(dynamics.state().jacobian(), -dynamics.state().accelerations(), values,
                          held())
        .rates;
  }
};

double gap_between(const VectorXd& a, const VectorXd& b, double size) {
  return (a - b).cwiseAbs().maxCoeff() / (1 + size);
}
// -1 where differences have not the digits to tell.
double gap_between(const VectorXd& a, const SlopeOf& b, double size) {
  return b.spread > 3e-11 * (1 + size) ? -1 : gap_between(a, b.value, size);
}

// How far derivatives by q and by qd are from differences, along a random direction.
struct DerivativeGaps {
  double q = 0, v = 0, other = 0;
};

// forward(q, qd, tau): accelerations.
template <class F>
DerivativeGaps forward_gap(const Nearby& n, const VectorXd& tau, const ClosedForwardSensitivity& d,
                           Random& random, F forward) {
  const VectorXd along = drawn_numbers(random, d.motion.cols()), motion = d.motion * along;
  const VectorXd force = drawn_numbers(random, tau.size());
  const double size = d.dqdd_dq.cwiseAbs().maxCoeff() + d.dqdd_dqd.cwiseAbs().maxCoeff();
  const auto by_position = [&](double t) {
    const VectorXd q = n.moved(motion, t);
    return forward(q, n.velocity(q, n.qd), tau);
  };
  const auto by_velocity = [&](double t) { return forward(n.q, n.qd + t * motion, tau); };
  const auto by_force = [&](double t) { return forward(n.q, n.qd, tau + t * force); };
  return {gap_between(d.dqdd_dq * along, slope_of(by_position), size),
          gap_between(d.dqdd_dqd * along, slope_of(by_velocity), size),
          gap_between(d.dqdd_dtau * force, slope_of(by_force), size)};
}

DerivativeGaps inverse_gap(const Nearby& n, const VectorXd& qdd, const ClosedInverseSensitivity& d,
                           const NamedWrenches& wrenches, Random& random) {
  const VectorXd along = drawn_numbers(random, d.motion.cols()), motion = d.motion * along;
  const double size = d.dtau_dq.cwiseAbs().maxCoeff() + d.dtau_dqd.cwiseAbs().maxCoeff();
  const auto forces = [&](const VectorXd& q, const VectorXd& qd, const VectorXd& a) -> VectorXd {
    return n.dynamics.inverse_dynamics(q, qd, n.acceleration(q, qd, a), wrenches).tau(d.actuated);
  };
  const auto by_position = [&](double t) {
    const VectorXd q = n.moved(motion, t);
    return forces(q, n.velocity(q, n.qd), qdd);
  };
  const auto by_velocity = [&](double t) { return forces(n.q, n.qd + t * motion, qdd); };
  const auto by_acceleration = [&](double t) { return forces(n.q, n.qd, qdd + t * motion); };
  return {gap_between(d.dtau_dq * along, slope_of(by_position), size),
          gap_between(d.dtau_dqd * along, slope_of(by_velocity), size),
          gap_between(d.dtau_dqdd * along, slope_of(by_acceleration), size)};
}

struct WorstDerivatives {
  Worst q, v, other;
  WorstDerivatives(const std::string& what, double tolerance)
      : q(what + " by q", tolerance), v(what + " by qd", tolerance), other(what, tolerance) {}
  int met = 0, unclear = 0;
  ~WorstDerivatives() { EXPECT_LE(unclear, met / 20); }
  void meet(const DerivativeGaps& gap, const std::string& where) {
    ++met;
    unclear += gap.q < 0 || gap.v < 0 || gap.other < 0;
    q.meet(gap.q, where), v.meet(gap.v, where), other.meet(gap.other, where);
  }
};

// Dry friction jumps where a velocity passes zero.
Model without_dry_friction(Model model) {
  for (Joint& j : model.joints) j.dynamics.coulomb = 0;
  return model;
}

VectorXd drawn_rates(const Nearby& n, Random& random) {
  return n.velocity(n.q, drawn_numbers(random, n.m().tree.nv));
}

// f(model, mechanism with a motion, random, name)
template <class F>
void for_each_moving_mechanism(int count, std::uint64_t seed, F f) {
  int used = 0;
  for (int i = 0; used < count && i < 10 * count; ++i) {
    Random random(seed * 104729 + static_cast<std::uint64_t>(i));
    const ClosedCase c = i % 3 == 0 ? random_parallel(random) : random_mechanism(random);
    const Model model = without_dry_friction(c.model);
    CompileOptions options;
    options.keep_fixed = true;
    ClosedDynamics dynamics(model, options);
    dynamics.state().set_position(c.q);
    const RowMatrix K = dynamics.state().jacobian();
    Nearby n{dynamics, sound_velocities(dynamics.mechanism(), K), c.q, {}};
    // Near a singularity differences have few digits.
    if (n.independent.empty() || mobility_of(K).smallest < 0.03) continue;
    n.qd = drawn_rates(n, random);
    if (n.qd.cwiseAbs().maxCoeff() > 8) continue;
    ++used;
    f(model, n, random, "mechanism " + std::to_string(i));
  }
  EXPECT_EQ(used, count);
}

TEST(ClosedDerivatives, OfAccelerationsMatchDifferencesOnRandomMechanisms) {
  WorstDerivatives worst("accelerations", 1e-10);
  for_each_moving_mechanism(
      150, 3, [&](const Model&, const Nearby& n, Random& random, const std::string& where) {
        const VectorXd tau = drawn_numbers(random, n.m().tree.nv);
        const auto d = forward_derivatives(n.dynamics, n.q, n.qd, tau, {}, {n.independent});
        const auto forward = [&](const VectorXd& q, const VectorXd& qd, const VectorXd& f) {
          return n.dynamics.forward_dynamics(q, qd, f).qdd;
        };
        worst.meet(forward_gap(n, tau, d, random, forward), where);
      });
}

TEST(ClosedDerivatives, OfForcesMatchDifferencesOnRandomMechanisms) {
  WorstDerivatives worst("forces", 1e-10);
  for_each_moving_mechanism(
      150, 5, [&](const Model&, const Nearby& n, Random& random, const std::string& where) {
        const VectorXd qdd = n.acceleration(n.q, n.qd, drawn_numbers(random, n.m().tree.nv));
        const auto d = inverse_derivatives(n.dynamics, n.q, n.qd, qdd, {}, {n.independent});
        worst.meet(inverse_gap(n, qdd, d, {}, random), where);
      });
}

// What the library computes by other means is not asked here: bodies, joints and loops alone.
TEST(ClosedDerivatives, OfAccelerationsMatchMaximalCoordinates) {
  Worst worst("by q and qd", 1e-10);
  for_each_moving_mechanism(
      4, 7, [&](const Model& model, const Nearby& n, Random& random, const std::string& where) {
        const Mechanism<double>& tree = n.m().tree;
        const VectorXd tau = drawn_numbers(random, tree.nv);
        const auto d = forward_derivatives(n.dynamics, n.q, n.qd, tau, {}, {n.independent});
        const Maximal oracle(model, coordinate_order(tree));
        const auto plain = [](const VectorXd& v) {
          return std::vector<double>(v.begin(), v.end());
        };
        const VectorXd along = drawn_numbers(random, d.motion.cols());
        const VectorXd faster = drawn_numbers(random, tree.nv);
        const auto forward = [&](double t) -> VectorXd {
          const VectorXd q = n.moved(d.motion * along, t);
          const VectorXd qd = n.velocity(q, n.qd + t * faster);
          return oracle.compute(plain(q), plain(qd), plain(tau)).qdd.cast<double>();
        };
        const VectorXd ours = d.dqdd_dq * along + d.dqdd_dqd * faster(n.independent);
        worst.meet(gap_between(ours, slope_of(0.01, forward), ours.cwiseAbs().maxCoeff()), where);
      });
}

TEST(ClosedDerivatives, WithExactlyTheActuatorsThatAreNeeded) {
  WorstDerivatives worst("forces", 1e-10);
  int used = 0;
  for (int i = 0; used < 40 && i < 400; ++i) {
    Random random(900 + static_cast<std::uint64_t>(i));
    ClosedCase c = random_mechanism(random);
    c.model = without_dry_friction(c.model);
    const auto driven = with_actuators(c, random);
    if (!driven.holds || !driven.exact) continue;
    ClosedDynamics dynamics(driven.model);
    dynamics.state().set_position(c.q);
    if (mobility_of(dynamics.state().jacobian()).smallest < 0.03) continue;
    Nearby n{dynamics, dynamics.mechanism().actuated, c.q, {}};
    n.qd = drawn_rates(n, random);
    if (n.qd.cwiseAbs().maxCoeff() > 8) continue;
    ++used;
    const VectorXd qdd = n.acceleration(n.q, n.qd, drawn_numbers(random, n.m().tree.nv));
    const auto d = inverse_derivatives(dynamics, n.q, n.qd, qdd, {}, {n.independent});
    worst.meet(inverse_gap(n, qdd, d, {}, random), "mechanism " + std::to_string(i));
    // The inertia that actuators feel is the inverse of what they accelerate.
    const VectorXd tau = drawn_numbers(random, n.m().tree.nv);
    const auto forward = forward_derivatives(dynamics, n.q, n.qd, tau, {}, {n.independent});
    const Eigen::MatrixXd product = d.dtau_dqdd * forward.dqdd_dtau(n.independent, n.independent);
    EXPECT_LT((product - Eigen::MatrixXd::Identity(product.rows(), product.cols())).norm(), 1e-8);
  }
  EXPECT_GE(used, 20);
}

// The models with loops, each at its start and in motion, with wrenches that turn with their frame
// or stay in the world's axes.
TEST(ClosedDerivatives, OfTheRepositorysMachines) {
  WorstDerivatives forward("accelerations", 1e-10), inverse("forces", 1e-10);
  for (const auto& file :
       std::filesystem::directory_iterator(std::string(CATENA_SOURCE_DIR) + "/models")) {
    if (file.path().extension() != ".yaml") continue;
    const Model model = without_dry_friction(read_model(file.path().string()));
    const std::string where = file.path().filename().string();
    if (!model.closed() || where == "n-four-bar-40.yaml") continue;
    ClosedDynamics dynamics(model);
    Random random(77);
    const Assembly start =
        assemble_from_afar(dynamics.mechanism(), dynamics.state(), dynamics.mechanism().start);
    ASSERT_TRUE(start.closed) << where;
    dynamics.state().set_position(start.q);
    Nearby n{
        dynamics, sound_velocities(dynamics.mechanism(), dynamics.state().jacobian()), start.q, {}};
    n.qd = 0.3 * drawn_rates(n, random);
    const int nv = dynamics.mechanism().tree.nv;
    const VectorXd tau = drawn_numbers(random, nv);
    const NamedWrenches wrenches = {{model.bodies.back().name, {{0.1, 0.2, -0.3}, {1, -2, 3}}}};
    const auto d = forward_derivatives(dynamics, n.q, n.qd, tau, wrenches, {n.independent});
    forward.meet(forward_gap(n, tau, d, random,
                             [&](const VectorXd& q, const VectorXd& qd, const VectorXd& f) {
                               return dynamics.forward_dynamics(q, qd, f, wrenches).qdd;
                             }),
                 where);
    const VectorXd qdd = n.acceleration(n.q, n.qd, drawn_numbers(random, nv));
    const auto e = inverse_derivatives(dynamics, n.q, n.qd, qdd, wrenches, {n.independent});
    inverse.meet(inverse_gap(n, qdd, e, wrenches, random), where);
  }
}

// A wrench that keeps its world components is one that turns back in its frame.
TEST(ClosedDerivatives, OfWrenchesThatStayInTheWorldsAxes) {
  ClosedDynamics dynamics(
      read_model(std::string(CATENA_SOURCE_DIR) + "/models/stewart-gough.yaml"));
  const ClosedMechanism& m = dynamics.mechanism();
  Random random(5);
  const Assembly start = assemble_from_afar(m, dynamics.state(), m.start);
  dynamics.state().set_position(start.q);
  Nearby n{dynamics, sound_velocities(m, dynamics.state().jacobian()), start.q, {}};
  n.qd = drawn_rates(n, random);
  const VectorXd tau = drawn_numbers(random, m.tree.nv);
  const FrameInfo& frame = m.tree.names->frames.back();
  const Force<double> F_W{{1, 2, 3}, {40, -50, 60}};
  const auto wrenches_at = [&](const VectorXd& q) {
    dynamics.state().set_position(q);
    const Mat3<double> R = dynamics.state().poses()[at(frame.body)].R * frame.X_BF.R;
    return NamedWrenches{{frame.name, {transpose_times(R, F_W.n), transpose_times(R, F_W.f)}}};
  };
  const auto d = forward_derivatives(dynamics, n.q, n.qd, tau, wrenches_at(n.q),
                                     {n.independent, WrenchAxes::world});
  const DerivativeGaps gap =
      forward_gap(n, tau, d, random, [&](const VectorXd& q, const VectorXd& qd, const VectorXd& f) {
        return dynamics.forward_dynamics(q, qd, f, wrenches_at(q)).qdd;
      });
  EXPECT_LT(std::abs(gap.q), 1e-10);
  const auto turning = forward_derivatives(dynamics, n.q, n.qd, tau, wrenches_at(n.q),
                                           {n.independent, WrenchAxes::frame});
  EXPECT_GT((turning.dqdd_dq - d.dqdd_dq).norm(), 1e-3);
}

TEST(ClosedDerivatives, SayWhatTheyCannotBeTakenBy) {
  ClosedDynamics dynamics(read_model(std::string(CATENA_SOURCE_DIR) + "/models/five-bar.yaml"));
  const ClosedMechanism& m = dynamics.mechanism();
  const VectorXd q = assemble_from_afar(m, dynamics.state(), m.start).q;
  const VectorXd zero = VectorXd::Zero(m.tree.nv);
  EXPECT_THROW(static_cast<void>(forward_derivatives(dynamics, q, zero, zero, {}, {{0}})),
               NumericalError);
  EXPECT_THROW(static_cast<void>(forward_derivatives(dynamics, q, zero, zero, {}, {{0, 1, 2}})),
               NumericalError);
}

}  // namespace
}  // namespace catena::oracle
