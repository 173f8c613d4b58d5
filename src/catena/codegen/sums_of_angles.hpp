// Trigonometric identities: cos a cos b - sin a sin b = cos (a + b), and its three relatives.
#pragma once

#include "catena/codegen/program.hpp"

namespace catena {

// Replaces such pairs of terms, whatever else they are multiplied with, by the sine or cosine of a
// sum or difference: what joints with parallel axes do together. Each new angle costs its sine and
// cosine, so that the result is not always the better program.
//   returns  whether there was one
bool use_sums_of_angles(Program& program);

}  // namespace catena
