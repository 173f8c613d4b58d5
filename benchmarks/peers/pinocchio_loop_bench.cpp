// Times Pinocchio's constraintDynamics, compiled from its headers with the flags of this program.
// A loop is a 3D constraint: its two frames keep the same origin. That is exactly a ball joint; a
// revolute joint that closes a plane loop needs no more, and 6D would weld it. Redundant rows (of
// plane loops, the one across the plane) need a proximal parameter mu above zero. Several mu are
// tried, each with as few iterations as give 1e-8, and the fastest is what counts.
#include "pinocchio_robot.hpp"
//
#include <pinocchio/algorithm/constrained-dynamics.hpp>

#include "bench.hpp"

using Eigen::VectorXd;

struct LoopRobot : Robot {
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintModel) loops;
  PINOCCHIO_STD_VECTOR_WITH_EIGEN_ALLOCATOR(pin::RigidConstraintData) loop_data;

  LoopRobot(const bench::Machine& m, bool universal) : Robot(m, universal) {
    for (const auto& l : m.loops) {
      loops.emplace_back(pin::CONTACT_3D, model, l.joint1 < 0 ? 0 : last[l.joint1], pose(l.pose1),
                         l.joint2 < 0 ? 0 : last[l.joint2], pose(l.pose2), pin::LOCAL);
      loop_data.emplace_back(loops.back());
    }
  }
};

// A free joint's velocities are [w; v] in the file and [v; w] here.
VectorXd in_order(const bench::Machine& m, bench::Numbers v) {
  int at = 0;
  for (const auto& j : m.joints) {
    if (j.kind == "free") std::rotate(v.begin() + at, v.begin() + at + 3, v.begin() + at + 6);
    at += j.nv();
  }
  return Eigen::Map<VectorXd>(v.data(), v.size());
}

struct State {
  VectorXd q, qd, tau, qdd;
};

constexpr double accurate = 1e-8;  // of accelerations, relative to the largest

int main(int argc, char** argv) try {
  bench::Options o = bench::parse(argc, argv);
  const bench::Machine machine = bench::read_machine(o.urdf);
  o.states = machine.states.size();
  const bench::Program me{"pinocchio", PINOCCHIO_VERSION, bench::this_compiler()};
  std::vector<State> states;
  for (const auto& s : machine.states)
    states.push_back({Eigen::Map<const VectorXd>(s.q.data(), s.q.size()), in_order(machine, s.qd),
                      in_order(machine, s.tau), in_order(machine, s.qdd)});
  bool has_universal = false;
  for (const auto& j : machine.joints) has_universal |= j.kind == "universal";

  // The fastest of those that are accurate is timed at length.
  struct Choice {
    bool universal = false;
    double mu = 0, ns = INFINITY, off = 0;
    int iterations = 1;
  } best;
  const auto with = [&](const Choice& c, auto use) {
    LoopRobot robot(machine, c.universal);
    pin::Data data(robot.model);
    pin::initConstraintDynamics(robot.model, data, robot.loops);
    pin::ProximalSettings settings(0, c.mu, c.iterations);
    use(data, [&](const State& x) {
      pin::constraintDynamics(robot.model, data, x.q, x.qd, x.tau, robot.loops, robot.loop_data,
                              settings);
    });
  };
  const auto time = [&](const bench::Options& options, pin::Data& data, auto call) {
    return bench::repeat(options, [&](int s) {
      call(states[s]);
      bench::keep(data);
    });
  };
  for (bool universal : {false, true}) {
    if (universal && !has_universal) continue;
    for (double mu : {0., 1e-12, 1e-10, 1e-8, 1e-6}) {
      for (int iterations : {1, 2, 3, 5}) {
        Choice choice{universal, mu, INFINITY, 0, iterations};
        with(choice, [&](pin::Data& data, auto call) {
          for (const State& x : states) {
            call(x);
            const double d =
                (data.ddq - x.qdd).lpNorm<Eigen::Infinity>() / x.qdd.lpNorm<Eigen::Infinity>();
            choice.off = d > choice.off || !std::isfinite(d) ? d : choice.off;
          }
          if (!(choice.off < accurate)) return;
          bench::Options brief = o;
          brief.reps = 3, brief.min_time = o.min_time / 20;
          const auto ns = time(brief, data, call);
          choice.ns = *std::min_element(ns.begin(), ns.end());
        });
        if (choice.ns < best.ns) best = choice;
        if (std::isfinite(choice.ns)) break;  // more iterations only cost more
      }
    }
  }
  if (!std::isfinite(best.ns)) throw std::runtime_error("pinocchio: no settings are accurate");
  with(best, [&](pin::Data& data, auto call) {
    const auto ns = time(o, data, call);
    char variant[60], error[40];
    std::snprintf(variant, sizeof variant, "mu %g, %d iteration(s)%s", best.mu, best.iterations,
                  best.universal ? ", universal joints" : "");
    std::snprintf(error, sizeof error, "\"error\": %.3g", best.off);
    bench::report(me, o, "closed_forward", variant, ns, NAN, error);
  });
} catch (const std::exception& e) {
  std::fprintf(stderr, "%s\n", e.what());
  return 3;
}
