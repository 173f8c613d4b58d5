// Generated code: one function of one machine as standalone C.
#pragma once

#include <string>
#include <vector>

#include "catena/codegen/functions.hpp"
#include "catena/model/compile.hpp"

namespace catena {

struct GeneratedOptions {
  std::string name{};  // of the C function; "": made of the model's, the function's and the frame's
  bool simd = false;   // also NAME_simd, for many states in lanes
  bool libm = false;   // sine and cosine of the C library instead of the file's own
  bool single_precision = false;  // float
  std::string include{};          // the header's name, if the source is to include it
  bool test_main = false;         // a main() that compares with numbers of the library
};

struct GeneratedCode {
  std::string name;
  std::string source, header;  // the header is there in any case
  ProgramCost cost;
  std::vector<ProgramArray> inputs;
  ProgramArray output;
  bool simd = false, single_precision = false;
};

// C for one function of one machine: straight-line code with the constants folded in, traced
// through the library's own algorithms on base parameters. No state beyond the arrays, no
// allocation.
//   reads   m
//   throws  InputError as traced_program() does, and for a name that is none in C
GeneratedCode generate(const Mechanism<double>& m, const GeneratedRequest& request,
                       const GeneratedOptions& options = {});

// The same for any model, also with closed loops (closed_functions.hpp).
GeneratedCode generate(const Model& model, const GeneratedRequest& request,
                       const GeneratedOptions& options = {},
                       const CompileOptions& compile_options = {});

}  // namespace catena
