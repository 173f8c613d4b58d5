// A model file of any known format: read, parse by its ending, validate.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "catena/model/cut_joints.hpp"
#include "catena/readers/loop_file.hpp"
#include "catena/readers/readers.hpp"
#include "catena/readers/text_file.hpp"

namespace catena {
namespace {

enum class Format { yaml, urdf, spacelib };

Format format_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".yaml" || ending == ".yml") return Format::yaml;
  if (ending == ".urdf" || ending == ".xml") return Format::urdf;
  if (ending == ".spacelib" || ending == ".dat") return Format::spacelib;
  const std::string problem = ending.empty()
                                  ? "the file name has no ending"
                                  : "'" + ending + "' is not the ending of a model format";
  throw InputError({path}, problem,
                   "use .yaml or .yml for the native format, .urdf or .xml for URDF, .spacelib for "
                   "SPACELIB's robot data");
}

Model parse(Format format, const std::string& text, const std::string& path,
            std::vector<std::string>* warnings) {
  switch (format) {
    case Format::yaml:
      return parse_yaml(text, path, warnings);
    case Format::urdf:
      return parse_urdf(text, path, warnings);
    case Format::spacelib:
      break;
  }
  return parse_spacelib(text, path, warnings);
}

}  // namespace

Model read_model(const std::string& path, const ReadOptions& options,
                 std::vector<std::string>* warnings) {
  const std::string text = read_text_file(path);
  const Format format = format_of(path);
  check_is_text(text, path);
  Model model = parse(format, text, path, warnings);
  if (!options.loop_file.empty() && format != Format::urdf)
    throw InputError({options.loop_file}, "loop files are for URDF, but the model is " + path,
                     "write the loops in the model itself, under 'loops'");
  if (!options.loop_file.empty())
    parse_loop_file(read_text_file(options.loop_file), options.loop_file, model);
  else if (format == Format::urdf)
    add_loop_file(path, model);
  if (options.floating_base) model = with_free_base(model);
  if (format == Format::yaml) model = with_cut_joints(model, warnings);
  const std::vector<std::string> more = validate(model, options.allow_unphysical);
  if (warnings) warnings->insert(warnings->end(), more.begin(), more.end());
  return model;
}

std::string to_text(const Model& model, const std::string& path,
                    std::vector<std::string>* warnings) {
  switch (format_of(path)) {
    case Format::yaml:
      return to_yaml(model);
    case Format::urdf:
      return to_urdf(model, warnings);
    case Format::spacelib:
      break;
  }
  throw InputError({path}, "models are not written as robot data of SPACELIB",
                   "use .yaml or .yml for the native format, .urdf or .xml for URDF");
}

}  // namespace catena
