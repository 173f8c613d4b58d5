// The C that computes sines and cosines, for one state and for lanes.
#pragma once

#include <string>

#include "catena/codegen/emit_c.hpp"

namespace catena {

// How many angles the arrays have room for: whole vectors.
int angle_room(int angles, const EmitOptions& options, bool lanes);

// NAME_sincos(x, s, c, n) for one state.
std::string sincos_source(const EmitOptions& options);

// Vector type, loads and stores, and what of sine and cosine, sign and root is needed for lanes.
std::string lanes_source(const EmitOptions& options, bool angles, bool sign, bool root);

}  // namespace catena
