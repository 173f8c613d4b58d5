// What catena info says about loops, actuators and springs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/model/compile.hpp"

namespace catena::cli {

struct ClosedReport {
  std::string text;
  nlohmann::ordered_json json;
};

// Closes the loops from the start position and counts there.
//   writes  warnings: loops that cannot be closed, a mechanism that cannot move, actuators that do
//           not suffice
ClosedReport closed_report(const Model& model, const CompileOptions& options,
                           std::vector<std::string>& warnings);

}  // namespace catena::cli
