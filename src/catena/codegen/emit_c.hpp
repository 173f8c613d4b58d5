// C from a program.
#pragma once

#include <string>
#include <vector>

#include "catena/codegen/program.hpp"

namespace catena {

struct EmitOptions {
  std::string name;                  // of the function
  bool simd = false;                 // also NAME_simd, for many states in lanes (GCC, clang)
  bool libm = false;                 // sine and cosine of the C library, not the file's own
  bool single_precision = false;     // float
  std::string include{};             // the header that declares the functions, or "": none
  std::string title{};               // what it computes, for the comment at the top
  std::vector<std::string> notes{};  // lines that follow it
};

// The whole file: comment, sine and cosine, the function.
std::string c_source(const Program& program, const EmitOptions& options);
std::string c_header(const Program& program, const EmitOptions& options);

// A program of its own that runs the function on states and compares it with what it should be;
// appended to the source. Relative to the largest number of each result.
struct ReferenceState {
  std::vector<double> inputs, results;
};
std::string c_test_main(const Program& program, const EmitOptions& options,
                        const std::vector<ReferenceState>& states, double tolerance);

}  // namespace catena
