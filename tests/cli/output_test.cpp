// Where results go: pipes, files, terminals, plots; and that nothing is half written.
#include <pty.h>

#include "cli/program.hpp"

namespace catena {
namespace {

constexpr const char* motion = "time,q.hinge,qd.hinge,qdd.hinge\n0,0,0,2\n0.5,0.25,1,2\n";
const std::string inverse = "catena inverse models/pendulum.yaml --motion m.csv ";

TEST(Output, APipeGetsCsv) {
  const Desk desk;
  desk.write("m.csv", motion);
  const Outcome run = desk(inverse + "| cat");
  EXPECT_TRUE(run.out.starts_with("time,tau.hinge\n0,-0.22199755119659"));
  EXPECT_EQ(desk(inverse + "-o - | cat").out, run.out);
  EXPECT_EQ(desk.files(), "m.csv");
}

TEST(Output, AFileGetsTheSameAndThePipeNothing) {
  const Desk desk;
  desk.write("m.csv", motion);
  const Outcome run = desk(inverse + "-o t.csv");
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out + run.err, "");
  EXPECT_EQ(desk.read("t.csv"), desk(inverse).out);
  EXPECT_EQ(desk.files(), "m.csv t.csv");
}

TEST(Output, JsonByTheEndingOrOnRequest) {
  const Desk desk;
  desk.write("m.csv", motion);
  EXPECT_EQ(desk(inverse + "-o t.json").code, 0);
  const std::string json = desk.read("t.json");
  EXPECT_TRUE(json.starts_with("{\"rows\": [\n  {\"time\": 0, \"tau.hinge\": -0.2219975511"));
  EXPECT_EQ(desk(inverse + "--json").out, json);
  desk.write("s.csv", "q.joint1,q.joint2\n0,0.5\n");
  const std::string matrix = desk("catena inertia models/two-body.yaml --state s.csv --json").out;
  EXPECT_TRUE(
      matrix.starts_with("{\"velocities\": [\"joint1\", \"joint2\"],\n\"rows\": [\n"
                         "  {\"M\": [[13.68"));
}

TEST(Output, StandardInputIsADash) {
  const Desk desk;
  desk.write("m.csv", motion);
  EXPECT_EQ(desk("cat m.csv | catena inverse models/pendulum.yaml --motion -").out,
            desk(inverse).out);
}

TEST(Output, PlotsInThreeFormats) {
  const Desk desk;
  desk.write("m.csv", motion);
  EXPECT_EQ(desk(inverse + "--plot t.svg --reactions -o t.csv").code, 0);
  EXPECT_EQ(desk(inverse + "--plot t.PNG -o t.csv").code, 0);
  EXPECT_EQ(desk(inverse + "--plot t.html -o t.csv").code, 0);
  EXPECT_EQ(desk.files(), "m.csv t.PNG t.csv t.html t.svg");
  const std::string svg = desk.read("t.svg");
  for (const char* text : {"<svg", "torque, N m", "reaction force, N", "time, s", "tau.hinge"}) {
    EXPECT_NE(svg.find(text), std::string::npos) << text;
  }
  EXPECT_TRUE(desk.read("t.PNG").starts_with("\x89PNG"));
}

TEST(Output, AReaderThatLeavesEarlyIsNotAnError) {
  const Desk desk;
  std::string many = "q.hinge\n";
  for (int i = 0; i < 20000; ++i) many += "0.5\n";
  desk.write("m.csv", many);
  const Outcome run = desk("{ " + inverse + "; echo code $? >&2; } | head -1");
  EXPECT_EQ(run.out, "tau.hinge\n");
  EXPECT_EQ(run.err, "code 0\n");
}

TEST(Output, AFullDiskIsAnError) {
  const Desk desk;
  desk.write("m.csv", motion);
  const Outcome run = desk(inverse + "> /dev/full");
  EXPECT_EQ(run.code, 3);
  EXPECT_TRUE(run.err.starts_with("inverse: standard output: No space left on device\n"));
}

TEST(Output, IfOneFileCannotBeWrittenNoneIs) {
  const Desk desk;
  desk.write("m.csv", motion);
  const Outcome run = desk(inverse + "--plot t.svg -o no/t.csv");
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.err,
            "inverse: no/t.csv: the file cannot be written: No such file or directory\n"
            "    choose another place, or check that its folder exists and may be written to\n");
  EXPECT_EQ(desk.files(), "m.csv");
}

TEST(Output, AnErrorLeavesTheOldFile) {
  const Desk desk;
  desk.write("m.csv", "time,q.hinge\n0,0.5\n1,x\n");
  desk.write("t.csv", "old");
  EXPECT_EQ(desk(inverse + "-o t.csv --plot t.svg").code, 3);
  EXPECT_EQ(desk.read("t.csv"), "old");
  EXPECT_EQ(desk.files(), "m.csv t.csv");
}

// What the program says on a terminal of that many columns.
std::string on_terminal(const Desk& desk, const std::string& arguments, int columns) {
  winsize size{};
  size.ws_row = 40;
  size.ws_col = static_cast<unsigned short>(columns);
  int terminal = 0;
  const pid_t child = ::forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    const std::string line = "cd '" + desk.path() + "' && exec '" CATENA_PROGRAM "' " + arguments;
    ::execl("/bin/sh", "sh", "-c", line.c_str(), static_cast<char*>(nullptr));
    ::_exit(127);
  }
  std::string text;
  char piece[4096];
  for (ssize_t n; (n = ::read(terminal, piece, sizeof piece)) > 0;) {
    text.append(piece, static_cast<std::size_t>(n));
  }
  ::close(terminal);
  ::waitpid(child, nullptr, 0);
  std::erase(text, '\r');
  return text;
}

TEST(Output, ATerminalGetsAnAlignedTable) {
  const Desk desk;
  desk.write("m.csv", motion);
  const std::string arguments = "inverse models/pendulum.yaml --motion m.csv";
  EXPECT_EQ(on_terminal(desk, arguments, 80),
            "time  tau.hinge\n   0  -0.221998\n 0.5    2.30422\n");
  EXPECT_TRUE(on_terminal(desk, arguments + " -o -", 80).starts_with("time,tau.hinge\n"));
}

TEST(Output, AWideTableIsBrokenIntoBlocks) {
  const Desk desk;
  desk.write("m.csv", motion);
  const std::string text =
      on_terminal(desk, "inverse models/pendulum.yaml --motion m.csv --reactions", 40);
  EXPECT_TRUE(text.starts_with("time  tau.hinge  n.hinge.x  n.hinge.y\n")) << text;
  EXPECT_NE(text.find("\n\ntime  n.hinge.z"), std::string::npos) << text;
}

TEST(Output, ALongTableShowsItsEnds) {
  const Desk desk;
  std::string many = "q.hinge\n";
  for (int i = 0; i < 500; ++i) many += "0.5\n";
  desk.write("m.csv", many);
  const std::string text = on_terminal(desk, "inverse models/pendulum.yaml --motion m.csv", 80);
  EXPECT_NE(text.find("\n500  "), std::string::npos) << text;
  EXPECT_NE(text.find("(500 rows, of which 440 are not shown; -o FILE writes them all)\n"),
            std::string::npos)
      << text;
}

TEST(Output, ATerminalGetsAMatrix) {
  const Desk desk;
  desk.write("s.csv", "q.joint1,q.joint2\n0,0.5\n");
  EXPECT_EQ(on_terminal(desk, "inertia models/two-body.yaml --state s.csv", 80),
            "row 1\nM\n  joint1       13.6887      13.5092\n"
            "  joint2       13.5092      13.3337\n");
}

}  // namespace
}  // namespace catena
