// In which order the values of a program are computed.
#pragma once

#include <vector>

#include "catena/codegen/program.hpp"

namespace catena {

// The same values in an order in which a processor with two multiply-adders waits little: of what
// could be started, first what most of the rest waits for. Values that are not in the list are
// there from the beginning, sines and cosines a little later.
std::vector<int> scheduled(const Program& program, const std::vector<int>& values);

}  // namespace catena
