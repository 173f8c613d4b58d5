// Loops that fit: files of other programs weld frames together that cannot meet.
#pragma once

#include <string>
#include <vector>

#include "catena/model/compile.hpp"

namespace catena {

// Loops that come from a file beside the model's own may say that frames coincide (6d) where the
// lengths do not allow it. If they cannot be closed so, but can be when only the origins meet (3d),
// all of them become spherical; else the model stays as it is.
//   reads   model, valid
//   writes  warnings: one sentence if something was changed
Model with_loops_that_fit(const Model& model, const CompileOptions& options,
                          std::vector<std::string>& warnings);

}  // namespace catena
