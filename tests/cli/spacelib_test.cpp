// catena spacelib: what it prints, and what it says about files that it cannot read.
#include "cli/program.hpp"

namespace catena {
namespace {

// A rod of length 1 about a horizontal axis, level and at rest; and a weight of 2 N at its end.
const char* rod = "1\n0 0 0 0 1 0\n1 0 0 0 0.1 0 0.1\n-0.5 0 0\n0 -10 0\n0 -2 0 0 0 0\n";

TEST(SpacelibCommand, PrintsMatricesAndMotorForces) {
  const Desk desk;
  desk.write("rod.spacelib", rod);
  desk.write("rod.motion", "0 0 0\n");
  const Outcome run = desk("catena spacelib rod.spacelib rod.motion");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  for (const char* text :
       {"instant 1\n\nlink 1, revolute joint: q 0, qp 0, qpp 0; motor 7 N m\n",
        "  A: relative position, in (i-1)                  M0: absolute position, in (0)\n"
        "           1          0          0          1              1          0          0        "
        "  "
        "1\n",
        "FI: action of inertia and weight, in (0)        ACT0: action on joint i, in (0)\n"
        "           0          5          0          0              0          7          0        "
        "  "
        "0\n"
        "          -5          0          0        -10             -7          0          0        "
        "-12\n"}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << text << "\n" << run.out;
  }
}

TEST(SpacelibCommand, HasFormsForPrograms) {
  const Desk desk;
  desk.write("rod.dat", rod);
  desk.write("rod.motion", "0.5\n0 0 0\n0 0 1\n");
  EXPECT_EQ(desk("catena spacelib rod.dat rod.motion -o out.csv").code, 0);
  const Table table = parse_table(desk.read("out.csv"), "out.csv");
  ASSERT_EQ(table.num_rows(), 2u);
  EXPECT_EQ(value_of(table, 1, "time"), 0.5);
  EXPECT_EQ(value_of(table, 0, "tau.joint1"), 7);
  EXPECT_NEAR(value_of(table, 1, "tau.joint1"), 7.35, 1e-14);
  EXPECT_EQ(value_of(table, 0, "ACT0.joint1.fy"), -12);
  const Outcome json = desk("catena spacelib rod.dat rod.motion --json");
  EXPECT_EQ(json.code, 0);
  for (const char* text : {"{\"time\": 0.5, \"links\": [", "\"tau\": 7}", "\"joint\": \"revolute\"",
                           "\"M0\": [[1, 0, 0, 1], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]"}) {
    EXPECT_NE(json.out.find(text), std::string::npos) << text << "\n" << json.out;
  }
  EXPECT_EQ(desk("catena spacelib rod.dat rod.motion -o text.txt").code, 0);
  EXPECT_TRUE(desk.read("text.txt").starts_with("instant 1, time 0 s\n"));
  EXPECT_EQ(desk("catena spacelib rod.dat rod.motion --plot p.svg").code, 0);
  EXPECT_NE(desk.read("p.svg").find("tau.joint1"), std::string::npos);
}

TEST(SpacelibCommand, RobotsAreModelsForOtherCommands) {
  const Desk desk;
  desk.write("rod.spacelib", rod);
  desk.write("state.csv", "q.joint1,qd.joint1,qdd.joint1\n0,0,1\n");
  const Outcome run = desk("catena inverse rod.spacelib --motion state.csv");
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err,
            "inverse: warning: rod.spacelib: the external actions are left out; catena spacelib "
            "takes them\n");
  EXPECT_NEAR(value_of(parse_table(run.out, "out"), 0, "tau.joint1"), 5.35, 1e-14);
}

TEST(SpacelibCommand, SaysWhereAFileIsWrong) {
  const Desk desk;
  desk.write("rod.spacelib", rod);
  desk.write("bad.spacelib", "1\n0 0 0 x 1 0\n");
  desk.write("rod.motion", "0 0\n");
  Outcome run = desk("catena spacelib bad.spacelib rod.motion");
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(run.err.starts_with(
      "spacelib: bad.spacelib:2:7: 'x' is not a number, but b of link 1 is expected here\n"))
      << run.err;
  run = desk("catena spacelib rod.spacelib rod.motion");
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(run.err.starts_with("spacelib: rod.motion:1:3: the file has 2 numbers")) << run.err;
  EXPECT_EQ(run.out, "");
  run = desk("catena spacelib rod.spacelib none.motion");
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(run.err.starts_with("spacelib: none.motion: there is no such file")) << run.err;
  EXPECT_EQ(desk("catena spacelib rod.spacelib").code, 2);
}

}  // namespace
}  // namespace catena
