// Base parameters: the combinations of masses, inertias and friction that motions and forces can
// tell apart. Only they can be identified, and they are all that dynamics needs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "catena/formulations/regressor.hpp"
#include "catena/model/compile.hpp"

namespace catena {

// A column plus multiples of the columns that depend on it: p[column] + sum of factor * p[other].
struct BaseParameter {
  struct Part {
    int column;
    double factor;
  };
  int column;
  std::vector<Part> parts;
};

struct BaseParameters {
  std::vector<Parameter> all;
  std::vector<BaseParameter> base;
  std::vector<int> without_effect;  // columns that are zero in every state
  double condition = 0;             // of the base columns, each brought to unit length
  // How clear it was: the smallest share of a base column that the others do not explain, and the
  // largest of a column that they do.
  double smallest_kept = 1, largest_dropped = 0;
};

// By Gram and Schmidt over the regressors of random states, from the base to the tips: what a
// body's parameter adds to those of the bodies below it stays, everything else is gathered there
// [after Gautier 1991]. In closed mechanisms only motions that the loops allow count.
//   reads   model (with loops or without), its options, seed of the states
//   throws  InputError as compile() does; NumericalError if no state can be found that closes the
//           loops
BaseParameters base_parameters(const Model& model, const CompileOptions& options = {},
                               std::uint64_t seed = 1);

// The values of the base parameters for given values of all.
std::vector<double> base_values(const BaseParameters& b, const std::vector<double>& values);

// "Ixx.link2 - Iyy.link2 + 0.1866 m.link3"
std::string describe(const BaseParameters& b, const BaseParameter& p);

}  // namespace catena
