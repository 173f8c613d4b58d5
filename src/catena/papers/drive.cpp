// A closed chain driven by one joint at a given rate: motion, driving force, forces at cut joints.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/data/columns.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/papers/closed_motion.hpp"
#include "catena/papers/expression.hpp"
#include "catena/papers/run.hpp"

namespace catena::papers {
namespace {

using Eigen::VectorXd;

// What a paper says of the motion: expressions that should be zero. The largest of each is
// measured.
class Relations {
 public:
  explicit Relations(const Settings& s) : s_(s) {
    if (s.has("constants")) {
      for (const auto& [name, text] : s.pairs("constants")) constants_[name] = number(text);
    }
    if (s.has("relations")) relations_ = s.pairs("relations");
    worst_.assign(relations_.size(), 0);
  }
  void meet(const Table& table) {
    Variables variables = constants_;
    const std::size_t row = table.num_rows() - 1;
    for (std::size_t c = 0; c < table.num_columns(); ++c)
      variables[table.columns[c]] = table.at(row, c);
    for (std::size_t i = 0; i < relations_.size(); ++i) {
      try {
        worst_[i] =
            std::max(worst_[i], std::abs(evaluate_expression(relations_[i].second, variables)));
      } catch (const std::invalid_argument& error) {
        s_.fail("relations", error.what(), "names are the columns of the table and the constants");
      }
    }
  }
  void measure(Run& run) const {
    for (std::size_t i = 0; i < relations_.size(); ++i)
      run.set("relation." + relations_[i].first, worst_[i], "",
              "largest value of '" + relations_[i].first + "'");
  }

 private:
  double number(const std::string& text) const {
    try {
      return evaluate_expression(text, {});
    } catch (const std::invalid_argument& error) {
      s_.fail("constants", error.what(), "write numbers");
    }
  }
  const Settings& s_;
  Variables constants_;
  std::vector<std::pair<std::string, std::string>> relations_;
  std::vector<double> worst_;
};

int velocity_called(const Settings& s, const Mechanism<double>& m) {
  const std::string joint = s.text("joint");
  const auto names = velocity_names(m);
  const auto found = std::find(names.begin(), names.end(), joint);
  if (found == names.end())
    s.fail("joint", "the model has no joint '" + joint + "'" + did_you_mean(joint, names),
           "write the name of the joint that drives");
  return static_cast<int>(found - names.begin());
}

}  // namespace

Run run_drive(const Settings& s) {
  Run run;
  ClosedMotion motion(s.model());
  ClosedDynamics& dynamics = motion.dynamics();
  const Mechanism<double>& m = motion.tree();
  const int led = velocity_called(s, m);
  const Dimension dimension = velocity_dimensions(m)[index(led)];
  motion.lead({led});
  const double from = s.number("from", dimension, 0), to = s.number("to", dimension);
  const double rate = s.number("rate", dimension * per_second);
  const double acceleration = s.number("acceleration", dimension * per_second * per_second, 0);
  const int steps = s.whole("steps", 72);

  const auto names = velocity_names(m);
  run.table.columns = {"time"};
  const auto add = [&](const std::string& name, const std::string& label) {
    run.table.columns.push_back(name);
    run.labels[name] = label;
  };
  for (int d = 0; d < 3; ++d) {
    for (std::size_t i = 0; i < names.size(); ++i)
      add((d == 0   ? "q."
           : d == 1 ? "qd."
                    : "qdd.") +
              names[i],
          motion_label(velocity_dimensions(m)[i], d));
  }
  for (int v : dynamics.mechanism().actuated)
    add("tau." + names[index(v)], force_label(velocity_dimensions(m)[index(v)]));
  for (const Closure& closure : dynamics.mechanism().closures) {
    for (const char* axis : {".x", ".y"}) add("f." + closure.name + axis, "force, N");
  }

  Relations relations(s);
  VectorXd q = dynamics.mechanism().start, qd = VectorXd::Zero(m.nv), qdd = qd;
  double work = 0, size = 0, unbalanced = 0;
  int least_rank = m.nv, most_rank = 0;
  for (int i = 0; i <= steps; ++i) {
    q[motion.position_of(led)] = from + (to - from) * i / steps;
    qd[led] = rate, qdd[led] = acceleration;
    motion.go(q, qd, qdd);
    const ClosedInverse r = dynamics.inverse_dynamics(q, qd, qdd);
    std::vector<double> row = {(to - from) / rate * i / steps};
    for (const VectorXd* part : {&q, &qd, &qdd}) row.insert(row.end(), part->begin(), part->end());
    for (int v : dynamics.mechanism().actuated) row.push_back(r.tau[v]);
    for (std::size_t c = 0; c < dynamics.mechanism().closures.size(); ++c) {
      const Force<double> F = dynamics.state().reaction(static_cast<int>(c), r.lambda);
      row.push_back(F.f.x), row.push_back(F.f.y);
    }
    run.table.add_row(row);
    relations.meet(run.table);
    work += r.tau[led] * (to - from) / steps * (i == 0 || i == steps ? 0.5 : 1);  // trapezoidal
    size += std::abs(r.tau[led] * (to - from) / steps);
    unbalanced = std::max(unbalanced, r.unbalanced);
    least_rank = std::min(least_rank, r.rank), most_rank = std::max(most_rank, r.rank);
  }
  relations.measure(run);
  measure_columns(run, "q.", "q.");
  measure_columns(run, "f.", "f.");
  measure_columns(run, "tau.");
  run.set("joints", m.nv);
  run.set("rank.min", least_rank, "", "least rank of the loops");
  run.set("rank.max", most_rank, "", "greatest rank of the loops");
  run.set("freedom", m.nv - most_rank, "", "degrees of freedom");
  run.set("work.part", std::abs(work) / std::max(size, 1e-300), "",
          "work over the turn, relative to what is done and taken");
  run.set("unbalanced", unbalanced, "N m", "force that nothing balances");
  return run;
}

}  // namespace catena::papers
