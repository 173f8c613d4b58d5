// Operation counts: what a method costs, found by running it on the scalar that counts.
#pragma once

#include <string>
#include <vector>

#include "catena/analysis/paper_counts.hpp"
#include "catena/formulations/formulation.hpp"
#include "catena/model/model.hpp"

namespace catena {

// What one evaluation costs. A method that lacks a computation has zeros there.
struct MethodCount {
  std::string method;
  OperationCount inverse;  // tau of q, qd, qdd
  OperationCount bias;     // the same without qdd
  OperationCount inertia;  // M of q
  OperationCount solve;    // qdd of q and of forces from which the bias is already taken
  OperationCount forward;  // qdd of q, qd, tau

  const OperationCount& of(Question question) const;
};

// The costs of a method for this mechanism, all coordinates, rates and forces being variables.
MethodCount count_operations(const Formulation<Counting>& method, const Mechanism<double>& m);

// The cost of one algorithm over the length of the chain: entry i belongs to n = first + i.
struct CostCurve {
  std::string name;
  std::vector<double> multiplications, additions;  // a division is a multiplication
};

// Where one algorithm becomes cheaper than another as the chain grows: the first n from which on it
// needs fewer multiplications, and fewer of both; 0 if it never does.
struct Crossing {
  std::string cheaper, than;
  int multiplications = 0, both = 0;
};
// All pairs that change places within the curves.
std::vector<Crossing> find_crossings(const std::vector<CostCurve>& curves, int first);

// A chain of n revolute joints in which no constant is 0 or 1, but for the ground: the first joint
// turns about the vertical axis of a resting base.
Model general_chain(int n);

}  // namespace catena
