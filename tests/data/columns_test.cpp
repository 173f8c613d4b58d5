// Columns of data files and the vectors of a mechanism.
#include "catena/data/columns.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "catena/model/compile.hpp"
#include "catena/readers/readers.hpp"

namespace catena {
namespace {

// A joint of every kind, one that is fixed and one that follows another.
const Mechanism<double>& zoo() {
  static const auto m = compile(read_model(CATENA_SOURCE_DIR "/models/joint-zoo.yaml"));
  return m;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ",") + name;
  return text;
}

TEST(Columns, AreNamedAfterTheJoints) {
  EXPECT_EQ(joined(position_names(zoo())),
            "free.0,free.1,free.2,free.3,free.4,free.5,free.6,revolute,prismatic,screw,"
            "cylindrical.0,cylindrical.1,universal.0,universal.1,planar.0,planar.1,planar.2,"
            "spherical.0,spherical.1,spherical.2,spherical.3");
  EXPECT_EQ(joined(velocity_names(zoo())),
            "free.0,free.1,free.2,free.3,free.4,free.5,revolute,prismatic,screw,"
            "cylindrical.0,cylindrical.1,universal.0,universal.1,planar.0,planar.1,planar.2,"
            "spherical.0,spherical.1,spherical.2");
  EXPECT_EQ(joined(with_prefix("qd", {"a", "b.0"})), "qd.a,qd.b.0");
}

TEST(Columns, KnowWhatTheyMeasure) {
  const auto q = position_dimensions(zoo()), v = velocity_dimensions(zoo());
  ASSERT_EQ(q.size(), static_cast<std::size_t>(zoo().nq));
  ASSERT_EQ(v.size(), static_cast<std::size_t>(zoo().nv));
  using namespace dimension;
  EXPECT_EQ(q[0], length);  // free: position first,
  EXPECT_EQ(q[3], number);  // then a quaternion;
  EXPECT_EQ(v[0], angle);   // but a twist has its angular part first
  EXPECT_EQ(v[3], length);
  EXPECT_EQ(q[10], angle);  // cylindrical: angle, displacement
  EXPECT_EQ(q[11], length);
  EXPECT_EQ(q[14], length);  // planar: two displacements, angle
  EXPECT_EQ(q[16], angle);
}

// A table with every column there is; column c of row r has a number of its own.
Table full_table() {
  Table t;
  t.file = "m.csv", t.header_line = 1;
  t.columns = {"time"};
  const auto add = [&](const std::string& prefix, const std::vector<std::string>& names) {
    for (const std::string& column : with_prefix(prefix, names)) t.columns.push_back(column);
  };
  add("q", position_names(zoo()));
  for (const char* prefix : {"qd", "qdd", "tau"}) add(prefix, velocity_names(zoo()));
  for (const char* column :
       {"n.probe.x", "n.probe.y", "n.probe.z", "f.probe.x", "f.probe.y", "f.probe.z", "f.arm.z"}) {
    t.columns.push_back(column);
  }
  std::vector<double> row;
  for (std::size_t c = 0; c < t.num_columns(); ++c) row.push_back(0.01 * static_cast<double>(c));
  const auto set = [&](const char* name, double value) {
    row[static_cast<std::size_t>(t.find(name))] = value;
  };
  for (const char* joint : {"q.free.", "q.spherical."}) {
    const int first = joint == std::string("q.free.") ? 3 : 0;
    const double unit[] = {0.5, -0.5, 0.5, 0.5};
    for (int k = 0; k < 4; ++k) set((joint + std::to_string(first + k)).c_str(), unit[k]);
  }
  t.add_row(row);
  t.lines = {2};
  return t;
}

void expect_equal(const DataRow& a, const DataRow& b) {
  EXPECT_EQ(a.time, b.time);
  EXPECT_EQ(a.q, b.q);
  EXPECT_EQ(a.qd, b.qd);
  EXPECT_EQ(a.qdd, b.qdd);
  EXPECT_EQ(a.tau, b.tau);
  ASSERT_EQ(a.wrenches.size(), b.wrenches.size());
  for (const auto& [frame, F] : a.wrenches) {
    EXPECT_EQ(F.n.x, b.wrenches.at(frame).n.x);
    EXPECT_EQ(F.f.z, b.wrenches.at(frame).f.z);
  }
}

TEST(Columns, EveryColumnReachesItsPlace) {
  const Table t = full_table();
  const DataRow row = DataColumns(zoo(), t).row(0);
  const auto at = [&](const std::string& name) {
    return t.at(0, static_cast<std::size_t>(t.find(name)));
  };
  const auto q = position_names(zoo()), v = velocity_names(zoo());
  for (std::size_t i = 0; i < q.size(); ++i) {
    EXPECT_EQ(row.q[static_cast<Eigen::Index>(i)], at("q." + q[i])) << q[i];
  }
  for (std::size_t i = 0; i < v.size(); ++i) {
    EXPECT_EQ(row.qd[static_cast<Eigen::Index>(i)], at("qd." + v[i])) << v[i];
    EXPECT_EQ(row.qdd[static_cast<Eigen::Index>(i)], at("qdd." + v[i])) << v[i];
    EXPECT_EQ(row.tau[static_cast<Eigen::Index>(i)], at("tau." + v[i])) << v[i];
  }
  ASSERT_EQ(row.wrenches.size(), 2u);
  const Force<double>& F = row.wrenches.at("probe");
  EXPECT_EQ(F.n.x, at("n.probe.x"));
  EXPECT_EQ(F.n.y, at("n.probe.y"));
  EXPECT_EQ(F.n.z, at("n.probe.z"));
  EXPECT_EQ(F.f.x, at("f.probe.x"));
  EXPECT_EQ(F.f.y, at("f.probe.y"));
  EXPECT_EQ(F.f.z, at("f.probe.z"));
  EXPECT_EQ(row.wrenches.at("arm").f.z, at("f.arm.z"));
  EXPECT_EQ(row.wrenches.at("arm").n.x, 0);
}

TEST(Columns, TheirOrderIsFree) {
  const Table t = full_table();
  Table turned = t;
  std::reverse(turned.columns.begin(), turned.columns.end());
  std::reverse(turned.values.begin(), turned.values.end());
  expect_equal(DataColumns(zoo(), t).row(0), DataColumns(zoo(), turned).row(0));
}

TEST(Columns, MissingRatesAndForcesAreZero) {
  const auto m = compile(read_model(CATENA_SOURCE_DIR "/models/planar-3r.yaml"));
  const Table t = parse_table("q.joint3,q.joint1,q.joint2,qd.joint2\n3,1,2,5\n", "m.csv");
  const DataColumns columns(m, t);
  EXPECT_FALSE(columns.has_time());
  EXPECT_TRUE(columns.has("qd"));
  EXPECT_FALSE(columns.has("qdd"));
  EXPECT_FALSE(columns.has("f"));
  const DataRow row = columns.row(0);
  EXPECT_EQ(row.q, Eigen::Vector3d(1, 2, 3));
  EXPECT_EQ(row.qd, Eigen::Vector3d(0, 5, 0));
  EXPECT_EQ(row.qdd, Eigen::Vector3d::Zero());
  EXPECT_EQ(row.tau, Eigen::Vector3d::Zero());
  EXPECT_TRUE(row.wrenches.empty());
}

TEST(Columns, QuaternionsAreBroughtToUnitLength) {
  Table t = full_table();
  t.values[static_cast<std::size_t>(t.find("q.spherical.0"))] += 5e-7;
  const DataRow row = DataColumns(zoo(), t).row(0);
  EXPECT_NEAR(row.q.tail<4>().norm(), 1, 1e-15);
}

TEST(Columns, ANameWithTwoMeaningsIsRefused) {
  const Model model = parse_yaml(
      "name: twins\nbodies: [{name: a, mass: 1, inertia: [1, 1, 1]}, {name: b, mass: 1, inertia: "
      "[1, 1, 1]}]\n"
      "joints:\n  - {name: j, type: spherical, parent: world, child: a}\n"
      "  - {name: j.0, type: revolute, axis: z, parent: a, child: b}\n",
      "twins.yaml");
  const auto m = compile(model);
  const Table t = parse_table("q.j.0\n0\n", "m.csv");
  try {
    DataColumns columns(m, t);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_STREQ(
        error.what(),
        "m.csv:1:1: column 'q.j.0' can mean two joints of 'twins'\n    rename one of the joints");
  }
}

}  // namespace
}  // namespace catena
