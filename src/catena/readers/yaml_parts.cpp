#include "catena/readers/yaml_parts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>

namespace catena::yaml {

const Keys mass_keys{"mass", "com", "inertia", "inertia_about", "inertia_axes"};
const Keys force_keys{"limits",  "stiffness",     "rest",       "viscous", "damping",
                      "coulomb", "rotor_inertia", "gear_ratio", "mimic"};

Keys join(const Keys& a, const Keys& b) {
  Keys both = a;
  both.insert(both.end(), b.begin(), b.end());
  return both;
}

namespace {

// [xx, yy, zz], [xx, yy, zz, xy, xz, yz], {xx: ...} or a symmetric 3x3 matrix
Sym3<double> read_inertia(const Table& table, const Value& value) {
  const auto entry = [&](const Value& v) {
    return table.number_of("inertia", v, dimension::inertia);
  };
  if (value.kind == Value::Kind::table) {
    const Table t(value, table.label() + ", inertia", {"xx", "yy", "zz", "xy", "xz", "yz"});
    const auto diagonal = [&](const char* key) {
      return t.number_of(key, t.need(key, "write xx, yy and zz; xy, xz and yz are 0 if left out"),
                         dimension::inertia);
    };
    const auto product = [&](const char* key) { return t.number(key, dimension::inertia, 0); };
    return {diagonal("xx"), product("xy"), product("xz"),
            diagonal("yy"), product("yz"), diagonal("zz")};
  }
  const bool is_list = value.kind == Value::Kind::list;
  const auto& items = value.items;
  if (is_list && items.size() == 3 && items[0]->kind == Value::Kind::list) {
    const auto rows = table.rows_of("inertia", value, dimension::inertia);
    if (rows[0].y != rows[1].x || rows[0].z != rows[2].x || rows[1].z != rows[2].y) {
      table.fail(value.where(), "'inertia' is not symmetric",
                 "an inertia matrix is; or write six numbers [xx, yy, zz, xy, xz, yz]");
    }
    return {rows[0].x, rows[0].y, rows[0].z, rows[1].y, rows[1].z, rows[2].z};
  }
  if (is_list && items.size() == 3) {
    return {entry(*items[0]), 0, 0, entry(*items[1]), 0, entry(*items[2])};
  }
  if (is_list && items.size() == 6) {
    return {entry(*items[0]), entry(*items[3]), entry(*items[4]),
            entry(*items[1]), entry(*items[5]), entry(*items[2])};
  }
  table.fail(value.where(), "'inertia' needs 3 or 6 numbers, but has " + describe(value),
             "write [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
}

// I about the mass centre, from I about the origin: I - m (c·c 1 - c cᵀ)
Sym3<double> moved_to_com(const Sym3<double>& I, double m, const Vec3<double>& c) {
  return {
      I.xx - m * (c.y * c.y + c.z * c.z), I.xy + m * c.x * c.y, I.xz + m * c.x * c.z,
      I.yy - m * (c.x * c.x + c.z * c.z), I.yz + m * c.y * c.z, I.zz - m * (c.x * c.x + c.y * c.y)};
}

// What the joint's coordinate measures; plain numbers where its coordinates differ.
Dimension coordinate(JointKind kind) {
  switch (kind) {
    case JointKind::revolute:
    case JointKind::screw:
    case JointKind::universal:
    case JointKind::spherical:
      return dimension::angle;
    case JointKind::prismatic:
      return dimension::length;
    default:
      return dimension::number;
  }
}
Dimension effort(JointKind kind) {
  const Dimension q = coordinate(kind);
  if (q == dimension::number) return dimension::number;
  return q == dimension::length ? dimension::force : dimension::torque;
}
// d/q for a quantity d, where it has a meaning
Dimension per(JointKind kind, Dimension d) {
  return coordinate(kind) == dimension::number ? dimension::number : d / coordinate(kind);
}

// A number that no real joint has below zero.
double positive(const Table& table, const std::string& key, Dimension d, double fallback) {
  const double value = table.number(key, d, fallback);
  if (value < 0) {
    table.fail(key, fmt::format("'{}' is negative ({:g})", key, value),
               "write it without the sign");
  }
  return value;
}

void read_limits(const Table& joint_table, const Value& value, Joint& joint) {
  const Table t(value, joint_table.label() + ", limits", {"lower", "upper", "velocity", "effort"});
  const Dimension q = coordinate(joint.kind);
  const Dimension rate = q == dimension::number ? q : q * per_second;
  JointLimits& limits = joint.limits;
  limits.lower = t.number("lower", q, limits.lower);
  limits.upper = t.number("upper", q, limits.upper);
  limits.velocity = positive(t, "velocity", rate, limits.velocity);
  limits.effort = positive(t, "effort", effort(joint.kind), limits.effort);
  if (limits.lower > limits.upper) {
    t.fail("lower",
           fmt::format("'lower' ({:g}) is above 'upper' ({:g})", limits.lower, limits.upper),
           "exchange the two");
  }
}

}  // namespace

void read_mass(const Table& table, Body& body) {
  body.mass = table.number("mass", dimension::mass, 0);
  if (body.mass < 0) {
    table.fail("mass", fmt::format("'mass' is negative ({:g})", body.mass),
               "write a mass above zero, or 0 for a body without mass");
  }
  if (!table.has("mass") && table.has("inertia")) {
    table.fail("inertia", "it has an inertia but no mass",
               "write its mass; mass: 0 if that is what you mean");
  }
  body.com = table.vector("com", dimension::length, {});
  if (const Value* inertia = table.find("inertia")) body.inertia = read_inertia(table, *inertia);
  for (const char* key : {"inertia_about", "inertia_axes"}) {
    if (table.has(key) && !table.has("inertia")) {
      table.fail(key, fmt::format("'{}' is given without 'inertia'", key), "write both or neither");
    }
  }
  if (const Value* axes = table.find("inertia_axes")) {
    const Table t(*axes, table.label() + ", inertia_axes", {"rpy", "quaternion", "rotation"});
    body.inertia = rotate(read_rotation(t), body.inertia);
  }
}

void read_inertia_about(const Table& table, Body& body) {
  const std::string about = table.text("inertia_about", "com");
  if (about == "origin") {
    body.inertia = moved_to_com(body.inertia, body.mass, body.com);
  } else if (about != "com") {
    table.fail("inertia_about", fmt::format("'inertia_about: {}' is not known", printable(about)),
               "write com (the mass centre) or origin (of the body frame)");
  }
}

JointKind read_kind(const Table& table, const std::string& key, const Value& value) {
  const std::string name = table.text_of(key, value);
  static const std::map<std::string, JointKind> aliases{{"continuous", JointKind::revolute},
                                                        {"floating", JointKind::free},
                                                        {"ball", JointKind::spherical}};
  Keys names;
  for (const JointKind kind : joint_kinds()) {
    if (name == to_string(kind)) return kind;
    names.push_back(to_string(kind));
  }
  for (const auto& [alias, kind] : aliases) {
    if (name == alias) return kind;
    names.push_back(alias);
  }
  table.fail(value.where(),
             fmt::format("'{}: {}' is not a kind of joint{}", key, printable(name),
                         did_you_mean(name, names)),
             "the kinds are fixed, revolute, prismatic, screw, cylindrical, universal, planar, "
             "spherical and free");
}

void read_pitch(const Table& table, Joint& joint) {
  const std::string key = table.one_of({"pitch", "lead"});
  if (joint.kind != JointKind::screw) {
    if (key.empty()) return;
    table.fail(
        key,
        fmt::format("'{}' belongs to a screw, but the joint is {}", key, to_string(joint.kind)),
        "write type: screw, or remove it");
  }
  if (key.empty()) {
    table.fail(table.where(), "a screw needs its pitch or its lead",
               "write pitch in m/rad, or lead in m/turn");
  }
  constexpr double turn = 2 * 3.14159265358979323846;
  joint.pitch = key == "pitch" ? table.number(key, dimension::length_per_angle, 0)
                               : table.number(key, dimension::length, 0) / turn;
}

void read_forces(const Table& table, Joint& joint) {
  if (joint.kind == JointKind::fixed) {
    for (const std::string& key : force_keys) {
      if (!table.has(key)) continue;
      table.fail(key, fmt::format("'{}' has no meaning, because a fixed joint does not move", key),
                 "remove it, or give the joint another type");
    }
    return;
  }
  const JointKind kind = joint.kind;
  const Dimension q = coordinate(kind);
  if (const Value* limits = table.find("limits")) read_limits(table, *limits, joint);
  JointDynamics& d = joint.dynamics;
  d.stiffness = positive(table, "stiffness", per(kind, effort(kind)), 0);
  d.rest = table.number("rest", q, 0);
  const std::string viscous = table.one_of({"viscous", "damping"});
  if (!viscous.empty()) {
    const Dimension n = dimension::number;
    d.viscous = positive(table, viscous, q == n ? n : per(kind, effort(kind)) / per_second, 0);
  }
  d.coulomb = positive(table, "coulomb", effort(kind), 0);
  // The rotor turns whatever the joint does; the ratio of a prismatic joint is in rad/m.
  d.rotor_inertia = positive(table, "rotor_inertia", dimension::inertia, 0);
  d.gear_ratio = table.number(
      "gear_ratio",
      q == dimension::length ? dimension::angle / dimension::length : dimension::number, 1);
  if (table.has("rest") && !table.has("stiffness")) {
    table.fail("rest", "'rest' is given without 'stiffness'", "write both for a spring");
  }
  if (const Value* mimic = table.find("mimic")) {
    const Table t(*mimic, table.label() + ", mimic", {"joint", "multiplier", "offset"});
    joint.mimic.emplace();
    joint.mimic->joint = t.text_of("joint", t.need("joint", "name the joint that is followed"));
    joint.mimic->multiplier = t.number("multiplier", dimension::number, 1);
    joint.mimic->offset = t.number("offset", q, 0);
  }
}

}  // namespace catena::yaml
