// Exit codes and messages: wrong usage is 2, bad input 3, a result that does not exist 4.
#include "cli/program.hpp"

namespace catena {
namespace {

struct Case {
  std::string line;
  int code;
  std::string message;  // the whole of standard error
};

void check(const Desk& desk, const Case& c) {
  const std::string before = desk.files();
  const Outcome run = desk(c.line);
  EXPECT_EQ(run.code, c.code) << c.line;
  EXPECT_EQ(run.err, c.message) << c.line;
  EXPECT_EQ(run.out, "") << c.line;
  EXPECT_EQ(desk.files(), before) << c.line;
}

std::string see(const std::string& command) { return "\n    see catena " + command + " --help\n"; }

TEST(Usage, WrongUsageIsTwo) {
  const Desk desk;
  const std::string puma = "models/puma.yaml ";
  const Case cases[] = {
      {"catena invers", 2,
       "catena: there is no command 'invers' (did you mean 'inverse'?)\n"
       "    the commands are: info, inverse, reactions, forward, inertia, kinematics, trajectory, "
       "ik, "
       "simulate, assemble, verify, count, stability, reproduce, codegen, derivatives, "
       "parameters, convert, spacelib\n"},
      {"catena inverse", 2, "inverse: MODEL is required" + see("inverse")},
      {"catena inverse " + puma, 2, "inverse: --motion is required" + see("inverse")},
      {"catena inverse " + puma + "--motoin m.csv", 2,
       "inverse: '--motoin' is not an option or argument (did you mean '--motion'?)" +
           see("inverse")},
      {"catena inverse " + puma + "--motion m.csv extra", 2,
       "inverse: 'extra' is not an option or argument" + see("inverse")},
      {"catena inverse " + puma + "--motion m.csv --method newton", 2,
       "inverse: --method: 'newton' is not one of: spatial, denoc, gibbs-appell, homogeneous, "
       "lagrange, global, constraint-force" +
           see("inverse")},
      {"catena inverse " + puma + "--motion m.csv --plot t.gif", 2,
       "inverse: --plot: 't.gif' is no picture that can be drawn; end it in .svg, .png or .html" +
           see("inverse")},
      {"catena inverse " + puma + "--motion m.csv -o t.svg", 2,
       "inverse: --output: 't.svg' would be a picture; write --plot t.svg" + see("inverse")},
      {"catena inverse " + puma + "--motion m.csv -o " + puma, 2,
       "inverse: --output: 'models/puma.yaml' would be a model; write .csv or .json" +
           see("inverse")},
      {"catena inverse " + puma + "--motion m.csv --world", 2,
       "inverse: --world requires --reactions" + see("inverse")},
      {"catena inertia " + puma + "--state m.csv --factor lu", 2,
       "inertia: --factor: 'lu' is not one of: udut, ltl" + see("inertia")},
      {"catena kinematics " + puma + "--state m.csv --axes world_alligned", 2,
       "kinematics: --axes: 'world_alligned' is not one of: frame, world_aligned, world (did you "
       "mean 'world_aligned'?)" +
           see("kinematics")},
      {"catena kinematics models/pendulum.yaml --state m.csv --frame tipp", 2,
       "kinematics: --frame: 'tipp' is not a frame of 'pendulum' (did you mean 'tip'?)\n"
       "    catena info lists the frames\n"},
      {"catena convert " + puma + "puma.json", 2,
       "convert: TARGET: 'puma.json' is no model format that can be written; end it in .yaml or "
       ".urdf" +
           see("convert")},
      {"catena convert " + puma + puma, 2,
       "convert: both names are the same file; the original would be lost\n"},
  };
  for (const Case& c : cases) check(desk, c);
}

TEST(Usage, NoCommandShowsTheHelp) {
  const Desk desk;
  const Outcome run = desk("catena");
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("inverse"), std::string::npos);
  EXPECT_EQ(desk("catena --help").out, run.err);
}

TEST(Usage, BadInputIsThree) {
  const Desk desk;
  desk.write("m.csv", "q.hinge,q.hinge2\n0,0\n");
  desk.write("ragged.csv", "q.hinge\n0\n1,2\n");
  desk.write("bad.yaml", "name: [\n");
  desk.write("unphysical.yaml",
             "bodies:\n  - {name: rod, mass: 1, inertia: [1, 1, 3]}\njoints:\n"
             "  - {name: hinge, type: revolute, axis: z, parent: world, child: rod}\n");
  const std::string pendulum = "models/pendulum.yaml ";
  const Case cases[] = {
      {"catena inverse " + pendulum + "--motion no.csv -o t.csv", 3,
       "inverse: no.csv: there is no such file\n"
       "    check the path; it is taken from the current directory\n"},
      {"catena inverse " + pendulum + "--motion m.csv -o t.csv", 3,
       "inverse: m.csv:1:9: column 'q.hinge2' is not a joint of 'pendulum' "
       "(did you mean 'q.hinge'?)\n"},
      {"catena forward " + pendulum + "--state - < ragged.csv", 3,
       "forward: standard input:3:4: the row has 2 fields, but the header names 1 column\n"
       "    give every row one number per column\n"},
      {"catena inertia models/penduum.yaml --state m.csv", 3,
       "inertia: models/penduum.yaml: there is no such file (did you mean 'pendulum.yaml'?)\n"
       "    check the path; it is taken from the current directory\n"},
  };
  for (const Case& c : cases) check(desk, c);
  EXPECT_EQ(desk("catena info bad.yaml").code, 3);
  EXPECT_EQ(desk("catena info unphysical.yaml").code, 3);
}

TEST(Usage, WarningsDoNotStopTheWork) {
  const Desk desk;
  desk.write("unphysical.yaml",
             "bodies:\n  - {name: rod, mass: 1, inertia: [1, 1, 3]}\njoints:\n"
             "  - {name: hinge, type: revolute, axis: z, parent: world, child: rod}\n");
  desk.write("m.csv", "q.hinge,qdd.hinge\n0,2\n");
  const Outcome run = desk("catena inverse unphysical.yaml --motion m.csv --allow-unphysical");
  EXPECT_EQ(run.code, 0);
  EXPECT_EQ(run.out, "tau.hinge\n6\n");
  EXPECT_TRUE(run.err.starts_with("inverse: warning: unphysical.yaml:2:")) << run.err;
  const Outcome info = desk("catena info unphysical.yaml --allow-unphysical");
  EXPECT_EQ(info.err, "");
  EXPECT_NE(info.out.find("\nwarnings\n  unphysical.yaml:2:"), std::string::npos) << info.out;
}

TEST(Usage, AResultThatDoesNotExistIsFour) {
  const Desk desk;
  desk.write("massless.yaml",
             "name: massless\nbodies: [{name: rod}]\njoints:\n"
             "  - {name: hinge, type: revolute, axis: z, parent: world, child: rod}\n");
  desk.write("s.csv", "q.hinge\n0\n1\n");
  desk.write("fast.csv", "q.joint1,q.joint2,qd.joint1\n0,0,0\n0,1,1e200\n");
  check(desk,
        {"catena forward massless.yaml --state s.csv -o t.csv", 4,
         "forward: s.csv:2:1: joint 'hinge' carries no inertia at this state; give link 'rod' a "
         "mass or weld the joint\n"});
  check(desk,
        {"catena inertia massless.yaml --state s.csv --factor udut", 4,
         "inertia: s.csv:2:1: the inertia matrix has no factors: joint coordinate 'hinge' carries "
         "no inertia\n"});
  check(desk,
        {"catena inverse models/two-body.yaml --motion fast.csv -o t.csv", 4,
         "inverse: fast.csv:3:1: 'tau.joint1' is not finite for this row; its numbers are too "
         "large to compute with\n"});
}

TEST(Usage, AFloatingBaseHasAFreeJoint) {
  const Desk desk;
  desk.write(
      "m.urdf",
      "<robot name=\"m\"><link name=\"base\"><inertial><mass value=\"2\"/><inertia ixx=\"1\" "
      "iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link><link name=\"tip\"/>"
      "<joint name=\"weld\" type=\"fixed\"><parent link=\"base\"/><child link=\"tip\"/>"
      "</joint></robot>\n");
  desk.write("s.csv",
             "q.root.0,q.root.1,q.root.2,q.root.3,q.root.4,q.root.5,q.root.6,f.base.z\n"
             "0,0,0,0,0,0,1,0\n0,0,0,0,0,0,1,19.62\n");
  const Outcome run = desk("catena forward m.urdf --floating-base --state s.csv");
  EXPECT_EQ(run.code, 0) << run.err;
  const Table t = parse_table(run.out, "output");
  EXPECT_NEAR(value_of(t, 0, "qdd.root.5"), -9.81, 1e-14);
  EXPECT_NEAR(value_of(t, 1, "qdd.root.5"), 0, 1e-14);
}

// A single link, a body that nothing carries and one that is welded to the world all fall.
TEST(Usage, AFloatingBaseNeedsNoJoint) {
  const Desk desk;
  const std::string brick = "{name: brick, mass: 2, com: [0, 0, 0.1], inertia: [0.1, 0.1, 0.1]}";
  desk.write("link.urdf",
             "<robot name=\"m\"><link name=\"brick\"><inertial><mass value=\"2\"/><inertia "
             "ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial></link>"
             "</robot>\n");
  desk.write("ground.yaml", "ground: brick\nbodies: [" + brick + "]\n");
  desk.write("loose.yaml", "bodies: [" + brick + "]\n");
  desk.write("weld.yaml", "bodies: [" + brick +
                              "]\njoints:\n  - {name: mount, type: fixed, parent: world, child: "
                              "brick, origin: [1, 2, 3]}\n");
  desk.write("s.csv",
             "q.root.0,q.root.1,q.root.2,q.root.3,q.root.4,q.root.5,q.root.6\n0,0,0,0,0,0,1\n");
  for (const std::string model : {"link.urdf", "ground.yaml", "loose.yaml", "weld.yaml"}) {
    const Table qdd = table_of(desk("catena forward " + model + " --floating-base --state s.csv"));
    for (int k = 0; k < 6; ++k) {
      EXPECT_NEAR(qdd.at(0, static_cast<std::size_t>(k)), k == 5 ? -9.81 : 0, 1e-13) << model << k;
    }
  }
  const Table pose = table_of(desk("catena kinematics weld.yaml --floating-base --state s.csv"));
  EXPECT_EQ(value_of(pose, 0, "p.brick.x"), 1);  // neutral is where the file puts it
  EXPECT_EQ(value_of(pose, 0, "p.brick.z"), 3);
}

TEST(Usage, AModelWithoutABaseCannotFloat) {
  const Desk desk;
  desk.write("named.yaml",
             "ground: base\nbodies: [{name: rod, mass: 1, inertia: [1, 1, 1]}]\njoints:\n"
             "  - {name: hinge, type: revolute, axis: z, parent: base, child: rod}\n");
  desk.write("two.yaml",
             "bodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
             "  - {name: b, mass: 1, inertia: [1, 1, 1]}\n");
  desk.write("root.yaml",
             "ground: base\nbodies:\n  - {name: base, mass: 1, inertia: [1, 1, 1]}\n"
             "  - {name: rod, mass: 1, inertia: [1, 1, 1]}\njoints:\n"
             "  - {name: root, type: revolute, axis: z, parent: base, child: rod}\n");
  const Case cases[] = {
      {"catena info models/pendulum.yaml --floating-base", 3,
       "info: models/pendulum.yaml:14:5: joint 'hinge' (revolute) hangs on 'world' itself, so "
       "there "
       "is no base that could move freely\n    describe a body with the mass of the base, e.g. "
       "'base', and make it the ground: ground: base\n"},
      {"catena info models/quadruped.yaml --floating-base", 3,
       "info: models/quadruped.yaml:23:5: joint 'root': the model moves freely already\n"
       "    leave --floating-base out: it would be a second free joint\n"},
      {"catena info named.yaml --floating-base", 3,
       "info: named.yaml:1:1: the ground 'base' is no body that could move freely\n"
       "    describe a body 'base' with its mass and inertia\n"},
      {"catena info two.yaml --floating-base", 3,
       "info: two.yaml:1:1: bodies 'a' and 'b' both stand on the world: only one base can move "
       "freely\n    connect them by a fixed joint, or write a joint of type free for each\n"},
      {"catena info root.yaml --floating-base", 3,
       "info: root.yaml:6:5: joint 'root' has the name of the floating base's joint\n"
       "    give the joint another name\n"},
      {"catena info two.yaml", 3,
       "info: two.yaml:1:1: the model has no joints, so there is nothing to compute\n"
       "    add a joint; one of type free (floating in URDF), or --floating-base, for a body in "
       "space\n"},
  };
  for (const Case& c : cases) check(desk, c);
}

}  // namespace
}  // namespace catena
