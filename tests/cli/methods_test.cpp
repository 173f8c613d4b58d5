// All formulations through the program.
#include <cmath>

#include "catena/data/table.hpp"
#include "cli/program.hpp"

namespace catena {
namespace {

TEST(Verify, DisagreementIsOneAndNamesMethodStateAndJoint) {
  const Desk desk;
  const Outcome good = desk("catena verify models/joint-zoo.yaml --states 5");
  EXPECT_EQ(good.code, 0) << good.err;
  EXPECT_NE(good.out.find("all methods agree"), std::string::npos);
  const Outcome bad = desk("catena verify models/joint-zoo.yaml --states 5 --tolerance 1e-18");
  EXPECT_EQ(bad.code, 1);
  for (const char* part : {"method 'spatial' disagrees in", "at coordinate '", "in state ", "q."})
    EXPECT_NE(bad.err.find(part), std::string::npos) << bad.err;
  EXPECT_EQ(desk("catena verify models/five-bar.yaml --states 5").code, 0);
}

TEST(Methods, AllAnswerOnTheCommandLine) {
  const Desk desk;
  desk.write(
      "state.csv",
      "q.joint1,q.joint2,q.joint3,q.joint4,q.joint5,q.joint6,qd.joint2,qdd.joint3,tau.joint1\n"
      "0.1,0.2,0.3,0.4,0.5,0.6,1,2,3\n");
  const auto numbers = [&](const std::string& command, const std::string& method) {
    const Outcome run = desk("catena " + command + " --method " + method);
    EXPECT_EQ(run.code, 0) << method << ": " << run.err;
    return parse_table(run.out, method).values;
  };
  for (const char* command : {"inverse models/stanford.yaml --motion state.csv",
                              "forward models/stanford.yaml --state state.csv",
                              "inertia models/stanford.yaml --state state.csv"}) {
    const auto expected = numbers(command, "spatial");
    for (const char* method : {"denoc", "gibbs-appell", "homogeneous", "lagrange", "global"}) {
      const auto found = numbers(command, method);
      ASSERT_EQ(found.size(), expected.size());
      for (std::size_t i = 0; i < found.size(); ++i)
        EXPECT_NEAR(found[i], expected[i], 1e-10 * (1 + std::abs(expected[i]))) << method;
    }
  }
}

TEST(Methods, SayWhatTheyCannotDo) {
  const Desk desk;
  desk.write("motion.csv", "q.hinge\n0.5\n");
  const Outcome none =
      desk("catena inverse models/pendulum.yaml --motion motion.csv --method constraint-force");
  EXPECT_EQ(none.code, 3);
  EXPECT_EQ(
      none.err,
      "inverse: method 'constraint-force' does not compute inverse dynamics; use 'spatial'\n");
  const Outcome tree =
      desk("catena forward models/quadruped.yaml --state motion.csv --method constraint-force");
  EXPECT_EQ(tree.code, 3);
  EXPECT_NE(tree.err.find("cannot do 'quadruped'"), std::string::npos) << tree.err;
  EXPECT_NE(tree.err.find("global"), std::string::npos) << tree.err;
}

}  // namespace
}  // namespace catena
