#include "catena/loops/multipliers.hpp"

#include <algorithm>

#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

// Whether factors of M cost more than an articulated-body pass per row, which is some 400 of their
// steps per joint.
bool is_deep(const ClosedMechanism& m) {
  std::vector<double> depth(index(m.tree.nv));
  double work = 0;
  for (std::size_t v = 0; v < depth.size(); ++v) {
    const int above = m.tree.parent_of_v[v];
    depth[v] = above < 0 ? 0 : depth[index(above)] + 1;
    work += depth[v] * depth[v];
  }
  return work > 400.0 * static_cast<double>(depth.size()) * (1 + m.num_rows());
}

}  // namespace

Multipliers::Multipliers(const ClosedMechanism& m, bool in_space) : m_(m) {
  const bool deep = is_deep(m);
  if (!deep && !in_space) plane_ = PlaneMachine::of(m);
  if (!plane_) space_.emplace(m);
  system_.emplace(m.tree, m.closures, plane_ ? plane_->rows() : space_->rows(),
                  deep ? RowSystem::Use::rows_alone : RowSystem::Use::all);
  if (!deep) return;
  const std::size_t n = index(m.tree.nv);
  deep_.emplace(Deep{Workspace<double>(m.tree),
                     std::vector<double>(index(system_->num_places()) * n), std::vector<double>(n),
                     std::vector<Force<double>>(m.tree.bodies.size())});
}

// K M⁻¹ Kᵀ lambda = bias - K M⁻¹ (tau - h), with M⁻¹ from articulated bodies.
Multipliers::Outcome Multipliers::solve_deep(std::span<const double> q, std::span<const double> qd,
                                             std::span<const double> tau,
                                             std::span<const Force<double>> Fext_B,
                                             std::span<double> qdd, std::span<double> lambda,
                                             std::span<const double> pull) {
  Deep& deep = *deep_;
  RowSystem& system = *system_;
  const std::size_t n = deep.k.size();
  space_->fill_rows_only(q, qd, system);
  if (!pull.empty()) space_->pull(pull, system);
  space_->external_wrenches(Fext_B, deep.Fext_B);
  if (!forward_dynamics<double>(m_.tree, q, qd, tau, deep.Fext_B, deep.w, qdd))
    return Outcome::no_inertia;
  const auto Z = [&](int row) { return std::span(deep.Z).subspan(index(row) * n, n); };
  const auto times_row = [&](const RowSystem::Support& s, int row, std::span<const double> x) {
    const double* const K = system.row(row);
    double sum = 0;
    for (const auto& part : s.path)
      sum += K[part.at * RowSystem::stride] * x[index(s.velocity[index(part.at)])];
    return sum;
  };
  for (const RowSystem::Support& s : system.supports()) {
    for (int r : s.at) {
      const double* const K = system.row(r);
      std::fill(deep.k.begin(), deep.k.end(), 0.0);
      for (const auto& part : s.path)
        deep.k[index(s.velocity[index(part.at)])] = K[part.at * RowSystem::stride];
      if (!solve_inertia<double>(m_.tree, q, deep.k, deep.w, Z(r))) return Outcome::no_inertia;
      system.bias()[index(r)] -= times_row(s, r, qdd);
    }
  }
  const Outcome outcome = system.solve_rows(
      [&](const RowSystem::Support& s, int i, int j) { return times_row(s, i, Z(j)); });
  if (outcome != Outcome::good) return outcome;
  for (const RowSystem::Support& s : system.supports()) {
    for (int i : s.at) {
      const double x = system.lambda()[index(i)];
      for (std::size_t v = 0; v < n; ++v) qdd[v] += x * Z(i)[v];
    }
  }
  if (!lambda.empty()) space_->write_lambda(system, lambda);
  return Outcome::good;
}

Multipliers::Outcome Multipliers::solve(std::span<const double> q, std::span<const double> qd,
                                        std::span<const double> tau,
                                        std::span<const Force<double>> Fext_B,
                                        std::span<double> qdd, std::span<double> lambda,
                                        std::span<const double> pull) {
  if (deep_) return solve_deep(q, qd, tau, Fext_B, qdd, lambda, pull);
  plane_ ? plane_->fill(q, qd, tau, Fext_B, *system_) : space_->fill(q, qd, tau, Fext_B, *system_);
  if (!pull.empty()) plane_ ? plane_->pull(pull, *system_) : space_->pull(pull, *system_);
  const Outcome outcome = system_->solve(qdd);
  if (outcome != Outcome::good || lambda.empty()) return outcome;
  if (space_) {
    space_->write_lambda(*system_, lambda);
  } else {
    std::fill(lambda.begin(), lambda.end(), 0.0);
    for (const RowSystem::Support& s : system_->supports())
      for (std::size_t k = 0; k < s.rows.size(); ++k)
        lambda[index(s.rows[k])] = system_->lambda()[index(s.at[k])];
  }
  return outcome;
}

}  // namespace catena
