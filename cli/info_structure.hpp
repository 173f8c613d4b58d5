// What catena info says about the structure of a closed chain: subsystems, base, platform and legs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "catena/loops/closed_mechanism.hpp"

namespace catena::cli {

struct StructureReport {
  std::string text;
  nlohmann::ordered_json subsystems, parallel;
};

//   reads  K, the rows of the closures where the loops are closed
StructureReport structure_report(const ClosedMechanism& m, const RowMatrix& K);

}  // namespace catena::cli
