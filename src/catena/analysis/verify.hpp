// Verify: every formulation on random states of one mechanism, against quadruple precision.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "catena/formulations/formulation.hpp"

namespace catena {

struct VerifyOptions {
  int states = 100;
  std::uint64_t seed = 1;
  double tolerance = 1e-9;  // of forces and matrix, relative to the largest entry of the state
};

// The worst of one quantity over all states, and where it was met.
struct Disagreement {
  double error = 0;
  int state = -1;     // -1: never compared
  int velocity = -1;  // the coordinate (row of the matrix)

  bool compared() const { return state >= 0; }
  void meet(double e, int at_state, int at_velocity);
};

struct MethodAgreement {
  std::string method;
  std::string refusal;     // why it was not run; empty if it was
  Disagreement tau;        // inverse dynamics
  Disagreement M;          // inertia matrix
  Disagreement qdd;        // forward dynamics; grows with the condition number, so not judged
  Disagreement residual;   // the forces that this qdd needs, against those that were given
  Disagreement equations;  // the worst of tau, M and residual when all is quadruple precision
  std::string singular;    // what forward dynamics said if it found no solution

  // The quantity that is off, or null.
  const char* fault(double tolerance) const;
  const Disagreement& of(const std::string& quantity) const;
};

struct VerifyState {
  std::vector<double> q, qd, qdd, tau;
};

struct Verification {
  VerifyOptions options;
  std::vector<VerifyState> states;
  std::vector<MethodAgreement> methods;
  Disagreement power;          // d/dt energy against the power of joints and friction
  Disagreement energy;         // 1/2 qdᵀ M qd against the sum over the bodies
  double worst_condition = 0;  // of M, over the states

  bool good() const;
};

// The states that a seed stands for: configurations within limits, rates and forces in (-1, 1).
std::vector<VerifyState> random_states(const Mechanism<double>& m, int count, std::uint64_t seed);

// Compares all methods. The reference is `spatial` in quadruple precision, with the same constants.
Verification verify(const Mechanism<double>& m, const VerifyOptions& options = {},
                    std::span<const Formulation<double>> methods = formulations<double>());

}  // namespace catena
