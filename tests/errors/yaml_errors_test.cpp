// Bad model files: every message as text, with its place and its remedy.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "catena/readers/readers.hpp"

namespace catena {
namespace {

std::string error_of(const std::string& text) {
  try {
    parse_yaml(text, "m.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "(no error)";
}

// A model with one joint, one body or one DH row that is to be wrong; always in the same place.
std::string joint(const std::string& keys) {
  return "bodies:\n  - {name: rod, mass: 1}\njoints:\n  - name: hinge\n    parent: world\n"
         "    child: rod\n" +
         keys;
}
std::string body(const std::string& keys) { return "bodies:\n  - name: rod\n" + keys; }
std::string row(const std::string& keys) { return "dh:\n  links:\n    - name: upper\n" + keys; }

constexpr const char* top_keys =
    "\n    the keys here are: name, note, gravity, ground, dh, bodies, joints, frames, loops, "
    "actuators, driven, springs, start";
constexpr const char* not_yaml =
    "\n    look for an unclosed bracket or quote, a wrong indentation or a tab before here";
constexpr const char* write_number = "\n    write e.g. 0.5, -90 deg, pi/2 or 30 mm";
constexpr const char* finite = "\n    write a finite number, or leave the key out for its default";
constexpr const char* known_units =
    "\n    known are rad, deg, turn, rpm, m, cm, mm, kg, g, s, ms, N, Nm and the constant pi";
constexpr const char* too_deep =
    "values are nested more than 64 deep\n"
    "    a model needs 6 levels; look for a bracket that is never closed";
constexpr const char* remove_one = "\n    remove one of the two";

using std::string;

TEST(YamlErrors, AFileWithoutContentSaysSo) {
  const string remedy = "\n    write a model; docs/model-format.md begins with a small one";
  EXPECT_EQ(error_of(""), "m.yaml: the file is empty" + remedy);
  EXPECT_EQ(error_of(" \n\r\n"), "m.yaml: the file is empty" + remedy);
  EXPECT_EQ(error_of("# only this\n"), "m.yaml: the file has no content besides comments" + remedy);
  EXPECT_EQ(error_of("---\n"), "m.yaml: the file has no content besides comments" + remedy);
}

TEST(YamlErrors, BinaryIsRefused) {
  const string remedy = "\n    give a model written as UTF-8 text";
  EXPECT_EQ(error_of(string("name: a\nnote: \0b\n", 17)),
            "m.yaml:2: the file is not text: it has a zero byte here" + remedy);
  EXPECT_EQ(error_of(string("\x7f"
                            "ELF\0\1",
                            6)),
            "m.yaml:1: the file is not text: it has a zero byte here" + remedy);
}

TEST(YamlErrors, ATruncatedFileSaysWhatIsOpen) {
  EXPECT_EQ(error_of("bodies:\n  - {name: rod,\n"),
            string("m.yaml:3:1: this is not valid YAML: end of map flow not found") + not_yaml);
  EXPECT_EQ(
      error_of("bodies:\n  - name: rod\n    com: [0, 0\n"),
      string("m.yaml:4:1: this is not valid YAML: end of sequence flow not found") + not_yaml);
  EXPECT_EQ(error_of("name: a\nground: \"wor\n"),
            "m.yaml:2:9: the text that begins here has no closing quote\n"
            "    close the quote; is the end of the file missing?");
  EXPECT_EQ(error_of("name: a\nground: 'it''s \n"),
            "m.yaml:2:9: the text that begins here has no closing quote\n"
            "    close the quote; is the end of the file missing?");
  EXPECT_EQ(error_of(body("    mass:")),
            "m.yaml:3:5: body 'rod': 'mass' needs a number, but has nothing\n"
            "    write e.g. mass: 0.5");
  EXPECT_EQ(error_of(joint("    type:\n")),
            "m.yaml:7:5: joint 'hinge': 'type' needs a text, but has nothing\n"
            "    write a word or a text after 'type:'");
}

TEST(YamlErrors, WhatIsNotYamlSaysWhere) {
  EXPECT_EQ(error_of("name: a\ndh:\n\tlinks: []\n"),
            string("m.yaml:3:7: this is not valid YAML: illegal map value") + not_yaml);
  EXPECT_EQ(error_of("name: a: b\n"),
            string("m.yaml:1:8: this is not valid YAML: illegal map value") + not_yaml);
  EXPECT_EQ(error_of("bodies: *rod\n"),
            string("m.yaml:1:9: this is not valid YAML: the referenced anchor is not defined") +
                not_yaml);
  EXPECT_EQ(error_of("name: a\n---\nname: b\n"),
            "m.yaml:2:1: a second document begins here, but a model is one document\n"
            "    remove the line '---', or put the second model into its own file");
  EXPECT_EQ(error_of("? [a, b]\n: 1\n"),
            "m.yaml:1:3: a key must be a word, not a list of 2\n    write 'key: value'");
}

TEST(YamlErrors, DeepNestingEndsBeforeTheStackDoes) {
  const auto repeated = [](const string& text) {
    string all;
    for (int i = 0; i < 100000; ++i) all += text;
    return all;
  };
  const auto is_too_deep = [](const string& message) {
    return message.starts_with("m.yaml:1:") && message.ends_with(too_deep);
  };
  for (const char* piece : {"[", "{a: ", "- ", "? ", "[a, "}) {
    EXPECT_TRUE(is_too_deep(error_of(repeated(piece)))) << piece;
  }
}

TEST(YamlErrors, AliasesCannotMakeCyclesChainsOrBombs) {
  EXPECT_EQ(error_of("bodies: &a [*a]\n"),
            "m.yaml:1:13: this alias stands inside the value that it repeats\n"
            "    write the value out instead of the alias");
  string chain = "- &a0 [x]\n", bomb = "- &a0 [x, x]\n";
  for (int i = 0; i < 10000; ++i) {
    const string here = std::to_string(i), next = std::to_string(i + 1);
    chain += "- &a" + next + " [*a" + here + "]\n";
    if (i < 40) bomb += "- &a" + next + " [*a" + here + ", *a" + here + "]\n";
  }
  EXPECT_EQ(error_of(chain), string("m.yaml:64:3: ") + too_deep);
  EXPECT_EQ(error_of("bodies:\n" + bomb),
            "m.yaml:2:3: body number 1: here is a list of 2, but a table of keys is needed\n"
            "    write 'key: value' lines with some of: name, mass, com, inertia, inertia_about, "
            "inertia_axes");
}

TEST(YamlErrors, EndlessListsAreRefused) {
  string list = "name: [";
  for (int i = 0; i < 1000000; ++i) list += "1,";
  EXPECT_EQ(error_of(list + "1]"),
            "m.yaml:1:2000002: the file has more than 1000000 values\n"
            "    is this the file you meant?");
}

TEST(YamlErrors, UnknownKeysComeWithASuggestion) {
  EXPECT_EQ(error_of("gravty: [0, 0, 0]\n"),
            string("m.yaml:1:1: unknown key 'gravty' (did you mean 'gravity'?)") + top_keys);
  EXPECT_EQ(error_of("name: a\nwheels: 4\n"),
            string("m.yaml:2:1: unknown key 'wheels'") + top_keys);
  EXPECT_EQ(error_of(body("    mas: 2\n")),
            "m.yaml:3:5: body 'rod': unknown key 'mas' (did you mean 'mass'?)\n"
            "    the keys here are: name, mass, com, inertia, inertia_about, inertia_axes");
  EXPECT_EQ(error_of(joint("    type: free\n    origin: {xzy: [0, 0, 0]}\n")),
            "m.yaml:8:14: joint 'hinge', origin: unknown key 'xzy' (did you mean 'xyz'?)\n"
            "    the keys here are: xyz, rpy, quaternion, rotation");
  EXPECT_TRUE(error_of(row("      aplha: 3\n"))
                  .starts_with("m.yaml:4:7: link 'upper': unknown key 'aplha' (did you mean "
                               "'alpha'?)\n    the keys here are: name, joint, type, a, b, d, "));
}

TEST(YamlErrors, RepeatedKeysAreRefused) {
  EXPECT_EQ(error_of("name: a\nname: b\n"),
            string("m.yaml:2:1: key 'name' is given twice, first in line 1") + remove_one);
  EXPECT_EQ(error_of(body("    mass: 1\n    mass: 2\n")),
            string("m.yaml:4:5: key 'mass' is given twice, first in line 3") + remove_one);
}

TEST(YamlErrors, TwoWaysToSayOneThingAreRefused) {
  EXPECT_EQ(error_of(row("      b: 1\n      d: 1\n")),
            string("m.yaml:5:10: link 'upper': 'b' and 'd' say the same thing twice") + remove_one);
  EXPECT_EQ(
      error_of(row("      com: [0, 0, 0]\n      r: [0, 0, 0]\n")),
      string("m.yaml:5:10: link 'upper': 'com' and 'r' say the same thing twice") + remove_one);
  EXPECT_EQ(error_of(joint("    type: screw\n    axis: z\n    pitch: 1\n    lead: 1\n")),
            string("m.yaml:10:11: joint 'hinge': 'pitch' and 'lead' say the same thing twice") +
                remove_one);
  EXPECT_EQ(error_of(joint("    type: free\n    viscous: 1\n    damping: 1\n")),
            string("m.yaml:9:14: joint 'hinge': 'viscous' and 'damping' say the same thing twice") +
                remove_one);
  EXPECT_EQ(
      error_of(joint("    type: free\n    origin: {rpy: [0, 0, 0], quaternion: [0, 0, 0, 1]}\n")),
      string("m.yaml:8:42: joint 'hinge', origin: 'rpy' and 'quaternion' say the same thing "
             "twice") +
          remove_one);
}

TEST(YamlErrors, MissingKeysAreNamed) {
  EXPECT_EQ(error_of("bodies:\n  - {mass: 1}\n"),
            "m.yaml:2:5: body number 1: the key 'name' is missing\n    give the body a name");
  EXPECT_EQ(error_of(joint("    axis: z\n")),
            "m.yaml:4:5: joint 'hinge': the key 'type' is missing\n    write e.g. type: revolute");
  EXPECT_EQ(error_of(joint("    type: revolute\n")),
            "m.yaml:4:5: joint 'hinge': the key 'axis' is missing\n"
            "    write e.g. axis: [0, 0, 1], or axis: z");
  EXPECT_EQ(error_of(joint("    type: universal\n    axis: x\n")),
            "m.yaml:4:5: joint 'hinge': the key 'axis2' is missing\n"
            "    write e.g. axis2: [0, 0, 1], or axis2: z");
  EXPECT_EQ(error_of(joint("    type: screw\n    axis: x\n")),
            "m.yaml:4:5: joint 'hinge': a screw needs its pitch or its lead\n"
            "    write pitch in m/rad, or lead in m/turn");
  EXPECT_EQ(error_of("joints:\n  - {name: h, type: free, child: rod}\n"),
            "m.yaml:2:5: joint 'h': the key 'parent' is missing\n"
            "    name the body that carries the joint");
  EXPECT_EQ(error_of(joint("    type: free\n    mimic: {multiplier: 2}\n")),
            "m.yaml:8:12: joint 'hinge', mimic: the key 'joint' is missing\n"
            "    name the joint that is followed");
  EXPECT_EQ(error_of("frames:\n  - {name: tip}\n"),
            "m.yaml:2:5: frame 'tip': the key 'body' is missing\n"
            "    name the body that carries the frame");
  EXPECT_EQ(error_of("dh: {convention: modified}\n"),
            "m.yaml:1:5: dh: the key 'links' is missing\n"
            "    write the rows of the table as a list under 'links:'");
}

TEST(YamlErrors, WrongTypesAreNamed) {
  EXPECT_EQ(error_of("just words\n"),
            "m.yaml:1:1: here is the text 'just words', but a table of keys is needed\n"
            "    write 'key: value' lines with some of: name, note, gravity, ground, dh, bodies, "
            "joints, frames, loops, "
            "actuators, driven, springs, start");
  EXPECT_EQ(error_of("bodies: rod\n"),
            "m.yaml:1:9: 'bodies' needs a list, but has the text 'rod'\n"
            "    begin each item with '- ', or write [item, item]");
  EXPECT_EQ(error_of("bodies: {name: rod}\n"),
            "m.yaml:1:9: 'bodies' needs a list, but has a table of keys\n"
            "    begin each item with '- ', or write [item, item]");
  EXPECT_EQ(error_of("gravity: -9.81\n"),
            "m.yaml:1:10: 'gravity' needs a list of three numbers, but has the text '-9.81'\n"
            "    write gravity: [x, y, z]");
  EXPECT_EQ(error_of("name: [a]\n"),
            "m.yaml:1:7: 'name' needs a text, but has a list of 1\n"
            "    write a word or a text after 'name:'");
  EXPECT_EQ(error_of(body("    mass: [1]\n")),
            "m.yaml:3:11: body 'rod': 'mass' needs a number, but has a list of 1\n"
            "    write e.g. mass: 0.5");
  EXPECT_EQ(error_of(joint("    type: free\n    mimic: other\n")),
            "m.yaml:8:12: joint 'hinge', mimic: here is the text 'other', but a table of keys is "
            "needed\n    write 'key: value' lines with some of: joint, multiplier, offset");
}

TEST(YamlErrors, NumbersMustBeFinite) {
  for (const char* value : {".nan", "nan", ".NaN", ".inf", "-inf", "inf"}) {
    EXPECT_EQ(
        error_of(body(string("    mass: ") + value + "\n")),
        string("m.yaml:3:11: body 'rod': 'mass: ") + value + "' is not a finite number" + finite);
  }
  EXPECT_EQ(error_of(body("    mass: 1e999\n")),
            "m.yaml:3:11: body 'rod': 'mass: 1e999' is outside the range of numbers\n"
            "    write a number between 1e-308 and 1e308");
  EXPECT_EQ(error_of(body("    mass: 1e300*1e300\n")),
            "m.yaml:3:11: body 'rod': 'mass: 1e300*1e300' is not a finite number\n"
            "    write e.g. 2 kg, 200 g, or a number in kg");
}

TEST(YamlErrors, NumbersMustBeNumbers) {
  const auto mass = [](const string& value) {
    const string message = error_of(body("    mass: " + value + "\n"));
    const string begin = "m.yaml:3:11: body 'rod': 'mass: ";
    EXPECT_TRUE(message.starts_with(begin)) << message;
    return message.substr(begin.size());
  };
  EXPECT_EQ(mass("heavy"), string("heavy' is not a number") + write_number);
  EXPECT_EQ(mass("1.2.3"), string("1.2.3' is not a number") + write_number);
  EXPECT_EQ(mass("3)"), string("3)' is not a number") + write_number);
  EXPECT_EQ(mass("3 +"), string("3 +' is not complete") + write_number);
  EXPECT_EQ(mass("''"), string("' is not complete") + write_number);
  EXPECT_EQ(mass("1,5"), "1,5' has a comma\n    write a decimal point: 0.5");
  EXPECT_EQ(mass("(3"), "(3' has a bracket that is not closed\n    write ')'");
  EXPECT_EQ(mass("1/0"), "1/0' divides by zero\n    write the number out");
  EXPECT_EQ(mass("2^0.5"),
            "2^0.5' has a power that is no integer from 0 to 9\n    write e.g. mm^2");
  EXPECT_EQ(mass("3 lb"), string("3 lb' has the unknown unit 'lb'") + known_units);
  EXPECT_EQ(mass("3 kgs"),
            string("3 kgs' has the unknown unit 'kgs' (did you mean 'kg'?)") + known_units);
  EXPECT_EQ(mass(string(100000, '(')),
            string(60, '(') + "...' has too many brackets\n    write the number out");
}

TEST(YamlErrors, UnitsMustFitTheQuantity) {
  const string length = "\n    write e.g. 0.1 m, 100 mm, or a number in m";
  const string angle = "\n    write e.g. 90 deg, pi/2, or a number in rad";
  EXPECT_EQ(
      error_of(row("      alpha: 30 mm\n")),
      "m.yaml:4:14: link 'upper': 'alpha: 30 mm' is a length, but an angle belongs here" + angle);
  EXPECT_EQ(
      error_of(row("      a: 90 deg\n")),
      "m.yaml:4:10: link 'upper': 'a: 90 deg' is an angle, but a length belongs here" + length);
  EXPECT_EQ(error_of(row("      b: 3 kg*m\n")),
            "m.yaml:4:10: link 'upper': 'b: 3 kg*m' is a quantity in kg*m, but a length belongs "
            "here" +
                length);
  EXPECT_EQ(error_of(body("    mass: 3 kg + 2 m\n")),
            "m.yaml:3:11: body 'rod': 'mass: 3 kg + 2 m' adds a mass and a length\n"
            "    give both the same unit");
  EXPECT_EQ(error_of(joint("    type: revolute\n    axis: z\n    stiffness: 3 N/m\n")),
            "m.yaml:9:16: joint 'hinge': 'stiffness: 3 N/m' is a linear stiffness, but an angular "
            "stiffness belongs here\n    write e.g. 10 Nm/rad, or a number in N m/rad");
  EXPECT_EQ(error_of(joint("    type: screw\n    axis: z\n    lead: 5 mm/turn\n")),
            "m.yaml:9:11: joint 'hinge': 'lead: 5 mm/turn' is a length per angle, but a length "
            "belongs here" +
                length);
  EXPECT_EQ(
      error_of(joint("    type: planar\n    axis: z\n    limits: {lower: 1 m}\n")),
      "m.yaml:9:21: joint 'hinge', limits: 'lower: 1 m' is a length, but a plain number belongs "
      "here\n    write e.g. 0.5");
}

TEST(YamlErrors, MassesAndInertiasMustMakeSense) {
  EXPECT_EQ(error_of(body("    mass: -1\n")),
            "m.yaml:3:11: body 'rod': 'mass' is negative (-1)\n"
            "    write a mass above zero, or 0 for a body without mass");
  EXPECT_EQ(error_of(body("    inertia: [1, 1, 1]\n")),
            "m.yaml:3:14: body 'rod': it has an inertia but no mass\n"
            "    write its mass; mass: 0 if that is what you mean");
  EXPECT_EQ(error_of(body("    mass: 1\n    inertia: [1, 2]\n")),
            "m.yaml:4:14: body 'rod': 'inertia' needs 3 or 6 numbers, but has a list of 2\n"
            "    write [xx, yy, zz] or [xx, yy, zz, xy, xz, yz]");
  EXPECT_EQ(error_of(body("    mass: 1\n    inertia: [[1, 2, 3], [2, 4, 5], [3, 6, 7]]\n")),
            "m.yaml:4:14: body 'rod': 'inertia' is not symmetric\n"
            "    an inertia matrix is; or write six numbers [xx, yy, zz, xy, xz, yz]");
  EXPECT_EQ(error_of(body("    mass: 1\n    inertia: {xx: 1}\n")),
            "m.yaml:4:14: body 'rod', inertia: the key 'yy' is missing\n"
            "    write xx, yy and zz; xy, xz and yz are 0 if left out");
  EXPECT_EQ(error_of(body("    mass: 1\n    inertia_about: com\n")),
            "m.yaml:4:20: body 'rod': 'inertia_about' is given without 'inertia'\n"
            "    write both or neither");
  EXPECT_EQ(error_of(body("    mass: 1\n    inertia: [1, 1, 1]\n    inertia_about: middle\n")),
            "m.yaml:5:20: body 'rod': 'inertia_about: middle' is not known\n"
            "    write com (the mass centre) or origin (of the body frame)");
}

TEST(YamlErrors, JointsMustBeOfAKnownKind) {
  const string kinds =
      "\n    the kinds are fixed, revolute, prismatic, screw, cylindrical, universal, planar, "
      "spherical and free";
  EXPECT_EQ(error_of(joint("    type: revolut\n")),
            "m.yaml:7:11: joint 'hinge': 'type: revolut' is not a kind of joint (did you mean "
            "'revolute'?)" +
                kinds);
  EXPECT_EQ(error_of(joint("    type: rubber\n")),
            "m.yaml:7:11: joint 'hinge': 'type: rubber' is not a kind of joint" + kinds);
  EXPECT_EQ(error_of(row("      type: ball\n")),
            "m.yaml:4:13: link 'upper': a spherical joint cannot stand in a DH table: it does not "
            "move along or about one z axis\n"
            "    describe this body and joint under bodies and joints");
  EXPECT_EQ(error_of("dh: {convention: craig, links: []}\n"),
            "m.yaml:1:18: dh: 'convention: craig' is not known\n"
            "    write standard (joint i along z of frame i-1) or modified (along z of frame i)");
}

TEST(YamlErrors, AxesMustBeDirections) {
  EXPECT_EQ(error_of(joint("    type: revolute\n    axis: [0, 0, 0]\n")),
            "m.yaml:8:11: joint 'hinge': 'axis' is (0 0 0), which is no direction\n"
            "    write e.g. axis: [0, 0, 1], or type: fixed if the joint does not move");
  EXPECT_EQ(
      error_of(joint("    type: revolute\n    axis: [0, 1]\n")),
      "m.yaml:8:11: joint 'hinge': 'axis' needs a list of three numbers, but has a list of 2\n"
      "    write axis: [x, y, z]");
  EXPECT_EQ(error_of(joint("    type: revolute\n    axis: up\n")),
            "m.yaml:8:11: joint 'hinge': 'axis' needs a list of three numbers, but has the text "
            "'up'\n    write axis: [x, y, z]");
}

TEST(YamlErrors, KeysOfAnotherKindOfJointAreRefused) {
  EXPECT_EQ(error_of(joint("    type: fixed\n    axis: z\n")),
            "m.yaml:8:11: joint 'hinge': a fixed joint has no 'axis'\n    remove it");
  EXPECT_EQ(error_of(joint("    type: revolute\n    axis: z\n    axis2: x\n")),
            "m.yaml:9:12: joint 'hinge': a revolute joint has no 'axis2'\n    remove it");
  EXPECT_EQ(error_of(joint("    type: revolute\n    axis: z\n    pitch: 0.1\n")),
            "m.yaml:9:12: joint 'hinge': 'pitch' belongs to a screw, but the joint is revolute\n"
            "    write type: screw, or remove it");
  EXPECT_EQ(
      error_of(joint("    type: fixed\n    stiffness: 1\n")),
      "m.yaml:8:16: joint 'hinge': 'stiffness' has no meaning, because a fixed joint does not "
      "move\n    remove it, or give the joint another type");
}

TEST(YamlErrors, RotationsMustBeRotations) {
  const auto origin = [](const string& rotation) {
    return error_of(joint("    type: free\n    origin: {" + rotation + "}\n"));
  };
  EXPECT_EQ(origin("quaternion: [0, 0, 1, 1]"),
            "m.yaml:8:26: joint 'hinge', origin: 'quaternion' has the norm 1.41421, but a rotation "
            "needs 1\n    write a unit quaternion x y z w, e.g. [0, 0, 0.707106781, 0.707106781]");
  EXPECT_EQ(origin("quaternion: [0, 0, 0, 0]"),
            "m.yaml:8:26: joint 'hinge', origin: 'quaternion' has the norm 0, but a rotation needs "
            "1\n    write a unit quaternion x y z w");
  EXPECT_EQ(
      origin("quaternion: [0, 0, 1]"),
      "m.yaml:8:26: joint 'hinge', origin: 'quaternion' needs four numbers x y z w, but has 3\n"
      "    write e.g. quaternion: [0, 0, 0, 1] for no rotation");
  EXPECT_EQ(origin("rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1.1]]"),
            "m.yaml:8:24: joint 'hinge', origin: 'rotation' is not a rotation: its rows are off by "
            "0.21 from unit length and right angles\n"
            "    write more digits, or use rpy or quaternion");
  EXPECT_EQ(
      origin("rotation: [[1, 0, 0], [0, 1, 0], [0, 0, -1]]"),
      "m.yaml:8:24: joint 'hinge', origin: 'rotation' is a reflection: its determinant is -1\n"
      "    rows are the x, y, z components; change the sign of one column");
  EXPECT_EQ(origin("rotation: [[1, 0, 0], [0, 1, 0]]"),
            "m.yaml:8:24: joint 'hinge', origin: 'rotation' needs three rows, but has 2\n"
            "    write e.g. rotation: [[1, 0, 0], [0, 1, 0], [0, 0, 1]]");
}

TEST(YamlErrors, ForcesAndLimitsMustMakeSense) {
  const auto with = [](const string& keys) {
    return error_of(joint("    type: revolute\n    axis: z\n    " + keys + "\n"));
  };
  EXPECT_EQ(with("limits: {lower: 1, upper: -1}"),
            "m.yaml:9:21: joint 'hinge', limits: 'lower' (1) is above 'upper' (-1)\n"
            "    exchange the two");
  EXPECT_EQ(with("limits: {effort: -1}"),
            "m.yaml:9:22: joint 'hinge', limits: 'effort' is negative (-1)\n"
            "    write it without the sign");
  EXPECT_EQ(
      with("viscous: -1"),
      "m.yaml:9:14: joint 'hinge': 'viscous' is negative (-1)\n    write it without the sign");
  EXPECT_EQ(with("rest: 1"),
            "m.yaml:9:11: joint 'hinge': 'rest' is given without 'stiffness'\n"
            "    write both for a spring");
}

TEST(YamlErrors, MessagesShowNoRawBytes) {
  EXPECT_EQ(error_of("na\xffme\x01\xe2\x82\xac: 1\n"),
            string("m.yaml:1:1: unknown key 'na?me \xe2\x82\xac'") + top_keys);
}

// Files, not text.

class ModelFile : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() /
              ("catena_" + string(test->name()) + std::to_string(getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  string path(const string& name) const { return (folder_ / name).string(); }
  string write(const string& name, const string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }
  // The message without the folder.
  string error_of_file(const string& name) const {
    try {
      read_model(path(name));
    } catch (const InputError& error) {
      const string message = error.what(), begin = folder_.string() + "/";
      EXPECT_TRUE(message.starts_with(begin)) << message;
      return message.substr(begin.size());
    }
    return "(no error)";
  }

 private:
  std::filesystem::path folder_;
};

TEST_F(ModelFile, MissingFilesComeWithASuggestion) {
  const string remedy = "\n    check the path; it is taken from the current directory";
  EXPECT_EQ(error_of_file("arm.yaml"), "arm.yaml: there is no such file" + remedy);
  write("arm.yaml", "name: a\n");
  EXPECT_EQ(error_of_file("amr.yaml"),
            "amr.yaml: there is no such file (did you mean 'arm.yaml'?)" + remedy);
  EXPECT_EQ(error_of_file("arm"), "arm: there is no such file (did you mean 'arm.yaml'?)" + remedy);
  EXPECT_EQ(error_of_file("no/arm.yaml"), "no/arm.yaml: there is no such file" + remedy);
}

TEST_F(ModelFile, DirectoriesAreRefused) {
  std::filesystem::create_directory(path("arm.yaml"));
  EXPECT_EQ(error_of_file("arm.yaml"),
            "arm.yaml: this is a directory, but a model file is needed\n"
            "    name a file in it that ends in .yaml or .urdf");
}

TEST_F(ModelFile, UnknownEndingsAreRefused) {
  write("arm.txt", "name: a\n");
  write("arm", "name: a\n");
  const string remedy =
      "\n    use .yaml or .yml for the native format, .urdf or .xml for URDF, .spacelib for "
      "SPACELIB's robot data";
  EXPECT_EQ(error_of_file("arm.txt"),
            "arm.txt: '.txt' is not the ending of a model format" + remedy);
  EXPECT_EQ(error_of_file("arm"), "arm: the file name has no ending" + remedy);
}

TEST_F(ModelFile, HugeEmptyAndBinaryFilesAreRefusedForEveryFormat) {
  for (const string ending : {".yaml", ".urdf", ".spacelib"}) {
    write("huge" + ending, "name: a\n");
    std::filesystem::resize_file(path("huge" + ending), 100'000'000);  // sparse: takes no space
    EXPECT_EQ(error_of_file("huge" + ending),
              "huge" + ending +
                  ": the file is larger than 64 MB\n"
                  "    a model file is text of a few kilobytes; is this the file you meant?");
    write("empty" + ending, "");
    EXPECT_EQ(error_of_file("empty" + ending),
              "empty" + ending +
                  ": the file is empty\n"
                  "    write a model; docs/model-format.md begins with a small one");
    write("binary" + ending, string("<a>\n\0\1\2", 7));
    EXPECT_EQ(error_of_file("binary" + ending),
              "binary" + ending +
                  ":2: the file is not text: it has a zero byte here\n"
                  "    give a model written as UTF-8 text");
  }
}

TEST_F(ModelFile, IsValidatedAndSaysWhere) {
  write("arm.yaml",
        "bodies:\n  - {name: rod, mass: 1}\n  - {name: rod, mass: 2}\n"
        "joints:\n  - {name: j, type: free, parent: world, child: rod}\n");
  EXPECT_TRUE(error_of_file("arm.yaml").starts_with("arm.yaml:3:5: two bodies are called 'rod'\n"));
}

}  // namespace
}  // namespace catena
