#include "catena/plot/svg_canvas.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

#include "catena/plot/text.hpp"

namespace catena::plot {
namespace {

std::string hex(Color c) { return fmt::format("#{:02x}{:02x}{:02x}", c.r, c.g, c.b); }

// Coordinates are written in hundredths of a pixel, and as short as SVG allows.
long hundredths(double value) { return std::lround(value * 100); }

std::string number(long value) {
  const long magnitude = std::labs(value);
  std::string text = value < 0 ? "-" : "";
  if (magnitude >= 100 || magnitude == 0) text += fmt::format("{}", magnitude / 100);
  if (magnitude % 100 != 0) text += fmt::format(".{:02}", magnitude % 100);
  if (magnitude % 100 != 0 && text.back() == '0') text.pop_back();
  return text;
}

std::string number(double value) { return number(hundredths(value)); }

std::string stroke(const Pen& pen) {
  std::string text =
      fmt::format(R"(fill="none" stroke="{}" stroke-width="{}" stroke-linejoin="round")",
                  hex(pen.color), number(pen.width));
  if (pen.dashes.empty()) return text + R"( stroke-linecap="round")";
  text += R"( stroke-dasharray=")";
  for (const double length : pen.dashes) text += number(length) + ' ';
  text.back() = '"';
  return text;
}

std::string box(const Rect& r) {
  return fmt::format(R"(<rect x="{}" y="{}" width="{}" height="{}")", number(r.x), number(r.y),
                     number(r.w), number(r.h));
}

}  // namespace

SvgCanvas::SvgCanvas(double width, double height, std::string_view title) {
  svg_ = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}")"
      " role=\"img\" "
      "font-family=\"'DejaVu Sans', Verdana, Geneva, sans-serif\">\n",
      number(width), number(height));
  if (!title.empty()) svg_ += fmt::format("<title>{}</title>\n", escape_xml(title));
}

void SvgCanvas::line(Point from, Point to, const Pen& pen) {
  svg_ += fmt::format("<path d=\"M{} {}L{} {}\" {}/>\n", number(from.x), number(from.y),
                      number(to.x), number(to.y), stroke(pen));
}

void SvgCanvas::polyline(std::span<const Point> points, const Pen& pen) {
  std::string path;
  long x = 0, y = 0;  // where the pen is; relative moves of rounded places do not drift
  bool down = false;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (!std::isfinite(points[i].x) || !std::isfinite(points[i].y)) {
      down = false;
      continue;
    }
    const long to_x = hundredths(points[i].x), to_y = hundredths(points[i].y);
    const std::string dy = number(down ? to_y - y : to_y);
    path += down ? (path.back() == 'l' ? "" : " ") : "M";
    path += number(down ? to_x - x : to_x) + (dy.front() == '-' ? "" : " ") + dy;
    if (!down) path += 'l';
    x = to_x;
    y = to_y;
    const bool ends = i + 1 == points.size() || !std::isfinite(points[i + 1].x) ||
                      !std::isfinite(points[i + 1].y);
    if (!down && ends) path += "0 0";  // a lone point
    down = true;
  }
  if (!path.empty()) svg_ += fmt::format("<path d=\"{}\" {}/>\n", path, stroke(pen));
}

void SvgCanvas::fill(const Rect& rect, Color color) {
  svg_ += fmt::format("{} fill=\"{}\"/>\n", box(rect), hex(color));
}

void SvgCanvas::frame(const Rect& rect, const Pen& pen) {
  svg_ += fmt::format("{} {}/>\n", box(rect), stroke(pen));
}

void SvgCanvas::text(Point baseline, std::string_view utf8, const TextStyle& style) {
  if (utf8.empty()) return;
  auto out = std::back_inserter(svg_);
  if (style.upwards) {
    fmt::format_to(out, "<text transform=\"translate({} {}) rotate(-90)\"", number(baseline.x),
                   number(baseline.y));
  } else {
    fmt::format_to(out, R"(<text x="{}" y="{}")", number(baseline.x), number(baseline.y));
  }
  fmt::format_to(out, R"( font-size="{}" fill="{}")", number(style.size), hex(style.color));
  if (style.bold) svg_ += R"( font-weight="bold")";
  if (style.align == Align::kCenter) svg_ += R"( text-anchor="middle")";
  if (style.align == Align::kRight) svg_ += R"( text-anchor="end")";
  fmt::format_to(out, ">{}</text>\n", escape_xml(utf8));
}

}  // namespace catena::plot
