// Multipliers: forward dynamics of closed mechanisms, quickly.
//
// Equations of motion in a plane where the mechanism moves in one (plane_machine.hpp), else in
// space (space_machine.hpp), solved for the forces in the loops first (row_system.hpp). For long
// chains with few loops M⁻¹ Kᵀ comes from articulated bodies instead, row by row in O(n). No memory
// is allocated after construction.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "catena/loops/plane_machine.hpp"
#include "catena/loops/space_machine.hpp"

namespace catena {

class Multipliers {
 public:
  // For mechanisms without mimic joints. `in_space`: even if it moves in a plane.
  explicit Multipliers(const ClosedMechanism& m, bool in_space = false);

  using Outcome = RowSystem::Outcome;
  //   reads   q [nq], qd [nv], tau [nv], Fext_B [num_bodies] or empty: at Bo, in B
  //           pull [rows] or empty: accelerations by which open rows are drawn back
  //   writes  qdd [nv], lambda [rows] unless it is empty; not meaningful unless the outcome is good
  Outcome solve(std::span<const double> q, std::span<const double> qd, std::span<const double> tau,
                std::span<const Force<double>> Fext_B, std::span<double> qdd,
                std::span<double> lambda, std::span<const double> pull = {});

  int rank() const { return system_->rank(); }
  // Rows that forbid something depend on each other: lambda is right, but not the smallest.
  bool redundant() const { return system_->redundant(); }
  bool in_plane() const { return plane_.has_value(); }
  const RowSystem& system() const { return *system_; }

 private:
  Outcome solve_deep(std::span<const double> q, std::span<const double> qd,
                     std::span<const double> tau, std::span<const Force<double>> Fext_B,
                     std::span<double> qdd, std::span<double> lambda, std::span<const double> pull);

  const ClosedMechanism& m_;
  std::optional<PlaneMachine> plane_;
  std::optional<SpaceMachine> space_;
  std::optional<RowSystem> system_;
  // long chains: rows of M⁻¹ Kᵀ, a row of K, wrenches with springs among them
  struct Deep {
    Workspace<double> w;
    std::vector<double> Z, k;
    std::vector<Force<double>> Fext_B;
  };
  std::optional<Deep> deep_;
};

}  // namespace catena
