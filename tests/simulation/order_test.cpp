// Orders of convergence, measured on joints with quaternions, and conservation over long times.
#include "catena/kinematics/energy.hpp"
#include "catena/kinematics/local_coordinates.hpp"
#include "oracles/random_model.hpp"
#include "simulation/machines.hpp"

namespace catena {
namespace {

using namespace oracle;

double norm(const Vec3<double>& a) { return std::sqrt(dot(a, a)); }

// A chain whose first joint is free or spherical, and a state in motion.
struct Case {
  Mechanism<double> m;
  State start;
};
Case tumbling(JointKind first) {
  Model model;
  model.gravity = {0.3, -1, -9};
  model.bodies = {{"a", 2, {0.1, 0.2, -0.3}, {0.2, 0.02, 0, 0.3, 0.01, 0.25}},
                  {"b", 1, {0.2, 0, -0.1}, {0.1, 0, 0.01, 0.12, 0, 0.08}}};
  Joint one, two;
  one.name = "one", one.kind = first, one.parent = "world", one.child = "a";
  two.name = "two", two.kind = JointKind::spherical, two.parent = "a", two.child = "b";
  two.X_PJ.p = {0.3, 0.1, -0.2};
  model.joints = {one, two};
  Case c{compile(model), {}};
  std::mt19937_64 generator(7);
  c.start.q.resize(static_cast<std::size_t>(c.m.nq));
  random_configuration(c.m, generator, c.start.q);
  for (int i = 0; i < c.m.nv; ++i) c.start.v.push_back(1.5 - 0.4 * i);
  return c;
}

// Errors at a time within a step (dense output) and at its end, with constant steps h.
struct Errors {
  double inside, end;
};
Errors errors_with_step(const Case& c, const std::string& name, double h, const State& inside,
                        const State& end) {
  TreeSystem system(c.m, spatial());
  const auto i = make_integrator(name, system, {1e9, 1e9, h, h});
  const auto states = run(system, *i, c.start, {0.37, 0.6});
  EXPECT_EQ(i->counts().rejected, 0);
  return {position_error(c.m, states[0], inside) + velocity_error(states[0], inside),
          position_error(c.m, states[1], end) + velocity_error(states[1], end)};
}

TEST(Order, OfEveryIntegratorIsFullOnQuaternions) {
  for (JointKind kind : {JointKind::spherical, JointKind::free}) {
    const Case c = tumbling(kind);
    QuadReference reference(c.m);
    const State inside = reference.after(c.start, 0.37, 40),
                end = reference.after(c.start, 0.6, 60);
    for (const IntegratorInfo& info : integrators()) {
      const int n = info.order >= 8 ? 8 : info.order >= 5 ? 15 : info.order > 2 ? 30 : 200;
      const Errors coarse = errors_with_step(c, info.name, 0.6 / n, inside, end);
      const Errors fine = errors_with_step(c, info.name, 0.6 / (2 * n), inside, end);
      const double measured = std::log2(coarse.end / fine.end);
      EXPECT_GT(measured, info.order - 0.35) << info.name << " " << to_string(kind);
      EXPECT_LT(measured, info.order + 1.6) << info.name << " " << to_string(kind);
      // Between the ends of a step the error is of the same kind.
      EXPECT_LT(fine.inside, 20 * fine.end + 1e-12) << info.name << " " << to_string(kind);
    }
  }
}

TEST(Order, OfDenseOutputFollowsThatOfTheMethod) {
  const Case c = tumbling(JointKind::free);
  QuadReference reference(c.m);
  const State inside = reference.after(c.start, 0.37, 40), end = reference.after(c.start, 0.6, 60);
  for (const char* name : {"dormand-prince", "cash-karp", "verner", "dormand-prince-8", "rk4"}) {
    const bool high = std::string(name) == "dormand-prince-8";
    // 0.37 is at the same place of a step for both: 0.6/n and 0.6/(n 3) have it at 0.5 and 0.5.
    const double h = 0.74 / (high ? 11 : 21);
    const Errors coarse = errors_with_step(c, name, h, inside, end);
    const Errors fine = errors_with_step(c, name, h / 3, inside, end);
    const double measured = std::log(coarse.inside / fine.inside) / std::log(3.);
    const int order = high ? 8 : std::string(name) == "verner" ? 6 : name[0] == 'r' ? 4 : 5;
    EXPECT_GT(measured, order - 0.7) << name;
  }
}

TEST(LocalRate, IsTheRateOfTheDifferenceOfConfigurations) {
  const Case c = tumbling(JointKind::free);
  const auto nq = static_cast<std::size_t>(c.m.nq), nv = static_cast<std::size_t>(c.m.nv);
  for (double size : {1e-3, 0.3, 0.99, 1.01, 2.5}) {  // both sides of where a series ends
    std::vector<double> u(nv), v(nv), rate(nv), q(nq), forth(nq), back(nq), step(nv), a(nv), b(nv);
    for (std::size_t i = 0; i < nv; ++i)
      u[i] = size * (i % 2 == 0 ? 0.6 : -0.5), v[i] = 0.7 - 0.3 * static_cast<double>(i);
    local_rate(c.m, u, v, rate);
    integrate_configuration<double>(c.m, c.start.q, u, q);
    const double h = 1e-5;
    for (std::size_t i = 0; i < nv; ++i) step[i] = h * v[i];
    integrate_configuration<double>(c.m, q, step, forth);
    for (std::size_t i = 0; i < nv; ++i) step[i] = -h * v[i];
    integrate_configuration<double>(c.m, q, step, back);
    difference_configuration<double>(c.m, c.start.q, forth, a);
    difference_configuration<double>(c.m, c.start.q, back, b);
    for (std::size_t i = 0; i < nv; ++i)
      EXPECT_NEAR(rate[i], (a[i] - b[i]) / (2 * h), 2e-9) << size << " " << i;
    // The transposes: pᵀ (A v) = (Aᵀ p)ᵀ v, and B is the inverse of A.
    std::vector<double> p(nv), Ap(nv), BAp(nv);
    for (std::size_t i = 0; i < nv; ++i) p[i] = 0.2 + 0.1 * static_cast<double>(i * i % 5);
    local_rate_transposed(c.m, u, p, Ap);
    velocity_of_rate_transposed(c.m, u, Ap, BAp);
    double left = 0, right = 0;
    for (std::size_t i = 0; i < nv; ++i) left += p[i] * rate[i], right += Ap[i] * v[i];
    EXPECT_NEAR(left, right, 1e-13);
    for (std::size_t i = 0; i < nv; ++i) EXPECT_NEAR(BAp[i], p[i], 1e-13) << size;
  }
}

TEST(Variational, KeepsTheMomentumOfAFreeMachineToRounding) {
  Case c = tumbling(JointKind::free);
  c.m.gravity = c.m.gravity_0 = {};
  TreeSystem system(c.m, spatial());
  const auto i = make_integrator("variational", system, {1, 1, 0.01});
  i->start(0, c.start.q, c.start.v);
  Workspace<double> w(c.m);
  const auto now = [&] {
    const System::In q{i->q().data(), static_cast<std::size_t>(c.m.nq)},
        v{i->v().data(), static_cast<std::size_t>(c.m.nv)};
    return momentum<double>(c.m, q, v, w);
  };
  const Force<double> first = now();
  for (int k = 0; k < 2000; ++k) i->step(1e9);
  const Force<double> last = now();
  EXPECT_LT(norm(last.f - first.f), 1e-10 * norm(first.f));
  EXPECT_LT(norm(last.n - first.n), 1e-10 * norm(first.n) + 1e-10 * i->time() * norm(first.f));
}

TEST(Variational, LetsTheEnergySwingButNotDriftOverAMillionSteps) {
  Model model;
  model.bodies = {{"a", 1, {0, 0, -0.5}, {0.1, 0, 0, 0.1, 0, 0.01}}};
  Joint joint;
  joint.name = "ball", joint.kind = JointKind::spherical, joint.parent = "world", joint.child = "a";
  model.joints = {joint};
  const Mechanism<double> m = compile(model);
  TreeSystem system(m, spatial());
  const auto i = make_integrator("variational", system, {1, 1, 0.01});
  const State start{{0.6, 0, 0, 0.8}, {0.5, 1, 2}};
  i->start(0, start.q, start.v);
  const double first = system.energies(start.q, start.v).total();
  double early = 0, late = 0, mean_early = 0, mean_late = 0;
  constexpr int steps = 1000000, part = 50000;
  for (int k = 0; k < steps; ++k) {
    i->step(1e9);
    if (k >= part && k < steps - part) continue;
    const System::In q{i->q().data(), 4}, v{i->v().data(), 3};
    const double error = system.energies(q, v).total() - first;
    double& worst = k < part ? early : late;
    worst = std::max(worst, std::fabs(error));
    (k < part ? mean_early : mean_late) += error / part;
  }
  EXPECT_LT(early, 5e-3);
  EXPECT_LT(late, 1.02 * early);
  EXPECT_LT(std::fabs(mean_late - mean_early), 1e-3 * early);
}

TEST(Pendulum, KeepsItsEnergyOverTenSeconds) {  // A01 of the multibody benchmark
  Model model;
  model.bodies = {{"bob", 1, {1, 0, 0}, {0, 0, 0, 0, 0, 0}}};
  Joint joint;
  joint.name = "hinge", joint.kind = JointKind::revolute, joint.parent = "world";
  joint.child = "bob", joint.axis = {0, 1, 0};
  model.joints = {joint};
  const Mechanism<double> m = compile(model, {false, true});
  TreeSystem system(m, spatial());
  for (const char* name : {"dormand-prince", "verner", "dormand-prince-8"}) {
    const auto i = make_integrator(name, system, {1e-10, 1e-10});
    i->start(0, std::vector<double>{0}, std::vector<double>{0});
    double worst = 0;
    while (i->time() < 10) {
      i->step(10);
      const System::In q{i->q().data(), 1}, v{i->v().data(), 1};
      worst = std::max(worst, std::fabs(system.energies(q, v).total()));
    }
    EXPECT_LT(worst / 9.81, 1e-8) << name;
  }
}

// dv/dt = v²: v = 1/(1 - t) has no value at t = 1.
class Exploding final : public System {
 public:
  int nq() const override { return 1; }
  int nv() const override { return 1; }
  void acceleration(double, In, In v, Out a) override { a[0] = v[0] * v[0]; }
  bool flat() const override { return true; }
  void move(In q, In u, Out r) const override { r[0] = q[0] + u[0]; }
  void local_rate(In, In v, Out r) const override { r[0] = v[0]; }
  void position_rate(In, In v, Out r) const override { r[0] = v[0]; }
  void position_sizes(In q, Out s) const override { s[0] = std::fabs(q[0]); }
  bool project(double, Out, Out) override { return false; }
  Energies energies(In, In) override { return {}; }
  void joint_forces(double, In, In, In, Out tau) override { tau[0] = 0; }
  std::string velocity_name(int) const override { return "rocket"; }
};

TEST(StepControl, SaysWhereAndWhichJointWhenStepsBecomeTooSmall) {
  for (const IntegratorInfo& info : integrators()) {
    if (!info.adaptive) continue;
    Exploding system;
    const auto i = make_integrator(info.name, system, {});
    i->start(0, std::vector<double>{0}, std::vector<double>{1});
    std::string message;
    try {
      while (i->time() < 2) i->step(2);
    } catch (const NumericalError& error) {
      message = error.what();
    }
    EXPECT_TRUE(message.starts_with("at t = 0.9999") || message.starts_with("at t = 1 s:"))
        << info.name << ": " << message;
    EXPECT_NE(message.find("joint 'rocket'"), std::string::npos) << info.name;
    EXPECT_NEAR(i->time(), 1, 1e-6) << info.name;
    EXPECT_GT(i->v()[0], 1e6) << info.name;
  }
}

}  // namespace
}  // namespace catena
