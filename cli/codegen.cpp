// catena codegen: one function of one model as standalone C.
#include <fmt/format.h>

#include <filesystem>

#include "catena/codegen/generate.hpp"
#include "catena/data/table.hpp"
#include "commands.hpp"
#include "common.hpp"

namespace catena::cli {
namespace {

struct CodegenOptions {
  ModelOptions model;
  GeneratedRequest request;
  GeneratedOptions generated;
  std::string axes = "world_aligned", scalar = "double", output;
  bool header = false;
};

std::string check_c_file(const std::string& path) {
  const std::string ending = std::filesystem::path(path).extension().string();
  if (path == "-" || ending == ".c") return "";
  return "'" + path + "' does not end in .c";
}

void run_codegen(CodegenOptions o) {
  const bool to_file = !o.output.empty() && o.output != "-";
  if (o.header && !to_file)
    throw UsageError("--header writes a file beside the source; name that with --output FILE.c");
  const auto header = std::filesystem::path(o.output).replace_extension(".h");
  if (o.header) o.generated.include = header.filename().string();
  const Model model = load_model(o.model);
  o.request.axes = o.axes == "frame"   ? Axes::frame
                   : o.axes == "world" ? Axes::world
                                       : Axes::world_aligned;
  o.generated.single_precision = o.scalar == "float";
  const GeneratedCode code = generate(model, o.request, o.generated, compile_options(o.model));
  if (!to_file) return print(code.source);
  std::vector<std::pair<std::string, std::string>> files = {{o.output, code.source}};
  if (o.header) files.push_back({header.string(), code.header});
  write_files_whole(files);
}

}  // namespace

void add_codegen_command(Command& app) {
  Command& command = add_command(app, "codegen", "Standalone C for one function of one model",
                                 "catena codegen models/puma.yaml --function inverse --test-main "
                                 "-o puma.c\ncc -O2 puma.c -o puma -lm && ./puma");
  const auto o = std::make_shared<CodegenOptions>();
  add_model_options(command, o->model);
  std::vector<std::string> functions;
  for (const GeneratedKind& kind : generated_kinds()) functions.emplace_back(kind.name);
  add_choice(command, "--function", o->request.function, functions, "What the C function computes");
  command.add_option("--frame", o->request.frame, "The frame or body of a function of a frame")
      ->type_name("NAME");
  add_choice(command, "--axes", o->axes, {"frame", "world_aligned", "world"},
             "Axes of velocities, accelerations and Jacobians");
  command
      .add_option("--name", o->generated.name,
                  "Name of the C function (default: made of model, function and frame)")
      ->type_name("NAME");
  add_choice(command, "--scalar", o->scalar, {"double", "float"}, "Type of the numbers");
  command.add_flag("--simd", o->generated.simd,
                   "Also NAME_simd: many states at once, in the lanes of vector registers");
  command.add_flag("--libm", o->generated.libm,
                   "Sine and cosine of the C library, not the file's own");
  command.add_flag("--test-main", o->generated.test_main,
                   "Also a main() that compares the function with numbers of the library");
  command.add_flag("--header", o->header, "Also a header, beside the source: FILE.h");
  command.add_option("-o,--output", o->output, "Where the C goes; - is standard output")
      ->check(check_c_file)
      ->type_name("FILE");
  when_run(command, [o] { run_codegen(*o); });
}

}  // namespace catena::cli
