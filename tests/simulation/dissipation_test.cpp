// Random trees with springs, dry friction and stops: left alone, none of them gains energy, and
// every run comes to its end.
#include "oracles/random_model.hpp"
#include "simulation/machines.hpp"

namespace catena {
namespace {

using namespace oracle;

Model random_machine(int seed) {
  Random random(static_cast<std::uint64_t>(seed));
  oracle::TreeOptions options;
  options.bodies = 1 + seed % 7;
  options.passive = true;
  options.limits = true;
  options.mimics = seed % 3 == 0;
  Model model = random_model(random, options);
  for (Joint& joint : model.joints) {  // narrow ranges, so that stops are met
    if (!std::isfinite(joint.limits.lower) && !std::isfinite(joint.limits.upper)) continue;
    joint.limits.lower = -0.4, joint.limits.upper = 0.3;
  }
  return model;
}

TEST(Dissipation, NoTreeGainsEnergyByFrictionOrStops) {
  long switches = 0;
  int stuck = 0;
  for (int seed = 1; seed <= 100; ++seed) {
    const Mechanism<double> m = compile(random_machine(seed));
    catena::TreeOptions options;
    options.stops = true;
    options.restitution = seed % 2 == 0 ? 0.7 : 0;
    TreeSystem system(m, spatial(), options);
    const auto i = make_integrator("dormand-prince", system, {1e-8, 1e-8});
    State start = at_rest(m);
    for (std::size_t k = 0; k < start.v.size(); ++k) start.v[k] = k % 2 == 0 ? 0.8 : -0.5;
    double last = INFINITY;
    const Listener listener{[&](double t, System::In q, System::In v) {
                              const Energies e = system.energies(q, v);
                              const double slack = 1e-5 * (1 + e.kinetic + std::fabs(e.potential));
                              EXPECT_LT(e.total(), last + slack) << "seed " << seed << " at " << t;
                              last = e.total();
                              for (const JointInfo& j : m.names->joints) {
                                if (j.mimic || j.nq != 1) continue;
                                const double x = q[static_cast<std::size_t>(j.q)];
                                EXPECT_GT(x, j.limits.lower - 1e-9) << seed << " " << j.name;
                                EXPECT_LT(x, j.limits.upper + 1e-9) << seed << " " << j.name;
                              }
                            },
                            {}};
    Simulation simulation(system, *i, {0, 1, 0.01}, {}, listener);
    ASSERT_NO_THROW({
      simulation.start(start.q, start.v);
      while (simulation.advance() == Simulation::Status::running) {
      }
    }) << seed;
    EXPECT_EQ(i->time(), 1) << seed;
    switches += simulation.num_switches();
    for (char r : system.regime()) stuck += r == '0' || r == 'l' || r == 'u';
  }
  EXPECT_GT(switches, 200);  // the test would see nothing without them
  EXPECT_GT(stuck, 10);
}

}  // namespace
}  // namespace catena
