// The values in URDF elements: names, numbers, triples, poses; and what looks like a typing
// mistake.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "catena/model/model.hpp"
#include "catena/readers/xml_document.hpp"
#include "catena/spatial/spatial.hpp"

namespace catena {

// To the last bit.
bool is_identity(const Mat3<double>& R);

// A link, joint or robot that is being read: whose values they are, for messages.
class UrdfPart {
 public:
  using Element = tinyxml2::XMLElement;

  // `subject` begins every message, e.g. "joint 'elbow'".
  UrdfPart(const XmlDocument& xml, std::vector<std::string>* warnings, std::string subject)
      : xml_(xml), warnings_(warnings), subject_(std::move(subject)) {}

  [[noreturn]] void fail(const Where& where, const std::string& problem,
                         const std::string& remedy) const;
  void warn(const Where& where, const std::string& sentence) const;
  Where where(const Element& element) const { return xml_.where(element); }

  // The child element of that name or nullptr; further ones of the same name are warned of.
  const Element* child(const Element& parent, const char* name) const;

  // Throws if a child element (an attribute) is unknown and near in spelling to a known one that
  // is not there, or a macro of xacro. Other unknown ones are other programs' business.
  void check_children(const Element& parent, std::initializer_list<const char*> known) const;
  void check_attributes(const Element& element, std::initializer_list<const char*> known) const;
  // Throws if an attribute is unknown: for <catena>, which is ours.
  void allow_only(const Element& element, std::initializer_list<const char*> known) const;

  // Attributes. Without a fallback the attribute has to be there. Only limits may be infinite.
  std::string text(const Element& element, const char* attribute) const;
  double number(const Element& element, const char* attribute) const;
  double number(const Element& element, const char* attribute, double fallback) const;
  std::optional<double> limit(const Element& element, const char* attribute) const;
  Vec3<double> triple(const Element& element, const char* attribute,
                      const Vec3<double>& fallback) const;
  // xyz with rpy or quat_xyzw, each zero when missing; the identity for a missing element.
  Pose<double> pose(const Element* origin) const;
  // A list of any length, separated by blanks.
  std::vector<double> list(const Element& element, const char* attribute) const;
  // URDF's name of a type, or Catena's for the kinds that URDF lacks.
  JointKind joint_kind(const Element& element, const char* attribute) const;
  // A unit vector for a joint of the kind; lengths that rounding explains pass in silence.
  Vec3<double> direction(const Element& element, const char* attribute, const char* kind,
                         const Vec3<double>& fallback) const;

 private:
  std::vector<double> numbers(const Element& element, const char* attribute,
                              std::size_t count) const;
  void require(const Element& element, const char* attribute) const;
  void check_no_macro(const Element& element, const char* attribute,
                      const std::string& value) const;
  Mat3<double> rotation(const Element& origin) const;

  const XmlDocument& xml_;
  std::vector<std::string>* warnings_;
  std::string subject_;
};

}  // namespace catena
