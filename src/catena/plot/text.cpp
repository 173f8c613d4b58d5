#include "catena/plot/text.hpp"

#include <array>
#include <cstdint>

namespace catena::plot {
namespace {

struct CodePoint {
  char32_t value;
  std::size_t length;  // in bytes; 0: not UTF-8
};

CodePoint first_code_point(std::string_view s) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint8_t>(s[i]); };
  const std::uint8_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || s.size() < length) return {0, 0};
  char32_t value = lead & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {0, 0};
    value = value << 6 | (byte(i) & 0x3F);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value <= 0xDFFF;
  const bool is_noncharacter = (value & 0xFFFE) == 0xFFFE;
  if (value < kLeast[length] || value > 0x10FFFF || is_surrogate || is_noncharacter) return {0, 0};
  return {value, length};
}

// Advance widths of DejaVu Sans in thousandths of the size, for U+0020 to U+007E.
constexpr std::array<std::uint16_t, 95> kAdvance = {
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361,  318, 337, 636, 636, 636,
    636, 636, 636, 636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632,
    575, 775, 752, 295, 295, 656, 557, 863, 748, 787, 603, 787, 695, 635,  611, 732, 684, 989, 685,
    611, 685, 390, 337, 390, 838, 500, 500, 613, 635, 550, 635, 615, 352,  635, 634, 278, 278, 579,
    278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818, 592, 592,  525, 636, 337, 636, 838};

double advance(char32_t c) {
  if (c >= 0x20 && c < 0x20 + kAdvance.size()) return kAdvance[c - 0x20] / 1000.0;
  if (c == U'·') return 0.32;
  if (c == U'−' || c == U'×') return 0.84;
  if (c >= 0x300 && c < 0x370) return 0;       // combining marks
  if (c >= 0x2070 && c < 0x20A0) return 0.45;  // superscripts and subscripts
  if (c >= 0x2E80) return 1;                   // mostly East Asian, full width
  return 0.66;
}

}  // namespace

std::string clean_utf8(std::string_view text) {
  std::string clean;
  while (!text.empty()) {
    const CodePoint c = first_code_point(text);
    if (c.length == 0) {
      clean += "\uFFFD";
    } else if (c.value < 0x20 || (c.value >= 0x7F && c.value < 0xA0)) {
      clean += ' ';
    } else {
      clean += text.substr(0, c.length);
    }
    text.remove_prefix(c.length == 0 ? 1 : c.length);
  }
  return clean;
}

std::string escape_xml(std::string_view utf8) {
  std::string escaped;
  for (const char c : utf8) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += c;
    }
  }
  return escaped;
}

double text_width(std::string_view utf8, double size, bool bold) {
  double width = 0;
  while (!utf8.empty()) {
    const CodePoint c = first_code_point(utf8);
    width += advance(c.value);
    utf8.remove_prefix(c.length == 0 ? 1 : c.length);
  }
  return width * size * (bold ? 1.12 : 1.0);
}

std::string ellipsized(std::string_view utf8, double width, double size, bool bold) {
  if (text_width(utf8, size, bold) <= width) return std::string(utf8);
  const double room = width - text_width("…", size, bold);
  std::size_t kept = 0;
  while (kept < utf8.size()) {
    const std::size_t next = kept + first_code_point(utf8.substr(kept)).length;
    if (next == kept || text_width(utf8.substr(0, next), size, bold) > room) break;
    kept = next;
  }
  return std::string(utf8.substr(0, kept)) + "…";
}

}  // namespace catena::plot
