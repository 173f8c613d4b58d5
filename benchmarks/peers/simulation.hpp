// What the simulation benchmarks share: a run, and how far its end is from the reference.
#pragma once

#include "bench.hpp"
#include "machine.hpp"

namespace bench {

constexpr double duration = 10, tolerance = 1e-9;

inline std::vector<double> start_of(const Machine& m) {
  std::vector<double> y = m.states[0].q;
  y.insert(y.end(), m.states[0].qd.begin(), m.states[0].qd.end());
  return y;
}

// The largest difference of a position at the end.
template <class Vector>
double end_error(const Machine& m, const Vector& y) {
  double off = 0;
  for (std::size_t i = 0; i < m.states[1].q.size(); ++i)
    off = std::max(off, std::abs(y[i] - m.states[1].q[i]));
  return off;
}

template <class Counts>
void report_run(const Program& p, const Options& o, const std::string& variant,
                const std::vector<double>& ns, const Counts& counts, double error) {
  char more[120];
  std::snprintf(more, sizeof more, "\"steps\": %ld, \"evaluations\": %ld, \"error\": %.3g",
                static_cast<long>(counts.steps), static_cast<long>(counts.evaluations), error);
  report(p, o, "simulation", variant, ns, NAN, more);
}

}  // namespace bench
