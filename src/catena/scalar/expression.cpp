#include "catena/scalar/expression.hpp"

#include <cmath>
#include <cstring>
#include <numbers>
#include <utility>

namespace catena {

constexpr ExpressionRef zero{0}, one{2};  // the first two nodes of every graph

ExpressionGraph::ExpressionGraph() {
  find({Operation::constant, {}, {}, 0});
  find({Operation::constant, {}, {}, 1});
}

std::size_t ExpressionGraph::Hash::operator()(const Expression& e) const {
  std::uint64_t bits;
  std::memcpy(&bits, &e.value, sizeof bits);
  std::uint64_t h = static_cast<std::uint64_t>(e.operation);
  for (const std::uint64_t part :
       {static_cast<std::uint64_t>(e.a.code), static_cast<std::uint64_t>(e.b.code), bits}) {
    h = (h ^ part) * 0x9e3779b97f4a7c15u;
    h ^= h >> 29;
  }
  return static_cast<std::size_t>(h);
}

bool ExpressionGraph::Same::operator()(const Expression& x, const Expression& y) const {
  return x.operation == y.operation && x.a == y.a && x.b == y.b && x.value == y.value;
}

ExpressionRef ExpressionGraph::find(const Expression& e) {
  const auto [place, is_new] = known_.try_emplace(e, static_cast<int>(nodes_.size()));
  if (is_new) nodes_.push_back(e);
  return {2 * place->second};
}

ExpressionRef ExpressionGraph::constant(double value) {
  if (value == 0) return zero;
  const ExpressionRef size = find({Operation::constant, {}, {}, std::abs(value)});
  return value < 0 ? -size : size;
}

ExpressionRef ExpressionGraph::input(int number) {
  return find({Operation::input, {}, {}, static_cast<double>(number)});
}

ExpressionRef ExpressionGraph::sum(ExpressionRef a, ExpressionRef b) {
  if (a == zero) return b;
  if (b == zero) return a;
  if (a == -b) return zero;
  if (is_constant(a) && is_constant(b)) return constant(value_of(a) + value_of(b));
  // a + b, a - b and their opposites: a constant or the older operand comes first, with a plus.
  if (is_constant(b) || (!is_constant(a) && a.node() > b.node())) std::swap(a, b);
  const bool minus = a.negative();
  if (minus) a = -a, b = -b;
  const ExpressionRef result = find({Operation::sum, a, b, 0});
  return minus ? -result : result;
}

ExpressionRef ExpressionGraph::product(ExpressionRef a, ExpressionRef b) {
  const bool minus = a.negative() != b.negative();
  if (a.negative()) a = -a;
  if (b.negative()) b = -b;
  const auto with_sign = [minus](ExpressionRef e) { return minus ? -e : e; };
  if (a == zero || b == zero) return zero;
  if (a == one) return with_sign(b);
  if (b == one) return with_sign(a);
  if (is_constant(b)) std::swap(a, b);
  if (is_constant(a)) {
    if (is_constant(b)) return with_sign(constant(value_of(a) * value_of(b)));
    const Expression inner = (*this)[b];
    if (inner.operation == Operation::product && is_constant(inner.a))
      return with_sign(product(constant(value_of(a) * value_of(inner.a)), inner.b));
  } else if (a.node() > b.node()) {
    std::swap(a, b);
  }
  return with_sign(find({Operation::product, a, b, 0}));
}

ExpressionRef ExpressionGraph::quotient(ExpressionRef a, ExpressionRef b) {
  if (a == zero) return zero;
  if (is_constant(b)) {
    if (is_constant(a)) return constant(value_of(a) / value_of(b));
    return product(a, constant(1 / value_of(b)));
  }
  const bool minus = a.negative() != b.negative();
  if (a.negative()) a = -a;
  if (b.negative()) b = -b;
  const ExpressionRef result = find({Operation::quotient, a, b, 0});
  return minus ? -result : result;
}

ExpressionRef ExpressionGraph::square_root(ExpressionRef a) {
  if (is_constant(a)) return constant(std::sqrt(value_of(a)));
  return find({Operation::square_root, a, {}, 0});
}

ExpressionRef ExpressionGraph::sign(ExpressionRef a) {
  if (is_constant(a)) return a == zero ? zero : constant(value_of(a) > 0 ? 1 : -1);
  const ExpressionRef result = find({Operation::sign, a.negative() ? -a : a, {}, 0});
  return a.negative() ? -result : result;
}

void ExpressionGraph::sine_and_cosine(ExpressionRef angle, ExpressionRef& sine,
                                      ExpressionRef& cosine) {
  if (is_constant(angle)) {
    sine = constant(std::sin(value_of(angle)));
    cosine = constant(std::cos(value_of(angle)));
    return;
  }
  if (angle.negative()) {
    sine_and_cosine(-angle, sine, cosine);
    sine = -sine;
    return;
  }
  // Quarter turns only exchange the two.
  const Expression e = (*this)[angle];
  if (e.operation == Operation::sum && is_constant(e.a)) {
    const double quarters = value_of(e.a) / (std::numbers::pi / 2);
    const double whole = std::nearbyint(quarters);
    if (std::abs(quarters - whole) < 1e-15 && std::abs(whole) < 8) {
      sine_and_cosine(e.b, sine, cosine);
      for (int k = 0; k < (static_cast<int>(whole) + 8) % 4; ++k)
        sine = std::exchange(cosine, -sine);
      return;
    }
  }
  sine = find({Operation::sine, angle, {}, 0});
  cosine = find({Operation::cosine, angle, {}, 0});
}

}  // namespace catena
