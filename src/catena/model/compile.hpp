// Compile: from what people write to what algorithms eat.
#pragma once

#include "catena/model/mechanism.hpp"

namespace catena {

struct CompileOptions {
  bool keep_fixed = false;        // fixed joints stay joints, so that they have reactions
  bool allow_unphysical = false;  // inertias that no real body can have are let through
};

// Sorts bodies, merges fixed joints (they stay as named frames), splits joints into primitives and
// chooses body frames so that every primitive joint acts along z.
//   throws  InputError as validate() does
Mechanism<double> compile(const Model& model, const CompileOptions& options = {});

}  // namespace catena
