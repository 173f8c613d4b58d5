// What is said about SPACELIB's files that cannot be read, as text.
#include <gtest/gtest.h>

#include "catena/readers/readers.hpp"
#include "catena/readers/spacelib.hpp"
#include "errors/message.hpp"

namespace catena {
namespace {

using std::string;

string robot(const string& text) {
  return message_of([&] { validate(parse_spacelib(text, "r.spacelib")); });
}
string motion(const string& text, std::size_t links = 2) {
  return message_of([&] { parse_spacelib_motion(text, "m.motion", links); });
}

const string link = "0 0 0 0 1 0\n1 1 0 0 1 0 1\n0 0 0\n";
constexpr const char* layout =
    "\n    a robot is: number of links; per link type theta s b a alfa, m jxx jxy jxz jyy jyz jzz, "
    "xg yg zg; gravity gx gy gz; then external actions fx fy fz cx cy cz";
constexpr const char* begin = "\n    begin the file with the number of links, e.g. 6";
constexpr const char* types = "\n    write 0 for a revolute joint, 1 for a prismatic one";
constexpr const char* per_instant =
    "\n    a motion is q qp qpp of each of the 2 links, instant by instant; a time step may stand "
    "before";

TEST(SpacelibErrors, TheFramesOfTheseTestsAreRight) {
  EXPECT_EQ(robot("1\n" + link + "0 0 -9.81\n"), "(no error)");
  EXPECT_EQ(motion("0 0 0 0 0 0"), "(no error)");
}

TEST(SpacelibErrors, CountsAreWholeAndPositive) {
  EXPECT_EQ(robot("-3\n" + link), string("r.spacelib:1:1: the number of links is '-3'") + begin);
  EXPECT_EQ(robot("\n 0\n"), string("r.spacelib:2:2: the number of links is '0'") + begin);
  EXPECT_EQ(robot("1.5\n"), string("r.spacelib:1:1: the number of links is '1.5'") + begin);
  EXPECT_EQ(robot("99999999999\n"),
            string("r.spacelib:1:1: the number of links is '99999999999'") + begin);
  EXPECT_EQ(robot("name: puma\n"),
            string("r.spacelib:1:1: the number of links is 'name:'") + begin);
}

TEST(SpacelibErrors, JointTypesAreZeroOrOne) {
  for (const char* type : {"2", "-1", "R", "0.0"}) {
    EXPECT_EQ(robot("1\n" + string(type) + link.substr(1)),
              "r.spacelib:2:1: the joint type of link 1 is '" + string(type) + "'" + types);
  }
}

TEST(SpacelibErrors, TruncatedFilesSayWhatIsMissing) {
  EXPECT_EQ(
      robot("2\n" + link),
      string("r.spacelib:5:1: the file ends where the joint type of link 2 should be") + layout);
  EXPECT_EQ(robot("1\n0 0 0 0 1 0\n1 1 0"),
            string("r.spacelib:3:6: the file ends where jxz of link 1 should be") + layout);
  EXPECT_EQ(robot("1\n" + link + "0 0"),
            string("r.spacelib:5:4: the file ends where gravity gz should be") + layout);
  EXPECT_EQ(
      robot("1\n" + link + "0 0 0\n1 2 3 4 5 6\n1 2"),
      string("r.spacelib:7:4: the file ends where fz of external action 2 should be") + layout);
}

TEST(SpacelibErrors, TextIsNotANumber) {
  EXPECT_EQ(
      robot("1\n0 0 zero 0 1 0\n"),
      string("r.spacelib:2:5: 'zero' is not a number, but s of link 1 is expected here") + layout);
  EXPECT_EQ(robot("1\n0 0 0 0 1 pi/2\n"),
            string("r.spacelib:2:11: 'pi/2' is not a number, but alfa of link 1 is expected here") +
                layout);
  EXPECT_EQ(robot("1\n0 1,5 0 0 1 0\n"),
            string("r.spacelib:2:3: '1,5' is not a number, but theta of link 1 is expected here") +
                layout);
  const string finite = "\n    write e.g. 0.5 or -1.2e-3, in SI units and radians";
  EXPECT_EQ(robot("1\n0 1e999 0 0 1 0\n"),
            "r.spacelib:2:3: theta of link 1 is '1e999', which is not a finite number" + finite);
  EXPECT_EQ(robot("1\n0 0 nan 0 1 0\n"),
            "r.spacelib:2:5: s of link 1 is 'nan', which is not a finite number" + finite);
  EXPECT_EQ(robot("1\n0 \x1b[31m\n").substr(0, 40), "r.spacelib:2:3: '?[31m' is not a number,");
  EXPECT_EQ(robot("1\n0 " + string(500, 'x')).substr(0, 60),
            "r.spacelib:2:3: '" + string(40, 'x') + "...");
}

TEST(SpacelibErrors, MassesAreNotNegative) {
  EXPECT_EQ(robot("1\n0 0 0 0 1 0\n-1 1 0 0 1 0 1\n0 0 0\n0 0 0"),
            "r.spacelib:3:1: the mass m of link 1 is -1, which is negative\n"
            "    count the numbers of this link; its mass is the seventh");
}

TEST(SpacelibErrors, ImpossibleInertiasAreFoundAsInOtherModels) {
  EXPECT_TRUE(robot("1\n0 0 0 0 1 0\n1 9 0 0 1 0 1\n0 0 0\n0 0 0").starts_with("r.spacelib:2:1: "));
}

TEST(SpacelibErrors, EmptyAndBinaryFiles) {
  EXPECT_TRUE(robot(" \n").starts_with("r.spacelib: the file is empty"));
  EXPECT_EQ(robot(string("1\n\0", 3)),
            "r.spacelib:2: the file is not text: it has a zero byte here\n"
            "    give a model written as UTF-8 text");
  EXPECT_EQ(motion("\n"), string("m.motion: the file is empty") + per_instant);
}

TEST(SpacelibErrors, MotionsFitTheRobot) {
  EXPECT_EQ(motion("0 0 0\n0 0"),
            string("m.motion:2:3: the file has 5 numbers, which is no multiple of the 6 of an "
                   "instant") +
                per_instant);
  EXPECT_EQ(motion("7"),
            string("m.motion:1:1: the file has 1 number, which is no multiple of the 6 of an "
                   "instant") +
                per_instant);
  EXPECT_EQ(motion("# nothing\n"),
            string("m.motion:2:1: the file has 0 numbers, which is no multiple of the 6 of an "
                   "instant") +
                per_instant);
  EXPECT_EQ(
      motion("0 0 0\n0 zwei 0"),
      string("m.motion:2:3: 'zwei' is not a number, but number 5 is expected here") + per_instant);
  EXPECT_EQ(motion("-0.1 0 0 0 0 0 0"),
            "m.motion:1:1: the time step is -0.1\n    write a positive number of seconds");
}

TEST(SpacelibErrors, ModelsAreNotWrittenInThisFormat) {
  EXPECT_EQ(message_of([] { to_text(Model{}, "r.spacelib"); }),
            "r.spacelib: models are not written as robot data of SPACELIB\n"
            "    use .yaml or .yml for the native format, .urdf or .xml for URDF");
}

}  // namespace
}  // namespace catena
