// Program: a computation as a list of values, each a sum of products of others. It is what the
// simplifier rewrites and the printer prints.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace catena {

// coefficient * the product of the values `factors` (sorted; a value may occur twice)
struct ProgramTerm {
  double coefficient = 1;
  std::vector<int> factors{};
};

struct ProgramValue {
  enum class Kind : unsigned char {
    input,       // the number `a` of the program's inputs
    polynomial,  // the sum of the terms
    quotient,    // a / b; a < 0 stands for the number 1
    square_root,
    sign,  // of a: -1, 0 or 1
    sine,
    cosine
  };
  Kind kind = Kind::polynomial;
  int a = -1, b = -1;
  std::vector<ProgramTerm> terms{};
};

// An array of numbers that the function reads or writes.
struct ProgramArray {
  std::string name;     // in C
  int size = 0;         // numbers per state
  std::string meaning;  // for the comment
};

struct Program {
  std::vector<ProgramArray> inputs;  // their numbers are the program's inputs, one after another
  ProgramArray output;
  std::vector<ProgramValue> values;
  std::vector<ProgramTerm> results;  // by number of the output: one term with at most one factor
};

struct ProgramCost {
  int multiplications = 0, additions = 0, divisions = 0, square_roots = 0;
  int angles = 0;  // whose sine, cosine or both are needed
  // By which programs are compared: about what the others cost in multiplications.
  int operations() const {
    return multiplications + additions + 4 * (divisions + square_roots) + 12 * angles;
  }
};
ProgramCost cost_of(const Program& program);

// What a term costs besides the addition to its sum.
int multiplications_in(const ProgramTerm& term);
// 2 x is written x + x.
bool is_doubling(const ProgramValue& value);

// The values that results depend on, each after those it needs.
std::vector<int> evaluation_order(const Program& program);
// Calls f(value) for every value that `value` reads, as often as it does.
template <class F>
void for_each_operand(const ProgramValue& value, F f) {
  if (value.kind != ProgramValue::Kind::input) {
    if (value.a >= 0) f(value.a);
    if (value.b >= 0) f(value.b);
  }
  for (const ProgramTerm& term : value.terms) {
    for (const int factor : term.factors) f(factor);
  }
}

// Runs the program on numbers.
//   reads   inputs: all arrays, one after another
std::vector<double> evaluate(const Program& program, std::span<const double> inputs);

}  // namespace catena
