// What the papers say their algorithms cost, for general chains of n revolute joints.
#pragma once

#include <span>
#include <string_view>

namespace catena {

// What is computed; `solve` is forward dynamics once the bias forces are known, which is how the
// papers count most of their forward dynamics.
enum class Question { inverse, bias, inertia, solve, forward };
std::string_view title_of(Question question);
std::string_view name_of(Question question);

struct PaperCount {
  Question question;
  std::string_view algorithm;
  std::string_view source;    // the paper and its table
  double multiplications[4];  // of n³, n², n, 1
  double additions[4];
  std::string_view multiplications_text, additions_text;
};

double evaluate(const double (&polynomial)[4], int n);
std::span<const PaperCount> paper_counts();

}  // namespace catena
