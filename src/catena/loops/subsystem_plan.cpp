// Which subsystems there are, and in which order they can be solved.
#include <algorithm>
#include <numeric>

#include "catena/loops/sparse_rows.hpp"
#include "catena/loops/subsystems.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

std::string roman(int n) {
  static const std::pair<int, const char*> digits[] = {
      {1000, "M"}, {900, "CM"}, {500, "D"}, {400, "CD"}, {100, "C"}, {90, "XC"}, {50, "L"},
      {40, "XL"},  {10, "X"},   {9, "IX"},  {5, "V"},    {4, "IV"},  {1, "I"}};
  std::string text;
  for (const auto& [value, digit] : digits) {
    for (; n >= value; n -= value) text += digit;
  }
  return text;
}

bool contains(const std::vector<int>& all, int one) {
  return std::find(all.begin(), all.end(), one) != all.end();
}

Index rank_of_unknowns(const MatrixXd& U) {
  if (const auto sparse = if_large(U))
    return static_cast<Index>(independent_columns(*sparse).columns.size());
  return row_space(U).cols();
}

// Classes of things that are tied together.
class Ties {
 public:
  explicit Ties(int n) : to_(index(n)) { std::iota(to_.begin(), to_.end(), 0); }
  int of(int i) const { return to_[index(i)] == i ? i : of(to_[index(i)]); }
  void tie(int a, int b) {
    a = of(a), b = of(b);
    to_[index(std::max(a, b))] = std::min(a, b);
  }

 private:
  std::vector<int> to_;
};

class Planner {
 public:
  Planner(SubsystemPlan& plan, const std::vector<int>& drives)
      : plan_(plan),
        drives_(drives),
        known_drive_(drives.size(), 0),
        known_closure_(plan.forces.size(), 0),
        solved_(plan.subsystems.size(), 0) {}

  void run() {
    for (std::size_t j = 0; j < plan_.subsystems.size(); ++j) {
      Subsystem& s = plan_.subsystems[j];
      const SubsystemStep step = step_for({static_cast<int>(j)});
      s.drives = step.drives, s.closures = step.closures, s.determinate = step.determinate;
      s.unknowns = static_cast<int>(s.drives.size());
      for (const int c : s.closures) s.unknowns += static_cast<int>(plan_.forces[index(c)].cols());
    }
    for (bool again = true; again;) {
      again = false;
      for (std::size_t j = 0; j < solved_.size() && !again; ++j) {
        if (solved_[j] != 0) continue;
        const SubsystemStep step = step_for({static_cast<int>(j)});
        if (step.determinate) again = true, take(step);
      }
    }
    for (const std::vector<int>& group : tied_rest()) take(step_for(group));
  }

 private:
  bool touches(int c, const Subsystem& s) const {
    for (const int v : s.velocities) {
      if (plan_.forces[index(c)].row(v).cwiseAbs().maxCoeff() > row_noise) return true;
    }
    return false;
  }

  SubsystemStep step_for(const std::vector<int>& group) const {
    SubsystemStep step;
    step.subsystems = group;
    std::vector<int> velocities;
    for (const int j : group) {
      const Subsystem& s = plan_.subsystems[index(j)];
      velocities.insert(velocities.end(), s.velocities.begin(), s.velocities.end());
      for (std::size_t i = 0; i < drives_.size(); ++i) {
        if (known_drive_[i] == 0 && contains(s.velocities, drives_[i]))
          step.drives.push_back(drives_[i]);
      }
      for (std::size_t c = 0; c < known_closure_.size(); ++c) {
        const int closure = static_cast<int>(c);
        if (known_closure_[c] == 0 && plan_.forces[c].cols() > 0 && touches(closure, s) &&
            !contains(step.closures, closure))
          step.closures.push_back(closure);
      }
    }
    const MatrixXd U = unknowns_of(step, velocities);
    const Index rank = U.cols() > U.rows() ? -1 : rank_of_unknowns(U);
    step.determinate = rank == U.cols();
    return step;
  }

  MatrixXd unknowns_of(const SubsystemStep& step, const std::vector<int>& velocities) const {
    Index columns = static_cast<Index>(step.drives.size());
    for (const int c : step.closures) columns += plan_.forces[index(c)].cols();
    MatrixXd U = MatrixXd::Zero(static_cast<Index>(velocities.size()), columns);
    for (Index r = 0; r < U.rows(); ++r) {
      const int v = velocities[static_cast<std::size_t>(r)];
      Index at = 0;
      for (const int drive : step.drives) U(r, at++) = drive == v ? 1 : 0;
      for (const int c : step.closures) {
        const MatrixXd& V = plan_.forces[index(c)];
        U.row(r).segment(at, V.cols()) = V.row(v);
        at += V.cols();
      }
    }
    return U;
  }

  void take(const SubsystemStep& step) {
    for (const int j : step.subsystems) solved_[index(j)] = 1;
    for (std::size_t i = 0; i < drives_.size(); ++i)
      known_drive_[i] = known_drive_[i] != 0 || contains(step.drives, drives_[i]);
    for (const int c : step.closures) known_closure_[index(c)] = 1;
    plan_.steps.push_back(step);
  }

  // Subsystems that are left, together where an unknown cut joint ties them.
  std::vector<std::vector<int>> tied_rest() const {
    const int n = static_cast<int>(solved_.size());
    Ties ties(n);
    for (std::size_t c = 0; c < known_closure_.size(); ++c) {
      int first = -1;
      for (int j = 0; j < n; ++j) {
        if (known_closure_[c] != 0 || plan_.forces[c].cols() == 0) continue;
        if (!touches(static_cast<int>(c), plan_.subsystems[index(j)])) continue;
        if (first >= 0) ties.tie(first, j);
        first = j;
      }
    }
    std::vector<std::vector<int>> groups(index(n));
    for (int j = 0; j < n; ++j) {
      if (solved_[index(j)] == 0) groups[index(ties.of(j))].push_back(j);
    }
    std::erase_if(groups, [](const auto& g) { return g.empty(); });
    return groups;
  }

  SubsystemPlan& plan_;
  const std::vector<int>& drives_;
  std::vector<char> known_drive_, known_closure_, solved_;
};

}  // namespace

std::vector<Subsystem> find_subsystems(const ClosedMechanism& m) {
  const auto& bodies = m.tree.bodies;
  // by body: where its branch leaves the ground
  std::vector<int> root(bodies.size(), 0);
  for (int b = 1; b < m.tree.num_bodies(); ++b) {
    const MechanismBody<double>& body = bodies[index(b)];
    const int before = root[index(body.parent)];
    if (before != 0 || body.kind != Primitive::fixed) root[index(b)] = before != 0 ? before : b;
  }
  Ties ties(m.tree.num_bodies());
  std::vector<int> owner(index(m.tree.nv), -1);  // by the user's velocity: a root
  for (int v = 0; v < m.tree.tree_nv; ++v) {
    const int user = m.tree.v_map[index(v)].index, r = root[index(m.tree.body_of_v[index(v)])];
    if (owner[index(user)] >= 0) ties.tie(owner[index(user)], r);
    owner[index(user)] = r;
  }
  std::vector<Subsystem> all;
  std::vector<int> at(bodies.size(), -1);
  for (const JointInfo& j : m.tree.names->joints) {
    if (j.nv == 0 && !j.mimic) continue;
    if (j.kind == JointKind::fixed) continue;
    const int r = ties.of(root[index(j.body)]);
    if (at[index(r)] < 0) {
      at[index(r)] = static_cast<int>(all.size());
      all.push_back({});
      all.back().name = roman(static_cast<int>(all.size()));
    }
    Subsystem& s = all[index(at[index(r)])];
    s.joints.push_back(j.name);
    for (int k = 0; k < j.nv && !j.mimic; ++k) s.velocities.push_back(j.v + k);
  }
  return all;
}

SubsystemPlan plan_subsystems(const ClosedMechanism& m, const RowMatrix& K,
                              const std::vector<int>& drives) {
  SubsystemPlan plan;
  plan.subsystems = find_subsystems(m);
  for (const Closure& c : m.closures)
    plan.forces.push_back(row_space(unit_rows(K.middleRows(c.first_row, c.num_rows))));
  Planner(plan, drives).run();
  return plan;
}

}  // namespace catena
