// Closed chains that cannot be: every mistake has an exit code, says what is wrong, and a remedy.
#include "cli/program.hpp"

namespace catena {
namespace {

// Two links that turn on the ground, 1 m long, and what closes them.
std::string two_links(const std::string& loops, const std::string& more = "") {
  return "name: two links\n"
         "bodies:\n"
         "  - {name: a, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
         "  - {name: b, mass: 1, com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}\n"
         "joints:\n"
         "  - {name: ja, type: revolute, parent: world, child: a, axis: z}\n"
         "  - {name: jb, type: revolute, parent: world, child: b, axis: z, origin: [1, 0, 0]}\n"
         "loops:\n" +
         loops + "start: {ja: 60 deg, jb: 120 deg}\n" + more;
}
std::string pin(const std::string& name, const std::string& bodies, const std::string& at) {
  return "  - {name: " + name + ", type: revolute, bodies: [" + bodies + "], origin1: [" + at +
         ", 0, 0], origin2: [1, 0, 0], axis: z}\n";
}

struct Mistake {
  std::string line;
  int code;
  std::string message;
};

TEST(ClosedBadInput, SaysWhatIsWrongAndTheRemedy) {
  const Desk desk;
  desk.write("one.yaml", two_links(pin("top", "a, a", "1")));
  desk.write("twice.yaml", two_links(pin("top", "a, b", "1") + pin("again", "a, b", "1")));
  desk.write("truss.yaml", two_links(pin("top", "a, b", "1")));
  desk.write("short.yaml", two_links(pin("top", "a, b", "-3")));
  ASSERT_EQ(
      desk("sed 's/^actuators:.*/actuators: [leg1_joint1]/' models/five-bar.yaml > lame.yaml").code,
      0);
  desk.write("q.csv", "q.ja\n1\n");
  desk.write("legs.csv", "q.leg1_joint1,q.leg2_joint1\n0.6,0.5\n");
  desk.write("places.csv", "q.crank,q.slider\n0.5,0.3\n");
  desk.write("rates.csv", "q.crank,qd.crank,qd.slider\n0.5,1,0.25\n");
  desk.write("later.csv", "q.crank,qd.crank,qdd.crank,qdd.slider\n0.5,1,0,1\n");
  const std::string slider = " models/slider-crank.yaml ";
  const std::string immobile =
      "the mobility is 0: with its loops closed the mechanism cannot move\n"
      "    remove a loop, or give it a joint that allows more; catena info shows the count\n";
  const std::string follows = "\n    leave the column out: it follows from the others\n";
  const Mistake mistakes[] = {
      {"catena assemble one.yaml", 3,
       "assemble: one.yaml:9:5: loop 'top': both ends are on body 'a'\n    name two different "
       "bodies\n"},
      {"catena verify twice.yaml", 3,
       "verify: twice.yaml:10:5: loop 'again': it closes the same loop as 'top'\n"
       "    the first is at twice.yaml:9:5; remove one of them\n"},
      {"catena forward truss.yaml --state q.csv", 4, "forward: " + immobile},
      {"catena inverse truss.yaml --motion q.csv", 4, "inverse: " + immobile},
      {"catena kinematics truss.yaml --state q.csv", 4, "kinematics: " + immobile},
      {"catena simulate truss.yaml --duration 1", 4, "simulate: " + immobile},
      {"catena verify truss.yaml", 4, "verify: " + immobile},
      {"catena assemble short.yaml", 4,
       "assemble: loop 'top' cannot be closed: 1 (m or rad) remain\n"
       "    check the lengths, or 'start' in the model, which chooses the branch\n"},
      {"catena forward short.yaml --state q.csv", 4,
       "forward: q.csv:2:1: loop 'top' cannot be closed: 1 (m or rad) remain\n"
       "    check lengths and the given positions, or 'start' in the model, which chooses the "
       "branch\n"},
      {"catena simulate short.yaml --duration 1", 4,
       "simulate: loop 'top' cannot be closed: 1 (m or rad) remain\n"
       "    give --initial positions that fit, or 'start' in the model\n"},
      {"catena verify short.yaml", 4,
       "verify: loop 'top' cannot be closed: 1 (m or rad) remain\n"
       "    check the lengths, or 'start' in the model, which chooses the branch\n"},
      {"catena inverse lame.yaml --motion legs.csv", 4,
       "inverse: warning: 3 of 5 closure conditions are redundant (in loop 'tip'): reactions there "
       "are the smallest that do the work\n"
       "inverse: legs.csv:2:1: the actuators cannot produce this motion: 10.3 remain along a "
       "motion of joint 'leg2_joint1'\n"
       "    add an actuator, or let forward dynamics tell how it moves\n"},
      {"catena inverse" + slider + "--motion places.csv", 3,
       "inverse: places.csv:2:1: 'q.slider' is 0.3, but the loops put it at 0.383902666: off by "
       "0.0839" +
           follows},
      {"catena inverse" + slider + "--motion rates.csv", 3,
       "inverse: rates.csv:2:1: 'qd.slider' is 0.25, but the loops make it -0.0621496595: off by "
       "0.312" +
           follows},
      {"catena inverse" + slider + "--motion later.csv", 3,
       "inverse: later.csv:2:1: 'qdd.slider' is 1, but the loops make it -0.106684377: off by "
       "1.11" +
           follows},
      {"catena forward" + slider + "--state later.csv --driven crank,slider", 4,
       "forward: later.csv:2:1: no forces produce the accelerations of the driven joints: that of "
       "'slider' is 1, but the loops make it -0.106684: off by 1.10668\n"
       "    drive fewer joints; the others follow\n"},
  };
  for (const Mistake& m : mistakes) {
    const Outcome o = desk(m.line);
    EXPECT_EQ(o.code, m.code) << m.line;
    EXPECT_EQ(o.err, m.message) << m.line;
    EXPECT_EQ(o.out, "") << m.line;
  }
}

}  // namespace
}  // namespace catena
