#include "catena/codegen/program.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "catena/support/error.hpp"

namespace catena {

using Kind = ProgramValue::Kind;

int multiplications_in(const ProgramTerm& term) {
  const int factors = static_cast<int>(term.factors.size());
  if (factors == 0) return 0;
  return factors - 1 + (std::abs(term.coefficient) == 1 ? 0 : 1);
}

bool is_doubling(const ProgramValue& value) {
  return value.terms.size() == 1 && value.terms[0].factors.size() == 1 &&
         value.terms[0].coefficient == 2;
}

std::vector<int> evaluation_order(const Program& program) {
  std::vector<int> order;
  std::vector<char> state(program.values.size(), 0);  // 0 new, 1 waiting for operands, 2 done
  std::vector<int> open;
  for (const ProgramTerm& result : program.results) {
    for (const int root : result.factors) open.push_back(root);
    while (!open.empty()) {
      const int v = open.back();
      char& s = state[static_cast<std::size_t>(v)];
      if (s == 2) {
        open.pop_back();
      } else if (s == 1) {
        s = 2;
        order.push_back(v);
        open.pop_back();
      } else {
        s = 1;
        const std::size_t first = open.size();
        for_each_operand(program.values[static_cast<std::size_t>(v)], [&](int operand) {
          if (state[static_cast<std::size_t>(operand)] == 0) open.push_back(operand);
        });
        std::reverse(open.begin() + static_cast<std::ptrdiff_t>(first), open.end());
      }
    }
  }
  return order;
}

ProgramCost cost_of(const Program& program) {
  ProgramCost cost;
  std::vector<char> angle(program.values.size(), 0);
  for (const int v : evaluation_order(program)) {
    const ProgramValue& value = program.values[static_cast<std::size_t>(v)];
    switch (value.kind) {
      case Kind::input:
      case Kind::sign:
        break;
      case Kind::quotient:
        ++cost.divisions;
        break;
      case Kind::square_root:
        ++cost.square_roots;
        break;
      case Kind::sine:
      case Kind::cosine:
        if (!std::exchange(angle[static_cast<std::size_t>(value.a)], 1)) ++cost.angles;
        break;
      case Kind::polynomial:
        if (is_doubling(value)) {
          ++cost.additions;
          break;
        }
        cost.additions += static_cast<int>(value.terms.size()) - 1;
        for (const ProgramTerm& term : value.terms)
          cost.multiplications += multiplications_in(term);
        break;
    }
  }
  for (const ProgramTerm& result : program.results)
    cost.multiplications += multiplications_in(result);
  return cost;
}

std::vector<double> evaluate(const Program& program, std::span<const double> inputs) {
  std::size_t size = 0;
  for (const ProgramArray& array : program.inputs) size += static_cast<std::size_t>(array.size);
  check_size("inputs", inputs.size(), size);
  std::vector<double> at(program.values.size());
  const auto of = [&](int v) { return v < 0 ? 1.0 : at[static_cast<std::size_t>(v)]; };
  const auto term_value = [&](const ProgramTerm& term) {
    double product = term.coefficient;
    for (const int factor : term.factors) product *= of(factor);
    return product;
  };
  for (const int v : evaluation_order(program)) {
    const ProgramValue& value = program.values[static_cast<std::size_t>(v)];
    double& result = at[static_cast<std::size_t>(v)];
    const double a = value.kind == Kind::input ? 0 : of(value.a);
    switch (value.kind) {
      case Kind::input:
        result = inputs[static_cast<std::size_t>(value.a)];
        break;
      case Kind::polynomial:
        for (const ProgramTerm& term : value.terms) result += term_value(term);
        break;
      case Kind::quotient:
        result = a / of(value.b);
        break;
      case Kind::square_root:
        result = std::sqrt(a);
        break;
      case Kind::sign:
        result = (a > 0) - (a < 0);
        break;
      case Kind::sine:
        result = std::sin(a);
        break;
      case Kind::cosine:
        result = std::cos(a);
        break;
    }
  }
  std::vector<double> results;
  for (const ProgramTerm& result : program.results) results.push_back(term_value(result));
  return results;
}

}  // namespace catena
