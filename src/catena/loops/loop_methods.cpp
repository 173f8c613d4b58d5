#include "catena/loops/loop_methods.hpp"

#include "catena/loops/denoc_parallel.hpp"
#include "catena/loops/loop_matrices.hpp"
#include "catena/loops/subsystems.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

constexpr std::string_view featherstone = "Featherstone & Orin 2000, 3.4";

constexpr LoopMethodRow table[] = {
    {LoopMethod::multipliers, "multipliers", featherstone, nullptr, nullptr},
    {LoopMethod::kkt, "kkt", featherstone, nullptr, nullptr},
    {LoopMethod::null_space, "null-space", featherstone, nullptr, nullptr},
    {LoopMethod::denoc_parallel, "denoc-parallel", "Saha, DeNOC of parallel systems, 3",
     denoc_parallel_refusal, make_denoc_parallel},
    {LoopMethod::subsystems, "subsystems", "Saha, DeNOC of closed chains, 4", nullptr,
     make_subsystems},
    {LoopMethod::homogeneous, "homogeneous", "Legnani et al. 1996, 2.2 and 5", nullptr,
     make_homogeneous_loops},
};

}  // namespace

std::span<const LoopMethodRow> loop_methods() { return table; }

const LoopMethodRow& loop_method_row(LoopMethod method) {
  const LoopMethodRow* found = table;
  for (const LoopMethodRow& row : table) {
    if (row.method == method) found = &row;
  }
  return *found;
}

const std::vector<std::string>& loop_method_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const LoopMethodRow& row : table) all.emplace_back(row.name);
    return all;
  }();
  return names;
}

LoopMethod loop_method(std::string_view name) {
  for (const LoopMethodRow& row : table) {
    if (row.name == name) return row.method;
  }
  throw InputError({}, "'" + std::string(name) + "' is not a way to solve loops" +
                           did_you_mean(std::string(name), loop_method_names()));
}

std::string loop_refusal(LoopMethod method, const ClosedMechanism& m) {
  const auto refusal = loop_method_row(method).refusal;
  return refusal == nullptr ? "" : refusal(m);
}

std::unique_ptr<LoopSolver> make_loop_solver(LoopMethod method, const ClosedMechanism& m) {
  const LoopMethodRow& row = loop_method_row(method);
  if (const std::string why = loop_refusal(method, m); !why.empty()) {
    std::string others;
    for (const LoopMethodRow& other : table) {
      if (loop_refusal(other.method, m).empty())
        others += (others.empty() ? "" : ", ") + std::string(other.name);
    }
    throw InputError(
        {}, "'" + std::string(row.name) + "' cannot do '" + m.tree.names->model + "': " + why,
        "choose one of: " + others);
  }
  return row.make(m);
}

}  // namespace catena
