// The surface a figure is drawn on. One layout draws, two surfaces listen: SVG and a cairo image.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace catena::plot {

struct Color {
  std::uint8_t r = 0, g = 0, b = 0;
};

struct Point {
  double x = 0, y = 0;
};

struct Rect {
  double x = 0, y = 0, w = 0, h = 0;
  double right() const { return x + w; }
  double bottom() const { return y + h; }
};

struct Pen {
  Color color;
  double width = 1;
  std::span<const double> dashes = {};  // lengths on, off, on, ...; empty is solid
};

enum class Align { kLeft, kCenter, kRight };

struct TextStyle {
  double size = 12;
  Color color;
  Align align = Align::kLeft;
  bool bold = false;
  bool upwards = false;  // reads from bottom to top
};

// Units are pixels, x to the right, y downwards.
class Canvas {
 public:
  virtual ~Canvas() = default;

  virtual void line(Point from, Point to, const Pen& pen) = 0;
  // A point that is not finite lifts the pen; a lone point is a dot as wide as the (solid) pen.
  virtual void polyline(std::span<const Point> points, const Pen& pen) = 0;
  virtual void fill(const Rect& rect, Color color) = 0;
  virtual void frame(const Rect& rect, const Pen& pen) = 0;
  virtual void text(Point baseline, std::string_view utf8, const TextStyle& style) = 0;
};

}  // namespace catena::plot
