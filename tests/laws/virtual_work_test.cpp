// Everything against an oracle that shares no code with the library (oracles/naive.hpp).
#include <gtest/gtest.h>

#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

std::vector<double> vector_of(const VecX& v) {
  std::vector<double> r;
  for (Eigen::Index i = 0; i < v.size(); ++i) r.push_back(static_cast<double>(v[i]));
  return r;
}
std::vector<double> rows_of(const MatX& M) {
  std::vector<double> r;
  for (Eigen::Index i = 0; i < M.rows(); ++i) {
    for (Eigen::Index j = 0; j < M.cols(); ++j) r.push_back(static_cast<double>(M(i, j)));
  }
  return r;
}
std::vector<double> six(const Vec& a, const Vec& b) {
  std::vector<double> r = vector_of(a);
  for (double x : vector_of(b)) r.push_back(x);
  return r;
}
std::vector<double> pose_of(const MovingPose& X) {
  std::vector<double> r;
  for (int c = 0; c < 3; ++c) {
    for (double x : vector_of(X.R[0].col(c))) r.push_back(x);
  }
  for (double x : vector_of(X.p[0])) r.push_back(x);
  return r;
}

struct Case {
  Mechanism<double> m;
  Machine<double> machine;
  State<double> s;
  std::map<std::string, BodyWrench> wrenches;
  Naive naive;

  Case(const Model& model, Random& random)
      : m(compile(model)),
        machine(m),
        s(random_state(m, random)),
        wrenches(random_wrenches(model, m, random, s)),
        naive(model, coordinate_order(m)) {}
};

TEST(VirtualWork, GivesTheJointForcesAndTheInertiaMatrix) {
  Worst tau("tau", 1e-13), M("M", 1e-13), zero("bias and gravity forces", 1e-13);
  for_each_model(300, [&](const Model& model, Random& random, const std::string& where) {
    Case c(model, random);
    const NaiveResult r = c.naive.compute(c.s.q, c.s.qd, c.s.qdd, c.wrenches);
    const double scale = static_cast<double>(r.tau_scale);
    tau.meet(difference(c.machine.inverse(c.s), vector_of(r.tau), scale), where);
    M.meet(difference(c.machine.inertia(c.s.q), rows_of(r.M)), where);

    const std::vector<double> rest(c.s.qd.size(), 0);
    std::vector<double> h(c.s.qd.size());
    const NaiveResult bias = c.naive.compute(c.s.q, c.s.qd, rest);
    bias_forces<double>(c.m, c.s.q, c.s.qd, c.machine.w, h);
    zero.meet(difference(h, vector_of(bias.tau), static_cast<double>(bias.tau_scale)), where);
    const NaiveResult weight = c.naive.compute(c.s.q, rest, rest);
    gravity_forces<double>(c.m, c.s.q, c.machine.w, h);
    zero.meet(difference(h, vector_of(weight.tau), static_cast<double>(weight.tau_scale)), where);
  });
}

// The accelerations go back into the oracle: what they need must be the forces that were given.
TEST(VirtualWork, ConfirmsTheAccelerationsOfForwardDynamics) {
  Worst tau("tau of the computed qdd", 1e-13);
  for_each_model(300, [&](const Model& model, Random& random, const std::string& where) {
    Case c(model, random);
    const std::vector<double> qdd = c.machine.forward(c.s);
    EXPECT_TRUE(c.machine.status) << where << ": " << describe(c.m, c.machine.status);
    const NaiveResult r = c.naive.compute(c.s.q, c.s.qd, qdd, c.wrenches);
    tau.meet(difference(vector_of(r.tau), c.s.tau, static_cast<double>(r.tau_scale)), where);
  });
}

TEST(VirtualWork, AgreesOnPosesTwistsAndAccelerations) {
  Worst pose("poses", 1e-13), twist("twists", 1e-13), acceleration("accelerations", 1e-13);
  for_each_model(300, [&](const Model& model, Random& random, const std::string& where) {
    Case c(model, random);
    const NaiveResult r = c.naive.compute(c.s.q, c.s.qd, c.s.qdd);
    const auto motions = c.machine.motions(c.s.q, c.s.qd, c.s.qdd);
    for (const Body& body : model.bodies) {
      const FrameInfo& f = c.m.names->frames[at(c.m.names->frame(body.name))];
      const std::size_t b = at(f.body);
      const MovingPose& X = r.bodies.at(body.name);
      pose.meet(difference(numbers(motions.X[b] * f.X_BF), pose_of(X)), where);
      const auto V = frame_twist<double>(motions.X[b], motions.V[b], f.X_BF, Axes::world_aligned);
      twist.meet(difference(numbers(V), six(X.angular_velocity(), X.p[1]), 1), where);
      const auto A = frame_acceleration<double>(motions.X[b], motions.V[b], motions.A[b], f.X_BF,
                                                Axes::world_aligned);
      acceleration.meet(difference(numbers(A), six(X.angular_acceleration(), X.p[2]), 1), where);
    }
  });
}

TEST(VirtualWork, AgreesOnEnergiesMomentumAndMassCentre) {
  Worst kinetic("kinetic energy", 1e-13), potential("potential energy", 1e-13);
  Worst momenta("momentum", 1e-13), centre("mass centre", 1e-13);
  for_each_model(300, [&](const Model& model, Random& random, const std::string& where) {
    Case c(model, random);
    const NaiveResult r = c.naive.compute(c.s.q, c.s.qd, c.s.qdd);
    const double T = kinetic_energy<double>(c.m, c.s.q, c.s.qd, c.machine.w);
    const double V = potential_energy<double>(c.m, c.s.q, c.machine.w);
    const Force<double> h = momentum<double>(c.m, c.s.q, c.s.qd, c.machine.w);
    if (c.m.nv == 0) return;  // nothing moves: a fixed body belongs to the ground
    const double size = static_cast<double>(r.mass_centre.norm()) + 1;
    kinetic.meet(std::abs(T - static_cast<double>(r.kinetic)) / (1 + T), where);
    momenta.meet(difference(numbers(h), six(r.angular_momentum, r.linear_momentum), 1), where);
    bool grounded = false;  // bodies welded to the ground count in the oracle's sums
    for (const Body& body : model.bodies) {
      grounded |= c.m.names->frames[at(c.m.names->frame(body.name))].body == 0;
    }
    if (grounded) return;
    const double scale = static_cast<double>(r.mass) * 10 * size + std::abs(V);
    potential.meet(std::abs(V - static_cast<double>(r.potential)) / scale, where);
    const Vec3<double> p = mass_centre<double>(c.m, c.s.q, c.machine.w, {});
    centre.meet(difference(numbers(p), vector_of(r.mass_centre), 1), where);
  });
}

}  // namespace
}  // namespace catena::oracle
