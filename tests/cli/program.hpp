// Runs the catena program as a user would: in a shell, in a folder of its own with `models` in it.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "catena/data/table.hpp"

namespace catena {

struct Outcome {
  int code;
  std::string out, err;
};

class Desk {
 public:
  Desk() {
    std::string path = (std::filesystem::temp_directory_path() / "catena-cli.XXXXXX").string();
    folder_ = ::mkdtemp(path.data());
    streams_ = folder_.string() + ".streams";
    std::filesystem::create_directory(streams_);
    std::filesystem::create_directory_symlink(CATENA_SOURCE_DIR "/models", folder_ / "models");
  }
  ~Desk() {
    std::filesystem::remove_all(folder_);
    std::filesystem::remove_all(streams_);
  }
  Desk(const Desk&) = delete;

  // A line for the shell; `catena` is the program under test.
  Outcome operator()(const std::string& line) const {
    const std::string bin = std::filesystem::path(CATENA_PROGRAM).parent_path().string();
    write("../" + streams_.filename().string() + "/script",
          "cd '" + folder_.string() + "' && PATH='" + bin + "':$PATH\n" + line + "\n");
    const std::string s = streams_.string();
    const int status = std::system(
        ("sh '" + s + "/script' >'" + s + "/out' 2>'" + s + "/err' </dev/null").c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, text_of(streams_ / "out"),
            text_of(streams_ / "err")};
  }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name, std::ios::binary) << text;
  }
  std::string read(const std::string& name) const { return text_of(folder_ / name); }
  bool has(const std::string& name) const { return std::filesystem::exists(folder_ / name); }
  std::string path() const { return folder_.string(); }
  // Names in the folder besides `models`, sorted, with a blank between.
  std::string files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(folder_)) {
      if (entry.path().filename() != "models") names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    std::string list;
    for (const std::string& name : names) list += (list.empty() ? "" : " ") + name;
    return list;
  }

 private:
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  std::filesystem::path folder_, streams_;
};

inline Table table_of(const Outcome& run) {
  EXPECT_EQ(run.code, 0) << run.err;
  EXPECT_EQ(run.err, "");
  return parse_table(run.out, "output");
}

inline double value_of(const Table& table, std::size_t row, const std::string& column) {
  const int c = table.find(column);
  EXPECT_GE(c, 0) << "no column " << column;
  return c < 0 ? 0 : table.at(row, static_cast<std::size_t>(c));
}

}  // namespace catena
