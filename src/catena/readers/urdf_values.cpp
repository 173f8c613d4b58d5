#include "catena/readers/urdf_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>

#include "catena/model/model.hpp"

namespace catena {
namespace {

constexpr const char* blanks = " \t\r\n\v\f";

bool contains(std::initializer_list<const char*> names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<std::string_view> split(std::string_view text, const char* separators) {
  std::vector<std::string_view> words;
  for (std::size_t at = text.find_first_not_of(separators); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    words.push_back(text.substr(at, end - at));
    at = text.find_first_not_of(separators, end);
  }
  return words;
}

// The same in every locale: "+1.", ".5", "1e-3", "inf".
std::optional<double> to_number(std::string_view word) {
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (end != word.data() + word.size()) return {};
  if (error == std::errc::result_out_of_range) {
    const bool tiny = word.find("e-") != word.npos || word.find("E-") != word.npos;
    return tiny ? 0.0 : (word[0] == '-' ? -HUGE_VAL : HUGE_VAL);
  }
  if (error != std::errc()) return {};
  return value;
}

// "0, 0, 1": a comma may stand between numbers, but only if one stands between all of them.
std::string without_separating_commas(const std::string& text, std::size_t count) {
  const auto commas = static_cast<std::size_t>(std::count(text.begin(), text.end(), ','));
  if (commas == 0 || commas + 1 != count || split(text, ",").size() != count) return text;
  std::string spaced = text;
  std::replace(spaced.begin(), spaced.end(), ',', ' ');
  return spaced;
}

// Messages quote what a file says; a file may say a lot.
std::string excerpt(const std::string& text) {
  constexpr std::size_t longest = 60;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

}  // namespace

bool is_identity(const Mat3<double>& R) {
  const auto is = [](const Vec3<double>& v, double x, double y, double z) {
    return v.x == x && v.y == y && v.z == z;
  };
  return is(R.x, 1, 0, 0) && is(R.y, 0, 1, 0) && is(R.z, 0, 0, 1);
}

void UrdfPart::fail(const Where& where, const std::string& problem,
                    const std::string& remedy) const {
  throw InputError(where, subject_ + ": " + problem, remedy);
}

void UrdfPart::warn(const Where& where, const std::string& sentence) const {
  if (warnings_) warnings_->push_back(to_string(where) + ": " + subject_ + ": " + sentence);
}

const UrdfPart::Element* UrdfPart::child(const Element& parent, const char* name) const {
  const Element* first = parent.FirstChildElement(name);
  if (const Element* second = first ? first->NextSiblingElement(name) : nullptr) {
    warn(where(*second), fmt::format("a second <{}> is ignored", name));
  }
  return first;
}

void UrdfPart::check_children(const Element& parent,
                              std::initializer_list<const char*> known) const {
  for (const Element* e = parent.FirstChildElement(); e; e = e->NextSiblingElement()) {
    const std::string name = e->Name();
    if (name.rfind("xacro:", 0) == 0) {
      fail(where(*e), fmt::format("<{}> has not been expanded", name),
           "run xacro first: xacro robot.urdf.xacro > robot.urdf");
    }
    if (contains(known, name)) continue;
    std::vector<std::string> missing;
    for (const char* k : known) {
      if (!parent.FirstChildElement(k)) missing.emplace_back(k);
    }
    const std::string hint = did_you_mean(name, missing);
    if (hint.empty()) continue;
    fail(where(*e), fmt::format("unknown element <{}>{}", name, hint),
         "correct the spelling, or remove the element");
  }
}

void UrdfPart::check_attributes(const Element& element,
                                std::initializer_list<const char*> known) const {
  std::vector<std::string> missing;
  for (const char* k : known) {
    if (!element.Attribute(k)) missing.emplace_back(k);
  }
  for (const auto* a = element.FirstAttribute(); a; a = a->Next()) {
    if (contains(known, a->Name())) continue;
    const std::string hint = did_you_mean(a->Name(), missing);
    if (hint.empty()) continue;
    fail(xml_.where(element, a->Name()),
         fmt::format("<{}> has no attribute '{}'{}", element.Name(), a->Name(), hint),
         "correct the spelling, or remove the attribute");
  }
}

void UrdfPart::allow_only(const Element& element, std::initializer_list<const char*> known) const {
  for (const auto* a = element.FirstAttribute(); a; a = a->Next()) {
    if (contains(known, a->Name())) continue;
    fail(xml_.where(element, a->Name()),
         fmt::format("<{}> has no attribute '{}'{}", element.Name(), a->Name(),
                     did_you_mean(a->Name(), {known.begin(), known.end()})),
         fmt::format("here it can have: {}", fmt::join(known, ", ")));
  }
}

void UrdfPart::require(const Element& element, const char* attribute) const {
  if (element.Attribute(attribute)) return;
  fail(where(element), fmt::format("<{}> has no {}", element.Name(), attribute),
       fmt::format("write <{} {}=\"...\">", element.Name(), attribute));
}

void UrdfPart::check_no_macro(const Element& element, const char* attribute,
                              const std::string& value) const {
  if (value.find("${") == value.npos && value.find("$(") == value.npos) return;
  fail(xml_.where(element, attribute),
       fmt::format("{}=\"{}\" has not been expanded", attribute, excerpt(value)),
       "run xacro first: xacro robot.urdf.xacro > robot.urdf");
}

std::string UrdfPart::text(const Element& element, const char* attribute) const {
  require(element, attribute);
  const std::string value = element.Attribute(attribute);
  check_no_macro(element, attribute, value);
  return value;
}

std::vector<double> UrdfPart::numbers(const Element& element, const char* attribute,
                                      std::size_t count) const {
  const std::string value = text(element, attribute);
  const auto refuse = [&](const std::string& why, const std::string& remedy) {
    fail(xml_.where(element, attribute),
         fmt::format("{}=\"{}\" in <{}> {}", attribute, excerpt(value), element.Name(), why),
         remedy);
  };
  const std::string spaced = without_separating_commas(value, count);
  std::vector<double> result;
  for (const std::string_view word : split(spaced, blanks)) {
    const std::optional<double> number = to_number(word);
    if (!number) {
      refuse(count == 1
                 ? "is not a number"
                 : fmt::format("has '{}', which is not a number", excerpt(std::string(word))),
             "write numbers such as 0.5 or -1e-3, with a point and without units");
    }
    result.push_back(*number);
  }
  if (result.size() != count) {
    refuse(fmt::format("has {} number{}, but needs {}", result.size(),
                       result.size() == 1 ? "" : "s", count),
           count == 1 ? "write one number"
                      : fmt::format("write {} numbers with blanks between", count));
  }
  return result;
}

double UrdfPart::number(const Element& element, const char* attribute) const {
  const double value = numbers(element, attribute, 1)[0];
  if (!std::isfinite(value)) {
    fail(xml_.where(element, attribute),
         fmt::format("{}=\"{}\" in <{}> is not finite", attribute, element.Attribute(attribute),
                     element.Name()),
         "write a finite number");
  }
  return value;
}

double UrdfPart::number(const Element& element, const char* attribute, double fallback) const {
  return element.Attribute(attribute) ? number(element, attribute) : fallback;
}

// Programs without infinity write a huge number; so does our writer (1e308).
std::optional<double> UrdfPart::limit(const Element& element, const char* attribute) const {
  if (!element.Attribute(attribute)) return {};
  const double value = numbers(element, attribute, 1)[0];
  if (std::isnan(value)) {
    fail(xml_.where(element, attribute),
         fmt::format("{}=\"{}\" in <{}> is not a number", attribute, element.Attribute(attribute),
                     element.Name()),
         "write a number, or remove the attribute");
  }
  return std::abs(value) < 1e308 ? value : std::copysign(HUGE_VAL, value);
}

Vec3<double> UrdfPart::triple(const Element& element, const char* attribute,
                              const Vec3<double>& fallback) const {
  if (!element.Attribute(attribute)) return fallback;
  const std::vector<double> v = numbers(element, attribute, 3);
  if (!std::isfinite(v[0]) || !std::isfinite(v[1]) || !std::isfinite(v[2])) {
    fail(xml_.where(element, attribute),
         fmt::format("{}=\"{}\" in <{}> is not finite", attribute, element.Attribute(attribute),
                     element.Name()),
         "write three finite numbers");
  }
  return {v[0], v[1], v[2]};
}

Pose<double> UrdfPart::pose(const Element* origin) const {
  if (!origin) return {};
  return {rotation(*origin), triple(*origin, "xyz", {})};
}

Mat3<double> UrdfPart::rotation(const Element& origin) const {
  if (!origin.Attribute("quat_xyzw")) {
    const Vec3<double> rpy = triple(origin, "rpy", {});
    return rotation_from_rpy(rpy.x, rpy.y, rpy.z);
  }
  if (origin.Attribute("rpy")) {
    fail(where(origin), fmt::format("<{}> has both rpy and quat_xyzw", origin.Name()), "keep one");
  }
  const std::vector<double> q = numbers(origin, "quat_xyzw", 4);
  const double norm = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  if (!(std::abs(norm - 1) < 1e-3)) {
    fail(xml_.where(origin, "quat_xyzw"),
         fmt::format("quat_xyzw=\"{}\" in <{}> has length {:.6g}, but a rotation has length 1",
                     origin.Attribute("quat_xyzw"), origin.Name(), norm),
         "divide it by its length; the order is x y z w");
  }
  return rotation_from_quaternion(q[0] / norm, q[1] / norm, q[2] / norm, q[3] / norm);
}

std::vector<double> UrdfPart::list(const Element& element, const char* attribute) const {
  const std::string value = text(element, attribute);
  std::vector<double> result;
  for (std::string_view word : split(value, blanks)) {
    const std::optional<double> number = to_number(word);
    if (!number || !std::isfinite(*number)) {
      fail(xml_.where(element, attribute),
           fmt::format("{}=\"{}\" is not a list of numbers", attribute, excerpt(value)),
           "write numbers with blanks between them");
    }
    result.push_back(*number);
  }
  return result;
}

JointKind UrdfPart::joint_kind(const Element& element, const char* attribute) const {
  struct NamedKind {
    const char* name;
    JointKind kind;
  };
  // URDF's own types first, then Catena's names for the kinds that URDF lacks.
  static constexpr NamedKind types[] = {
      {"revolute", JointKind::revolute},   {"continuous", JointKind::revolute},
      {"prismatic", JointKind::prismatic}, {"fixed", JointKind::fixed},
      {"floating", JointKind::free},       {"planar", JointKind::planar},
      {"screw", JointKind::screw},         {"cylindrical", JointKind::cylindrical},
      {"universal", JointKind::universal}, {"spherical", JointKind::spherical},
      {"ball", JointKind::spherical},      {"free", JointKind::free}};
  const std::string type = text(element, attribute);
  std::vector<std::string> names;
  for (const NamedKind& known : types) {
    if (type == known.name) return known.kind;
    names.emplace_back(known.name);
  }
  fail(xml_.where(element, attribute),
       fmt::format("unknown joint type '{}'{}", type, did_you_mean(type, names)),
       fmt::format("write one of {}", fmt::join(names, ", ")));
}

Vec3<double> UrdfPart::direction(const Element& element, const char* attribute, const char* kind,
                                 const Vec3<double>& fallback) const {
  const Vec3<double> v = triple(element, attribute, fallback);
  const double length = std::hypot(v.x, v.y, v.z);
  const std::string name = std::string(attribute) == "xyz" ? "axis" : attribute;
  if (length == 0) {
    fail(where(element), fmt::format("{} is (0 0 0), but a {} joint needs a direction", name, kind),
         fmt::format("write e.g. {}=\"0 0 1\", or type=\"fixed\" if the joint does not move",
                     attribute));
  }
  if (std::abs(length - 1) > 1e-3) {
    warn(where(element),
         fmt::format("{} ({} {} {}) has length {:.6g}; it is taken as a direction of length 1",
                     name, v.x, v.y, v.z, length));
  }
  if (std::abs(length - 1) < 5e-16) return v;  // as good as it gets: keep every bit
  return {v.x / length, v.y / length, v.z / length};
}

}  // namespace catena
