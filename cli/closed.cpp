#include "closed.hpp"

#include <fmt/format.h>

#include <set>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/model/coordinates.hpp"

namespace catena::cli {
namespace {

using Eigen::VectorXd;

// How far a given position may be from the one that closes the loops.
constexpr double position_slack = 1e-6;
constexpr double rate_slack = 1e-6;

}  // namespace

std::string describe_open(const ClosedMechanism& m, const Assembly& a) {
  const Closure& c = m.closures[index(a.worst_closure)];
  if (a.flipped) {
    return fmt::format("loop '{}' closes only with its axes against each other", c.name);
  }
  return fmt::format("loop '{}' cannot be closed: {:.3g} (m or rad) remain", c.name, a.residual);
}

void require_mobility(const LoopState& state) {
  if (mobility_of(state.jacobian()).by_rank > 0) return;
  throw NumericalError(
      "the mobility is 0: with its loops closed the mechanism cannot move\n"
      "    remove a loop, or give it a joint that allows more; catena info shows the count");
}

void warn_of_redundancy(const ClosedMechanism& m, const Mobility& mobility) {
  if (mobility.redundant_rows.empty()) return;
  std::set<std::string> names;
  for (int row : mobility.redundant_rows)
    names.insert("'" + m.closures[index(m.rows[index(row)].closure)].name + "'");
  warn(
      fmt::format("{} of {} closure conditions are redundant (in loop {}): reactions there are the "
                  "smallest that "
                  "do the work",
                  mobility.redundant_rows.size(), m.num_rows(), fmt::join(names, ", ")));
}

ClosedRows::ClosedRows(const ClosedMechanism& m, LoopState& state, const Table& table, Use use)
    : m_(m),
      state_(state),
      table_(table),
      columns_(m.tree, table,
               m.num_rows() > 0 ? DataColumns::Positions::some : DataColumns::Positions::all),
      use_(use),
      held_(index(m.tree.nv), 0),
      last_(m.start) {
  for (const JointInfo& j : m.tree.names->joints) {
    for (int k = 0; k < j.nv; ++k) {
      const int q = j.nq == j.nv ? j.q + k : j.q;
      if (columns_.given("q", q)) held_[index(j.v + k)] = 1;
    }
  }
}

void ClosedRows::fail_open(std::size_t row, const Assembly& assembly) const {
  throw NumericalError(
      to_string(table_.where(row)) + ": " + describe_open(m_, assembly) +
      "\n    check lengths and the given positions, or 'start' in the model, which "
      "chooses the branch");
}

// Those that the model names as actuated: they lead, and others are found to contradict them.
std::vector<int> ClosedRows::actuated_of(const std::vector<int>& velocities) const {
  std::vector<int> found;
  for (int v : velocities) {
    const auto& all = m_.actuated;
    if (m_.has_actuators && std::find(all.begin(), all.end(), v) != all.end()) found.push_back(v);
  }
  return found;
}

// Positions: given ones are kept as far as the loops allow, the others follow.
void ClosedRows::close(std::size_t row, ClosedRow& r) {
  VectorXd target = last_;
  for (int i = 0; i < m_.tree.nq; ++i) {
    if (columns_.given("q", i)) target[i] = r.q[i];
  }
  // Of the given coordinates only as many are held as can be chosen freely; the rest is checked.
  if (row_ == 0) {
    Assembly first = assemble_from_afar(m_, state_, m_.start);
    if (!first.closed) first = assemble_from_afar(m_, state_, target);
    if (!first.closed) fail_open(row, first);
    last_ = first.q;
  }
  state_.set_position(last_);
  if (row_ == 0) require_mobility(state_);
  std::vector<int> given;
  for (int v = 0; v < m_.tree.nv; ++v) {
    if (held_[index(v)] != 0) given.push_back(v);
  }
  std::vector<char> held(index(m_.tree.nv), 0);
  independent_ = independent_velocities_of_groups(state_.jacobian(), {actuated_of(given), given});
  for (int v : independent_) {
    if (held_[index(v)] != 0) {
      held[index(v)] = 1;
    } else {
      throw InputError(table_.where_header(),
                       fmt::format("the loops leave 'q.{}' open, and there is no column for it",
                                   velocity_names(m_.tree)[index(v)]),
                       "give positions for as many joints as the mechanism has degrees of freedom");
    }
  }
  Assembly a = follow(m_, state_, last_, target, held);
  if (!a.closed) {  // a jump in the data, or another branch: from the given numbers themselves
    a = row_ == 0 ? assemble_from_afar(m_, state_, target, held)
                  : assemble(m_, state_, target, held);
    if (!a.closed) fail_open(row, a);
  }
  for (int v : given) {
    const int q = position_of(m_.tree, v);
    if (q < 0 || held[index(v)] != 0) continue;
    if (std::abs(a.q[q] - r.q[q]) <= position_slack) continue;
    const double turn = 2 * 3.14159265358979323846;
    const double off = std::remainder(a.q[q] - r.q[q], turn);
    if (velocity_dimensions(m_.tree)[index(v)] == dimension::angle &&
        std::abs(off) <= position_slack)
      continue;
    throw InputError(
        table_.where(row),
        fmt::format("'q.{}' is {:.9g}, but the loops put it at {:.9g}: off by {:.3g}",
                    position_names(m_.tree)[index(q)], r.q[q], a.q[q], std::abs(a.q[q] - r.q[q])),
        "leave the column out: it follows from the others");
  }
  last_ = r.q = a.q;
}

// Rates and accelerations: of the given ones as many are kept as may be chosen, the others follow
// from the loops, and what was given of them is checked.
void ClosedRows::complete(std::size_t row, ClosedRow& r) {
  if (m_.num_rows() == 0) return;
  state_.set_motion(r.q, r.qd);
  const RowMatrix K = state_.jacobian();
  const auto names = velocity_names(m_.tree);
  const auto fill = [&](const std::string& prefix, const VectorXd& rhs, VectorXd& rates) {
    std::vector<int> given;
    for (int v = 0; v < m_.tree.nv; ++v) {
      if (columns_.given(prefix, v)) given.push_back(v);
    }
    // a joint whose position is told but not its rate stands still, unless the loops move it
    std::vector<char> known(index(m_.tree.nv), 0);
    for (int v : independent_velocities_of_groups(K, {actuated_of(given), given, independent_}))
      known[index(v)] = 1;
    const VectorXd completed = complete_rates(K, rhs, rates, known).rates;
    const double size = 1 + completed.cwiseAbs().maxCoeff();
    for (int v : given) {
      const double off = std::abs(completed[v] - rates[v]);
      if (off <= rate_slack * size) continue;
      throw InputError(table_.where(row),
                       fmt::format("'{}.{}' is {:.9g}, but the loops make it {:.9g}: off by {:.3g}",
                                   prefix, names[index(v)], rates[v], completed[v], off),
                       "leave the column out: it follows from the others");
    }
    rates = completed;
  };
  fill("qd", VectorXd::Zero(m_.num_rows()), r.qd);
  if (use_ == Use::state) return;
  state_.set_motion(r.q, r.qd);
  fill("qdd", -state_.accelerations(), r.qdd);
}

ClosedRow ClosedRows::next() {
  const DataRow data = columns_.row(row_);
  ClosedRow r{data.time, data.q, data.qd, data.qdd, data.tau, data.wrenches};
  if (m_.num_rows() > 0) {
    close(row_, r);
  } else if (row_ == 0) {
    for (int v = 0; v < m_.tree.nv; ++v) independent_.push_back(v);
  }
  complete(row_, r);
  ++row_;
  return r;
}

}  // namespace catena::cli
