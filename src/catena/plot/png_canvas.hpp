// A canvas that paints pixels with cairo.
#pragma once

#include <memory>
#include <string>

#include "catena/plot/canvas.hpp"

typedef struct _cairo cairo_t;
typedef struct _cairo_surface cairo_surface_t;

namespace catena::plot {

class PngCanvas : public Canvas {
 public:
  // Two pixels per unit, fewer if the image would become larger than cairo or a viewer can take.
  //   throws  std::runtime_error if cairo cannot make the image
  PngCanvas(double width, double height);

  void line(Point from, Point to, const Pen& pen) override;
  void polyline(std::span<const Point> points, const Pen& pen) override;
  void fill(const Rect& rect, Color color) override;
  void frame(const Rect& rect, const Pen& pen) override;
  void text(Point baseline, std::string_view utf8, const TextStyle& style) override;

  // The bytes of the PNG file.
  //   throws  std::runtime_error if drawing or writing failed
  std::string bytes() const;

 private:
  void set_pen(const Pen& pen);

  std::unique_ptr<cairo_surface_t, void (*)(cairo_surface_t*)> surface_;
  std::unique_ptr<cairo_t, void (*)(cairo_t*)> cairo_;
};

}  // namespace catena::plot
