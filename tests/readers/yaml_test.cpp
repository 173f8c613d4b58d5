// The native format: DH tables against products of elementary matrices, general models against
// models made in code, files against themselves read back.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include "catena/readers/readers.hpp"

namespace catena {
namespace {

namespace fs = std::filesystem;
using std::string;

constexpr double pi = 3.14159265358979323846;

fs::path repository() { return fs::path(__FILE__).parent_path().parent_path().parent_path(); }

string contents(const fs::path& path) {
  std::ifstream stream(path);
  EXPECT_TRUE(stream) << path;
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<fs::path> model_files() {
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(repository() / "models")) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path());
  }
  return files;
}

Model parse(const string& text) { return parse_yaml(text, "m.yaml"); }

// Oracle: elementary motions, multiplied out.
Pose<double> turn_x(double a) { return {rotation_about({1, 0, 0}, a), {}}; }
Pose<double> turn_z(double a) { return {rotation_about({0, 0, 1}, a), {}}; }
Pose<double> shift(double x, double y, double z) { return {{}, {x, y, z}}; }

Pose<double> motion(const Joint& joint, double q) {
  switch (joint.kind) {
    case JointKind::revolute:
      return {rotation_about(joint.axis, q), {}};
    case JointKind::prismatic:
      return {{}, q * joint.axis};
    case JointKind::screw:
      return {rotation_about(joint.axis, q), (joint.pitch * q) * joint.axis};
    case JointKind::fixed:
      return {};
    default:
      ADD_FAILURE() << "not a joint of these tests";
      return {};
  }
}
Pose<double> step(const Joint& joint, double q) {
  return joint.X_PJ * motion(joint, q) * joint.X_MB;
}

double distance(const Vec3<double>& a, const Vec3<double>& b) {
  const Vec3<double> d = a - b;
  return std::sqrt(dot(d, d));
}
double distance(const Pose<double>& X, const Pose<double>& Y) {
  return distance(X.R.x, Y.R.x) + distance(X.R.y, Y.R.y) + distance(X.R.z, Y.R.z) +
         distance(X.p, Y.p);
}
double distance(const Sym3<double>& a, const Sym3<double>& b) {
  return distance(Vec3<double>{a.xx, a.yy, a.zz}, Vec3<double>{b.xx, b.yy, b.zz}) +
         distance(Vec3<double>{a.xy, a.xz, a.yz}, Vec3<double>{b.xy, b.xz, b.yz});
}

struct Row {
  double a, b, alpha, theta;
  string type;
};
std::vector<Row> random_rows(std::mt19937& random, int n) {
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<Row> rows;
  for (int i = 0; i < n; ++i) {
    rows.push_back({number(random), number(random), 3 * number(random), 3 * number(random),
                    i % 3 == 1   ? "prismatic"
                    : i % 4 == 3 ? "fixed"
                                 : "revolute"});
  }
  return rows;
}
string table(const string& convention, const std::vector<Row>& rows) {
  std::ostringstream text;
  text.precision(17);
  text << "dh:\n  convention: " << convention << "\n  links:\n";
  for (const Row& row : rows) {
    text << "    - {type: " << row.type << ", a: " << row.a << ", b: " << row.b
         << ", alpha: " << row.alpha << ", theta: " << row.theta << "}\n";
  }
  return text.str();
}

TEST(YamlDh, PosesAreTheProductsOfElementaryMotionsInBothConventions) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  for (int trial = 0; trial < 50; ++trial) {
    const std::vector<Row> rows = random_rows(random, 8);
    const Model standard = parse(table("standard", rows));
    const Model modified = parse(table("modified", rows));
    ASSERT_EQ(standard.joints.size(), rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Row& row = rows[i];
      const double q = row.type == "fixed" ? 0 : number(random);
      const double theta = row.theta + (row.type == "revolute" ? q : 0);
      const double b = row.b + (row.type == "prismatic" ? q : 0);
      const Pose<double> distal =
          turn_z(theta) * shift(0, 0, b) * shift(row.a, 0, 0) * turn_x(row.alpha);
      const Pose<double> proximal =
          turn_x(row.alpha) * shift(row.a, 0, 0) * turn_z(theta) * shift(0, 0, b);
      EXPECT_LT(distance(step(standard.joints[i], q), distal), 1e-14);
      EXPECT_LT(distance(step(modified.joints[i], q), proximal), 1e-14);
    }
  }
}

// A standard row's a and alpha are those of the next modified row.
TEST(YamlDh, StandardAndModifiedTablesOfOneArmGiveTheSameAxes) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> number(-1, 1);
  const std::vector<Row> rows = random_rows(random, 7);
  std::vector<Row> shifted = rows;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    shifted[i].a = i == 0 ? 0 : rows[i - 1].a;
    shifted[i].alpha = i == 0 ? 0 : rows[i - 1].alpha;
  }
  const Model standard = parse(table("standard", rows));
  const Model modified = parse(table("modified", shifted));
  Pose<double> X_standard, X_modified;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double q = number(random);
    X_standard = X_standard * step(standard.joints[i], q);
    X_modified = X_modified * step(modified.joints[i], q);
    const Pose<double> end = X_modified * shift(rows[i].a, 0, 0) * turn_x(rows[i].alpha);
    EXPECT_LT(distance(X_standard, end), 1e-13);
  }
}

TEST(YamlDh, QuarterTurnsAreExact) {
  const Model model = parse("dh: {links: [{alpha: -90 deg, theta: pi/2, a: 2}]}");
  const Pose<double>& X = model.joints[0].X_MB;
  EXPECT_EQ(distance(X, {{{0, 1, 0}, {0, 0, -1}, {-1, 0, 0}}, {0, 2, 0}}), 0);
}

TEST(YamlDh, NamesTypesAndBaseHaveDefaults) {
  const Model model = parse("ground: floor\ndh: {links: [{a: 1}, {d: 2, type: prismatic}]}");
  ASSERT_EQ(model.joints.size(), 2u);
  EXPECT_EQ(model.joints[0].name, "joint1");
  EXPECT_EQ(model.joints[0].parent, "floor");
  EXPECT_EQ(model.joints[0].child, "link1");
  EXPECT_EQ(model.joints[0].kind, JointKind::revolute);
  EXPECT_EQ(model.joints[1].parent, "link1");
  EXPECT_EQ(model.joints[1].child, "link2");
  EXPECT_EQ(model.joints[1].X_MB.p.z, 2);
  EXPECT_EQ(model.bodies[1].name, "link2");
  EXPECT_EQ(model.bodies[1].mass, 0);
}

TEST(YamlDh, RIsTheMassCentreSeenTheOtherWay) {
  const Model model = parse(
      "dh:\n  links:\n    - {mass: 1, r: [0.1, -0.2, 0]}\n    - {mass: 1, com: [-0.1, 0.2, 0]}\n");
  EXPECT_EQ(distance(model.bodies[0].com, model.bodies[1].com), 0);
  EXPECT_FALSE(std::signbit(model.bodies[0].com.z));
}

// Oracle: the parallel axis theorem of the spatial inertia.
TEST(YamlDh, InertiaAboutTheOriginIsMovedToTheMassCentre) {
  for (const char* centre : {"com: [0.1, -0.2, 0.3]", "r: [-0.1, 0.2, -0.3]"}) {
    const Model model = parse(string("dh: {links: [{mass: 2, inertia_about: origin, ") + centre +
                              ", inertia: [1, 1.1, 1.2, 0.01, -0.02, 0.03]}]}");
    const Body& body = model.bodies[0];
    const Inertia<double> M = inertia_from_com(body.mass, body.com, body.inertia);
    EXPECT_LT(distance(M.I, {1, 0.01, -0.02, 1.1, 0.03, 1.2}), 1e-15);
    EXPECT_GT(distance(body.inertia, M.I), 0.1);
  }
}

TEST(YamlDh, ChainsStartOnAnyBodyAtAnyPoseAndCarryJoints) {
  const Model model = parse(R"(
bodies: [{name: cart, mass: 1}, {name: tool, mass: 1}]
joints:
  - {name: slide, type: prismatic, parent: world, child: cart, axis: x}
  - {name: mount, type: fixed, parent: hand, child: tool}
dh:
  - {base: cart, origin: {xyz: [1, 2, 3], rpy: [0, 0, 90 deg]}, convention: modified, links: [{name: arm, joint: a, alpha: 90 deg, a: 1}, {name: fore, joint: c, b: 1}]}
  - {base: arm, origin: [0, 0, 2], links: [{name: hand, joint: b, a: 1}]}
)");
  ASSERT_EQ(model.joints.size(), 5u);
  EXPECT_EQ(model.joints[0].parent, "cart");
  EXPECT_LT(distance(model.joints[0].X_PJ,
                     shift(1, 2, 3) * turn_z(pi / 2) * shift(1, 0, 0) * turn_x(pi / 2)),
            1e-15);
  EXPECT_EQ(model.joints[1].parent, "arm");
  EXPECT_EQ(distance(model.joints[1].X_PJ, shift(0, 0, 1)), 0);  // only its own row
  EXPECT_EQ(model.joints[2].parent, "arm");
  EXPECT_EQ(distance(model.joints[2].X_PJ, shift(0, 0, 2)), 0);
  EXPECT_EQ(model.joints[4].parent, "hand");
  EXPECT_NO_THROW(validate(model));
}

TEST(YamlDh, RowsTakeForcesAndScrews) {
  const Model model = parse(
      "dh: {links: [{type: screw, lead: 10 mm, viscous: 0.1, coulomb: 0.2, rotor_inertia: 1e-4, "
      "gear_ratio: 50, stiffness: 3, rest: 90 deg, limits: {upper: 1}}]}");
  const Joint& joint = model.joints[0];
  EXPECT_EQ(joint.kind, JointKind::screw);
  EXPECT_DOUBLE_EQ(joint.pitch, 0.01 / (2 * pi));
  EXPECT_EQ(joint.dynamics.viscous, 0.1);
  EXPECT_EQ(joint.dynamics.coulomb, 0.2);
  EXPECT_EQ(joint.dynamics.rotor_inertia, 1e-4);
  EXPECT_EQ(joint.dynamics.gear_ratio, 50);
  EXPECT_EQ(joint.dynamics.stiffness, 3);
  EXPECT_EQ(joint.dynamics.rest, pi / 2);
  EXPECT_EQ(joint.limits.upper, 1);
  EXPECT_TRUE(std::isinf(joint.limits.lower));
}

TEST(YamlBodies, EveryWayToWriteAnInertiaGivesTheSame) {
  const Model model = parse(R"(
bodies:
  - {name: a, mass: 1, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3]}
  - {name: b, mass: 1, inertia: {xx: 1, yy: 2, zz: 2.5, xy: 0.1, xz: 0.2, yz: 0.3}}
  - {name: c, mass: 1, inertia: [[1, 0.1, 0.2], [0.1, 2, 0.3], [0.2, 0.3, 2.5]]}
)");
  for (const Body& body : model.bodies) {
    EXPECT_EQ(distance(body.inertia, {1, 0.1, 0.2, 2, 0.3, 2.5}), 0) << body.name;
  }
}

TEST(YamlBodies, InertiaAxesTurnTheMoments) {
  const Model model = parse(
      "bodies: [{name: a, mass: 1, inertia: [1, 2, 2.5], inertia_axes: {rpy: [0, 0, 90 deg]}}]");
  EXPECT_EQ(distance(model.bodies[0].inertia, {2, 0, 0, 1, 0, 2.5}), 0);
}

TEST(YamlJoints, AllKindsAndTheirOtherNamesAreRead) {
  for (const JointKind kind : joint_kinds()) {
    string keys = string("type: ") + to_string(kind);
    if (kind != JointKind::fixed && kind != JointKind::spherical && kind != JointKind::free) {
      keys += ", axis: [0, 0.6, 0.8]";
    }
    if (kind == JointKind::universal) keys += ", axis2: -x";
    if (kind == JointKind::screw) keys += ", pitch: 0.2";
    const Model model = parse("joints: [{name: j, parent: a, child: b, " + keys + "}]");
    EXPECT_EQ(model.joints[0].kind, kind);
    EXPECT_EQ(model.joints[0].axis2.x, kind == JointKind::universal ? -1 : 1);
    EXPECT_EQ(model.joints[0].pitch, kind == JointKind::screw ? 0.2 : 0);
  }
  const auto kind_of = [](const string& keys) {
    return parse("joints: [{name: j, parent: a, child: b, " + keys + "}]").joints[0].kind;
  };
  EXPECT_EQ(kind_of("type: continuous, axis: z"), JointKind::revolute);
  EXPECT_EQ(kind_of("type: floating"), JointKind::free);
  EXPECT_EQ(kind_of("type: ball"), JointKind::spherical);
}

TEST(YamlJoints, EveryWayToWriteARotationGivesTheSame) {
  const double s = std::sqrt(0.5);
  std::ostringstream text;
  text.precision(17);
  text << "frames:\n"
       << "  - {name: a, body: b, origin: {rpy: [0, 0, 90 deg]}}\n"
       << "  - {name: b, body: b, origin: {quaternion: [0, 0, " << s << ", " << s << "]}}\n"
       << "  - {name: c, body: b, origin: {rotation: [[0, -1, 0], [1, 0, 0], [0, 0, 1]]}}\n"
       << "  - {name: d, body: b, origin: {quaternion: [0, 0, 0.7071068, 0.7071068]}}\n"
       << "  - {name: e, body: b, origin: {rotation: [[1e-7, -1, 0], [1, 0, 0], [0, 0, "
          "1.0000001]]}}\n";
  const Model model = parse(text.str());
  const Pose<double> expected = turn_z(pi / 2);
  for (const Frame& frame : model.frames) {
    const double tolerance = frame.name == "e" ? 1e-6 : 1e-15;
    EXPECT_LT(distance(frame.X_BF, expected), tolerance) << frame.name;
    // what a person has rounded is made a rotation to the last digit
    EXPECT_LT(distance(Pose<double>{transpose(frame.X_BF.R) * frame.X_BF.R, {}}, {}), 1e-15);
  }
}

TEST(YamlJoints, AxesAreNormalisedAndALongOneIsReported) {
  std::vector<string> warnings;
  const auto axis_of = [&](const string& axis) {
    return parse_yaml(
               "joints:\n  - {name: j, parent: a, child: b, type: revolute, axis: " + axis + "}",
               "m.yaml", &warnings)
        .joints[0]
        .axis;
  };
  EXPECT_EQ(distance(axis_of("[0, 0.6, 0.8]"), {0, 0.6, 0.8}), 0);
  EXPECT_LT(distance(axis_of("[0.5773503, 0.5773503, 0.5773503]"),
                     {std::sqrt(1. / 3), std::sqrt(1. / 3), std::sqrt(1. / 3)}),
            1e-15);
  EXPECT_TRUE(warnings.empty());
  EXPECT_EQ(distance(axis_of("[0, 3, 4]"), {0, 0.6, 0.8}), 0);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_EQ(
      warnings[0],
      "m.yaml:2:58: joint 'j': 'axis' has the length 5; its direction is taken, its length is "
      "not");
}

TEST(YamlJoints, MimicAndLimitsAreRead) {
  const Model model = parse(
      "joints: [{name: j, parent: a, child: b, type: prismatic, axis: x, limits: {lower: -20 mm, "
      "velocity: 1 m/s, effort: 5 N}, mimic: {joint: k, multiplier: -2, offset: 10 mm}}]");
  const Joint& joint = model.joints[0];
  EXPECT_EQ(joint.limits.lower, -0.02);
  EXPECT_EQ(joint.limits.velocity, 1);
  EXPECT_EQ(joint.limits.effort, 5);
  ASSERT_TRUE(joint.mimic);
  EXPECT_EQ(joint.mimic->joint, "k");
  EXPECT_EQ(joint.mimic->multiplier, -2);
  EXPECT_EQ(joint.mimic->offset, 0.01);
}

TEST(Yaml, AnchorsByteOrderMarksAndWindowsLinesWork) {
  const Model model = parse(
      "\xef\xbb\xbfname: a\r\nbodies:\r\n  - {name: b, mass: 1, inertia: &i [1, 1, 1]}\r\n"
      "  - {name: c, mass: 1, inertia: *i}\r\n");
  EXPECT_EQ(model.name, "a");
  EXPECT_EQ(distance(model.bodies[0].inertia, model.bodies[1].inertia), 0);
  EXPECT_EQ(model.bodies[1].where.line, 4);
}

// Read back bit for bit.

void expect_same_bits(double a, double b) {
  EXPECT_EQ(std::bit_cast<std::uint64_t>(a), std::bit_cast<std::uint64_t>(b)) << a << " " << b;
}
void expect_same_bits(const Vec3<double>& a, const Vec3<double>& b) {
  expect_same_bits(a.x, b.x), expect_same_bits(a.y, b.y), expect_same_bits(a.z, b.z);
}
void expect_same_bits(const Pose<double>& a, const Pose<double>& b) {
  expect_same_bits(a.R.x, b.R.x), expect_same_bits(a.R.y, b.R.y), expect_same_bits(a.R.z, b.R.z);
  expect_same_bits(a.p, b.p);
}
void expect_same_bits(const Joint& a, const Joint& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.kind, b.kind);
  EXPECT_EQ(a.parent, b.parent);
  EXPECT_EQ(a.child, b.child);
  expect_same_bits(a.X_PJ, b.X_PJ);
  expect_same_bits(a.X_MB, b.X_MB);
  expect_same_bits(a.axis, b.axis);
  expect_same_bits(a.axis2, b.axis2);
  expect_same_bits(a.pitch, b.pitch);
  expect_same_bits(a.limits.lower, b.limits.lower);
  expect_same_bits(a.limits.upper, b.limits.upper);
  expect_same_bits(a.limits.velocity, b.limits.velocity);
  expect_same_bits(a.limits.effort, b.limits.effort);
  expect_same_bits(a.dynamics.stiffness, b.dynamics.stiffness);
  expect_same_bits(a.dynamics.rest, b.dynamics.rest);
  expect_same_bits(a.dynamics.viscous, b.dynamics.viscous);
  expect_same_bits(a.dynamics.coulomb, b.dynamics.coulomb);
  expect_same_bits(a.dynamics.rotor_inertia, b.dynamics.rotor_inertia);
  expect_same_bits(a.dynamics.gear_ratio, b.dynamics.gear_ratio);
  ASSERT_EQ(a.mimic.has_value(), b.mimic.has_value());
  if (!a.mimic) return;
  EXPECT_EQ(a.mimic->joint, b.mimic->joint);
  expect_same_bits(a.mimic->multiplier, b.mimic->multiplier);
  expect_same_bits(a.mimic->offset, b.mimic->offset);
}
void expect_same_bits(const Model& a, const Model& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.note, b.note);
  EXPECT_EQ(a.ground, b.ground);
  expect_same_bits(a.gravity, b.gravity);
  ASSERT_EQ(a.bodies.size(), b.bodies.size());
  ASSERT_EQ(a.joints.size(), b.joints.size());
  ASSERT_EQ(a.frames.size(), b.frames.size());
  for (std::size_t i = 0; i < a.bodies.size(); ++i) {
    const Body &x = a.bodies[i], &y = b.bodies[i];
    EXPECT_EQ(x.name, y.name);
    expect_same_bits(x.mass, y.mass);
    expect_same_bits(x.com, y.com);
    expect_same_bits(Vec3<double>{x.inertia.xx, x.inertia.yy, x.inertia.zz},
                     {y.inertia.xx, y.inertia.yy, y.inertia.zz});
    expect_same_bits(Vec3<double>{x.inertia.xy, x.inertia.xz, x.inertia.yz},
                     {y.inertia.xy, y.inertia.xz, y.inertia.yz});
  }
  for (std::size_t i = 0; i < a.joints.size(); ++i) expect_same_bits(a.joints[i], b.joints[i]);
  for (std::size_t i = 0; i < a.frames.size(); ++i) {
    EXPECT_EQ(a.frames[i].name, b.frames[i].name);
    EXPECT_EQ(a.frames[i].body, b.frames[i].body);
    expect_same_bits(a.frames[i].X_BF, b.frames[i].X_BF);
  }
}

class RandomModel {
 public:
  explicit RandomModel(unsigned seed) : random_(seed) {}

  Model make() {
    Model model;
    model.name = "random model: #1";
    model.note = "first line\n  second \"line\"\n\nlast";
    model.ground = "floor 1";
    model.gravity = vector();
    for (const JointKind kind : joint_kinds()) {
      Body body;
      body.name = string("b ") + to_string(kind);
      body.mass = std::abs(number());
      body.com = vector();
      body.inertia = {number(), number(), 0, number(), -0.0, number()};
      model.joints.push_back(
          joint(kind, model.bodies.empty() ? model.ground : model.bodies.back().name, body.name));
      model.bodies.push_back(body);
      model.frames.push_back({string("f: ") + to_string(kind), body.name, pose(), {}});
    }
    return model;
  }

 private:
  double number() { return std::uniform_real_distribution<double>(-2, 2)(random_); }
  Vec3<double> vector() { return {number(), number(), number()}; }
  Vec3<double> unit() {
    const Vec3<double> v = vector();
    return (1 / std::sqrt(dot(v, v))) * v;
  }
  // Products of rotations, as they come out of a computation: no angles give them back exactly.
  Pose<double> pose() {
    return {rotation_about(unit(), number()) * rotation_about(unit(), number()), vector()};
  }
  Joint joint(JointKind kind, const string& parent, const string& child) {
    Joint j;
    j.name = string("j-") + to_string(kind);
    j.kind = kind;
    j.parent = parent, j.child = child;
    j.X_PJ = pose(), j.X_MB = pose();
    if (kind == JointKind::fixed) return j;
    j.limits = {-std::abs(number()), std::abs(number()), std::abs(number()), std::abs(number())};
    j.dynamics = {std::abs(number()), number(),           std::abs(number()),
                  std::abs(number()), std::abs(number()), number()};
    j.mimic = Mimic{"j-fixed", number(), number()};
    if (kind == JointKind::spherical || kind == JointKind::free) return j;
    j.axis = unit();
    if (kind == JointKind::universal) j.axis2 = unit();
    if (kind == JointKind::screw) j.pitch = number();
    return j;
  }

  std::mt19937 random_;
};

TEST(YamlWriter, RandomModelsReadBackBitForBit) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    const Model model = RandomModel(seed).make();
    const string text = to_yaml(model);
    expect_same_bits(model, parse(text));
    if (HasFailure()) FAIL() << "seed " << seed << "\n" << text;
  }
}

TEST(YamlWriter, ModelsOfTheRepositoryReadBackBitForBit) {
  for (const fs::path& file : model_files()) {
    SCOPED_TRACE(file.filename().string());
    const Model model = read_model(file.string());
    expect_same_bits(model, parse(to_yaml(model)));
    EXPECT_EQ(to_yaml(model), to_yaml(parse(to_yaml(model))));
  }
}

TEST(YamlWriter, AnyTextReadsBack) {
  for (const char* note : {"plain",
                           "two words",
                           "a: b",
                           "# no comment",
                           "- dash",
                           "null",
                           "~",
                           "yes",
                           " blank before",
                           "blank after ",
                           "line\n",
                           "line\nline",
                           "line\nline\n",
                           "line\n\n",
                           "\nline",
                           "line \nline",
                           "tab\tin",
                           "line\n  in\n\n\nout\n",
                           "quote ' and \" and \\",
                           "[list]",
                           "{map}",
                           "%x",
                           "@x",
                           "`x",
                           "*x",
                           "&x",
                           "!x",
                           "|",
                           ">",
                           "bell\a",
                           "\xc3\xa9t\xc3\xa9",
                           "a\r\nb",
                           "1.5",
                           "---\nb"}) {
    Model model;
    model.note = model.name = note;
    const Model back = parse(to_yaml(model));
    EXPECT_EQ(back.note, note);
    EXPECT_EQ(back.name, note);
  }
}

TEST(YamlWriter, AnglesStayReadable) {
  const Model model = parse("frames: [{name: f, body: b, origin: {rpy: [90 deg, 0, 30 deg]}}]");
  EXPECT_NE(to_yaml(model).find("rpy: [90 deg, 0, 30 deg]"), string::npos) << to_yaml(model);
}

// The documents and the models.

TEST(ModelFormatDocument, EveryExampleReadsAndValidates) {
  std::istringstream document(contents(repository() / "docs" / "model-format.md"));
  int examples = 0;
  string text;
  bool inside = false;
  for (string line; std::getline(document, line);) {
    if (!inside) {
      inside = line == "```yaml";
      text.clear();
    } else if (line != "```") {
      text += line + "\n";
    } else {
      inside = false;
      if (!text.starts_with("name:")) continue;
      ++examples;
      std::vector<string> warnings;
      try {
        warnings = validate(parse_yaml(text, "example", &warnings));
      } catch (const InputError& error) {
        ADD_FAILURE() << error.what() << "\n" << text;
      }
      EXPECT_TRUE(warnings.empty()) << warnings[0];
    }
  }
  EXPECT_GE(examples, 7);
}

TEST(Models, AllReadWithoutWarningsAndHaveANote) {
  EXPECT_GE(model_files().size(), 10u);
  for (const fs::path& file : model_files()) {
    std::vector<string> warnings;
    const Model model = read_model(file.string(), {}, &warnings);
    EXPECT_EQ(model.name, file.stem().string());
    EXPECT_FALSE(model.note.empty()) << file;
    EXPECT_TRUE(warnings.empty()) << warnings[0];
  }
}

// Oracle: positions of the mass centres, by hand from the papers' tables.
TEST(Models, PapersMachinesStandWhereTheirTablesSay) {
  const auto read = [](const string& name) {
    return read_model((repository() / "models" / (name + ".yaml")).string());
  };
  const auto centre = [](const Model& model, std::size_t link, std::vector<double> q) {
    Pose<double> X;
    for (std::size_t i = 0; i <= link; ++i) X = X * step(model.joints[i], q[i]);
    return X * model.bodies[link].com;
  };
  const Model puma = read("puma");
  EXPECT_LT(distance(centre(puma, 1, {0, 0}), {0.432 - 0.292, 0.149, 0}), 1e-15);
  // z of frame 3 points to +y of the base, of frame 4 (after -90 deg about x) to -z
  EXPECT_LT(distance(centre(puma, 2, {0, 0, 0}), {0.432, 0.149, -0.197}), 1e-15);

  const Model arm = read("planar-3r");
  EXPECT_LT(distance(centre(arm, 2, {pi / 2, -pi / 2, 0}), {0.25 + 0.11, 0.3, 0}), 1e-15);
  EXPECT_DOUBLE_EQ(arm.bodies[2].inertia.zz, 0.3 * 0.22 * 0.22 / 12);

  const Model two = read("two-body");
  EXPECT_LT(distance(centre(two, 1, {0, 0}), {1.02, 0, 0}), 1e-15);
  EXPECT_DOUBLE_EQ(two.bodies[1].inertia.zz, 10 * (4 + 0.0004) / 12);

  const Model old = read("stanford-1999"), late = read("stanford");
  const std::vector<double> start{0, pi / 2, 0.3, 0, 0, 0};
  // z of frame 2 is y of the base; at q2 = 90 deg the boom, z of frame 3, is -x of the base
  EXPECT_LT(distance(centre(old, 2, start), {-0.3, 0.1, 0.2}), 1e-15);
  EXPECT_LT(distance(centre(late, 2, start), {-0.3, 0.1, 0.1}), 1e-15);
  EXPECT_LT(distance(centre(late, 5, start), {-(0.3 + 0.6 - 0.2), 0.1, 0.1}), 1e-15);
}

}  // namespace
}  // namespace catena
