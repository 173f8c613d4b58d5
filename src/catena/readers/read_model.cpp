// A model file of any known format: read, parse by its ending, validate.
#include <algorithm>
#include <cctype>
#include <filesystem>

#include "catena/readers/readers.hpp"
#include "catena/readers/text_file.hpp"

namespace catena {
namespace {

enum class Format { yaml, urdf };

Format format_of(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".yaml" || ending == ".yml") return Format::yaml;
  if (ending == ".urdf" || ending == ".xml") return Format::urdf;
  const std::string problem = ending.empty()
                                  ? "the file name has no ending"
                                  : "'" + ending + "' is not the ending of a model format";
  throw InputError({path}, problem,
                   "use .yaml or .yml for the native format, .urdf or .xml for URDF");
}

}  // namespace

Model read_model(const std::string& path, const ReadOptions& options,
                 std::vector<std::string>* warnings) {
  const std::string text = read_text_file(path);
  const Format format = format_of(path);
  check_is_text(text, path);
  Model model =
      format == Format::yaml ? parse_yaml(text, path, warnings) : parse_urdf(text, path, warnings);
  if (options.floating_base) model = with_free_base(model);
  const std::vector<std::string> more = validate(model, options.allow_unphysical);
  if (warnings) warnings->insert(warnings->end(), more.begin(), more.end());
  return model;
}

std::string to_text(const Model& model, const std::string& path,
                    std::vector<std::string>* warnings) {
  return format_of(path) == Format::yaml ? to_yaml(model) : to_urdf(model, warnings);
}

}  // namespace catena
