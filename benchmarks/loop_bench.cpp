// Times forward dynamics of machines with loops, and writes them for the peers.
//
//   loop_bench MODEL.yaml --machine FILE [--states N]   writes the machine and closed states of it
//   loop_bench FILE.machine MODEL.yaml [--reps N] [--min-time S] [--only METHOD]
//                                                       times those states
#include "catena/readers/readers.hpp"
#include "catena/scalar/isa.hpp"
#include "loop_machine.hpp"
#include "peers/bench.hpp"

namespace {

using catena::ClosedDynamics;
using Eigen::VectorXd;

constexpr int most_for_dense = 60;

VectorXd vector(const bench::Numbers& v) {
  return Eigen::Map<const VectorXd>(v.data(), static_cast<Eigen::Index>(v.size()));
}

// One method: `call` writes the accelerations of a state to `qdd`.
template <class Call>
void time_method(const bench::Options& o, const bench::Machine& machine, const std::string& method,
                 bench::Numbers& qdd, Call call) {
  if (!o.wants(method)) return;
  double off = 0;
  for (const auto& s : machine.states) call(s), off = std::max(off, bench::difference(s, qdd));
  const auto ns = bench::repeat(o, [&](int s) {
    call(machine.states[static_cast<std::size_t>(s)]);
    bench::keep(qdd);
  });
  const bench::Program me{
      "catena", "0.1.0",
      std::string(bench::this_compiler()) + ", " + catena::to_string(catena::isa)};
  char error[40];
  std::snprintf(error, sizeof error, "\"error\": %.3g", off);
  bench::report(me, o, "closed_forward", method, ns, NAN, error);
}

void time_all(bench::Options o, const std::string& model) {
  const bench::Machine machine = bench::read_machine(o.urdf);
  ClosedDynamics dynamics(catena::read_model(model));
  o.states = static_cast<int>(machine.states.size());
  bench::Numbers qdd(machine.states.front().qdd.size());
  time_method(o, machine, "multipliers", qdd,
              [&](const auto& s) { dynamics.forward_dynamics(s.q, s.qd, s.tau, {}, qdd); });
  if (dynamics.mechanism().tree.nv > most_for_dense) return;
  for (const std::string& name : catena::loop_method_names()) {
    if (name == "multipliers") continue;
    if (!catena::loop_refusal(catena::loop_method(name), dynamics.mechanism()).empty()) continue;
    time_method(o, machine, name, qdd, [&](const auto& s) {
      const VectorXd x = dynamics
                             .forward_dynamics(vector(s.q), vector(s.qd), vector(s.tau), {},
                                               catena::loop_method(name))
                             .qdd;
      std::copy(x.begin(), x.end(), qdd.begin());
    });
  }
}

}  // namespace

int main(int argc, char** argv) try {
  const std::vector<std::string> args(argv + 1, argv + argc);
  const bench::Options o = bench::parse(argc, argv);
  const auto write = std::find(args.begin(), args.end(), "--machine");
  if (write != args.end() && write + 1 != args.end()) {
    const catena::Model model = catena::read_model(args.front());
    ClosedDynamics dynamics(model);
    bench::Machine machine = bench::machine_of(model, dynamics.mechanism());
    machine.states = bench::closed_states(dynamics, o.states);
    bench::write_machine(*(write + 1), machine);
    return 0;
  }
  if (args.size() < 2) throw std::runtime_error("usage: loop_bench FILE.machine MODEL.yaml");
  bench::Options rest = o;
  rest.urdf = args[0];
  time_all(rest, args[1]);
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
