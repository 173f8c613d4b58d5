// Files that appear whole or not at all.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <utility>

#include "catena/data/table.hpp"

namespace catena {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& path, const std::string& reason) {
  throw InputError({path}, "the file cannot be written: " + reason,
                   "choose another place, or check that its folder exists and may be written to");
}

// Throws after closing `file` if not everything could be written.
void write_and_close(int file, std::string_view text, const std::string& path) {
  while (!text.empty()) {
    const ssize_t count = ::write(file, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const std::string reason = std::strerror(errno);
      ::close(file);
      fail(path, reason);
    }
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::close(file) != 0) fail(path, std::strerror(errno));
}

mode_t default_mode() {
  const mode_t mask = ::umask(0);
  ::umask(mask);
  return 0666 & ~mask;
}

// A file beside its place, which it takes by commit(); else it vanishes.
class StagedFile {
 public:
  StagedFile(const std::string& path, std::string_view text) : path_(path) {
    std::error_code error;
    const fs::path target = fs::canonical(path, error);  // a link stays, its file is replaced
    place_ = error ? path : target.string();
    struct stat status {};
    const bool exists = ::stat(path.c_str(), &status) == 0;
    if (exists && S_ISDIR(status.st_mode)) fail(path, "it is a directory");
    if (exists && ::access(path.c_str(), W_OK) != 0) fail(path, std::strerror(errno));
    if (exists && !S_ISREG(status.st_mode)) {  // a device or a pipe
      direct_ = text;
      return;
    }
    temporary_ = place_ + ".XXXXXX";
    const int file = ::mkstemp(temporary_.data());
    if (file < 0) {
      temporary_.clear();
      fail(path, std::strerror(errno));
    }
    ::fchmod(file, exists ? status.st_mode & 07777 : default_mode());
    try {
      write_and_close(file, text, path);
    } catch (...) {
      discard();
      throw;
    }
  }
  StagedFile(StagedFile&& other) noexcept
      : path_(std::move(other.path_)),
        place_(std::move(other.place_)),
        temporary_(std::exchange(other.temporary_, "")),
        direct_(other.direct_) {}
  ~StagedFile() { discard(); }

  void commit() {
    if (temporary_.empty()) {
      const int file = ::open(path_.c_str(), O_WRONLY | O_CLOEXEC);
      if (file < 0) fail(path_, std::strerror(errno));
      write_and_close(file, direct_, path_);
      return;
    }
    if (::rename(temporary_.c_str(), place_.c_str()) != 0) fail(path_, std::strerror(errno));
    temporary_.clear();
  }

 private:
  void discard() {
    if (!temporary_.empty()) ::unlink(temporary_.c_str());
    temporary_.clear();
  }

  std::string path_, place_, temporary_;
  std::string_view direct_;
};

}  // namespace

void write_file_whole(const std::string& path, std::string_view text) {
  StagedFile(path, text).commit();
}

void write_files_whole(const std::vector<std::pair<std::string, std::string>>& path_and_text) {
  std::vector<StagedFile> files;
  files.reserve(path_and_text.size());
  for (const auto& [path, text] : path_and_text) files.emplace_back(path, text);
  for (StagedFile& file : files) file.commit();
}

}  // namespace catena
