// Expressions with names, as a paper prints them: "C1*S2", "l1*sin(crank) + l2*sin(crank + rod)".
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace catena::papers {

using Variables = std::map<std::string, double, std::less<>>;

// Sums, products, powers, sin, cos, sqrt, abs, pi and the given names. A name may have dots and
// digits.
//   throws  std::invalid_argument, saying what is wrong, if the text is no expression or a name is
//           not known
double evaluate_expression(std::string_view text, const Variables& variables);

}  // namespace catena::papers
