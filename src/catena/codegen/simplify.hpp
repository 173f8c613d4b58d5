// Fewer operations for the same results.
#pragma once

#include <span>

#include "catena/codegen/program.hpp"
#include "catena/scalar/expression.hpp"

namespace catena {

// Appends what `results` depend on to a program without values, one value per expression.
void add_expressions(Program& program, const ExpressionGraph& graph,
                     std::span<const ExpressionRef> results);

// Sums and products are flattened, like terms combined, sums and products that occur several times
// computed once, and common factors taken out, in turns, as long as operations are saved. Values
// that no result needs are removed.
void simplify(Program& program);

}  // namespace catena
