// What derivatives of trees and of closed chains share.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "robot.hpp"

namespace catena::python {

// out=None, or one array for each of `count` results.
class Outs {
 public:
  Outs(nb::handle out, std::size_t count) {
    if (out.is_none()) return;
    if (!nb::isinstance<nb::tuple>(out) && !nb::isinstance<nb::list>(out))
      throw nb::type_error(("out must be a tuple of " + std::to_string(count) + " arrays").c_str());
    if (nb::len(out) != count)
      throw SizeError("out has " + std::to_string(nb::len(out)) + " arrays, but there are " +
                      std::to_string(count) + " results");
    for (std::size_t k = 0; k < count; ++k) arrays_.push_back(nb::borrow(nb::object(out[k])));
  }
  nb::handle operator[](std::size_t k) const {
    return arrays_.empty() ? nb::handle(Py_None) : nb::handle(arrays_[k]);
  }

 private:
  std::vector<nb::object> arrays_;
};

inline bool held_in_world(const std::string& hold) {
  if (hold != "frame" && hold != "world")
    throw InputError({}, "hold is 'frame' or 'world', not '" + hold + "'");
  return hold == "world";
}

void bind_closed_derivatives(nb::class_<Robot>& robot);  // closed_derivatives.cpp

}  // namespace catena::python
