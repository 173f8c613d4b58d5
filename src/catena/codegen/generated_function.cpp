#include "catena/codegen/generated_function.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

extern char** environ;

namespace catena {
namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::string compiler_of(const CompilerSettings& settings) {
  if (!settings.compiler.empty()) return settings.compiler;
  const std::string chosen = variable("CC");
  return chosen.empty() ? "cc" : chosen;
}

std::string text_of(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

// The program's file, as a shell would find it; "" if there is none.
fs::path program_file(const std::string& name) {
  std::error_code error;
  if (name.find('/') != std::string::npos)
    return ::access(name.c_str(), X_OK) == 0 ? fs::canonical(name, error) : fs::path();
  std::istringstream folders(variable("PATH"));
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path file = fs::path(folder.empty() ? "." : folder) / name;
    if (::access(file.c_str(), X_OK) == 0) return fs::canonical(file, error);
  }
  return {};
}

// What -march=native depends on.
std::string processor() {
  std::istringstream lines(text_of("/proc/cpuinfo"));
  std::string result;
  for (std::string line; std::getline(lines, line) && !line.empty();) {
    if (line.starts_with("model name") || line.starts_with("flags") || line.starts_with("Features"))
      result += line;
  }
  return result;
}

std::string hash_of(const std::string& text) {
  std::uint64_t h[2] = {14695981039346656037u, 0x9e3779b97f4a7c15u};
  for (const char c : text) {
    h[0] = (h[0] ^ static_cast<unsigned char>(c)) * 1099511628211u;
    h[1] = (h[1] + static_cast<unsigned char>(c)) * 0xbf58476d1ce4e5b9u;
    h[1] ^= h[1] >> 27;
  }
  char digits[33];
  std::snprintf(digits, sizeof digits, "%016llx%016llx", static_cast<unsigned long long>(h[0]),
                static_cast<unsigned long long>(h[1]));
  return digits;
}

// A folder that can be written to: the cache, or where temporary files go.
fs::path folder_of(const CompilerSettings& settings) {
  fs::path folder = settings.cache;
  if (folder.empty() && !variable("XDG_CACHE_HOME").empty())
    folder = fs::path(variable("XDG_CACHE_HOME")) / "catena";
  if (folder.empty() && !variable("HOME").empty())
    folder = fs::path(variable("HOME")) / ".cache" / "catena";
  std::error_code error;
  if (!folder.empty()) {
    fs::create_directories(folder, error);
    if (!error && ::access(folder.c_str(), W_OK | X_OK) == 0) return folder;
  }
  return {};
}

// Removes its files in the end.
struct TemporaryFiles {
  std::vector<fs::path> paths{};
  ~TemporaryFiles() {
    std::error_code error;
    for (const fs::path& path : paths) fs::remove(path, error);
  }
};

int run(const std::vector<std::string>& words, const fs::path& messages) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                   0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int failed =
      ::posix_spawn(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) return 127;
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) return 127;
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

std::string first_lines(const std::string& text, int most) {
  std::istringstream lines(text);
  std::string result;
  int n = 0;
  for (std::string line; n < most && std::getline(lines, line); ++n)
    result += (n == 0 ? "" : "\n    ") + line;
  return result;
}

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::shared_ptr<void> open_library(const fs::path& path) {
  void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  return handle == nullptr ? nullptr : std::shared_ptr<void>(handle, [](void* h) { ::dlclose(h); });
}

}  // namespace

std::shared_ptr<void> load_compiled(const std::string& source, const CompilerSettings& settings) {
  const std::string name = compiler_of(settings);
  const std::vector<std::string> command = words_in(name);
  const fs::path program = command.empty() ? fs::path() : program_file(command[0]);
  if (program.empty())
    throw InputError({}, "there is no C compiler '" + name + "' to compile generated code with",
                     "install gcc or clang, or name one in the environment variable CC");
  std::error_code error;
  const std::string identity = name + '\n' + program.string() + '\n' +
                               std::to_string(fs::file_size(program, error)) + '\n' +
                               settings.flags + '\n' + processor() + '\n';
  const std::string hash = hash_of(identity + source);
  const fs::path cache = folder_of(settings);
  const fs::path kept = cache / (hash + ".so");
  if (!cache.empty() && fs::exists(kept, error)) {
    if (auto library = open_library(kept)) return library;  // a broken file is made anew
  }

  static std::atomic<int> number = 0;
  const fs::path folder = cache.empty() ? fs::temp_directory_path() : cache;
  const std::string stem = hash + "." + std::to_string(::getpid()) + "." + std::to_string(++number);
  const fs::path c_file = folder / (stem + ".c"), so_file = folder / (stem + ".so"),
                 messages = folder / (stem + ".txt");
  const TemporaryFiles temporary{{c_file, so_file, messages}};
  std::ofstream(c_file, std::ios::binary) << source;
  std::vector<std::string> words = {program.string()};
  words.insert(words.end(), command.begin() + 1, command.end());
  for (const std::string& flag : words_in(settings.flags)) words.push_back(flag);
  for (const std::string& word : {std::string("-shared"), std::string("-fPIC"), std::string("-o"),
                                  so_file.string(), c_file.string(), std::string("-lm")})
    words.push_back(word);
  const int code = run(words, messages);
  if (code != 0 || !fs::exists(so_file, error))
    throw InputError({},
                     "'" + name + "' cannot compile generated code (exit code " +
                         std::to_string(code) + "): " + first_lines(text_of(messages), 6),
                     "try another compiler through the environment variable CC");
  // Whole or not at all: whoever looks into the cache meanwhile sees a finished file or none.
  fs::path result = so_file;
  if (!cache.empty()) {
    fs::rename(so_file, kept, error);
    if (!error) result = kept;
  }
  auto library = open_library(result);
  if (library == nullptr)
    throw InputError({}, std::string("compiled code cannot be loaded: ") + ::dlerror());
  return library;
}

void* function_in(const std::shared_ptr<void>& library, const std::string& name) {
  void* function = ::dlsym(library.get(), name.c_str());
  if (function == nullptr) throw InputError({}, "compiled code has no function '" + name + "'");
  return function;
}

}  // namespace catena
