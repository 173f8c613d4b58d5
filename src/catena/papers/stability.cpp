// Single against double precision over a turn of one joint, method by method.
#include "catena/analysis/stability.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "catena/analysis/runner.hpp"
#include "catena/data/columns.hpp"
#include "catena/formulations/dense.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/model/compile.hpp"
#include "catena/papers/run.hpp"

namespace catena::papers {
namespace {

// Accelerations of one coordinate over all states, in one precision.
template <class T>
std::vector<double> accelerations(const std::string& name, const Mechanism<double>& m,
                                  const std::vector<VerifyState>& states, std::size_t coordinate) {
  const bool dense = name.ends_with("-dense");
  const std::string base = dense ? name.substr(0, name.size() - 6) : name;
  const Mechanism<T> mechanism = cast<T>(m);
  Runner<T> runner(*find_formulation<T>(base), mechanism);
  std::vector<double> result;
  for (const VerifyState& state : states) {
    const std::vector<T> q = converted<T>(state.q), zero(index(m.nv), T(0));
    std::vector<T> x;
    if (dense) {
      x = runner.inverse(q, zero, {});
      for (T& force : x) force = -force;
      std::vector<T> M = runner.inertia(q);
      solve_dense(M.data(), x.data(), m.nv);
    } else {
      x = runner.forward(q, zero, zero);
    }
    result.push_back(static_cast<double>(x[coordinate]));
  }
  return result;
}

std::size_t name_index(const Settings& s, const std::string& key,
                       const std::vector<std::string>& names) {
  const std::string name = s.text(key);
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end())
    s.fail(key, "the model has no joint '" + name + "'" + did_you_mean(name, names),
           "write the name of a joint");
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

Run run_stability(const Settings& s) {
  Run run;
  const Mechanism<double> m = compile(s.model());
  const std::size_t joint = name_index(s, "joint", position_names(m));
  const std::size_t coordinate = name_index(s, "coordinate", velocity_names(m));
  const int steps = s.whole("steps", 180);
  std::vector<VerifyState> states;
  std::vector<double> q(index(m.nq)), zero(index(m.nv), 0);
  neutral_configuration<double>(m, q);
  for (int i = 0; i < steps; ++i) {
    q[joint] = 2 * 3.14159265358979323846 * i / steps;
    states.push_back({q, zero, zero, zero});
  }
  const Stability all =
      stability(m, states, {StabilityQuantity::qdd, static_cast<int>(coordinate)});

  run.table.columns = {"step"};
  std::vector<std::vector<double>> columns;
  const auto add = [&](const std::string& name, const std::string& label,
                       std::vector<double> values) {
    run.table.columns.push_back(name);
    run.labels[name] = label;
    columns.push_back(std::move(values));
  };
  Grid grid{"Differences between single precision and the exact result",
            {"", "largest, rad/s²", "average, rad/s²"},
            {},
            1};
  for (const auto& [name, method] : s.pairs("methods")) {
    const auto found =
        std::find_if(all.methods.begin(), all.methods.end(),
                     [&, wanted = method](const MethodStability& a) { return a.method == wanted; });
    if (found == all.methods.end())
      s.fail("methods", "there is no method '" + method + "' here", "catena stability lists them");
    add("single." + name, "acceleration, rad/s²",
        accelerations<float>(method, m, states, coordinate));
    add("double." + name, "acceleration, rad/s²",
        accelerations<double>(method, m, states, coordinate));
    const auto summary = found->summary();
    run.set(name + ".max", summary.single_max, "rad/s²", "largest of " + name);
    run.set(name + ".mean", summary.single_mean, "rad/s²", "average of " + name);
    run.set(name + ".double.max", summary.double_max, "rad/s²");
    grid.rows.push_back({name, fmt::format("{:.6f}", summary.single_max),
                         fmt::format("{:.7f}", summary.single_mean)});
  }
  add("condition", "condition number", all.condition);
  run.set("condition.max", *std::max_element(all.condition.begin(), all.condition.end()));
  run.set("condition.min", *std::min_element(all.condition.begin(), all.condition.end()));
  for (int i = 0; i < steps; ++i) {
    std::vector<double> row = {static_cast<double>(i)};
    for (const auto& column : columns) row.push_back(column[index(i)]);
    run.table.add_row(row);
  }
  run.grids.push_back(grid);
  return run;
}

}  // namespace catena::papers
