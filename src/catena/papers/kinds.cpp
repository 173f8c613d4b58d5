#include <algorithm>

#include "catena/papers/run.hpp"

namespace catena::papers {

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> all = {
      {"torques",
       {"model", "gravity", "place", "from", "to", "duration", "samples", "explicit", "beside"},
       run_torques},
      {"fall",
       {"model", "gravity", "place", "at", "duration", "sample", "every", "integrator",
        "second_integrator", "tolerance", "method"},
       run_fall},
      {"drive",
       {"model", "gravity", "place", "joint", "from", "to", "rate", "acceleration", "steps",
        "relations", "constants"},
       run_drive},
      {"counts", {"question", "at", "rows", "against", "sum"}, run_counts},
      {"growth", {"question", "methods", "formulas", "sizes", "pairs"}, run_growth},
      {"stability", {"model", "gravity", "joint", "coordinate", "steps", "methods"}, run_stability},
      {"line",
       {"model", "gravity", "frame", "from", "to", "attitude", "near", "duration", "sample",
        "integrator", "tolerance", "methods"},
       run_line},
      {"matrices", {"model", "gravity", "constants", "matrices", "states"}, run_matrices},
      {"subsystems", {"model"}, run_subsystems},
      {"agreement", {"models", "states"}, run_agreement},
  };
  return all;
}

void measure_columns(Run& run, const std::string& prefix, const std::string& as) {
  double least = 0, most = 0;
  bool first = true;
  std::string unit;
  for (std::size_t c = 1; c < run.table.num_columns(); ++c) {
    const std::string& column = run.table.columns[c];
    if (!column.starts_with(prefix) || run.table.num_rows() == 0) continue;
    const std::string name = as + column.substr(prefix.size());
    double lo = run.table.at(0, c), hi = lo;
    for (std::size_t r = 0; r < run.table.num_rows(); ++r) {
      lo = std::min(lo, run.table.at(r, c));
      hi = std::max(hi, run.table.at(r, c));
    }
    const auto label = run.labels.find(column);
    const auto comma = label == run.labels.end() ? std::string::npos : label->second.rfind(", ");
    unit = comma == std::string::npos ? "" : label->second.substr(comma + 2);
    run.set(name + ".min", lo, unit, "least " + column);
    run.set(name + ".max", hi, unit, "greatest " + column);
    run.set(name + ".first", run.table.at(0, c), unit, "first " + column);
    run.set(name + ".last", run.table.at(run.table.num_rows() - 1, c), unit, "last " + column);
    least = first ? lo : std::min(least, lo), most = first ? hi : std::max(most, hi);
    first = false;
  }
  if (first) return;
  run.set("all.min", least, unit, "the least");
  run.set("all.max", most, unit, "the greatest");
}

std::string force_unit(const Dimension& dimension) {
  return dimension == dimension::length ? "N" : "N m";
}
std::string force_label(const Dimension& dimension) {
  return dimension == dimension::length ? "force, N" : "torque, N m";
}

std::string motion_label(const Dimension& dimension, int derivative) {
  const bool length = dimension == dimension::length;
  if (derivative == 0) return length ? "displacement, m" : "angle, rad";
  if (derivative == 1) return length ? "velocity, m/s" : "rate, rad/s";
  return length ? "acceleration, m/s²" : "acceleration, rad/s²";
}

}  // namespace catena::papers
