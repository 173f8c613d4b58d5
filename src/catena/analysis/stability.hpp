// Stability: how far single and double precision are from quadruple precision, method by method.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "catena/analysis/verify.hpp"

namespace catena {

enum class StabilityQuantity { qdd, tau };

struct StabilityOptions {
  StabilityQuantity quantity = StabilityQuantity::qdd;
  int velocity = -1;  // the coordinate that is looked at; -1: all, the worst of them
};

// Errors at one state: of the coordinate that is looked at, or the largest of all coordinates.
struct StabilityError {
  double single = 0, twice = 0;  // single and double precision, in the unit of the quantity
};

struct MethodStability {
  std::string method;
  std::vector<StabilityError> errors;  // by state
  int flagged = 0;  // states in which single precision found a joint without inertia

  struct Summary {
    double single_max = 0, single_mean = 0, double_max = 0, double_mean = 0;
  };
  // Absolute, or relative to the largest entry of the exact result of each state.
  Summary summary(const std::vector<double>& sizes) const;
  Summary summary() const { return summary(std::vector<double>(errors.size(), 1)); }
};

struct Stability {
  std::vector<double> condition;           // of M, by state
  std::vector<double> sizes;               // the largest entry of the exact result, by state
  std::vector<std::vector<double>> exact;  // the result, by state and coordinate
  std::vector<MethodStability> methods;
};

// All methods that compute the quantity and accept the mechanism, and for accelerations also
// "spatial-dense": inertia matrix and bias forces of `spatial`, solved by elimination.
Stability stability(const Mechanism<double>& m, std::span<const VerifyState> states,
                    const StabilityOptions& options = {});

}  // namespace catena
