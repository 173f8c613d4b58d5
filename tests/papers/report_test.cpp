// catena reproduce as a user meets it: all claims with their verdicts, one page, and messages.
#include <map>
#include <set>
#include <sstream>

#include "cli/program.hpp"

namespace catena {
namespace {

using Verdicts = std::map<std::string, std::string>;  // "paper,exhibit,claim"

Verdicts verdicts_in(const std::string& csv) {
  Verdicts verdicts;
  std::istringstream lines(csv);
  std::string line;
  std::getline(lines, line);
  while (std::getline(lines, line)) {
    std::vector<std::string> fields(4);
    std::istringstream parts(line);
    for (std::string& field : fields) std::getline(parts, field, ',');
    verdicts[fields[0] + "," + fields[1] + "," + fields[2]] = fields[3];
  }
  return verdicts;
}

std::string file_text(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(Report, EveryClaimHasItsExpectedVerdict) {
  const Desk desk;
  const Outcome run = desk("catena reproduce --output out");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  EXPECT_NE(run.out.find("the report: out/report.html"), std::string::npos);
  const Verdicts found = verdicts_in(desk.read("out/claims.csv"));
  const Verdicts expected =
      verdicts_in(file_text(CATENA_SOURCE_DIR "/tests/papers/expected_verdicts.csv"));
  for (const auto& [claim, verdict] : expected) {
    ASSERT_TRUE(found.contains(claim)) << claim << " is no longer judged";
    if (verdict == "any") continue;  // a matter of the machine
    EXPECT_EQ(found.at(claim), verdict) << claim;
  }
  for (const auto& entry : found)
    EXPECT_TRUE(expected.contains(entry.first))
        << entry.first << " is new: add it to expected_verdicts.csv";

  // The page: every claim with a verdict, every figure drawn, nothing from elsewhere.
  const std::string page = desk.read("out/report.html");
  for (const auto& entry : found) {
    std::string id = entry.first;
    id.replace(id.find(','), 1, "-");
    id.replace(id.find(','), 1, ".");
    const auto at = page.find(" id=\"" + id + "\"");
    ASSERT_NE(at, std::string::npos) << id;
    EXPECT_NE(page.substr(at, 200).find(entry.second), std::string::npos) << id;
  }
  for (const char* word : {"<script", "src=", "url(", "@import", "<link"})
    EXPECT_EQ(page.find(word), std::string::npos) << word;
  for (std::size_t at = page.find("http"); at != std::string::npos; at = page.find("http", at + 1))
    EXPECT_EQ(page.substr(at, 26), "http://www.w3.org/2000/svg");
  EXPECT_EQ(page.find("No result"), std::string::npos);
  EXPECT_EQ(page.find("no data"), std::string::npos);
  // Links lead somewhere.
  std::set<std::string> ids;
  for (std::size_t at = page.find(" id=\""); at != std::string::npos;
       at = page.find(" id=\"", at + 1))
    EXPECT_TRUE(ids.insert(page.substr(at + 5, page.find('"', at + 5) - at - 5)).second)
        << page.substr(at, 60);
  for (std::size_t at = page.find("href=\"#"); at != std::string::npos;
       at = page.find("href=\"#", at + 1))
    EXPECT_TRUE(ids.contains(page.substr(at + 7, page.find('"', at + 7) - at - 7)))
        << page.substr(at, 60);
  // Each panel is an SVG, and each figure a file.
  EXPECT_TRUE(desk.has("out/saha-chains/fig-20.svg"));
  EXPECT_TRUE(desk.has("out/mata-2002/fig-2.csv"));
}

TEST(Report, AVerdictFollowsFromTheNumbers) {
  const Desk desk;
  desk("cp -r '" CATENA_SOURCE_DIR "/papers' papers");
  const std::string file = "papers/saha-1999/paper.yaml";
  std::string text = desk.read(file);
  const auto change = [&](const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    ASSERT_NE(at, std::string::npos) << from;
    text.replace(at, from.size(), to);
  };
  change("{6: [2195, 1719]}", "{6: [2196, 1719]}");
  change("{measure: all.max, at_most: 5}", "{measure: all.max, at_most: 4}");
  change("length: [0.3,", "length: [0.31,");
  desk.write(file, text);
  ASSERT_EQ(desk("catena reproduce saha-1999 -o out").code, 0);
  const Verdicts found = verdicts_in(desk.read("out/claims.csv"));
  EXPECT_EQ(found.at("saha-1999,table-1,hollerbach"), "differs");
  EXPECT_EQ(found.at("saha-1999,fig-5,axis"), "differs");
  EXPECT_EQ(found.at("saha-1999,fig-5,explicit"), "differs");
  // 0.7 kg on an arm that is 1 cm longer: 0.0687 N m at rest
  EXPECT_NE(desk.read("out/claims.csv").find("largest difference is 0.0699"), std::string::npos);
}

TEST(Report, ListsAndChoosesPapers) {
  const Desk desk;
  EXPECT_EQ(desk("catena reproduce --list").out,
            "saha-1999\nsaha-chains\nmata-2002\nlegnani-1996\nfeatherstone-orin-2000\n");
  const Outcome run = desk("catena reproduce legnani-1996 saha-1999 legnani-1996 -o out");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_LT(run.out.find("saha-1999"), run.out.find("legnani-1996"));
  EXPECT_TRUE(desk.has("out/saha-1999/fig-5.svg"));
  EXPECT_FALSE(desk.has("out/mata-2002"));
}

TEST(Report, WrongArgumentsAreExplained) {
  const Desk desk;
  Outcome run = desk("catena reproduce saha-1998");
  EXPECT_EQ(run.code, 2);
  EXPECT_EQ(run.err,
            "reproduce: there is no paper 'saha-1998' (did you mean 'saha-1999'?)\n"
            "    the papers are: saha-1999, saha-chains, mata-2002, legnani-1996, "
            "featherstone-orin-2000\n");
  run = desk("catena reproduce --ouput x");
  EXPECT_EQ(run.code, 2);
  EXPECT_NE(run.err.find("did you mean '--output'?"), std::string::npos) << run.err;
  run = desk("mkdir empty && catena reproduce --papers empty");
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.err,
            "reproduce: empty: there is no paper in this folder (NAME/paper.yaml)\n"
            "    give the folder 'papers' of a checkout: --papers DIR\n");
  EXPECT_EQ(desk.files(), "empty");
}

TEST(Report, AFolderThatCannotBeWrittenIsNamed) {
  const Desk desk;
  desk.write("file", "");
  const Outcome run = desk("catena reproduce legnani-1996 --output file/out");
  EXPECT_EQ(run.code, 3);
  EXPECT_EQ(run.err,
            "reproduce: file/out: nothing can be written into this folder (Not a directory)\n"
            "    name another one: --output DIR\n");
  // A folder in the place of a file: nothing is written at all.
  const Outcome blocked =
      desk("mkdir -p out/claims.csv && catena reproduce legnani-1996 --output out");
  EXPECT_EQ(blocked.code, 3);
  EXPECT_FALSE(desk.has("out/report.html"));
}

TEST(Report, MistakesInAPaperNameThePlace) {
  const Desk desk;
  desk("mkdir -p papers/mine");
  const auto message = [&](const std::string& exhibit) {
    desk.write("papers/mine/paper.yaml", "title: Mine\nexhibits:\n" + exhibit);
    const Outcome run = desk("catena reproduce -o out");
    EXPECT_EQ(run.code, 3) << exhibit;
    EXPECT_FALSE(desk.has("out/report.html"));
    return run.err.substr(0, run.err.find('\n'));
  };
  EXPECT_EQ(message("  - {id: a, title: A, kind: tork}\n"),
            "reproduce: papers/mine/paper.yaml:3:5: exhibit 'a': there is no kind 'tork'");
  EXPECT_EQ(message("  - {id: a, title: A, kind: torques, modle: x}\n"),
            "reproduce: papers/mine/paper.yaml:3:38: exhibit 'a': unknown key 'modle' (did you "
            "mean 'model'?)");
  EXPECT_EQ(message("  - {id: a, title: A, kind: torques}\n"),
            "reproduce: papers/mine/paper.yaml:3:5: exhibit 'a': the key 'model' is missing");
  EXPECT_EQ(message("  - {id: a/b, title: A, kind: torques}\n"),
            "reproduce: papers/mine/paper.yaml:3:10: exhibit 'a/b': 'a/b' cannot be part of a "
            "file's name");
  const std::string arm = "kind: torques, model: ../../models/planar-3r.yaml, duration: 1";
  EXPECT_EQ(message("  - {id: a, title: A, " + arm + ", to: {joint9: 1}}\n"),
            "reproduce: papers/mine/paper.yaml:3:92: exhibit 'a': 'joint9' is no position of the "
            "model (did you mean 'joint1'?)");
  EXPECT_EQ(message("  - {id: a, title: A, " + arm + ", claims: [{id: c, says: s}]}\n"),
            "reproduce: papers/mine/paper.yaml:3:96: claim 'c': nothing decides this claim");
  EXPECT_EQ(message("  - {id: a, title: A, " + arm + ", claims: [{id: c, says: s, needs: [x]}]}\n"),
            "reproduce: papers/mine/paper.yaml:3:121: claim 'c': 'x' is not among what the text "
            "leaves open");
  EXPECT_EQ(message("  - {id: a, title: A, " + arm +
                    ", claims: [{id: c, says: s, measure: joint1.most}]}\n"),
            "reproduce: papers/mine/paper.yaml:3:96: there is no result 'joint1.most' here (did "
            "you mean 'joint1.last'?)");
  EXPECT_EQ(message("  - {id: a, title: A, " + arm + ", panels: [{curves: {tau.joint7: x}}]}\n"),
            "reproduce: papers/mine/paper.yaml:3:5: panels: there is no column 'tau.joint7' (did "
            "you mean 'tau.joint1'?)");
}

TEST(Report, APaperOfOnesOwn) {
  const Desk desk;
  desk("mkdir -p mine/one");
  desk.write(
      "mine/one/paper.yaml",
      "title: One & two <three>\nauthors: Me\nexhibits:\n"
      "  - id: fall\n    title: Fall\n    kind: fall\n    model: ../../models/planar-3r.yaml\n    "
      "duration: 0.3\n"
      "    readings: [{name: here}, {name: on the moon, gravity: [0, -1.62, 0]}]\n"
      "    claims: [{id: energy, says: energy is kept, measure: energy.drift, at_most: 1e-6}]\n");
  const Outcome run = desk("catena reproduce --papers mine -o out");
  ASSERT_EQ(run.code, 0) << run.err;
  EXPECT_NE(desk.read("out/report.html").find("One &amp; two &lt;three&gt;"), std::string::npos);
  EXPECT_EQ(verdicts_in(desk.read("out/claims.csv")).at("one,fall,energy"), "confirmed");
}

}  // namespace
}  // namespace catena
