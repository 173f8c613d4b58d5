#pragma once

#include "arrays.hpp"

namespace catena::python {

void bind_spacelib(nb::module_& module);

}  // namespace catena::python
