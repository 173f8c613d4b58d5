#include "catena/readers/text_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <vector>

#include "catena/support/error.hpp"

namespace catena {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_too_large(const std::string& file, std::size_t max_bytes) {
  throw InputError({file}, fmt::format("the file is larger than {} MB", max_bytes >> 20),
                   "a model file is text of a few kilobytes; is this the file you meant?");
}

// " (did you mean 'puma.yaml'?)" from the files beside a path that does not exist.
std::string similar_file(const fs::path& path) {
  std::error_code ignored;
  std::vector<std::string> names;
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  for (fs::directory_iterator it(folder, ignored), end; it != end; it.increment(ignored)) {
    if (ignored || names.size() == 1000) break;
    names.push_back(it->path().filename().string());
    if (it->path().stem() == path.filename()) {  // only the ending was left out
      return " (did you mean '" + names.back() + "'?)";
    }
  }
  std::sort(names.begin(), names.end());
  return did_you_mean(path.filename().string(), names);
}

}  // namespace

std::string read_text_file(const std::string& path, std::size_t max_bytes) {
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::exists(status)) {
    if (error && status.type() != fs::file_type::not_found) {
      throw InputError({path}, "the file cannot be opened: " + error.message(),
                       "check the path and its permissions");
    }
    throw InputError({path}, "there is no such file" + similar_file(path),
                     "check the path; it is taken from the current directory");
  }
  if (fs::is_directory(status)) {
    throw InputError({path}, "this is a directory, but a model file is needed",
                     "name a file in it that ends in .yaml or .urdf");
  }
  if (fs::is_regular_file(status)) {
    const auto size = fs::file_size(path, error);
    if (!error && size > max_bytes) fail_too_large(path, max_bytes);
  }

  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw InputError({path}, std::string("the file cannot be opened: ") + std::strerror(errno),
                     "check its permissions");
  }
  // In pieces, because the size of a pipe or a device is not known beforehand.
  std::string text;
  std::vector<char> piece(std::size_t{1} << 16);
  while (stream.read(piece.data(), static_cast<std::streamsize>(piece.size())) || stream.gcount()) {
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    if (text.size() > max_bytes) fail_too_large(path, max_bytes);
  }
  if (stream.bad()) throw InputError({path}, "the file cannot be read to its end");
  return text;
}

void check_is_text(std::string_view text, const std::string& file) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw InputError({file}, "the file is empty",
                     "write a model; docs/model-format.md begins with a small one");
  }
  if (text.size() > max_model_bytes) fail_too_large(file, max_model_bytes);
  const auto zero = text.find('\0');
  if (zero == std::string_view::npos) return;
  const std::string_view before = text.substr(0, zero);
  const int line = 1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  throw InputError({file, line}, "the file is not text: it has a zero byte here",
                   "give a model written as UTF-8 text");
}

}  // namespace catena
