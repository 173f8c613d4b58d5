// The checks of validate() that look at one part of a model at a time. Not part of the API.
#pragma once

#include <string>
#include <vector>

#include "catena/model/model.hpp"

namespace catena::detail {

// Numbers in messages: six significant digits, no trailing zeros.
std::string short_number(double value);
std::string short_vector(const Vec3<double>& v);

// Each throws InputError; warnings are appended with their place.
void check_body(const Body& body, bool allow_unphysical, std::vector<std::string>& warnings);
void check_joint(const Joint& joint);
void check_pose(const Pose<double>& X, const Where& where, const std::string& subject,
                const std::string& what);

}  // namespace catena::detail
