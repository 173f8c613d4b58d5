#include "row_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "catena/data/table.hpp"

namespace catena::cli {
namespace {

constexpr std::size_t most_buffered = 1 << 16;
constexpr auto longest_wait = std::chrono::milliseconds(200);

bool is_standard_output(const std::string& path) { return path.empty() || path == "-"; }

}  // namespace

RowFile::RowFile(const std::string& path, const std::vector<std::string>& columns, bool json,
                 long keep)
    : path_(path), json_(json), flushed_(std::chrono::steady_clock::now()) {
  if (is_standard_output(path)) {
    file_ = STDOUT_FILENO;
  } else {
    file_ = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | (keep < 0 ? O_TRUNC : 0), 0666);
    if (file_ < 0) fail(errno);
    struct stat status {};
    regular_ = ::fstat(file_, &status) == 0 && S_ISREG(status.st_mode);
  }
  for (const std::string& name : columns) keys_.push_back(json ? json_text(name) : csv_text(name));
  if (keep >= 0) {
    if (::ftruncate(file_, keep) != 0 || ::lseek(file_, keep, SEEK_SET) < 0) fail(errno);
    written_ = keep;
    return;
  }
  buffer_ = json ? "{\"rows\": [" : fmt::format("{}\n", fmt::join(keys_, ","));
}

RowFile::~RowFile() {
  if (file_ >= 0 && file_ != STDOUT_FILENO) ::close(file_);
}

void RowFile::fail(int error) {
  const std::string name = is_standard_output(path_) ? "standard output" : path_;
  throw InputError({name},
                   fmt::format("the file cannot be written: {}{}", std::strerror(error),
                               rows_ > 0 && regular_ ? "; what was written before is kept" : ""),
                   error == ENOSPC || error == EFBIG || error == EDQUOT
                       ? "free some space and go on with --resume, or use another place"
                       : "choose another place, or check that its folder exists and may "
                         "be written to");
}

void RowFile::add_row(const std::vector<double>& row) {
  const auto end = std::back_inserter(buffer_);
  if (json_) buffer_ += rows_ == 0 ? "\n  {" : ",\n  {";
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (json_)
      fmt::format_to(end, "{}{}: {}", i == 0 ? "" : ", ", keys_[i], row[i]);
    else
      fmt::format_to(end, "{}{}", i == 0 ? "" : ",", row[i]);
  }
  buffer_ += json_ ? "}" : "\n";
  ++rows_;
  if (buffer_.size() > most_buffered || std::chrono::steady_clock::now() - flushed_ > longest_wait)
    flush();
}

void RowFile::add_comment(std::string_view text) {
  if (!json_) fmt::format_to(std::back_inserter(buffer_), "# {}\n", text);
}

void RowFile::flush() {
  flushed_ = std::chrono::steady_clock::now();
  std::string_view rest = buffer_;
  while (!rest.empty() && !closed_) {
    const ssize_t count = ::write(file_, rest.data(), rest.size());
    if (count >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(count));
      continue;
    }
    if (errno == EINTR) continue;
    if (errno == EPIPE) {
      closed_ = true;
      break;
    }
    const int error = errno;
    // Back to the last whole line.
    const std::string_view done(buffer_.data(), buffer_.size() - rest.size());
    const auto line = done.rfind('\n');
    const long whole =
        written_ + (line == std::string_view::npos ? 0 : static_cast<long>(line) + 1);
    if (regular_ && ::ftruncate(file_, whole) != 0) { /* nothing more can be done */
    }
    buffer_.clear();
    fail(error);
  }
  written_ += static_cast<long>(buffer_.size());
  buffer_.clear();
}

void RowFile::finish() {
  if (finished_) return;
  finished_ = true;
  if (json_) buffer_ += "\n]}\n";
  flush();
}

}  // namespace catena::cli
