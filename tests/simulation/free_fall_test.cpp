// Free falls of the papers' machines against quadruple precision.
#include "simulation/machines.hpp"
#ifdef CATENA_PROGRAM
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "catena/plot/figure.hpp"
#endif

namespace catena {
namespace {

using namespace oracle;

State first_state(const std::string& name, const Mechanism<double>& m) {
  State s = at_rest(m);
  if (name.starts_with("stanford")) s.q[1] = M_PI / 2;
  return s;
}

class FreeFall : public testing::TestWithParam<const char*> {};

TEST_P(FreeFall, OfEveryAdaptiveIntegratorMeetsTheReference) {
  const Mechanism<double> m = machine_of_file(GetParam());
  const State start = first_state(GetParam(), m);
  QuadReference reference(m);
  const int steps = GetParam() == std::string("planar-3r") ? 250 : 80;
  const State one = reference.after(start, 1, steps), two = reference.after(one, 1, steps);
  // The reference has converged.
  EXPECT_LT(position_error(m, one, reference.after(start, 1, steps * 3 / 4)), 1e-11);
  for (const std::string& name : adaptive_integrators()) {
    TreeSystem system(m, spatial());
    const auto i = integrator(name, system, {1e-9, 1e-9});
    const auto states = run(system, *i, start, {1, 2});
    EXPECT_LT(position_error(m, states[0], one), 1e-6) << name;
    EXPECT_LT(position_error(m, states[1], two), 1e-5) << name;
    EXPECT_LT(velocity_error(states[1], two), 1e-4) << name;
  }
}

INSTANTIATE_TEST_SUITE_P(Papers, FreeFall,
                         testing::Values("planar-3r", "stanford", "stanford-1999", "puma"),
                         [](const auto& machine) {
                           std::string name = machine.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

// With CATENA_WORK_PRECISION=FILE.svg in the environment the figure of docs/simulation.md is drawn.
TEST(FreeFallOfThePuma, ErrsNoMoreThanTheToleranceAskedFor) {
  const Mechanism<double> m = machine_of_file("puma");
  const State start = at_rest(m);
  const State end = QuadReference(m).after(start, 1, 60);
#ifdef CATENA_PROGRAM
  plot::Figure figure{"PUMA, free fall of 1 s: work and precision",
                      "evaluations of forward dynamics, power of ten",
                      {{"", "error of positions, power of ten", {}}}};
#endif
  for (const std::string& name : adaptive_integrators()) {
    std::vector<double> work, errors;
    for (double tolerance : {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10, 1e-11}) {
      TreeSystem system(m, spatial());
      const auto i = integrator(name, system, {tolerance, tolerance});
      const double error = position_error(m, run(system, *i, start, {1}).back(), end);
      // The error of a step is what is controlled; over a second it adds up.
      EXPECT_LT(error, 100 * tolerance) << name << " " << tolerance;
      work.push_back(std::log10(static_cast<double>(i->counts().evaluations)));
      errors.push_back(std::log10(error));
    }
    // Seven decades less allowed: at least five less made.
    EXPECT_LT(errors.back(), errors.front() - 5) << name;
#ifdef CATENA_PROGRAM
    figure.panels[0].series.push_back({name, work, errors});
#endif
  }
#ifdef CATENA_PROGRAM
  if (const char* file = std::getenv("CATENA_WORK_PRECISION"))
    std::ofstream(file) << plot::render(figure, std::filesystem::path(file).extension().string());
#endif
}

}  // namespace
}  // namespace catena
