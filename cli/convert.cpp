// catena convert: a model in another format.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "catena/readers/readers.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

struct ConvertOptions {
  ModelOptions model;
  std::string target;
};

std::string check_target(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const char* known : {".yaml", ".yml", ".urdf", ".xml"}) {
    if (ending == known) return "";
  }
  return "'" + path + "' is no model format that can be written; end it in .yaml or .urdf";
}

void run_convert(const ConvertOptions& o) {
  std::error_code ignored;
  if (std::filesystem::equivalent(o.model.path, o.target, ignored)) {
    throw UsageError("both names are the same file; the original would be lost");
  }
  const Model model = load_model(o.model);
  std::vector<std::string> warnings;
  const std::string text = to_text(model, o.target, &warnings);
  for (const std::string& warning : warnings) warn(warning);
  write_file_whole(o.target, text);
}

}  // namespace

void add_convert_command(Command& app) {
  Command& command = add_command(app, "convert", "A model in another format",
                                 "catena convert models/puma.yaml puma.urdf\n"
                                 "catena convert puma.urdf puma-again.yaml");
  const auto o = std::make_shared<ConvertOptions>();
  add_model_options(command, o->model);
  command.add_option("TARGET", o->target, "The file to write: .yaml or .urdf")
      ->required()
      ->check(check_target)
      ->type_name("FILE");
  when_run(command, [o] { run_convert(*o); });
}

}  // namespace catena::cli
