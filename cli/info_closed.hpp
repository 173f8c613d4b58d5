// What catena info says about loops, actuators and springs.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "catena/model/compile.hpp"

namespace catena::cli {

// Three numbers, as text and as JSON.
std::string triple(const Vec3<double>& v);
nlohmann::ordered_json json_triple(const Vec3<double>& v);

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
