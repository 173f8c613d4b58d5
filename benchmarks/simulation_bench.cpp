// Simulates a tree in free fall, and writes it for the peers.
//
//   simulation_bench MODEL.yaml --machine FILE    the machine, its start and a reference at the end
//   simulation_bench FILE.machine MODEL.yaml [--reps N] [--min-time S]
#include "catena/kinematics/configuration.hpp"
#include "catena/readers/readers.hpp"
#include "catena/scalar/isa.hpp"
#include "catena/simulation/simulation.hpp"
#include "catena/simulation/tree_system.hpp"
#include "loop_machine.hpp"
#include "peers/simulation.hpp"

namespace {

using namespace catena;

// The state at the end of a run, and its counts.
struct Run {
  std::vector<double> y;
  StepCounts counts;
};
Run run_simulation(System& system, Integrator& integrator, const bench::Machine::State& start) {
  SimulationOptions options;
  options.end = options.sample = bench::duration;
  Simulation simulation(system, integrator, options, {}, {});
  integrator.restore({}, {});
  simulation.start(start.q, start.qd);
  while (simulation.advance() == Simulation::Status::running) {
  }
  Run r{{integrator.q().begin(), integrator.q().end()}, integrator.counts()};
  r.y.insert(r.y.end(), integrator.v().begin(), integrator.v().end());
  return r;
}

void write(const std::string& model_file, const std::string& file) {
  const Model model = read_model(model_file);
  const ClosedMechanism m = compile_closed(model);
  bench::Machine machine = bench::machine_of(model, m);
  const bench::Numbers zero(static_cast<std::size_t>(m.tree.nv), 0.0);
  machine.states.assign(2, {zero, zero, zero, zero});
  TreeSystem system(m.tree, formulations<double>().front());
  const auto integrator = make_integrator("dormand-prince-8", system, {1e-14, 1e-14});
  const Run end = run_simulation(system, *integrator, machine.states[0]);
  machine.states[1].q.assign(end.y.begin(), end.y.begin() + m.tree.nq);
  machine.states[1].qd.assign(end.y.begin() + m.tree.nq, end.y.end());
  bench::write_machine(file, machine);
}

void time_all(bench::Options o, const std::string& model) {
  const bench::Machine machine = bench::read_machine(o.urdf);
  const Mechanism<double> m = compile(read_model(model));
  const bench::Program me{"catena", "0.1.0",
                          std::string(bench::this_compiler()) + ", " + to_string(catena::isa)};
  o.states = 1;
  for (const Formulation<double>& f : formulations<double>()) {
    const std::string method(f.name);
    if (method != "spatial" && method != "denoc") continue;
    for (const char* name : {"dormand-prince", "verner", "dormand-prince-8"}) {
      if (method != "spatial" && name != std::string("dormand-prince")) continue;
      if (!o.wants(name)) continue;
      TreeSystem system(m, f);
      const auto integrator = make_integrator(name, system, {bench::tolerance, bench::tolerance});
      Run end;
      const auto ns = bench::repeat(
          o, [&](int) { end = run_simulation(system, *integrator, machine.states[0]); });
      bench::report_run(me, o, name + std::string(", ") + method, ns, end.counts,
                        bench::end_error(machine, end.y));
    }
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> args(argv + 1, argv + argc);
  bench::Options o = bench::parse(argc, argv);
  if (args.size() >= 3 && args[1] == "--machine") {
    write(args[0], args[2]);
    return 0;
  }
  if (args.size() < 2) throw std::runtime_error("usage: simulation_bench FILE.machine MODEL.yaml");
  o.urdf = args[0];
  time_all(o, args[1]);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
