// Bad data files: every message as text, with its place and its remedy.
#include <gtest/gtest.h>

#include "catena/data/columns.hpp"
#include "catena/data/table.hpp"
#include "catena/model/compile.hpp"
#include "catena/readers/readers.hpp"
#include "errors/message.hpp"

namespace catena {
namespace {

using std::string;

string error_of(const string& text) {
  return message_of([&] { parse_table(text, "m.csv"); });
}

constexpr const char* write_header =
    "\n    write a header such as time,q.joint1 and a row per state";
constexpr const char* one_per_column = "\n    give every row one number per column";
constexpr const char* not_text = "\n    give a table written as UTF-8 text";
constexpr const char* write_number =
    "\n    write e.g. 0.5 or -1.2e-3; data files have no units and no formulas";
constexpr const char* mend = "\n    remove the row, or mend what wrote it";

TEST(CsvErrors, EmptyFilesSaySo) {
  EXPECT_EQ(error_of(""), string("m.csv: the file is empty") + write_header);
  EXPECT_EQ(error_of("\n \r\n# nothing\n"),
            string("m.csv: the file has no content") + write_header);
  EXPECT_EQ(error_of("\xef\xbb\xbf"), string("m.csv: the file has no content") + write_header);
}

TEST(CsvErrors, AHeaderAloneIsNotEnough) {
  const string text = "there is a header but no row of numbers\n    add a row per state below it";
  EXPECT_EQ(error_of("time,q.a"), "m.csv:1:1: " + text);
  EXPECT_EQ(error_of("# x\r\ntime,q.a\r\n\r\n"), "m.csv:2:1: " + text);
}

TEST(CsvErrors, CarriageReturnsAloneEndNoLines) {
  EXPECT_EQ(error_of("time,q.a\r0,1\r"),
            "m.csv:1:9: a carriage return stands within the line\n"
            "    end every line with a line feed (LF or CRLF)");
}

TEST(CsvErrors, JsonIsNotCsv) {
  const string text =
      "this is JSON, but data files are CSV\n"
      "    write the table without --json, to a file that does not end in .json";
  EXPECT_EQ(error_of("{\"rows\": [\n  {\"time\": 0}\n]}\n"), "m.csv:1:1: " + text);
  EXPECT_EQ(error_of("[1, 2]\n"), "m.csv:1:1: " + text);
}

TEST(CsvErrors, RaggedRowsAreCounted) {
  EXPECT_EQ(
      error_of("a,b,c\n1,2,3\n1,2\n"),
      string("m.csv:3:4: the row has 2 fields, but the header names 3 columns") + one_per_column);
  EXPECT_EQ(
      error_of("a,b\r\n1\r\n"),
      string("m.csv:2:2: the row has 1 field, but the header names 2 columns") + one_per_column);
  EXPECT_EQ(
      error_of("a\n1,2\n"),
      string("m.csv:2:4: the row has 2 fields, but the header names 1 column") + one_per_column);
  EXPECT_EQ(
      error_of("a\n1,,\n"),
      string("m.csv:2:4: the row has 3 fields, but the header names 1 column") + one_per_column);
}

TEST(CsvErrors, TextIsNotANumber) {
  EXPECT_EQ(error_of("a,b\n1,zwei\n"),
            string("m.csv:2:3: 'zwei' in column 'b' is not a number") + write_number);
  EXPECT_EQ(error_of("a,b\n1, 90 deg\n"),
            string("m.csv:2:4: '90 deg' in column 'b' is not a number") + write_number);
  EXPECT_EQ(error_of("a,b\n0x10,1\n"),
            string("m.csv:2:1: '0x10' in column 'a' is not a number") + write_number);
  EXPECT_EQ(error_of("a,b\n--1,1\n"),
            string("m.csv:2:1: '--1' in column 'a' is not a number") + write_number);
  EXPECT_EQ(error_of("é,ü\n\"é\",1\n"),
            string("m.csv:2:1: 'é' in column 'é' is not a number") + write_number);
  EXPECT_EQ(error_of("é,ü\n1 , \"ö\"\n"),
            string("m.csv:2:5: 'ö' in column 'ü' is not a number") + write_number);
}

TEST(CsvErrors, NothingIsNotANumber) {
  EXPECT_EQ(error_of("a,b,c\n1,,3\n"),
            "m.csv:2:3: column 'b' has nothing where a number belongs\n"
            "    write the number, 0 if that is meant");
}

TEST(CsvErrors, NumbersAreFinite) {
  for (const char* text : {"nan", "NaN", "-nan", "inf", "-Infinity", "1e999"}) {
    EXPECT_EQ(error_of("a,b\n1," + string(text) + "\n"),
              "m.csv:2:3: '" + string(text) + "' in column 'b' is not finite" + mend);
  }
  EXPECT_EQ(error_of("a,b\n1,1e-999\n"), "(no error)");
}

TEST(CsvErrors, ColumnsAreNamedOnce) {
  EXPECT_EQ(error_of("q.a,time, q.a\n1,2,3\n"),
            "m.csv:1:11: column 'q.a' is there twice\n    remove one of the two");
  EXPECT_EQ(error_of("é,ü,é\n1,2,3\n"),
            "m.csv:1:5: column 'é' is there twice\n    remove one of the two");
  EXPECT_EQ(error_of("a,,b\n1,2,3\n"), "m.csv:1:3: the column has no name\n    give it one");
}

TEST(CsvErrors, AHeaderIsNeeded) {
  EXPECT_EQ(error_of("0,1.5\n1,2.5\n"),
            "m.csv:1:1: the first line has numbers, but it has to name the columns\n"
            "    write e.g. time,q.joint1,q.joint2 above the numbers");
}

TEST(CsvErrors, OtherSeparatorsAreNamed) {
  const string remedy = "\n    separate them by commas, and write 0.5, not 0,5";
  EXPECT_EQ(error_of("time;q.a\n0;1\n"), "m.csv:1:1: the columns are separated by ';'" + remedy);
  EXPECT_EQ(error_of("time\tq.a\n0\t1\n"), "m.csv:1:1: the columns are separated by tabs" + remedy);
}

TEST(CsvErrors, QuotesAreClosed) {
  EXPECT_EQ(error_of("a,\"b\n1,2\n"),
            "m.csv:1:3: the quote that begins here is never closed\n    close it in the same line");
  EXPECT_EQ(error_of("a,\"b\" c\n1,2\n"),
            "m.csv:1:7: there is text after a closing quote\n"
            "    write a comma after it, or \"\" for a quote within");
}

TEST(CsvErrors, BinaryIsRefused) {
  EXPECT_EQ(error_of(string("a,b\n1,\0\n", 8)),
            string("m.csv:2:1: the file is not text: it has a zero byte here") + not_text);
  EXPECT_EQ(error_of(string("\xff\xfe"
                            "a\0,\0",
                            6)),
            string("m.csv:1:1: the file is not text: it has a zero byte here") + not_text);
}

TEST(CsvErrors, FilesThatCannotBeRead) {
  EXPECT_EQ(message_of([] { read_table("no-such-file.csv"); }),
            "no-such-file.csv: there is no such file\n"
            "    check the path; it is taken from the current directory");
  EXPECT_EQ(message_of([] { read_table("/"); }),
            "/: this is a directory, but a table is needed\n"
            "    name a CSV file in it, or - for standard input");
}

TEST(CsvErrors, FilesThatCannotBeWritten) {
  const string remedy =
      "\n    choose another place, or check that its folder exists and may be written to";
  EXPECT_EQ(message_of([] { write_file_whole("no-such-folder/a.csv", "x"); }),
            "no-such-folder/a.csv: the file cannot be written: No such file or directory" + remedy);
  EXPECT_EQ(message_of([] { write_file_whole("/", "x"); }),
            "/: the file cannot be written: it is a directory" + remedy);
}

// The columns of a table against a model.
string column_error(const string& model, const string& header) {
  const auto m = compile(read_model(CATENA_SOURCE_DIR "/models/" + model + ".yaml"));
  string row = "0";
  for (char c : header) row += c == ',' ? ",0" : "";
  const Table table = parse_table(header + "\n" + row + "\n", "m.csv");
  return message_of([&] { DataColumns(m, table).row(0); });
}

constexpr const char* none_assumed =
    ": none is assumed; only qd, qdd and tau are zero when missing";

TEST(CsvErrors, UnknownJointsAreSuggested) {
  EXPECT_EQ(
      column_error("planar-3r", "q.joint1,q.joint2,q.jont3"),
      "m.csv:1:19: column 'q.jont3' is not a joint of 'planar-3r' (did you mean 'q.joint3'?)");
  EXPECT_EQ(column_error("planar-3r", "q.joint1,q.joint2,q.joint3,qdd.joint12"),
            "m.csv:1:28: column 'qdd.joint12' is not a joint of 'planar-3r' "
            "(did you mean 'qdd.joint1'?)");
  EXPECT_EQ(column_error("planar-3r", "q.shoulder"),
            "m.csv:1:1: column 'q.shoulder' is not a joint of 'planar-3r'\n"
            "    known are q.joint1, q.joint2, q.joint3");
}

// Characters are counted, not bytes, and in one pass: beginning anew for every column takes
// minutes.
TEST(CsvErrors, PlacesInALongHeader) {
  string header = "é", row = "1";
  for (int i = 0; i < 300000; ++i) {
    header += ",c" + std::to_string(100000 + i);
    row += ",1";
  }
  const Table table = parse_table(header + "\n" + row + "\n", "m.csv");
  EXPECT_EQ(table.where_column(0).column, 1);
  EXPECT_EQ(table.where_column(1).column, 3);
  EXPECT_EQ(table.where_column(300000).column, 3 + 8 * 299999);
}

TEST(CsvErrors, ColumnsWithoutMeaning) {
  const string remedy =
      "\n    known are time, q.JOINT, qd.JOINT, qdd.JOINT, tau.JOINT, n.FRAME.x, f.FRAME.x";
  EXPECT_EQ(column_error("planar-3r", "q.joint1,q.joint2,q.joint3,temperature"),
            "m.csv:1:28: column 'temperature' has no meaning" + remedy);
  EXPECT_EQ(column_error("planar-3r", "q.joint1,q.joint2,q.joint3,Time"),
            "m.csv:1:28: column 'Time' has no meaning (did you mean 'time'?)" + remedy);
  EXPECT_EQ(column_error("planar-3r", "joint1,q.joint2,q.joint3"),
            "m.csv:1:1: column 'joint1' has no meaning (did you mean 'q.joint1'?)" + remedy);
}

TEST(CsvErrors, MissingPositionsAreNotAssumed) {
  EXPECT_EQ(column_error("planar-3r", "q.joint1,q.joint3"),
            "m.csv:1:1: column 'q.joint2' is missing\n"
            "    give the position of every joint of 'planar-3r'" +
                string(none_assumed));
  EXPECT_EQ(column_error("planar-3r", "time"),
            "m.csv:1:1: column 'q.joint1' is missing (and 2 more)\n"
            "    give the position of every joint of 'planar-3r'" +
                string(none_assumed));
}

TEST(CsvErrors, JointsWithoutCoordinatesOfTheirOwn) {
  EXPECT_EQ(
      column_error("joint-zoo", "q.follower"),
      "m.csv:1:1: column 'q.follower': joint 'follower' follows joint 'revolute' (mimic) and has "
      "no coordinates of its own\n    remove the column");
  EXPECT_EQ(column_error("joint-zoo", "tau.fixed"),
            "m.csv:1:1: column 'tau.fixed': joint 'fixed' is fixed\n    remove the column");
}

TEST(CsvErrors, JointsOfSeveralCoordinates) {
  EXPECT_EQ(column_error("joint-zoo", "q.spherical"),
            "m.csv:1:1: column 'q.spherical': joint 'spherical' (spherical) has 4 coordinates: "
            "q.spherical.0 to q.spherical.3");
  EXPECT_EQ(column_error("joint-zoo", "qd.spherical.3"),
            "m.csv:1:1: column 'qd.spherical.3': joint 'spherical' (spherical) has 3 coordinates: "
            "qd.spherical.0 to qd.spherical.2");
}

TEST(CsvErrors, WrenchesActOnFrames) {
  EXPECT_EQ(column_error("joint-zoo", "n.prob.x"),
            "m.csv:1:1: column 'n.prob.x' is not a wrench on a frame of 'joint-zoo' "
            "(did you mean 'n.probe.x'?)");
  EXPECT_EQ(column_error("joint-zoo", "f.probe.w"),
            "m.csv:1:1: column 'f.probe.w' is not a wrench on a frame of 'joint-zoo' "
            "(did you mean 'f.probe.x'?)");
  EXPECT_EQ(column_error("joint-zoo", "n."),
            "m.csv:1:1: column 'n.' is not a wrench on a frame of 'joint-zoo'\n"
            "    write n.FRAME.x to n.FRAME.z for a moment, f.FRAME.x to f.FRAME.z for a force; "
            "catena info lists the frames");
}

TEST(CsvErrors, QuaternionsHaveUnitLength) {
  const Model model = parse_yaml(
      "name: b\nbodies: [{name: rod, mass: 1, inertia: [1, 1, 1]}]\n"
      "joints: [{name: ball, type: spherical, parent: world, child: rod}]\n",
      "b.yaml");
  const auto m = compile(model);
  const Table table = parse_table(
      "q.ball.0,q.ball.1,q.ball.2,q.ball.3\n0,0,0,1\n0,0,0,1.1\n0,0,0,0\n0,0.6,0,0.8\n", "m.csv");
  const DataColumns columns(m, table);
  const string remedy =
      "\n    divide the four numbers x y z w by their length; 0 0 0 1 is no rotation";
  const auto error_in_row = [&](std::size_t i) { return message_of([&] { columns.row(i); }); };
  EXPECT_EQ(error_in_row(0), "(no error)");
  EXPECT_EQ(
      error_in_row(1),
      "m.csv:3:1: the quaternion of joint 'ball' (q.ball.0 to q.ball.3) has length 1.1, not 1" +
          remedy);
  EXPECT_EQ(error_in_row(2),
            "m.csv:4:1: the quaternion of joint 'ball' (q.ball.0 to q.ball.3) has length 0, not 1" +
                remedy);
  EXPECT_EQ(error_in_row(3), "(no error)");
}

}  // namespace
}  // namespace catena
