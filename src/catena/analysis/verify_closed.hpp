// Verify for closed chains: the ways of solving loops against each other, and against balances.
#pragma once

#include "catena/analysis/verify.hpp"
#include "catena/loops/closed_dynamics.hpp"

namespace catena {

struct ClosedAgreement {
  std::string method;
  std::string refusal;    // why it cannot do this mechanism: nothing was compared
  Disagreement qdd;       // from the mean of the methods, relative to the largest entry
  Disagreement equation;  // M qdd + h - tau - Kᵀ lambda, relative to its largest part
  Disagreement closure;   // K qdd + k, relative to its largest part
  Disagreement inverse;   // forces of the actuated joints, from the motion that they produce
};

struct ClosedVerification {
  VerifyOptions options;
  std::vector<VerifyState> states;  // those that could be assembled
  int missed = 0;                   // random positions that the loops do not allow
  std::vector<ClosedAgreement> methods;
  Disagreement assembly;      // what remains of the loops
  Disagreement power;         // d/dt energy by differences against the power of forces and friction
  Mobility mobility;          // at the first state
  double least_singular = 0;  // smallest singular value of the rows over all states, relative

  bool good() const;
};

// Random states near the model's start, in which the loops are closed. The power balance is one of
// differences in double precision and is allowed 1e-5.
ClosedVerification verify_closed(const Model& model, const CompileOptions& compile_options = {},
                                 const VerifyOptions& options = {});

}  // namespace catena
