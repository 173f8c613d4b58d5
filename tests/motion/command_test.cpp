// catena trajectory: what it writes, and what it says when it cannot.
#ifdef CATENA_PROGRAM
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <array>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "catena/data/table.hpp"

namespace catena {
namespace {

using std::string;

// A folder that goes away with its test.
struct Folder {
  string path;
  Folder() {
    string name = (std::filesystem::temp_directory_path() / "catena-XXXXXX").string();
    path = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  string file(const string& name) const { return path + "/" + name; }
};

struct Outcome {
  int code;
  string text;  // standard output and standard error
};
Outcome run(const string& arguments) {
  const string command = "cd '" + string(CATENA_SOURCE_DIR) +
                         "' && '" CATENA_PROGRAM "' trajectory " + arguments + " 2>&1 </dev/null";
  FILE* pipe = popen(command.c_str(), "r");
  Outcome result{};
  std::array<char, 4096> buffer;
  while (std::size_t n = fread(buffer.data(), 1, buffer.size(), pipe))
    result.text.append(buffer.data(), n);
  result.code = WEXITSTATUS(pclose(pipe));
  return result;
}

TEST(TrajectoryCommand, WritesTheMotionOfThePapers) {
  const Outcome r =
      run("cycloidal models/puma.yaml --to joint1=pi,joint6=180deg --duration 10 --samples 11");
  ASSERT_EQ(r.code, 0) << r.text;
  const Table table = parse_table(r.text, "out");
  ASSERT_EQ(table.num_rows(), 11u);
  ASSERT_EQ(table.columns[0], "time");
  ASSERT_EQ(table.columns[1], "q.joint1");
  ASSERT_EQ(table.columns[18], "qdd.joint6");
  constexpr double pi = std::numbers::pi;
  for (std::size_t i = 0; i < 11; ++i) {
    const double t = table.at(i, 0);
    EXPECT_EQ(t, static_cast<double>(i));
    EXPECT_NEAR(table.at(i, 1), pi / 10 * (t - 5 / pi * std::sin(pi * t / 5)), 1e-15);
    EXPECT_NEAR(table.at(i, 7), pi / 10 * (1 - std::cos(pi * t / 5)), 1e-15);
    EXPECT_NEAR(table.at(i, 13), pi / 10 * pi / 5 * std::sin(pi * t / 5), 1e-15);
    EXPECT_EQ(table.at(i, 2), 0);               // not named: stays at 0
    EXPECT_EQ(table.at(i, 1), table.at(i, 6));  // in step
  }
  EXPECT_EQ(table.at(10, 1), pi);
}

TEST(TrajectoryCommand, TakesPointsFromFiles) {
  const Folder folder;
  std::ofstream(folder.file("a.csv")) << "q.joint2,q.joint1\n0.5,0.25\n";
  const Outcome r = run("quintic models/two-body.yaml --from " + folder.file("a.csv") +
                        " --to joint1=1 --duration 500ms --sample 0.25");
  ASSERT_EQ(r.code, 0) << r.text;
  const Table table = parse_table(r.text, "out");
  ASSERT_EQ(table.num_rows(), 3u);
  EXPECT_EQ(table.at(0, 1), 0.25);
  EXPECT_EQ(table.at(0, 2), 0.5);
  EXPECT_EQ(table.at(1, 1), 0.625);
  EXPECT_EQ(table.at(2, 0), 0.5);
  EXPECT_EQ(table.at(2, 1), 1);
  EXPECT_EQ(table.at(2, 2), 0);
}

TEST(TrajectoryCommand, KeepsSpeedAndAcceleration) {
  const Outcome r =
      run("trapezoidal models/two-body.yaml --to joint1=-4,joint2=1 --speed 2 --acceleration 4");
  ASSERT_EQ(r.code, 0) << r.text;
  const Table table = parse_table(r.text, "out");
  EXPECT_NEAR(table.at(100, 0), 2.5, 1e-15);  // 4/2 + 2/4
  EXPECT_NEAR(table.at(50, 3), -2, 1e-15);
  EXPECT_NEAR(table.at(0, 5), -4, 1e-14);
  EXPECT_NEAR(table.at(0, 6), 1, 1e-14);
}

TEST(TrajectoryCommand, WritesFilesWholeOrNotAtAll) {
  const Folder folder;
  EXPECT_EQ(run("quintic models/puma.yaml --duration 1 -o " + folder.file("m.csv") + " --plot " +
                folder.file("m.svg"))
                .code,
            0);
  EXPECT_TRUE(std::filesystem::exists(folder.file("m.csv")));
  EXPECT_TRUE(std::filesystem::exists(folder.file("m.svg")));
  EXPECT_EQ(run("quintic models/puma.yaml --duration 1 -o " + folder.file("n.csv") + " --plot " +
                folder.file("none/m.svg"))
                .code,
            3);
  EXPECT_FALSE(std::filesystem::exists(folder.file("n.csv")));
}

TEST(TrajectoryCommand, SaysWhatIsWrong) {
  const Folder folder;
  std::ofstream(folder.file("two.csv")) << "q.joint1,q.joint2\n0,0\n1,1\n";
  std::ofstream(folder.file("odd.csv")) << "q.joint1,q.joint22\n0,0\n";
  struct Case {
    string arguments;
    int code;
    string text;
  };
  const std::vector<Case> cases = {
      {"quintic models/two-body.yaml --to joint1=1", 2,
       "trajectory: how long? give --duration, or --speed and --acceleration\n"},
      {"quintic models/two-body.yaml --to joint1=1 --duration 1 --speed 2", 2,
       "trajectory: --duration and --speed or --acceleration exclude each other\n"},
      {"trapezoidal models/two-body.yaml --to joint1=1 --speed 2", 2,
       "trajectory: a trapezoidal motion needs --acceleration beside --speed\n"},
      {"quintic models/two-body.yaml --duration 0", 2,
       "trajectory: --duration 0: a motion takes time; give more than zero seconds\n"},
      {"quintic models/two-body.yaml --speed 1", 2,
       "trajectory: --from and --to are the same point; give a --duration to stay there\n"},
      {"quintic models/two-body.yaml --duration 1 --sample 1e-9", 2,
       "trajectory: --sample 1e-9: more than ten million rows; give a longer time\n"},
      {"quintic models/two-body.yaml --duration 1 --to joint3=1", 2,
       "trajectory: --to: 'joint3' is not a joint of 'two-body' (did you mean 'joint1'?)\n"},
      {"quintic models/two-body.yaml --duration 1 --to " + folder.file("two.csv"), 3,
       "trajectory: " + folder.file("two.csv") +
           ":3:1: 2 rows, but --to is one point\n"
           "    keep the header and the row that is meant\n"},
      {"quintic models/two-body.yaml --duration 1 --from none.csv", 3,
       "trajectory: none.csv: there is no such file\n"
       "    check the path; it is taken from the current directory\n"},
  };
  for (const Case& c : cases) {
    const Outcome r = run(c.arguments);
    EXPECT_EQ(r.code, c.code) << c.arguments;
    EXPECT_EQ(r.text, c.text);
  }
  EXPECT_EQ(run("quintic models/two-body.yaml --duration 1 --from " + folder.file("odd.csv")).code,
            3);
  EXPECT_EQ(run("sudden models/two-body.yaml --duration 1").code, 2);
  EXPECT_EQ(run("trapezoidal models/two-body.yaml --duration 1 --blend 0.6").code, 2);
}

TEST(TrajectoryCommand, LeadsAFrameAlongTheLineOfThePaper) {
  const Outcome r =
      run("line models/puma.yaml --frame link6 --from 0.5,0,0.05 --to 0.62,0.3,0.11 --zyz "
          "0,90deg,180deg "
          "--near joint1=-19.3deg,joint2=-1,joint3=0.5,joint5=1 --duration 5 --profile uniform "
          "--sample 0.1");
  ASSERT_EQ(r.code, 0) << r.text;
  const Table table = parse_table(r.text, "out");
  ASSERT_EQ(table.num_rows(), 51u);
  EXPECT_NEAR(table.at(0, 1) * 180 / std::numbers::pi, -19.336, 1e-3);
  EXPECT_GT(table.at(0, 5), 0);
  for (std::size_t i = 1; i < 51; ++i) {
    for (std::size_t c = 1; c < 7; ++c)  // no jump to another branch: Hermite error of qd
      EXPECT_NEAR(table.at(i, c) - table.at(i - 1, c),
                  0.05 * (table.at(i, c + 6) + table.at(i - 1, c + 6)), 1e-5);
  }
}

TEST(TrajectoryCommand, GoesThroughPoints) {
  const Folder folder;
  std::ofstream(folder.file("p.csv")) << "time,q.joint1,q.joint2\n1,0,0\n2,0.5,-1\n4,1,2\n";
  const Outcome r =
      run("spline models/two-body.yaml --points " + folder.file("p.csv") + " --sample 0.5");
  ASSERT_EQ(r.code, 0) << r.text;
  const Table table = parse_table(r.text, "out");
  ASSERT_EQ(table.num_rows(), 7u);
  EXPECT_EQ(table.at(0, 0), 1);
  EXPECT_NEAR(table.at(2, 1), 0.5, 1e-15);
  EXPECT_NEAR(table.at(2, 2), -1, 1e-15);
  EXPECT_NEAR(table.at(6, 2), 2, 1e-15);
  EXPECT_NEAR(table.at(6, 4), 0, 1e-14);  // at rest
}

TEST(TrajectoryCommand, SaysWhatAPathNeeds) {
  const std::string line = "line models/puma.yaml --frame link6 --duration 1 ";
  EXPECT_EQ(run("line models/puma.yaml --duration 1 --to 0,0,0").text,
            "trajectory: line needs --frame\n");
  EXPECT_EQ(run(line + "--to 1,2").text,
            "trajectory: --to: '1,2' has 2 numbers, but 3 are needed, with commas between\n");
  EXPECT_EQ(run("cycloidal models/puma.yaml --duration 1 --frame link6").text,
            "trajectory: --frame is for line and arc, not for cycloidal\n");
  const Outcome far = run(line + "--from joint2=-1,joint3=0.5,joint5=1 --to 5,0,0");
  EXPECT_EQ(far.code, 4);
  EXPECT_EQ(far.text.find("trajectory: the path leaves what the machine can reach after 0."), 0u)
      << far.text;
}

}  // namespace
}  // namespace catena
#endif
