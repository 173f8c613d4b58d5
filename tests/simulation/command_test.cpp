// catena simulate as a user runs it: results, interruptions, full disks, messages.
#ifdef CATENA_PROGRAM
#include "catena/simulation/integrator.hpp"
#include "cli/program.hpp"

namespace catena {
namespace {

const char* const long_run =
    "catena simulate models/puma.yaml --duration 40 --sample 0.0002 --energy -o run.csv";

TEST(SimulateCommand, WritesRowsOfTheStateAndTheEnd) {
  const Desk desk;
  const Table t = table_of(desk("catena simulate models/planar-3r.yaml --duration 1 --sample 0.3"));
  ASSERT_EQ(t.num_rows(), 5u);
  const std::vector<std::string> columns = {"time",      "q.joint1",  "q.joint2", "q.joint3",
                                            "qd.joint1", "qd.joint2", "qd.joint3"};
  EXPECT_EQ(t.columns, columns);
  EXPECT_EQ(t.at(4, 0), 1);
  EXPECT_EQ(t.at(3, 0), 3 * 0.3);
}

TEST(SimulateCommand, SamplesWithoutTouchingTheSteps) {
  const Desk desk;
  const std::string run = "catena simulate models/puma.yaml --duration 1 ";
  const Table coarse = table_of(desk(run + "--sample 0.5 --report a.json"));
  const Table fine = table_of(desk(run + "--sample 0.0005 --report b.json"));
  for (std::size_t c = 0; c < coarse.num_columns(); ++c)
    EXPECT_EQ(coarse.at(1, c), fine.at(1000, c)) << coarse.columns[c];
  const auto steps = [&](const std::string& file) {
    const std::string text = desk.read(file);
    return text.substr(text.find("\"steps\""), 60);
  };
  EXPECT_EQ(steps("a.json"), steps("b.json"));
}

TEST(SimulateCommand, TakesFirstStatesFromTheLineAndFromFiles) {
  const Desk desk;
  desk.write("start.csv", "q.joint2,q.joint1,qd.joint1\n0.5,0.25,-1\n");
  const std::string run = "catena simulate models/two-body.yaml --duration 0.1 --initial ";
  const Outcome line = desk(run + "\"joint1=0.25, q.joint2=0.5, qd.joint1=-1 rad/s\"");
  const Outcome file = desk(run + "start.csv");
  EXPECT_EQ(table_of(line).at(0, 3), -1);
  EXPECT_EQ(line.out, file.out);
}

TEST(SimulateCommand, GoesBackToTheMotionWhoseForcesItGets) {
  const Desk desk;
  const Outcome run = desk(
      "catena trajectory quintic models/puma.yaml --to joint1=1,joint2=-0.5,joint5=0.7 --duration "
      "1 "
      "--sample 0.005 -o motion.csv\n"
      "catena inverse models/puma.yaml --motion motion.csv -o forces.csv\n"
      "catena simulate models/puma.yaml --duration 1 --torque forces.csv --interpolation cubic");
  const Table t = table_of(run);
  const std::size_t last = t.num_rows() - 1;
  for (const auto& [joint, end] :
       {std::pair{"joint1", 1.}, {"joint2", -0.5}, {"joint3", 0.}, {"joint5", 0.7}})
    EXPECT_NEAR(value_of(t, last, std::string("q.") + joint), end, 1e-6) << joint;
}

TEST(SimulateCommand, AddsConstantForcesAndWrenches) {
  const Desk desk;
  desk.write("slide.yaml",
             "gravity: [0, 0, 0]\nbodies: [{name: block, mass: 2, inertia: [1, 1, 1]}]\n"
             "joints: [{name: slide, type: prismatic, parent: world, child: block, axis: z}]\n");
  desk.write("push.csv", "time,f.block.z\n0,6\n10,6\n");
  const Table t = table_of(
      desk("catena simulate slide.yaml --duration 2 --sample 1 --torque slide=4N --torque push.csv "
           "--qdd --tau"));
  EXPECT_NEAR(value_of(t, 2, "q.slide"), 10, 1e-12);  // (4 + 6)/2 t²/2
  EXPECT_NEAR(value_of(t, 2, "qdd.slide"), 5, 1e-12);
  EXPECT_NEAR(value_of(t, 2, "tau.slide"), 4, 1e-12);  // what the drive gives
}

TEST(SimulateCommand, RunsEveryIntegratorAndMethod) {
  const Desk desk;
  const std::string run = "catena simulate models/scara.yaml --duration 0.5 --sample 0.5 ";
  const double expected = table_of(desk(run + "--rtol 1e-12 --atol 1e-12")).at(1, 2);
  for (const IntegratorInfo& info : integrators()) {
    const std::string step = info.adaptive ? "" : " --step 0.0005";
    const Outcome r = desk(run + "--integrator " + info.name + step);
    if (r.code == 3) {  // dry friction in the model
      EXPECT_STREQ(info.name, "variational");
      continue;
    }
    EXPECT_NEAR(table_of(r).at(1, 2), expected, info.order == 1 ? 1e-2 : 1e-5) << info.name;
  }
  for (const char* method : {"denoc", "gibbs-appell", "homogeneous", "lagrange", "global"})
    EXPECT_NEAR(table_of(desk(run + "--method " + method)).at(1, 2), expected, 1e-8) << method;
}

TEST(SimulateCommand, TellsEventsAndStopsWhereAsked) {
  const Desk desk;
  desk.write("slide.yaml",
             "bodies: [{name: block, mass: 2, inertia: [1, 1, 1]}]\n"
             "joints: [{name: slide, type: prismatic, parent: world, child: block, axis: z}]\n");
  const Outcome run = desk(
      "catena simulate slide.yaml --duration 2 --sample 0.1 --event q.slide=-1 --stop-on "
      "\"q.slide=-2 m\" -o fall.csv --report report.json");
  EXPECT_EQ(run.code, 4);
  EXPECT_EQ(run.err,
            "simulate: event q.slide=-1 at t = 0.451523640986 s, falling\n"
            "simulate: stopped by 'q.slide=-2 m' at t = 0.638550856814 s\n"
            "    8 rows up to t = 0.638550856814 s are kept\n");
  const Table t = read_table(desk.path() + "/fall.csv");
  EXPECT_EQ(t.num_rows(), 8u);
  EXPECT_NEAR(t.at(7, 1), -2, 1e-12);
  EXPECT_EQ(desk.files(), "fall.csv report.json slide.yaml");
  EXPECT_NE(desk.read("report.json").find("\"events\": ["), std::string::npos);
}

class Interrupted : public testing::TestWithParam<const char*> {};

TEST_P(Interrupted, RunsAreReadableAndGoOnToTheSameBytes) {
  const Desk desk;
  ASSERT_EQ(desk(std::string(long_run)).code, 0);
  const std::string whole = desk.read("run.csv");
  EXPECT_EQ(desk.files(), "run.csv");
  const std::string line = long_run;
  const std::string signal = GetParam();
  const Outcome run = desk("rm run.csv\n" + line +
                           " & p=$!\n"
                           "while [ $(stat -c %s run.csv 2>/dev/null || echo 0) -lt 100000 ]; do "
                           "sleep 0.01; done\nkill -" +
                           signal + " $p; wait $p");
  EXPECT_EQ(run.code, signal == "INT" ? 130 : signal == "TERM" ? 143 : 137) << run.err;
  const std::string part = desk.read("run.csv");
  ASSERT_LT(part.size(), whole.size()) << "too late to interrupt";
  ASSERT_GT(part.size(), 1000u) << "too early to interrupt";
  EXPECT_EQ(part, whole.substr(0, part.size()));
  EXPECT_EQ(part.back(), '\n');
  EXPECT_EQ(desk.files(), "run.csv run.csv.resume");
  if (signal != "KILL") {
    EXPECT_NE(run.err.find("rows up to t = "), std::string::npos) << run.err;
    EXPECT_NE(run.err.find("--resume"), std::string::npos) << run.err;
  }
  const Outcome other = desk(line + " --resume --rtol 1e-8");
  EXPECT_EQ(other.code, 3);
  EXPECT_EQ(other.err,
            "simulate: run.csv: the run that was interrupted had another 'rtol'\n"
            "    give the same options and files as then; only --duration may change\n");
  const Outcome rest = desk(line + " --resume");
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_TRUE(desk.read("run.csv") == whole);
  EXPECT_EQ(desk.files(), "run.csv");
}
// (A shell starts programs in the background with SIGINT ignored: that one has a test of its own.)
INSTANTIATE_TEST_SUITE_P(By, Interrupted, testing::Values("TERM", "KILL"),
                         [](const auto& signal) { return std::string(signal.param); });

// Killed at any moment: stops, friction, controllers and driven joints are remembered, too.
TEST(SimulateCommand, GoesOnWithStopsFrictionAndControllers) {
  const Desk desk;
  std::string torque = "time,tau.hinge\n";
  for (int i = 0; i <= 2000; ++i) torque += std::to_string(i) + (i % 2 == 0 ? ",9\n" : ",-9\n");
  desk.write("push.csv", torque);
  ASSERT_EQ(desk("catena trajectory quintic models/puma.yaml --to joint1=1,joint2=-0.5 --duration "
                 "20 -o motion.csv")
                .code,
            0);
  for (const std::string options :
       {"models/pendulum.yaml --duration 200 --stops --restitution 0.6 --torque push.csv "
        "--event qd.hinge=0",
        "models/puma.yaml --duration 20 --motion motion.csv --controller computed-torque --tau",
        "models/puma.yaml --duration 20 --motion motion.csv --driven joint1,joint2 --qdd"}) {
    const std::string run = "catena simulate " + options + " --sample 0.001 -o ";
    ASSERT_EQ(desk(run + "whole.csv").code, 0) << options;
    const Outcome cut = desk(run + "run.csv & sleep 0.2; kill -KILL $!; wait $!");
    const int code = cut.code == 137 ? desk(run + "run.csv --resume").code : cut.code;
    EXPECT_EQ(code, 0) << options;
    EXPECT_TRUE(desk.read("run.csv") == desk.read("whole.csv")) << options;
  }
}

TEST(SimulateCommand, IsStoppedByTheKeyboardWithItsRowsKept) {
  const Desk desk;
  const Outcome run = desk(
      "timeout --foreground -s INT 1 catena simulate models/puma.yaml --duration 1000 --sample "
      "0.0002 "
      "-o run.csv");
  EXPECT_EQ(run.code, 124) << run.err;  // of timeout
  EXPECT_TRUE(run.err.starts_with("simulate: interrupted: ")) << run.err;
  EXPECT_GT(read_table(desk.path() + "/run.csv").num_rows(), 10u);
}

TEST(SimulateCommand, NeedsNoMemoryForItsRows) {
  const Desk desk;
  const Outcome run = desk(
      "ulimit -v 150000\n"
      "catena simulate models/two-body.yaml --duration 100 --sample 0.0001 | wc -l");
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.out, "1000002\n");
}

TEST(SimulateCommand, SaysWhatIsWrongWithPlacesToWriteTo) {
  const Desk desk;
  const std::string run = "catena simulate models/puma.yaml --duration 1 -o ";
  const Outcome full = desk(run + "/dev/full");
  EXPECT_EQ(full.code, 3);
  EXPECT_EQ(full.err,
            "simulate: /dev/full: the file cannot be written: No space left on device\n"
            "    free some space and go on with --resume, or use another place\n");
  const Outcome missing = desk(run + "missing/run.csv");
  EXPECT_EQ(missing.code, 3);
  EXPECT_EQ(missing.err,
            "simulate: missing/run.csv: the file cannot be written: No such file or directory\n"
            "    choose another place, or check that its folder exists and may be written to\n");
  EXPECT_EQ(desk.files(), "");
}

TEST(SimulateCommand, KeepsWholeRowsWhenTheDiskIsFullAndGoesOnLater) {
  const Desk desk;
  const std::string line =
      "catena simulate models/puma.yaml --duration 5 --sample 0.0005 -o run.csv";
  ASSERT_EQ(desk(line).code, 0);
  const std::string whole = desk.read("run.csv");
  const Outcome full = desk("ulimit -f 500\n" + line);  // blocks of 512 bytes
  EXPECT_EQ(full.code, 3);
  EXPECT_EQ(
      full.err,
      "simulate: run.csv: the file cannot be written: File too large; what was written before "
      "is kept\n    free some space and go on with --resume, or use another place\n");
  const std::string part = desk.read("run.csv");
  EXPECT_GT(part.size(), 100000u);
  EXPECT_LE(part.size(), 256000u);
  EXPECT_EQ(part.back(), '\n');
  EXPECT_EQ(part, whole.substr(0, part.size()));
  const Outcome rest = desk(line + " --resume");
  EXPECT_EQ(rest.code, 0) << rest.err;
  EXPECT_TRUE(desk.read("run.csv") == whole);
}

TEST(SimulateCommand, HasRowsForAMachineThatCannotMoveAndJsonThatEnds) {
  const Desk desk;
  desk.write("rock.yaml",
             "bodies: [{name: rock, mass: 1, inertia: [1, 1, 1]}]\n"
             "joints: [{name: weld, type: fixed, parent: world, child: rock}]\n");
  EXPECT_EQ(desk("catena simulate rock.yaml --duration 1 --sample 0.5").out, "time\n0\n0.5\n1\n");
  const Outcome json = desk(
      "timeout --foreground -s TERM 1 catena simulate models/puma.yaml --duration 1000 --sample "
      "0.0002 -o run.json; tail -c 5 run.json");
  EXPECT_EQ(json.out, "}\n]}\n");
  EXPECT_EQ(desk.files(), "rock.yaml run.json");
}

TEST(SimulateCommand, SaysWhatIsWrongWithItsInput) {
  const Desk desk;
  desk.write("late.csv", "time,tau.joint1\n0,1\n2,1\n1,1\n");
  desk.write("timeless.csv", "tau.joint1\n0\n");
  desk.write("typo.csv", "time,tau.jont1\n0,1\n");
  const std::string run = "catena simulate models/two-body.yaml --duration 1 ";
  const std::vector<std::tuple<std::string, int, std::string>> cases = {
      {"--torque late.csv", 3,
       "simulate: late.csv:4:1: the time 1 is not after 2, that of the row before\n"
       "    sort the rows by time and keep one row per instant\n"},
      {"--torque timeless.csv", 3,
       "simulate: timeless.csv:1:1: column 'time' is missing\n"
       "    give the time of every row, in seconds\n"},
      {"--torque typo.csv", 3,
       "simulate: typo.csv:1:6: column 'tau.jont1' is not a joint of 'two-body' (did you mean "
       "'tau.joint1'?)\n"},
      {"--torque jont1=5", 2,
       "simulate: --torque: 'jont1' is not a velocity of 'two-body' (did you mean 'joint1'?)\n"},
      {"--initial qd.joint1=fast", 2, "simulate: --initial: joint 'joint1': "},
      {"--event joint1=3", 2,
       "simulate: --event: 'joint1' is no position or velocity of 'two-body' (did you mean "
       "'q.joint1'?)\n"},
      {"--integrator rk4", 2, "simulate: --integrator rk4 needs --step, e.g. --step 0.001\n"},
      {"--driven joint1", 2, "simulate: --driven needs --motion with the motion of these joints\n"},
      {"--controller pd", 2, "simulate: --controller pd needs --kp and --kd: "},
      {"--resume", 2, "simulate: --resume needs -o FILE, a CSV file\n"},
      {"--resume -o none.csv", 3,
       "simulate: none.csv: there is nothing to go on with: none.csv.resume is missing\n"
       "    the run is finished, or never began; leave --resume out to begin anew\n"},
      {"--sample 0", 2, "simulate: --sample 0: give more than zero seconds\n"},
  };
  const std::string before = desk.files();
  for (const auto& [options, code, message] : cases) {
    const Outcome r = desk(run + options);
    EXPECT_EQ(r.code, code) << options;
    if (message.ends_with("\n"))
      EXPECT_EQ(r.err, message) << options;
    else
      EXPECT_TRUE(r.err.starts_with(message)) << r.err;
    EXPECT_EQ(r.out, "") << options;
    EXPECT_EQ(desk.files(), before) << options;
  }
}

TEST(SimulateCommand, KeepsWhatItHasWhenAJointCarriesNothing) {
  const Desk desk;
  desk.write("empty.yaml",
             "bodies: [{name: link, mass: 0}]\n"
             "joints: [{name: spin, type: revolute, parent: world, child: link, axis: z}]\n");
  const Outcome run = desk("catena simulate empty.yaml --duration 1 -o run.csv");
  EXPECT_EQ(run.code, 4);
  EXPECT_NE(run.err.find("at t = 0 s: joint 'spin' carries no inertia"), std::string::npos)
      << run.err;
  EXPECT_NE(run.err.find("1 rows up to t = 0 s are kept"), std::string::npos) << run.err;
  EXPECT_EQ(read_table(desk.path() + "/run.csv").num_rows(), 1u);
}

}  // namespace
}  // namespace catena
#endif
