// A canvas that writes SVG.
#pragma once

#include <string>

#include "catena/plot/canvas.hpp"

namespace catena::plot {

class SvgCanvas : public Canvas {
 public:
  SvgCanvas(double width, double height, std::string_view title);

  void line(Point from, Point to, const Pen& pen) override;
  void polyline(std::span<const Point> points, const Pen& pen) override;
  void fill(const Rect& rect, Color color) override;
  void frame(const Rect& rect, const Pen& pen) override;
  void text(Point baseline, std::string_view utf8, const TextStyle& style) override;

  std::string document() const { return svg_ + "</svg>\n"; }

 private:
  std::string svg_;
};

}  // namespace catena::plot
