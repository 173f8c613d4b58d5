// The table of ways to solve loops: commands, tests and messages go over it.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "catena/loops/loop_solver.hpp"

namespace catena {

enum class LoopMethod {
  multipliers,  // lambda first, from K M⁻¹ Kᵀ with the factors of the tree (multipliers.hpp)
  kkt,          // all unknowns at once
  null_space,   // motions that the loops allow, G with K G = 0
  denoc_parallel,  // parallel manipulators (denoc_parallel.hpp)
  subsystems,      // one subsystem after the other (subsystems.hpp)
  homogeneous,     // matrices round every loop (loop_matrices.hpp)
};

struct LoopMethodRow {
  LoopMethod method;
  std::string_view name;    // as --loops takes it
  std::string_view source;  // where it comes from
  // Why it cannot do this mechanism, empty if it can; null if it can do every one.
  std::string (*refusal)(const ClosedMechanism& m);
  // Null for the first three, which ClosedDynamics is itself.
  std::unique_ptr<LoopSolver> (*make)(const ClosedMechanism& m);
};

// The default first.
std::span<const LoopMethodRow> loop_methods();
const LoopMethodRow& loop_method_row(LoopMethod method);

const std::vector<std::string>& loop_method_names();
// Throws InputError if there is none of this name.
LoopMethod loop_method(std::string_view name);

// Why a method cannot do this mechanism; empty if it can.
std::string loop_refusal(LoopMethod method, const ClosedMechanism& m);
// The solver of a method. Throws InputError that says why it cannot do it, and which methods can.
std::unique_ptr<LoopSolver> make_loop_solver(LoopMethod method, const ClosedMechanism& m);

}  // namespace catena
