// The text of the error that an action ends in.
#pragma once

#include <functional>
#include <string>

#include "catena/support/error.hpp"

namespace catena {

inline std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const InputError& error) {
    return error.what();
  }
  return "(no error)";
}

}  // namespace catena
