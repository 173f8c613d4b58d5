// What the tests of generated code share: states, and how far two results are apart.
#pragma once

#include <filesystem>

#include "catena/codegen/functions.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {

// The numbers that a program reads, one array after another: q, then rates.
inline std::vector<double> program_inputs(const std::vector<ProgramArray>& arrays,
                                          const Mechanism<double>& m, Random& random) {
  const State<double> s = random_state(m, random, false);
  std::vector<double> all = s.q;
  for (std::size_t k = 1; k < arrays.size(); ++k) {
    const std::vector<double>& rates = k == 1 ? s.qd : arrays[k].name == "tau" ? s.tau : s.qdd;
    all.insert(all.end(), rates.begin(), rates.end());
  }
  return all;
}

// Relative to the largest number; where all of them are rounding, to a hundredth.
inline double relative_difference(const std::vector<double>& a, const std::vector<double>& b) {
  double size = 0.01, most = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    size = std::max(size, std::abs(b[i]));
    const double d = std::abs(a[i] - b[i]);
    most = std::isnan(d) ? d : std::max(most, d);
  }
  return most / size;
}

// How far `found` is from the library's result. Accelerations are judged by the forces that they
// need: where the inertia matrix is nearly singular, no method has many of their digits.
inline double generated_error(const Mechanism<double>& m, const GeneratedRequest& request,
                              const std::vector<double>& inputs, const std::vector<double>& found) {
  if (request.function != "forward")
    return relative_difference(found, reference_results(m, request, inputs));
  const std::size_t nv = static_cast<std::size_t>(m.nv), first = inputs.size() - nv;
  std::vector<double> motion = inputs, tau(inputs.end() - m.nv, inputs.end());
  std::copy(found.begin(), found.end(), motion.begin() + static_cast<std::ptrdiff_t>(first));
  const std::vector<double> needed = reference_results(m, {.function = "inverse"}, motion);
  // relative to the forces that act, the bias among them
  std::fill(motion.begin() + static_cast<std::ptrdiff_t>(first), motion.end(), 0);
  const std::vector<double> bias = reference_results(m, {.function = "inverse"}, motion);
  double size = 1, most = 0;
  for (std::size_t i = 0; i < nv; ++i) {
    size = std::max({size, std::abs(bias[i]), std::abs(tau[i])});
    const double d = std::abs(needed[i] - tau[i]);
    most = std::isnan(d) ? d : std::max(most, d);
  }
  return most / size;
}

// Every function that the table has, of the last frame where one is needed. Nothing that moves may
// have a mass; then there is no mass centre.
inline std::vector<GeneratedRequest> all_requests(const Mechanism<double>& m) {
  double mass = 0;
  for (std::size_t b = 1; b < m.bodies.size(); ++b) mass += m.bodies[b].M.m;
  std::vector<GeneratedRequest> list;
  for (const GeneratedKind& kind : generated_kinds()) {
    if (kind.name == "mass-centre" && mass == 0) continue;
    GeneratedRequest request{std::string(kind.name)};
    if (kind.needs_frame) request.frame = m.names->frames.back().name;
    list.push_back(request);
  }
  return list;
}

// The models of the repository that are trees.
inline std::vector<std::pair<std::string, Model>> tree_models() {
  std::vector<std::pair<std::string, Model>> list;
  for (const auto& entry : std::filesystem::directory_iterator(CATENA_SOURCE_DIR "/models")) {
    if (entry.path().extension() != ".yaml") continue;
    const Model model = read_model(entry.path().string());
    if (!model.closed()) list.push_back({entry.path().stem().string(), model});
  }
  std::sort(list.begin(), list.end(), [](auto& a, auto& b) { return a.first < b.first; });
  return list;
}

}  // namespace catena::oracle
