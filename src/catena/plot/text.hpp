// Text: repaired, escaped, measured and cut to fit, without asking a font.
#pragma once

#include <string>
#include <string_view>

namespace catena::plot {

// Valid UTF-8: bytes that are not become U+FFFD, control characters become spaces.
std::string clean_utf8(std::string_view text);

// Text as XML or HTML content, or within a quoted attribute.
std::string escape_xml(std::string_view utf8);

// Width in pixels in DejaVu Sans (narrower fonts leave room); the text is valid UTF-8.
double text_width(std::string_view utf8, double size, bool bold = false);

// The text, or its beginning and "…" if it is wider than `width`.
std::string ellipsized(std::string_view utf8, double width, double size, bool bold = false);

}  // namespace catena::plot
