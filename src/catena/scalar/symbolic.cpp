#include "catena/scalar/symbolic.hpp"

#include <cassert>
#include <limits>

namespace catena {
namespace {

thread_local ExpressionGraph* tracing_graph = nullptr;

ExpressionGraph& graph() {
  assert(tracing_graph != nullptr);  // symbols need a Tracing to write to
  return *tracing_graph;
}

}  // namespace

Tracing::Tracing() : outer_(tracing_graph) { tracing_graph = &graph_; }
Tracing::~Tracing() { tracing_graph = outer_; }

// Zero and one are the same nodes in every graph.
Symbolic::Symbolic(double constant) {
  if (constant == 1)
    e_ = {2};
  else if (constant != 0)
    e_ = graph().constant(constant);
}

Symbolic operator+(Symbolic a, Symbolic b) { return Symbolic(graph().sum(a.e_, b.e_)); }
Symbolic operator*(Symbolic a, Symbolic b) { return Symbolic(graph().product(a.e_, b.e_)); }
Symbolic operator/(Symbolic a, Symbolic b) { return Symbolic(graph().quotient(a.e_, b.e_)); }
Symbolic sqrt(Symbolic a) { return Symbolic(graph().square_root(a.e_)); }
Symbolic sign(Symbolic a) { return Symbolic(graph().sign(a.e_)); }
void sincos(Symbolic a, Symbolic& s, Symbolic& c) { graph().sine_and_cosine(a.e_, s.e_, c.e_); }

double to_double(Symbolic a) {
  if (!graph().is_constant(a.expression())) return std::numeric_limits<double>::quiet_NaN();
  return graph().value_of(a.expression());
}

}  // namespace catena
