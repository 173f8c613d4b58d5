// Expression graph: what a computation is made of, every expression once.
//
// Zeros, ones, signs and constants are folded while the graph is built; a sum or product that was
// met before is found again, also with the other sign.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace catena {

enum class Operation : std::uint8_t {
  constant,
  input,
  sum,
  product,
  quotient,
  square_root,
  sign,
  sine,
  cosine
};

// A node of the graph with a sign: a minus costs nothing and hides nothing from sharing.
struct ExpressionRef {
  std::int32_t code = 0;  // twice the node, plus one for a minus

  int node() const { return code >> 1; }
  bool negative() const { return (code & 1) != 0; }
  ExpressionRef operator-() const { return {code ^ 1}; }
  friend bool operator==(ExpressionRef, ExpressionRef) = default;
};

struct Expression {
  Operation operation = Operation::constant;
  ExpressionRef a{}, b{};  // operands
  double value = 0;        // of a constant, never negative; an input's number
};

class ExpressionGraph {
 public:
  ExpressionGraph();

  ExpressionRef constant(double value);
  ExpressionRef input(int number);
  ExpressionRef sum(ExpressionRef a, ExpressionRef b);
  ExpressionRef product(ExpressionRef a, ExpressionRef b);
  ExpressionRef quotient(ExpressionRef a, ExpressionRef b);
  ExpressionRef square_root(ExpressionRef a);
  ExpressionRef sign(ExpressionRef a);
  void sine_and_cosine(ExpressionRef angle, ExpressionRef& sine, ExpressionRef& cosine);

  const std::vector<Expression>& nodes() const { return nodes_; }
  const Expression& operator[](ExpressionRef e) const {
    return nodes_[static_cast<std::size_t>(e.node())];
  }
  bool is_constant(ExpressionRef e) const { return (*this)[e].operation == Operation::constant; }
  double value_of(ExpressionRef constant) const {
    return constant.negative() ? -(*this)[constant].value : (*this)[constant].value;
  }

 private:
  ExpressionRef find(const Expression& e);
  struct Hash {
    std::size_t operator()(const Expression& e) const;
  };
  struct Same {
    bool operator()(const Expression& x, const Expression& y) const;
  };
  std::vector<Expression> nodes_;
  std::unordered_map<Expression, int, Hash, Same> known_;
};

}  // namespace catena
