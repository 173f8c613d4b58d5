// Times the constraint force algorithm on long chains, by one thread and by several, beside the
// articulated body algorithm.
//
//   global_bench TIMES.csv PICTURE.svg [SECONDS]
//
// A time is the least of several rounds, in which everyone gets his turn; SECONDS is how long one
// of them lasts (0.05), five times that from 20 000 joints on.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <thread>

#include "catena/analysis/count.hpp"
#include "catena/formulations/global/constraint_force.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/model/compile.hpp"
#include "catena/plot/figure.hpp"

namespace {

using namespace catena;
using Clock = std::chrono::steady_clock;

struct Contestant {
  std::string name;
  std::function<void()> run;
  double best = std::numeric_limits<double>::infinity();  // seconds per call
};

double time_once(const std::function<void()>& f, double seconds) {
  const auto begin = Clock::now();
  double least = std::numeric_limits<double>::infinity(), total = 0;
  while (total < seconds) {
    const auto t0 = Clock::now();
    f();
    const auto t1 = Clock::now();
    least = std::min(least, std::chrono::duration<double>(t1 - t0).count());
    total = std::chrono::duration<double>(t1 - begin).count();
  }
  return least;
}

// A chain of n joints: a general one of up to 50, over and over.
Mechanism<double> long_chain(int n) {
  Mechanism<double> m = compile(general_chain(std::min(n, 50)));
  const int first = m.num_bodies();
  for (int i = first; i <= n; ++i) {
    auto b = m.bodies[static_cast<std::size_t>(1 + (i - 1) % 49 + 1)];
    b.parent = i - 1, b.q = b.v = i - 1;
    m.bodies.push_back(b);
    m.angle_offset.push_back(b.theta0);
    m.armature.push_back(0), m.viscous.push_back(0), m.coulomb.push_back(0);
    m.stiffness.push_back(0), m.rest.push_back(0);
    m.q_of_v.push_back(i - 1), m.parent_of_v.push_back(i - 2), m.body_of_v.push_back(i);
    m.q_map.push_back({i - 1, 1, 0}), m.v_map.push_back({i - 1, 1, 0});
    m.run_begin_v.push_back(0);
  }
  m.nq = m.nv = m.tree_nq = m.tree_nv = n;
  for (auto& b : m.bodies) b.subtree_end = n + 1, b.subtree_end_v = n;
  return m;
}

std::vector<Contestant> race(int n, double seconds, int rounds) {
  const Mechanism<double> m = long_chain(n);
  Workspace<double> w(m, constraint_force::room<double>(m));
  const std::size_t nv = static_cast<std::size_t>(n);
  std::vector<double> q(nv), qd(nv), tau(nv), qdd(nv), expected(nv);
  for (std::size_t i = 0; i < nv; ++i) {
    const double x = static_cast<double>(i);
    q[i] = 3 * std::sin(x), qd[i] = 0.1 * std::sin(2 * x), tau[i] = std::sin(3 * x);
  }
  (void)forward_dynamics<double>(m, q, qd, tau, {}, w, expected);

  std::vector<Contestant> all{
      {"spatial", [&] { (void)forward_dynamics<double>(m, q, qd, tau, {}, w, qdd); }}};
  std::vector<int> threads{1, 2};
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  if (cores > 2) threads.push_back(std::min(cores, 8));
  for (int parts : threads) {
    if (parts > constraint_force::most_parts<double>(m)) continue;
    all.push_back({"constraint-force " + std::to_string(parts), [&, parts] {
                     constraint_force::constraint_force_dynamics<double>(
                         m, q.data(), qd.data(), tau.data(), nullptr, parts, w.arena(), qdd.data());
                   }});
    all.back().run();
    double error = 0, size = 0;
    for (std::size_t i = 0; i < nv; ++i) {
      error = std::max(error, std::abs(qdd[i] - expected[i]));
      size = std::max(size, std::abs(expected[i]));
    }
    if (!(error < 1e-7 * size))
      std::printf("wrong: %s, error %.1e\n", all.back().name.c_str(), error / size);
  }
  for (int round = 0; round < rounds; ++round) {
    for (Contestant& c : all) c.best = std::min(c.best, time_once(c.run, seconds));
  }
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: global_bench TIMES.csv PICTURE.svg [SECONDS]\n";
    return 2;
  }
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0.05;
  std::ofstream csv(argv[1]);
  csv << "joints,method,threads,microseconds,nanoseconds_per_joint\n";
  plot::Figure figure{"Forward dynamics of a chain, " +
                          std::to_string(std::thread::hardware_concurrency()) + " cores",
                      "joints, log10",
                      {{"", "ns per joint", {}}}};
  auto& series = figure.panels[0].series;
  for (int n : {10, 20, 32, 50, 75, 100, 150, 200, 300, 500, 750, 1000, 2000, 5000, 10000, 20000,
                50000, 100000}) {
    for (const Contestant& c : race(n, n < 20000 ? seconds : 5 * seconds, 7)) {
      const bool ours = c.name != "spatial";
      const std::string threads = ours ? c.name.substr(c.name.size() - 1) : "1";
      const double per_joint = 1e9 * c.best / n;
      csv << n << ',' << (ours ? "constraint-force" : "spatial") << ',' << threads << ','
          << 1e6 * c.best << ',' << per_joint << std::endl;
      std::printf("%7d  %-20s %12.2f us  %8.1f ns per joint\n", n, c.name.c_str(), 1e6 * c.best,
                  per_joint);
      const std::string label =
          ours ? "constraint-force, " + threads + (threads == "1" ? " thread" : " threads")
               : "spatial (ABA), 1 thread";
      auto s = std::find_if(series.begin(), series.end(),
                            [&](const plot::Series& x) { return x.name == label; });
      if (s == series.end()) s = series.insert(s, {label, {}, {}});
      s->x.push_back(std::log10(n));
      s->y.push_back(per_joint);
    }
  }
  std::ofstream(argv[2]) << plot::to_svg(figure);
}
