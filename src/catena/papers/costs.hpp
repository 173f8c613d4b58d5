// What algorithms cost over the length of a chain: ours by counting, the papers' by their formulas.
#pragma once

#include <string>
#include <vector>

#include "catena/analysis/paper_counts.hpp"

namespace catena::papers {

struct Cost {
  double multiplications = 0, additions = 0;  // divisions and roots are multiplications
  double total() const { return multiplications + additions; }
};

// A method of the table (formulations/formulation.hpp) and a question, for a general chain of n
// revolute joints. Also "spatial-dense" forward (inertia matrix and bias forces of `spatial`, then
// LDLᵀ) and "cholesky" (LLᵀ of an n x n matrix).
//   throws  std::invalid_argument if there is no such method, or it does not answer the question
Cost count_of(const std::string& method, Question question, int n);
// By its name: "inverse", "bias", "inertia", "solve", "forward".
//   throws  std::invalid_argument
Question question_called(const std::string& name);

// Coefficients, the highest power first.
double evaluate_polynomial(const std::vector<double>& coefficients, int n);
// "1/6 n³ + 7n² − 46": halves, thirds and sixths are written as such.
std::string polynomial_text(const std::vector<double>& coefficients);
// The polynomial of degree 3 at most through values at n = 6 ... 12; empty if there is none.
std::vector<double> fitted_polynomial(const std::vector<double>& values_from_6);

// The first n up to `last` from which on `cheaper` holds; 0 if it does not at the end.
template <class F>
int first_from(int last, F cheaper) {
  int n = last + 1;
  while (n > 1 && cheaper(n - 1)) --n;
  return n > last ? 0 : n;
}

}  // namespace catena::papers
