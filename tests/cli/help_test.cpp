// The help of every command has an example, and the example runs.
#include <sstream>

#include "cli/program.hpp"

namespace catena {
namespace {

// The first words of the lines of a section of help, e.g. "Subcommands:".
std::vector<std::string> words_in(const std::string& help, const std::string& section) {
  std::vector<std::string> words;
  std::istringstream stream(help.substr(std::min(help.find(section), help.size())));
  std::string line, word;
  std::getline(stream, line);
  while (std::getline(stream, line) && line.starts_with("  ")) {
    if (line[2] == ' ') continue;  // a description goes on
    std::istringstream(line) >> word;
    words.push_back(word);
  }
  return words;
}

TEST(Help, NamesEveryCommand) {
  const Desk desk;
  const Outcome run = desk("catena --help");
  EXPECT_EQ(run.code, 0);
  const auto commands = words_in(run.out, "Subcommands:");
  for (const char* command :
       {"info", "inverse", "reactions", "forward", "inertia", "kinematics", "trajectory", "ik",
        "simulate", "assemble", "verify", "count", "stability", "reproduce", "codegen",
        "derivatives", "parameters", "convert", "spacelib"}) {
    EXPECT_NE(std::find(commands.begin(), commands.end(), command), commands.end()) << command;
  }
}

TEST(Help, EveryExampleRuns) {
  const Desk shelf;
  for (const std::string& command : words_in(shelf("catena --help").out, "Subcommands:")) {
    const Outcome help = shelf("catena " + command + " --help");
    EXPECT_EQ(help.code, 0) << command;
    const std::string title = "Example (in a checkout):\n";
    const auto at = help.out.find(title);
    ASSERT_NE(at, std::string::npos) << "no example: " << command;
    const std::string example = help.out.substr(at + title.size());
    const Desk desk;
    const Outcome run = desk("set -e\n" + example);
    EXPECT_EQ(run.code, 0) << command << ":\n" << example << run.err;
    EXPECT_EQ(run.err, "") << command;
  }
}

TEST(Help, FitsATerminal) {
  const Desk desk;
  for (const char* command :
       {"info", "inverse", "reactions", "forward", "inertia", "kinematics", "ik", "simulate",
        "assemble", "verify", "count", "stability", "reproduce", "codegen", "derivatives",
        "parameters", "convert", "spacelib"}) {
    std::istringstream stream(desk(std::string("catena ") + command + " --help").out);
    for (std::string line; std::getline(stream, line);) EXPECT_LE(line.size(), 101u) << line;
  }
}

TEST(Help, TellsTheVersion) {
  const Desk desk;
  const Outcome run = desk("catena --version");
  EXPECT_EQ(run.code, 0);
  EXPECT_TRUE(run.out.starts_with("catena 0.")) << run.out;
}

TEST(Info, ShowsTreeJointsAndMasses) {
  const Desk desk;
  const Outcome run = desk("catena info models/joint-zoo.yaml");
  EXPECT_EQ(run.code, 0);
  for (const char* text :
       {"joint-zoo: 10 bodies, 10 joints, 19 degrees of freedom\n", "positions nq  21\n",
        "velocities nv 19\n", "total mass    15.3 kg\n",
        "     │  ├─ slide [prismatic: prismatic]\n",
        "float -> ball, spherical; q.spherical.0 to q.spherical.3, qd.spherical.0 to "
        "qd.spherical.2\n",
        "revolute about (0 0 -1), -0.5 times 'revolute' plus 0.1\n", "1 fixed joint merged",
        "  probe on nut at (0 0.02 0.1) m\n"}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << text << "\n" << run.out;
  }
}

TEST(Info, HasAFormForPrograms) {
  const Desk desk;
  const Outcome run = desk("catena info models/joint-zoo.yaml --json");
  EXPECT_EQ(run.code, 0);
  for (const char* text : {"\"name\": \"joint-zoo\"", "\"nq\": 21", "\"nv\": 19",
                           "\"q.spherical.3\"", "\"multiplier\": -0.5", "\"warnings\": []"}) {
    EXPECT_NE(run.out.find(text), std::string::npos) << text;
  }
}

}  // namespace
}  // namespace catena
