// The functions that can be generated, and how each is traced into a program.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "catena/codegen/program.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/model/mechanism.hpp"

namespace catena {

// A row of the table of functions.
struct GeneratedKind {
  std::string_view name;   // as --function takes it
  std::string_view what;   // one line
  std::string_view rates;  // inputs after q: "", "qd", "qd qdd" or "qd tau"
  bool needs_frame;
};
std::span<const GeneratedKind> generated_kinds();

// What is wanted of a mechanism.
struct GeneratedRequest {
  std::string function = "inverse";
  std::string frame{};  // for functions of a frame
  Axes axes = Axes::world_aligned;
};

// The computation, as the library's own algorithms do it, already simplified.
//   reads   m
//   throws  InputError for an unknown function or frame, a frame that is missing or not wanted
Program traced_program(const Mechanism<double>& m, const GeneratedRequest& request);

// The same function computed by the library, for comparison.
//   reads   m, inputs: the arrays of the program, one after another
std::vector<double> reference_results(const Mechanism<double>& m, const GeneratedRequest& request,
                                      std::span<const double> inputs);

}  // namespace catena
