// Closed chains in motion on the command line: simulate, kinematics, driven joints, weights, and
// what is said about motions that cannot be.
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace catena {
namespace {

const std::string five = "models/five-bar.yaml ";

TEST(ClosedMotion, ControlledAndDrivenRunsGoWhereTheyAreTold) {
  const Desk desk;
  desk.write("legs.csv",
             "time,q.leg1_joint1,q.leg2_joint1\n0,0.5,0.5\n0.5,0.6,0.55\n1,0.8,0.7\n2,0.9,0.6\n");
  const Table led = table_of(desk("catena simulate " + five +
                                  "--duration 2 --initial leg1_joint1=0.5,leg2_joint1=0.5 --motion "
                                  "legs.csv --controller computed-torque --kp 400 --kd 40"));
  const Table driven = table_of(desk("catena simulate " + five +
                                     "--duration 2 --motion legs.csv --driven "
                                     "leg1_joint1,leg2_joint1 --tau --qdd"));
  EXPECT_EQ(value_of(driven, driven.num_rows() - 1, "q.leg1_joint1"), 0.9);
  EXPECT_NEAR(value_of(led, led.num_rows() - 1, "q.leg1_joint1"), 0.9, 1e-3);
  EXPECT_NEAR(value_of(led, led.num_rows() - 1, "q.leg2_joint2"),
              value_of(driven, driven.num_rows() - 1, "q.leg2_joint2"), 1e-2);
  // The forces of the drives are those of inverse dynamics.
  desk.write("back.csv", "");
  ASSERT_EQ(
      desk("catena simulate " + five +
           "--duration 2 --sample 0.5 --motion legs.csv --driven leg1_joint1,leg2_joint1 --tau "
           "--qdd -o back.csv")
          .code,
      0);
  const Table run = read_table(desk.path() + "/back.csv");
  const Table forces = table_of(desk("catena inverse " + five + "--motion back.csv 2>/dev/null"));
  ASSERT_EQ(run.num_rows(), forces.num_rows());
  for (std::size_t r = 0; r < run.num_rows(); ++r) {
    for (const char* joint : {"tau.leg1_joint1", "tau.leg2_joint1"})
      EXPECT_NEAR(value_of(run, r, joint), value_of(forces, r, joint), 1e-7) << r << joint;
  }
}

TEST(ClosedMotion, OneOfTwoMotionsMayBeDriven) {
  const Desk desk;
  desk.write("one.csv", "time,q.leg1_joint1,qd.leg1_joint1\n0,0.5,0.1\n10,1.5,0.1\n");
  const Table t = table_of(
      desk("catena simulate " + five + "--duration 0.3 --motion one.csv --driven leg1_joint1"));
  const std::size_t last = t.num_rows() - 1;
  EXPECT_NEAR(value_of(t, last, "q.leg1_joint1"), 0.53, 1e-12);
  EXPECT_LT(value_of(t, last, "q.leg2_joint1"), value_of(t, 0, "q.leg2_joint1") - 0.05);  // falls
}

// What a report says, without the time that it took.
std::string report_of(const Desk& desk, const std::string& file) {
  const std::string text = desk.read(file);
  const std::size_t from = text.find("\"seconds\""), to = text.find('\n', from);
  EXPECT_NE(from, std::string::npos);
  return text.substr(0, from) + text.substr(to);
}

TEST(ClosedMotion, RunsGoOnAfterAnInterruption) {
  for (const std::string options :
       {"models/four-bar.yaml --duration 200 --coordinates independent --through-singularities",
        "models/n-four-bar-2.yaml --duration 60 --initial qd.upright0=-1 --through-singularities "
        "--event 'singularity<0.01'"}) {
    const Desk desk;
    const std::string run = "catena simulate " + options + " --energy --sample 0.002 -o ";
    ASSERT_EQ(desk(run + "whole.csv --report whole.json").code, 0) << options;
    const std::string part = run + "run.csv --report run.json";
    const Outcome cut = desk(part + " & sleep 0.3; kill -KILL $!; wait $!");
    const int code = cut.code == 137 ? desk(part + " --resume").code : cut.code;
    ASSERT_EQ(code, 0) << options;
    EXPECT_EQ(desk.read("run.csv"), desk.read("whole.csv")) << options;
    EXPECT_EQ(report_of(desk, "run.json"), report_of(desk, "whole.json")) << options;
  }
}

TEST(ClosedMotion, TellsSingularitiesWithTimeAndPlace) {
  const Desk desk;
  const Outcome run = desk(
      "catena simulate models/n-four-bar-2.yaml --duration 1 --initial qd.upright0=-1 "
      "--through-singularities --event 'singularity<0.01' -o run.csv --report report.json");
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.err.substr(0, 46), "simulate: event singularity<0.01 at t = 0.7035") << run.err;
  const auto report = nlohmann::json::parse(desk.read("report.json"));
  const auto& near = report["loops"]["nearest_singularity"];
  EXPECT_LT(near["distance"], 1e-4);
  EXPECT_NEAR(near["time"], 0.71436, 1e-4);
  EXPECT_NEAR(near["q"]["upright0"], -M_PI / 2, 1e-3);
  const Outcome stop = desk(
      "catena simulate models/n-four-bar-2.yaml --duration 1 --initial qd.upright0=-1 "
      "--through-singularities --stop-on 'singularity<0.1'");
  EXPECT_EQ(stop.code, 4);
  EXPECT_NE(stop.err.find("stopped by 'singularity<0.1' at t = 0.589"), std::string::npos)
      << stop.err;
}

// The end of a five-bar from its two drives, by hand: circles about the elbows.
TEST(ClosedMotion, KinematicsFromIndependentJointsAlone) {
  const Desk desk;
  const std::string frame = " --frame end --jacobian --jacobian-rate ";
  const auto at = [&](double a, double b) {
    desk.write("s.csv", "q.leg1_joint1,q.leg2_joint1,qd.leg1_joint1,qd.leg2_joint1\n" +
                            std::to_string(a) + "," + std::to_string(b) + ",1,-0.5\n");
    return table_of(desk("catena kinematics " + five + "--state s.csv" + frame));
  };
  const Table t = at(0.6, 0.5);
  const double x = value_of(t, 0, "p.end.x"), y = value_of(t, 0, "p.end.y");
  const double x1 = 0.6 * std::cos(0.6), y1 = 0.6 * std::sin(0.6);
  const double x2 = 1.2 + 0.7 * std::cos(0.5), y2 = 0.7 * std::sin(0.5);
  EXPECT_NEAR(std::hypot(x - x1, y - y1), 1.1, 1e-9);
  EXPECT_NEAR(std::hypot(x - x2, y - y2), 1.2, 1e-9);
  EXPECT_EQ(t.find("J.end.0.leg1_joint2"), -1);
  const double h = 1e-4;
  for (const auto& [joint, da, db] :
       {std::tuple{"leg1_joint1", h, 0.}, std::tuple{"leg2_joint1", 0., h}}) {
    const Table up = at(0.6 + da, 0.5 + db), down = at(0.6 - da, 0.5 - db);
    for (const auto& [row, axis] : {std::pair{"3", "x"}, std::pair{"4", "y"}}) {
      const std::string p = std::string("p.end.") + axis;
      EXPECT_NEAR(value_of(t, 0, std::string("J.end.") + row + "." + joint),
                  (value_of(up, 0, p) - value_of(down, 0, p)) / (2 * h), 1e-6);
    }
  }
  // along the motion
  const Table later = at(0.6 + h, 0.5 - 0.5 * h), before = at(0.6 - h, 0.5 + 0.5 * h);
  for (const char* column : {"3.leg1_joint1", "4.leg1_joint1", "3.leg2_joint1", "5.leg2_joint1"}) {
    const std::string J = std::string("J.end.") + column;
    EXPECT_NEAR(value_of(t, 0, std::string("Jdot.end.") + column),
                (value_of(later, 0, J) - value_of(before, 0, J)) / (2 * h), 1e-5)
        << column;
  }
  EXPECT_NEAR(value_of(t, 0, "v.end.x"),
              value_of(t, 0, "J.end.3.leg1_joint1") - 0.5 * value_of(t, 0, "J.end.3.leg2_joint1"),
              1e-12);
}

TEST(ClosedMotion, DrivenJointsInForwardAndInverseDynamics) {
  const Desk desk;
  desk.write("s.csv", "q.crank,qd.crank,qdd.crank\n0.5,3,2\n");
  const std::string model = "models/slider-crank.yaml ";
  const Table forward = table_of(desk("catena forward " + model + "--state s.csv --driven crank"));
  const Table inverse = table_of(desk("catena inverse " + model + "--motion s.csv 2>/dev/null"));
  EXPECT_EQ(value_of(forward, 0, "qdd.crank"), 2);
  EXPECT_NEAR(value_of(forward, 0, "tau.crank"), value_of(inverse, 0, "tau.crank"), 1e-9);
  // pushed by its slider instead: the same power
  const Table pushed =
      table_of(desk("catena inverse " + model + "--motion s.csv --driven slider 2>/dev/null"));
  EXPECT_EQ(pushed.find("tau.crank"), -1);
  const Table all = table_of(desk("catena assemble " + model + "--state s.csv"));
  EXPECT_NEAR(value_of(pushed, 0, "tau.slider") * value_of(all, 0, "qd.slider"),
              value_of(inverse, 0, "tau.crank") * 3, 1e-9);
  // and the other force given
  desk.write("t.csv", "q.crank,qd.crank,qdd.crank,tau.crank\n0.5,3,2," +
                          std::to_string(value_of(inverse, 0, "tau.crank")) + "\n");
  EXPECT_NEAR(value_of(table_of(desk("catena inverse " + model +
                                     "--motion t.csv --driven slider 2>/dev/null")),
                       0, "tau.slider"),
              0, 1e-4);
  const Table tree =
      table_of(desk("printf 'q.joint1,q.joint2,qdd.joint1\\n0,0.5,1\\n' | catena forward "
                    "models/two-body.yaml --state - --driven joint1"));
  EXPECT_EQ(value_of(tree, 0, "qdd.joint1"), 1);
}

// `driven` of a model is --driven of every command; without a motion it goes on as it began.
TEST(ClosedMotion, JointsThatTheModelDrives) {
  const Desk desk;
  ASSERT_EQ(
      desk("sed 's/^actuators:.*/driven: [crank]/' models/slider-crank.yaml > driven.yaml").code,
      0);
  desk.write("s.csv", "q.crank,qd.crank,qdd.crank\n0.5,3,2\n");
  const Outcome option =
      desk("catena forward models/slider-crank.yaml --state s.csv --driven crank");
  EXPECT_EQ(option.code, 0) << option.err;
  EXPECT_EQ(desk("catena forward driven.yaml --state s.csv").out, option.out);
  EXPECT_EQ(desk("catena inverse driven.yaml --motion s.csv").out,
            desk("catena inverse models/slider-crank.yaml --motion s.csv").out);
  const auto info = nlohmann::json::parse(desk("catena info driven.yaml --json").out);
  EXPECT_EQ(info["closed"]["driven"], nlohmann::json({"crank"}));
  EXPECT_NE(desk("catena info driven.yaml").out.find("\ndriven\n  crank\n"), std::string::npos);

  const Table run =
      table_of(desk("catena simulate driven.yaml --duration 1 --sample 0.25 --initial "
                    "crank=0.2,qd.crank=120rpm --qdd --tau -o run.csv && cat run.csv"));
  for (std::size_t r = 0; r < run.num_rows(); ++r) {
    EXPECT_NEAR(value_of(run, r, "q.crank"), 0.2 + 4 * M_PI * value_of(run, r, "time"), 1e-12);
    EXPECT_EQ(value_of(run, r, "qdd.crank"), 0);
  }
  const Table needed = table_of(desk("catena inverse driven.yaml --motion run.csv 2>/dev/null"));
  for (std::size_t r = 0; r < run.num_rows(); ++r)
    EXPECT_NEAR(value_of(run, r, "tau.crank"), value_of(needed, r, "tau.crank"), 1e-7) << r;
  const Table still =  // and is held where it does not move
      table_of(desk("catena simulate driven.yaml --duration 1 --initial crank=0.7"));
  EXPECT_EQ(value_of(still, still.num_rows() - 1, "q.crank"), 0.7);

  // a motion file, and a tree
  desk.write("m.csv", "time,q.crank\n0,0.5\n0.5,0.6\n1,1\n");
  EXPECT_EQ(desk("catena simulate driven.yaml --duration 1 --motion m.csv").out,
            desk("catena simulate models/slider-crank.yaml --duration 1 --motion m.csv --driven "
                 "crank")
                .out);
  ASSERT_EQ(desk("(cat models/two-body.yaml; echo 'driven: [joint1]') > tree.yaml").code, 0);
  const Table tree = table_of(
      desk("printf 'q.joint1,q.joint2,qdd.joint1\n0,0.5,1\n' | catena forward tree.yaml --state "
           "-"));
  EXPECT_EQ(value_of(tree, 0, "qdd.joint1"), 1);
  EXPECT_GE(tree.find("tau.joint1"), 0);
  const Table turning =
      table_of(desk("catena simulate tree.yaml --duration 1 --initial joint1=0.1,qd.joint1=2"));
  EXPECT_NEAR(value_of(turning, turning.num_rows() - 1, "q.joint1"), 2.1, 1e-12);

  ASSERT_EQ(desk("sed -i 's/^driven:.*/driven: [crank, rod]/' driven.yaml").code, 0);
  const Outcome both = desk("catena simulate driven.yaml --duration 1");
  EXPECT_EQ(both.code, 3);
  EXPECT_NE(both.err.find("driven: joint 'crank' follows from the other driven joints through the "
                          "loops\n    leave it out\n"),
            std::string::npos)
      << both.err;
}

TEST(ClosedMotion, WeightsChooseAmongDrives) {
  const Desk desk;
  ASSERT_EQ(desk("sed 's/^actuators:.*/actuators: [crank, rocker_pivot]/' models/four-bar.yaml > "
                 "two.yaml")
                .code,
            0);
  desk.write("m.csv", "q.crank,qd.crank\n0.9,2\n");
  const auto run = [&](const std::string& more) {
    const Outcome o = desk("catena inverse two.yaml --motion m.csv " + more);
    EXPECT_EQ(o.code, 0) << o.err;
    return parse_table(o.out, "out");
  };
  desk.write("w.csv", "crank\n1e6\n");
  const Table equal = run(""), light = run("--weights crank=1e6"), file = run("--weights w.csv");
  EXPECT_GT(std::fabs(value_of(equal, 0, "tau.crank")), 1e-2);
  EXPECT_LT(std::fabs(value_of(light, 0, "tau.crank")), 1e-4);
  EXPECT_EQ(value_of(light, 0, "tau.crank"), value_of(file, 0, "tau.crank"));
}

struct Said {
  std::string line;
  int code;
  std::string message;
};

TEST(ClosedMotion, WhatCannotBeSaysWhy) {
  const Desk desk;
  ASSERT_EQ(
      desk("sed 's/^actuators:.*/actuators: [leg1_joint1]/' models/five-bar.yaml > lame.yaml").code,
      0);
  desk.write("both.csv", "q.crank,qd.crank,qd.rod\n0.5,1,1\n");
  desk.write("places.csv", "q.crank,q.rod\n0.5,0.5\n");
  desk.write("move.csv", "time,q.crank,q.rod\n0,0.5,-0.66049667\n1,0.6,-0.5\n");
  desk.write("far.csv", "time,q.rocker_pivot\n0,1.6434\n1,3\n");
  const std::string slider = "models/slider-crank.yaml ", four = "models/four-bar.yaml ";
  const Said cases[] = {
      {"catena inverse " + slider + "--motion both.csv", 3,
       "inverse: both.csv:2:1: 'qd.rod' is 1, but the loops make it -1.29"},
      {"catena inverse " + slider + "--motion places.csv", 3,
       "inverse: places.csv:2:1: 'q.rod' is 0.5, but the loops put it at -0.66"},
      {"catena simulate " + slider + "--duration 1 --motion move.csv --driven crank", 3,
       "simulate: move.csv:3:1: 'q.rod' is -0.5, but the loops put it at"},
      {"catena simulate " + slider + "--duration 1 --initial crank=0.5,rod=0.1", 3,
       "simulate: --initial: 'rod' is 0.1, but the loops put it at -0.66"},
      {"catena simulate " + slider + "--duration 1 --initial qd.crank=1,qd.rod=1", 3,
       "simulate: --initial: 'qd.rod' is 1, but the loops make it -1.33"},
      {"catena simulate " + four + "--duration 1 --motion far.csv --driven rocker_pivot", 4,
       "simulate: far.csv:3:1: loop 'rocker_pin' cannot be closed"},
      {"catena simulate lame.yaml --duration 1 --controller computed-torque", 3,
       "simulate: the actuators control 1 of 2 motions: no controller can make it follow all of "
       "them\n    add actuators, or use --controller pd\n"},
      {"catena simulate " + five + "--duration 1 --method denoc", 2,
       "simulate: --method denoc is for models without loops; choose --loops\n"},
      {"catena simulate models/puma.yaml --duration 1 --loops kkt", 2,
       "simulate: --loops is for models with loops; leave it out\n"},
      {"catena simulate models/puma.yaml --duration 1 --event 'singularity<0.1'", 2,
       "simulate: --event: 'singularity' is a distance of models with loops\n"},
      {"catena simulate " + five + "--duration 1 --event singularity=0.1", 2,
       "simulate: --event: a singularity is passed from above; write singularity<0.1\n"},
      {"catena simulate " + five + "--duration 1 --integrator variational --step 0.01", 3,
       "simulate: integrator 'variational' cannot do this system: it has loops or springs between "
       "bodies\n    use dormand-prince\n"},
      {"catena simulate " + five + "--duration 1 --coordinates independent --stabilise none", 2,
       "simulate: --coordinates independent closes the loops itself; leave --stabilise out\n"},
      {"catena simulate " + five + "--duration 1 --baumgarte 5", 2,
       "simulate: --baumgarte is for --stabilise baumgarte; give both\n"},
      {"catena inverse models/puma.yaml --motion m.csv --weights joint1=1", 2,
       "inverse: --driven and --weights are for models with loops: in a tree every joint has its "
       "own force\n"},
      {"catena inverse " + slider + "--motion places.csv --weights crank=0", 2,
       "inverse: --weights: a weight must be above zero; a large one keeps a force small\n"},
      {"printf 'q.crank,qdd.crank,qdd.rod\\n0.5,1,1\\n' | catena forward " + slider +
           "--state - --driven crank,rod",
       4,
       "forward: standard input:2:1: no forces produce the accelerations of the driven joints: "
       "that of 'crank' is 1, but the loops make it -0.77"},
      {"catena info " + five + "--loop-file x.yaml", 3,
       "info: x.yaml: loop files are for URDF, but the model is models/five-bar.yaml\n    write "
       "the "
       "loops in the model itself, under 'loops'\n"},
  };
  for (const Said& c : cases) {
    const Outcome o = desk(c.line);
    EXPECT_EQ(o.code, c.code) << c.line << o.err;
    EXPECT_EQ(o.err.substr(0, c.message.size()), c.message) << c.line;
  }
}

TEST(ClosedMotion, AMechanismThatCannotMoveIsNotSimulated) {
  const Desk desk;
  desk.write("truss.yaml",
             "bodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
             "  - {name: b, mass: 1, inertia: [1, 1, 1]}\n"
             "joints:\n  - {name: ja, type: revolute, parent: world, child: a, axis: z}\n"
             "  - {name: jb, type: revolute, parent: world, child: b, axis: z, origin: [1, 0, 0]}\n"
             "loops:\n  - {name: top, type: revolute, bodies: [a, b], origin1: [1, 0, 0], origin2: "
             "[1, 0, 0], axis: z}\nstart: {ja: 60 deg, jb: 120 deg}\n");
  const Outcome o = desk("catena simulate truss.yaml --duration 1");
  EXPECT_EQ(o.code, 4);
  EXPECT_EQ(
      o.err,
      "simulate: the mobility is 0: with its loops closed the mechanism cannot move\n"
      "    remove a loop, or give it a joint that allows more; catena info shows the count\n");
}

TEST(ClosedMotion, LoopsOfAUrdfFromANamedFile) {
  const Desk desk;
  ASSERT_EQ(desk("catena convert models/four-bar.yaml open.urdf").code, 0);
  ASSERT_EQ(desk("sed -i '/<loop/,/<\\/loop>/d' open.urdf").code, 0);
  const Table before =
      table_of(desk("catena info open.urdf --json > info.json; printf 'a\\n1\\n'"));
  EXPECT_EQ(desk.read("info.json").find("closed_pair"), std::string::npos);
  desk.write("pairs.yaml", "closed_loop: [[coupler, rocker]]\ntype: ['3d']\nname_mot: [crank]\n");
  const Outcome with = desk("catena info open.urdf --loop-file pairs.yaml --json");
  EXPECT_EQ(with.code, 0) << with.err;
  EXPECT_NE(with.out.find("coupler-rocker"), std::string::npos) << with.out;
  EXPECT_EQ(desk("catena info open.urdf --loop-file none.yaml").code, 3);
}

}  // namespace
}  // namespace catena
