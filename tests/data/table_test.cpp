// Tables of numbers: what is read, what is written, and that the two agree bit for bit.
#include "catena/data/table.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

namespace catena {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  Folder() {
    std::string path = (fs::temp_directory_path() / "catena-data.XXXXXX").string();
    path_ = ::mkdtemp(path.data());
  }
  ~Folder() { fs::remove_all(path_); }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(path_), fs::directory_iterator()));
  }
  std::string text(const std::string& name) const {
    std::ifstream stream(*this / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  fs::path path_;
};

TEST(Table, HasNamesRowsAndLines) {
  const Table t = parse_table("time,q.a\n0,1.5\n1,-2e-3\n", "m.csv");
  EXPECT_EQ(t.columns, (std::vector<std::string>{"time", "q.a"}));
  EXPECT_EQ(t.num_rows(), 2u);
  EXPECT_EQ(t.at(1, 1), -2e-3);
  EXPECT_EQ(t.find("q.a"), 1);
  EXPECT_EQ(t.find("q.b"), -1);
  EXPECT_EQ(to_string(t.where(1)), "m.csv:3:1");
  EXPECT_EQ(to_string(t.where_header()), "m.csv:1:1");
}

TEST(Table, TheSameTableCanBeWrittenInManyWays) {
  const std::vector<double> values = {0, 1.5, 1, 2.5};
  const char* const ways[] = {
      "a,b\n0,1.5\n1,2.5\n",
      "a,b\n0,1.5\n1,2.5",          // no line feed at the end
      "a,b\r\n0,1.5\r\n1,2.5\r\n",  // CRLF
      "\xef\xbb\xbf"
      "a,b\n0,1.5\n1,2.5\n",  // byte-order mark
      "\xef\xbb\xbf"
      "a,b\r\n0,1.5\r\n1,2.5\r\n\r\n",           // as spreadsheets write it
      " a ,\tb\n 0 , 1.5\n1,\t2.5 \n",           // blanks
      "\"a\",\"b\"\n\"0\",1.5\n1 , \"2.5\" \n",  // quotes
      "a,b,\n0,1.5,\n1,2.5,\n",                  // a comma at the end
      "a,b\n0,1.5,\n1,2.5\n",                    //
      "# made by hand\n\na,b\n# units: m\n0,1.5\n\n1,2.5\n\n\n",
      "a,b\n+0,+1.5\n1e0,0.25E1\n",
      "a,b\n-0,1.5\n1.,.25e+1\n",
  };
  for (const char* text : ways) {
    const Table t = parse_table(text, "m.csv");
    EXPECT_EQ(t.columns, (std::vector<std::string>{"a", "b"})) << text;
    EXPECT_EQ(t.values, values) << text;
  }
}

TEST(Table, LinesAreCountedAcrossCommentsAndEmptyLines) {
  const Table t = parse_table("# one\n\na\n# four\n1\n\n2\n", "m.csv");
  EXPECT_EQ(t.header_line, 3);
  EXPECT_EQ(t.lines, (std::vector<int>{5, 7}));
}

TEST(Table, NamesMayHaveCommasAndQuotes) {
  Table t;
  t.columns = {"q.left, upper", "q.\"x\"", "#q", "q.a b", "q.élan"};
  t.add_row(std::vector<double>{1, 2, 3, 4, 5});
  const std::string text = to_csv(t);
  EXPECT_EQ(text, "\"q.left, upper\",\"q.\"\"x\"\"\",\"#q\",q.a b,q.élan\n1,2,3,4,5\n");
  EXPECT_EQ(parse_table(text, "").columns, t.columns);
}

TEST(Table, NumbersReadBackBitForBit) {
  std::mt19937_64 generator(7);
  Table t;
  t.columns = {"x"};
  using Limits = std::numeric_limits<double>;
  for (double x : {0.1, -0.0, 1e300, Limits::denorm_min(), Limits::max(), Limits::epsilon()}) {
    t.add_row({&x, 1});
  }
  while (t.num_rows() < 20000) {
    const std::uint64_t bits = generator();
    double x;
    std::memcpy(&x, &bits, sizeof x);
    if (std::isfinite(x)) t.add_row({&x, 1});
  }
  const Table back = parse_table(to_csv(t), "");
  ASSERT_EQ(back.num_rows(), t.num_rows());
  EXPECT_EQ(std::memcmp(back.values.data(), t.values.data(), t.values.size() * sizeof(double)), 0);
}

TEST(Table, NumbersAreWrittenShort) {
  EXPECT_EQ(number_text(0.1), "0.1");
  EXPECT_EQ(number_text(2), "2");
  EXPECT_EQ(number_text(1.0 / 3), "0.3333333333333333");
}

TEST(Table, HasAFormForPrograms) {
  Table t;
  t.columns = {"time", "tau.\"a\""};
  t.add_row(std::vector<double>{0, 1.5});
  t.add_row(std::vector<double>{1, -2});
  EXPECT_EQ(to_json(t),
            "{\"rows\": [\n  {\"time\": 0, \"tau.\\\"a\\\"\": 1.5},\n"
            "  {\"time\": 1, \"tau.\\\"a\\\"\": -2}\n]}\n");
  EXPECT_EQ(json_text("a\\b\n"), "\"a\\\\b\\u000a\"");
}

TEST(Table, ARowOfAnotherLengthIsRefused) {
  Table t;
  t.columns = {"a", "b"};
  EXPECT_THROW(t.add_row(std::vector<double>{1}), SizeError);
}

TEST(Table, LargeFilesAreReadInPieces) {
  const Folder folder;
  std::string text = "a,b\n";
  for (int i = 0; i < 200000; ++i) text += std::to_string(i) + "," + std::to_string(2 * i) + "\n";
  std::ofstream(folder / "large.csv") << text;
  const Table t = read_table(folder / "large.csv");
  ASSERT_EQ(t.num_rows(), 200000u);
  for (std::size_t i = 0; i < t.num_rows(); ++i) {
    ASSERT_EQ(t.at(i, 0), static_cast<double>(i));
    ASSERT_EQ(t.at(i, 1), 2 * static_cast<double>(i));
    ASSERT_EQ(t.lines[i], static_cast<int>(i) + 2);
  }
}

TEST(WriteFileWhole, ReplacesAFileAndLeavesNothingBehind) {
  const Folder folder;
  write_file_whole(folder / "a.csv", "old");
  ::chmod((folder / "a.csv").c_str(), 0640);
  write_file_whole(folder / "a.csv", "new");
  EXPECT_EQ(folder.text("a.csv"), "new");
  EXPECT_EQ(folder.num_files(), 1u);
  struct stat status {};
  ::stat((folder / "a.csv").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(WriteFileWhole, ANewFileCanBeReadByOthers) {
  const Folder folder;
  const mode_t mask = ::umask(022);
  write_file_whole(folder / "a.csv", "x");
  ::umask(mask);
  struct stat status {};
  ::stat((folder / "a.csv").c_str(), &status);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST(WriteFileWhole, WritesThroughALink) {
  const Folder folder;
  write_file_whole(folder / "a.csv", "old");
  fs::create_symlink("a.csv", folder / "link.csv");
  write_file_whole(folder / "link.csv", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link.csv"));
  EXPECT_EQ(folder.text("a.csv"), "new");
}

TEST(WriteFileWhole, ADeviceStaysADevice) {
  write_file_whole("/dev/null", "x");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST(WriteFileWhole, IfOneFileCannotBeWrittenNoneIs) {
  const Folder folder;
  write_file_whole(folder / "a.csv", "old");
  EXPECT_THROW(write_files_whole({{folder / "a.csv", "new"}, {folder / "no/b.csv", "new"}}),
               InputError);
  EXPECT_EQ(folder.text("a.csv"), "old");
  EXPECT_EQ(folder.num_files(), 1u);
}

}  // namespace
}  // namespace catena
