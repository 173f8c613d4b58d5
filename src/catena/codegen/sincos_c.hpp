// The C that computes sines and cosines, for one state and for lanes.
#pragma once

#include <string>

#include "catena/codegen/emit_c.hpp"

namespace catena {

// NAME_sincos4(x0, x1, x2, x3, s, c): sines and cosines of four angles of one state.
std::string sincos_source(const EmitOptions& options);

// Vector type, loads and stores, and what of sine and cosine, sign and root is needed for lanes.
std::string lanes_source(const EmitOptions& options, bool angles, bool sign, bool root);

}  // namespace catena
