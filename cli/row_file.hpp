// A table that is written while it comes into being: whole lines, readable at any moment.
#pragma once

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

namespace catena::cli {

class RowFile {
 public:
  // "" and "-" are standard output. Throws InputError if the file cannot be opened.
  //   keep   bytes of a file that is there and goes on; -1: begins anew
  RowFile(const std::string& path, const std::vector<std::string>& columns, bool json,
          long keep = -1);
  ~RowFile();
  RowFile(const RowFile&) = delete;

  void add_row(const std::vector<double>& row);
  // "# text" on a line of its own; CSV alone.
  void add_comment(std::string_view text);
  // What has come so far is in the file afterwards.
  //   throws  InputError if it cannot be written; the file then ends with a whole line
  void flush();
  void finish();
  // Bytes up to here, those not yet written included.
  long size() const { return written_ + static_cast<long>(buffer_.size()); }
  long num_rows() const { return rows_; }
  // Nobody reads any more: a pipe has been closed.
  bool closed() const { return closed_; }

 private:
  [[noreturn]] void fail(int error);

  std::string path_;
  int file_ = -1;
  bool json_, regular_ = false, closed_ = false, finished_ = false;
  std::string buffer_;
  std::vector<std::string> keys_;
  long written_ = 0, rows_ = 0;
  std::chrono::steady_clock::time_point flushed_;
};

}  // namespace catena::cli
