#include "catena/papers/costs.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <stdexcept>

#include "catena/analysis/count.hpp"
#include "catena/formulations/dense.hpp"
#include "catena/model/compile.hpp"

namespace catena::papers {
namespace {

Cost cost_of(const OperationCount& c) {
  return {static_cast<double>(c.multiplications + c.divisions + c.square_roots),
          static_cast<double>(c.additions)};
}

std::vector<Counting> matrix_of_variables(int n) {
  std::vector<Counting> M(index(n) * index(n));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      M[index(i * n + j)] = Counting::variable(i == j ? n + 1. : 1. / (1 + i + j));
  }
  return M;
}

// M = L Lᵀ, column by column.
Cost count_cholesky(int n) {
  auto M = matrix_of_variables(n);
  const auto at = [&](int i, int j) -> Counting& { return M[index(i * n + j)]; };
  Counting::count() = {};
  for (int j = 0; j < n; ++j) {
    for (int i = j; i < n; ++i) {
      for (int k = 0; k < j; ++k) at(i, j) = at(i, j) - at(i, k) * at(j, k);
      at(i, j) = i == j ? sqrt(at(j, j)) : at(i, j) / at(j, j);
    }
  }
  return cost_of(Counting::count());
}

Cost count_dense_solution(int n) {
  auto M = matrix_of_variables(n);
  std::vector<Counting> x(index(n), Counting::variable(1.5));
  Counting::count() = {};
  (void)solve_dense(M.data(), x.data(), n);
  return cost_of(Counting::count());
}

// Counting takes a while, and the same chain is asked for many times.
const MethodCount& counted_method(const std::string& method, int n) {
  static std::map<std::pair<std::string, int>, MethodCount> known;
  const auto key = std::pair(method, n);
  if (const auto it = known.find(key); it != known.end()) return it->second;
  const Formulation<Counting>* f = find_formulation<Counting>(method);
  if (f == nullptr) throw std::invalid_argument("there is no method '" + method + "'");
  return known[key] = count_operations(*f, compile(general_chain(n)));
}

std::string coefficient_text(double c) {
  const double sixths = std::round(c * 6);
  if (std::abs(sixths - c * 6) > 1e-9) return fmt::format("{:.6g}", c);
  const long s = std::lround(sixths);
  const long by = s % 6 == 0 ? 6 : s % 3 == 0 ? 3 : s % 2 == 0 ? 2 : 1;
  return by == 6 ? fmt::format("{}", s / 6) : fmt::format("{}/{}", s / by, 6 / by);
}

}  // namespace

Question question_called(const std::string& name) {
  for (const Question q :
       {Question::inverse, Question::bias, Question::inertia, Question::solve, Question::forward}) {
    if (name == name_of(q)) return q;
  }
  throw std::invalid_argument("there is no question '" + name + "'");
}

Cost count_of(const std::string& method, Question question, int n) {
  if (method == "cholesky") return count_cholesky(n);
  if (method == "spatial-dense") {
    const MethodCount& parts = counted_method("spatial", n);
    const Cost inertia = cost_of(parts.inertia), bias = cost_of(parts.bias),
               solution = count_dense_solution(n);
    const double known = question == Question::forward ? 1 : 0;
    return {inertia.multiplications + known * bias.multiplications + solution.multiplications,
            inertia.additions + known * (bias.additions + n) + solution.additions};
  }
  const Cost cost = cost_of(counted_method(method, n).of(question));
  if (cost.total() == 0 && n > 1)
    throw std::invalid_argument(
        fmt::format("method '{}' does not compute '{}'", method, name_of(question)));
  return cost;
}

double evaluate_polynomial(const std::vector<double>& coefficients, int n) {
  double value = 0;
  for (double c : coefficients) value = value * n + c;
  return value;
}

std::string polynomial_text(const std::vector<double>& coefficients) {
  static const char* powers[] = {"", "n", "n²", "n³"};
  std::string text;
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    const double c = coefficients[i];
    if (c == 0 && coefficients.size() > 1) continue;
    const std::string power = powers[std::min<std::size_t>(3, coefficients.size() - 1 - i)];
    std::string size = coefficient_text(std::abs(c));
    if (size == "1" && !power.empty()) size.clear();
    if (size.find('/') != std::string::npos && !power.empty()) size += " ";
    text += text.empty() ? (c < 0 ? "−" : "") : (c < 0 ? " − " : " + ");
    text += size + power;
  }
  return text.empty() ? "0" : text;
}

std::vector<double> fitted_polynomial(const std::vector<double>& values) {
  if (values.size() < 5) return {};
  // Newton's form about n = 6: v = d0 + d1 x + d2 x(x-1)/2 + d3 x(x-1)(x-2)/6, x = n - 6.
  std::vector<double> d = values;
  for (std::size_t k = 1; k < 4; ++k) {
    for (std::size_t i = 3; i >= k; --i) d[i] -= d[i - 1];
  }
  const double a = d[3] / 6, b = d[2] / 2 - d[3] / 2, c = d[1] - d[2] / 2 + d[3] / 3;
  const std::vector<double> p = {a, b - 18 * a, c - 12 * b + 108 * a,
                                 d[0] - 6 * c + 36 * b - 216 * a};
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::abs(evaluate_polynomial(p, 6 + static_cast<int>(i)) - values[i]) > 1e-6) return {};
  }
  std::vector<double> shortest;
  for (double x : p) {
    if (!shortest.empty() || std::abs(x) > 1e-9) shortest.push_back(std::round(x * 6) / 6);
  }
  return shortest;
}

}  // namespace catena::papers
