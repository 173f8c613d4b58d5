// A scalar that writes down what is done with it: run an algorithm on it, and the expression graph
// holds the computation. Results are expressions of the inputs.
#pragma once

#include "catena/scalar/expression.hpp"

namespace catena {

class Symbolic {
 public:
  Symbolic() = default;  // zero
  Symbolic(double constant);
  Symbolic(int constant) : Symbolic(static_cast<double>(constant)) {}
  explicit Symbolic(ExpressionRef e) : e_(e) {}
  ExpressionRef expression() const { return e_; }

  friend Symbolic operator+(Symbolic a, Symbolic b);
  friend Symbolic operator-(Symbolic a, Symbolic b) { return a + -b; }
  friend Symbolic operator-(Symbolic a) { return Symbolic(-a.e_); }
  friend Symbolic operator*(Symbolic a, Symbolic b);
  friend Symbolic operator/(Symbolic a, Symbolic b);
  Symbolic& operator+=(Symbolic b) { return *this = *this + b; }
  Symbolic& operator-=(Symbolic b) { return *this = *this - b; }
  Symbolic& operator*=(Symbolic b) { return *this = *this * b; }
  friend Symbolic sqrt(Symbolic a);
  friend Symbolic sign(Symbolic a);
  friend void sincos(Symbolic a, Symbolic& s, Symbolic& c);

 private:
  ExpressionRef e_{};
};

// The value of a constant; NaN for anything else.
double to_double(Symbolic a);

// While one of these lives, the symbols of this thread write into its graph.
class Tracing {
 public:
  Tracing();
  ~Tracing();
  Tracing(const Tracing&) = delete;
  Tracing& operator=(const Tracing&) = delete;

  ExpressionGraph& graph() { return graph_; }
  Symbolic input(int number) { return Symbolic(graph_.input(number)); }

 private:
  ExpressionGraph graph_;
  ExpressionGraph* outer_;
};

}  // namespace catena
