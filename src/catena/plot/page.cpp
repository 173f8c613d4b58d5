// The interactive page: data as JSON, a script that draws it, and the SVG for readers without one.
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>

#include "catena/plot/figure.hpp"
#include "catena/plot/layout.hpp"
#include "catena/plot/page_assets.hpp"
#include "catena/plot/style.hpp"
#include "catena/plot/text.hpp"
#include "catena/plot/thin.hpp"

namespace catena::plot {
namespace {

constexpr std::size_t kPointsPerPage = 200000;  // 11 bytes per number

// Text as a JSON string that is safe within <script>.
std::string json_string(std::string_view text) {
  std::string json = "\"";
  for (const char c : clean_utf8(text)) {
    if (c == '"' || c == '\\') json += '\\';
    if (c == '<') {
      json += "\\u003c";
    } else {
      json += c;
    }
  }
  return json + '"';
}

// IEEE doubles, little-endian, in base64: exact and half as long as decimals.
std::string base64(const std::vector<double>& values) {
  static constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  out.reserve(values.size() * 32 / 3 + 4);
  std::uint32_t bits = 0;
  int count = 0;
  for (const double value : values) {
    const auto word = std::bit_cast<std::uint64_t>(value);
    for (int shift = 0; shift < 64; shift += 8) {
      bits = bits << 8 | static_cast<std::uint32_t>(word >> shift & 0xFF);
      for (count += 8; count >= 6; count -= 6) out += kDigits[bits >> (count - 6) & 63];
    }
  }
  if (count > 0) out += kDigits[bits << (6 - count) & 63];
  while (out.size() % 4 != 0) out += '=';
  return out;
}

std::string hex(Color c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

std::string series_json(const Series& series, std::size_t index, std::size_t x_index,
                        const std::string& y) {
  const SeriesStyle style = series_style(index);
  std::string dashes;
  for (const double length : style.dashes)
    dashes += fmt::format("{}{}", dashes.empty() ? "" : " ", length);
  return fmt::format(R"({{"name":{},"light":"{}","dark":"{}","dash":"{}","x":{},"y":"{}"}})",
                     json_string(series.name), hex(style.color), hex(style.dark_color), dashes,
                     x_index, y);
}

// Series mostly share their x (time): each distinct one is stored once.
std::string figure_json(const Figure& figure) {
  std::size_t count = 1;
  for (const Panel& panel : figure.panels) count += panel.series.size();
  const std::size_t max_points = std::max<std::size_t>(kPointsPerPage / count, 300);
  const Range x_range = shared_x_range(figure);

  std::map<std::string, std::size_t> x_index;
  std::string xs, panels;
  for (const Panel& panel : figure.panels) {
    std::string list;
    for (std::size_t i = 0; i < panel.series.size(); ++i) {
      const Series s = thin(panel.series[i], x_range, max_points / 3, max_points);
      const auto [x, is_new] = x_index.try_emplace(base64(s.x), x_index.size());
      if (is_new) xs += fmt::format("{}\"{}\"", xs.empty() ? "" : ",\n", x->first);
      list += (list.empty() ? "" : ",\n") + series_json(s, i, x->second, base64(s.y));
    }
    panels += fmt::format("{}{{\"title\":{},\"yLabel\":{},\"legend\":{},\"series\":[{}]}}",
                          panels.empty() ? "" : ",\n", json_string(panel.title),
                          json_string(panel.y_label), has_own_legend(figure, panel), list);
  }
  return fmt::format(
      "{{\"xLabel\":{},\"columns\":{},\"sharedLegend\":{},\n\"panels\":[{}],\n\"xs\":[{}]}}",
      json_string(figure.x_label), grid_columns(figure), has_shared_legend(figure), panels, xs);
}

}  // namespace

std::string to_html(const Figure& figure) {
  check_lengths(figure);
  const std::string title = escape_xml(clean_utf8(figure.title));
  const std::string svg = to_svg(figure);
  std::string page = fmt::format(
      R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
  content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>{}</title>
<style>
)",
      title.empty() ? "Figure" : title);
  page += kPageCss;
  page += "</style>\n</head>\n<body>\n<header>";
  if (!title.empty()) page += "<h1>" + title + "</h1>";
  page += "</header>\n<main id=\"panels\"></main>\n<noscript>\n" + svg.substr(svg.find("<svg")) +
          "</noscript>\n";
  page += "<script type=\"application/json\" id=\"figure\">\n" + figure_json(figure) +
          "\n</script>\n<script>\n";
  page += kPageJs;
  page += "</script>\n</body>\n</html>\n";
  return page;
}

}  // namespace catena::plot
