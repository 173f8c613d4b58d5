// Closed chains on the command line: info, assemble, forward, convert, and what is said about bad
// ones.
#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace catena {
namespace {

using Json = nlohmann::json;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::map<std::string, double> first_row(const Outcome& o) {
  EXPECT_EQ(o.code, 0) << o.err;
  const Table table = parse_table(o.out, "out");
  std::map<std::string, double> row;
  for (std::size_t c = 0; c < table.num_columns(); ++c) row[table.columns[c]] = table.row(0)[c];
  return row;
}

TEST(Closed, DerivativesAreByTheIndependentCoordinates) {
  Desk catena;
  const auto inverse = first_row(catena("catena derivatives models/four-bar.yaml"));
  const auto forward = first_row(catena("catena derivatives models/four-bar.yaml --of forward"));
  EXPECT_EQ(inverse.size(), 6u);
  EXPECT_EQ(inverse.at("motion.crank.crank"), 1);
  EXPECT_NEAR(inverse.at("dtau_dqdd.crank.crank") * forward.at("dqdd_dtau.crank.crank"), 1, 1e-12);
  // Beside differences of inverse dynamics.
  const Outcome rows = catena(
      "printf 'q.crank\\n0.99999\\n1.00001\\n' | catena inverse models/four-bar.yaml --motion -");
  const Table torques = parse_table(rows.out, "out");
  const auto at_one =
      first_row(catena("printf 'q.crank\\n1\\n' | catena derivatives models/four-bar.yaml -"));
  EXPECT_NEAR(at_one.at("dtau_dq.crank.crank"),
              (value_of(torques, 1, "tau.crank") - value_of(torques, 0, "tau.crank")) / 2e-5, 1e-6);
  EXPECT_EQ(catena("catena parameters models/four-bar.yaml --regressor none.csv").code, 3);
}

TEST(Closed, DerivativesWithoutAStateAreThoseOfTheStart) {
  Desk catena;
  for (const char* model : {"puma", "joint-zoo", "stewart-gough", "flyball-governor"}) {
    const Outcome o = catena("catena derivatives models/" + std::string(model) + ".yaml");
    EXPECT_EQ(o.code, 0) << o.err;
  }
}

TEST(Closed, InfoTellsMobilityLoopsAndActuators) {
  Desk catena;
  const Outcome bricard = catena("catena info models/bricard.yaml");
  EXPECT_EQ(bricard.code, 0);
  for (const char* part :
       {"bricard: 5 bodies, 5 joints, 1 loop", "spanning tree", "loops (cut joints)",
        "joint6  rod5 -> world, revolute about (1 0 0); round rod5, rod4, rod3, rod2, rod1, world",
        "by count       0 (5 velocities, 5 conditions)", "by rank        1 (4 conditions count)",
        "redundant      1 in 'joint6'"}) {
    EXPECT_TRUE(contains(bricard.out, part)) << part << "\n" << bricard.out;
  }
  EXPECT_TRUE(contains(catena("catena info models/flyball-governor.yaml").out,
                       "spring1  rod1 (0.5 0 0) -> block (0.05 0 0); 800000 N/m, 40000 N s/m, "
                       "length 0.5 m"));
  const Outcome tree = catena("catena info models/puma.yaml");
  EXPECT_FALSE(contains(tree.out, "loops")) << tree.out;
}

TEST(Closed, InfoForPrograms) {
  Desk catena;
  const Json andrews = Json::parse(catena("catena info models/andrews.yaml --json").out)["closed"];
  EXPECT_EQ(andrews["mobility"]["by_rank"], 1);
  EXPECT_EQ(andrews["mobility"]["by_count"], -8);
  EXPECT_EQ(andrews["mobility"]["controlled"], 1);
  EXPECT_EQ(andrews["actuators"], Json({"beta"}));
  EXPECT_EQ(andrews["independent"], Json({"beta"}));
  EXPECT_EQ(andrews["redundant"]["E4"], 3);
  EXPECT_EQ(andrews["loops"].size(), 3u);
  EXPECT_EQ(andrews["loops"][1]["round"], Json({"K2", "K1", "world", "K5", "K4"}));
  EXPECT_EQ(andrews["springs"][0]["stiffness"], 4530);
  EXPECT_TRUE(andrews["assembled"]);
  EXPECT_FALSE(Json::parse(catena("catena info models/puma.yaml --json").out).contains("closed"));
}

// The order of Saha's paper, and base, platform and legs.
TEST(Closed, InfoTellsSubsystemsAndLegs) {
  Desk catena;
  const Outcome scraper = catena("catena info models/carpet-scraper.yaml");
  for (const char* part :
       {"subsystems of the spanning tree\n"
        "  I    I_1, I_2                            2 freedoms, 6 unknowns (2 in lambda_1, 2 in "
        "lambda_2, 2 in lambda_3)\n"
        "  II   II_1                                1 freedom, 3 unknowns (II_1, 2 in lambda_1)\n"
        "  III  III_1_0, III_2_0, III_3_0, III_1_1  4 freedoms, 4 unknowns (2 in lambda_2, 2 in "
        "lambda_3): determinate\n"
        "  solved in the order III (lambda_2, lambda_3), I (lambda_1), II (II_1)\n",
        "parallel manipulator\n  platform  body_I_2\n  leg 1     I_1, I_2\n"}) {
    EXPECT_TRUE(contains(scraper.out, part)) << part << "\n" << scraper.out;
  }
  EXPECT_TRUE(contains(catena("catena info models/five-bar.yaml").out,
                       "  platform  joint tip, where the legs meet\n"));
  EXPECT_TRUE(contains(catena("catena info models/delta.yaml").out,
                       "  none can be solved by itself: the whole tree at once\n"));
  const Json andrews = Json::parse(catena("catena info models/andrews.yaml --json").out)["closed"];
  EXPECT_EQ(andrews["subsystems"]["parts"][2]["determinate"], true);
  EXPECT_EQ(andrews["subsystems"]["order"][0]["subsystems"], Json({"III"}));
  EXPECT_EQ(andrews["subsystems"]["order"][2]["subsystems"], Json({"I", "II"}));
  EXPECT_EQ(andrews["parallel"]["platform"], "K2");
  EXPECT_EQ(andrews["parallel"]["legs"].size(), 4u);
}

TEST(Closed, AMethodThatCannotDoAModelSaysWhyAndNamesOthers) {
  Desk catena;
  catena.write("state.csv", "q.hip,q.motor\n0.1,0.2\n");
  const std::string why =
      "it is not a parallel manipulator: no loop passes through the ground, so that there is no "
      "base: loop 'lever' closes between moving bodies";
  for (const std::string command : {"forward models/knee.yaml --state state.csv",
                                    "inverse models/knee.yaml --motion state.csv"}) {
    const Outcome o = catena("catena " + command + " --loops denoc-parallel");
    EXPECT_EQ(o.code, 3) << o.err;
    EXPECT_EQ(o.out, "");
    EXPECT_TRUE(contains(o.err, "'denoc-parallel' cannot do 'knee': " + why +
                                    "\n    choose one of: multipliers, kkt, null-space, "
                                    "subsystems, homogeneous\n"))
        << o.err;
  }
  const Outcome verify = catena("catena verify models/knee.yaml --states 3");
  EXPECT_EQ(verify.code, 0);
  EXPECT_TRUE(contains(verify.out, "denoc-parallel     not run: " + why)) << verify.out;
  const Json json = Json::parse(catena("catena verify models/knee.yaml --states 3 --json").out);
  EXPECT_EQ(json["methods"].size(), 6u);
  EXPECT_EQ(json["methods"][3]["refusal"], why);
  EXPECT_LT(json["methods"][4]["tau"], 1e-9);
}

TEST(Closed, VerifyRunsEveryMachine) {
  Desk catena;
  for (const char* name : {"five-bar", "slider-crank", "planar-3rrr", "delta", "stewart-gough",
                           "andrews", "bricard", "flyball-governor", "ankle"}) {
    const Outcome o = catena(std::string("catena verify models/") + name + ".yaml --states 5");
    EXPECT_EQ(o.code, 0) << name << "\n" << o.out << o.err;
    EXPECT_TRUE(contains(o.out, "all methods agree")) << o.out;
  }
}

TEST(Closed, AndrewsStartsAsTheLiteratureSays) {
  Desk catena;
  const auto qdd =
      first_row(catena("printf 'q.beta,tau.beta\\n-0.0617138900142764496,0.033\\n' |"
                       " catena forward models/andrews.yaml --state -"));
  EXPECT_NEAR(qdd.at("qdd.beta"), 14222.4439199541139, 1e-7);
  EXPECT_NEAR(qdd.at("qdd.Theta"), -10666.8329399655854, 1e-7);
}

// There and back through URDF, the machine closes at the same place.
TEST(Closed, ConvertKeepsEverything) {
  Desk catena;
  for (const std::string name :
       {"andrews", "bricard", "planar-3rrr", "flyball-governor", "ankle"}) {
    SCOPED_TRACE(name);
    ASSERT_EQ(catena("catena convert models/" + name + ".yaml there.urdf").code, 0);
    ASSERT_EQ(catena("catena convert there.urdf back.yaml").code, 0);
    const auto before = first_row(catena("catena assemble models/" + name + ".yaml"));
    const auto after = first_row(catena("catena assemble back.yaml"));
    ASSERT_EQ(before.size(), after.size());
    for (const auto& [column, value] : before)
      EXPECT_NEAR(after.at(column), value, 1e-12) << column;
    const Json one = Json::parse(catena("catena info models/" + name + ".yaml --json").out);
    const Json two = Json::parse(catena("catena info back.yaml --json").out);
    for (const char* part : {"actuators", "mobility", "redundant", "independent", "springs"})
      EXPECT_EQ(one["closed"][part], two["closed"][part]) << part;
  }
}

const char* const triangle =
    "bodies:\n  - {name: a, mass: 1, inertia: [1, 1, 1]}\n"
    "  - {name: b, mass: 1, inertia: [1, 1, 1]}\n"
    "joints:\n  - {name: ja, type: revolute, parent: world, child: a, axis: z}\n"
    "  - {name: jb, type: revolute, parent: world, child: b, axis: z, origin: [DISTANCE, 0, 0]}\n"
    "loops:\n  - {name: top, type: revolute, bodies: [a, b], origin1: [1, 0, 0], origin2: [1, 0, "
    "0], axis: z}\nstart: {ja: 60 deg, jb: 120 deg}\n";

std::string triangle_at(const std::string& distance) {
  std::string text = triangle;
  return text.replace(text.find("DISTANCE"), 8, distance);
}

TEST(Closed, AMechanismThatCannotMoveSaysSo) {
  Desk catena;
  catena.write("truss.yaml", triangle_at("1"));
  const Outcome info = catena("catena info truss.yaml");
  EXPECT_EQ(info.code, 0);
  EXPECT_TRUE(
      contains(info.out, "the mobility is 0: with its loops closed the mechanism cannot move"));
  const Outcome forward =
      catena("printf 'q.ja,tau.ja\\n1,0\\n' | catena forward truss.yaml --state -");
  EXPECT_EQ(forward.code, 4);
  EXPECT_TRUE(contains(forward.err, "the mobility is 0")) << forward.err;
}

TEST(Closed, LengthsThatCannotMeetSayWhichLoopAndByHowMuch) {
  Desk catena;
  catena.write("far.yaml", triangle_at("3"));
  const Outcome o = catena("catena assemble far.yaml");
  EXPECT_EQ(o.code, 4);
  EXPECT_EQ(o.err,
            "assemble: loop 'top' cannot be closed: 1 (m or rad) remain\n"
            "    check the lengths, or 'start' in the model, which chooses the branch\n");
  EXPECT_TRUE(contains(catena("catena info far.yaml").out, "loop 'top' cannot be closed: 1"));
}

TEST(Closed, ALoopOnOneBodyIsBadInput) {
  Desk catena;
  std::string text = triangle_at("1");
  text.replace(text.find("[a, b]"), 6, "[a, a]");
  catena.write("same.yaml", text);
  const Outcome o = catena("catena assemble same.yaml");
  EXPECT_EQ(o.code, 3);
  EXPECT_TRUE(contains(o.err, "loop 'top': both ends are on body 'a'")) << o.err;
}

TEST(Closed, FewerActuatorsThanMotions) {
  Desk catena;
  catena.write("five.yaml", "");
  ASSERT_EQ(
      catena("sed 's/^actuators:.*/actuators: [leg1_joint1]/' models/five-bar.yaml > five.yaml")
          .code,
      0);
  EXPECT_TRUE(
      contains(catena("catena info five.yaml").out, "the actuators control 1 of 2 motions"));
  EXPECT_EQ(catena("printf 'q.leg1_joint1,q.leg2_joint1\\n0.6,0.5\\n' |"
                   " catena inverse five.yaml --motion -")
                .code,
            4);
}

}  // namespace
}  // namespace catena
