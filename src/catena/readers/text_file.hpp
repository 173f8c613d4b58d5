// Whole text files: read with every check that comes before a parser.
#pragma once

#include <string>
#include <string_view>

namespace catena {

// No model needs more; a larger file is a mistake (a mesh, a log).
inline constexpr std::size_t max_model_bytes = std::size_t{64} << 20;

// The whole file.
//   throws  InputError if it is missing, a directory, unreadable or larger than `max_bytes`
std::string read_text_file(const std::string& path, std::size_t max_bytes = max_model_bytes);

// Throws InputError if `text` is empty, too large or not text (a zero byte); `file` names it.
void check_is_text(std::string_view text, const std::string& file);

}  // namespace catena
