// Simulates a tree with Pinocchio's aba: the same tableau and step control as Catena's.
//
//   PROGRAM FILE.machine [--reps 5] [--min-time 0.2]
//
// The first state of the file is the start, the second the reference at its end; see
// simulation_bench.cpp.
#include "pinocchio_robot.hpp"
//
#include <pinocchio/algorithm/aba.hpp>

#include "bench.hpp"
#include "dormand_prince.hpp"
#include "simulation.hpp"

int main(int argc, char** argv) try {
  bench::Options o = bench::parse(argc, argv);
  o.states = 1;
  const bench::Machine machine = bench::read_machine(o.urdf);
  Robot robot(machine, false);
  pin::Data data(robot.model);
  const Eigen::VectorXd tau = Eigen::VectorXd::Zero(robot.model.nv);
  const int n = robot.model.nv;
  const bench::Program me{"pinocchio", PINOCCHIO_VERSION, bench::this_compiler()};
  const std::pair<const char*, pin::Convention> conventions[] = {{"local", pin::Convention::LOCAL},
                                                                 {"world", pin::Convention::WORLD}};
  for (const auto& [name, convention] : conventions) {
    const auto acceleration = [&, convention = convention](const double* q, const double* v,
                                                           double* a) {
      using Map = Eigen::Map<const Eigen::VectorXd>;
      pin::aba(robot.model, data, Map(q, n), Map(v, n), tau, convention);
      Eigen::Map<Eigen::VectorXd>(a, n) = data.ddq;
    };
    bench::DormandPrince integrator(n, bench::tolerance, acceleration);
    std::vector<double> y;
    bench::RunCounts counts;
    const auto ns = bench::repeat(o, [&](int) {
      y = bench::start_of(machine);
      counts = integrator.run(y, bench::duration);
      bench::keep(y);
    });
    bench::report_run(me, o, std::string("dormand-prince, ") + name, ns, counts,
                      bench::end_error(machine, y));
  }
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
