#include "catena/plot/png_canvas.hpp"

#include <cairo.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace catena::plot {
namespace {

double pixels_per_unit(double width, double height) {
  constexpr double kLongestSide = 32000, kMostPixels = 4e7;
  return std::min(
      {2.0, kLongestSide / std::max(width, height), std::sqrt(kMostPixels / (width * height))});
}

cairo_surface_t* new_image(double width, double height) {
  const double scale = pixels_per_unit(width, height);
  return cairo_image_surface_create(CAIRO_FORMAT_RGB24, static_cast<int>(std::ceil(width * scale)),
                                    static_cast<int>(std::ceil(height * scale)));
}

void check(cairo_status_t status) {
  if (status == CAIRO_STATUS_SUCCESS) return;
  throw std::runtime_error(
      fmt::format("cannot draw the PNG: cairo says '{}'; an SVG needs no cairo",
                  cairo_status_to_string(status)));
}

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

void set_color(cairo_t* cairo, Color c) {
  cairo_set_source_rgb(cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0);
}

}  // namespace

PngCanvas::PngCanvas(double width, double height)
    : surface_(new_image(width, height), cairo_surface_destroy),
      cairo_(cairo_create(surface_.get()), cairo_destroy) {
  check(cairo_status(cairo_.get()));
  const double scale = pixels_per_unit(width, height);
  cairo_scale(cairo_.get(), scale, scale);
  // Letters keep their shape and place whatever the screen of this machine is like.
  cairo_font_options_t* options = cairo_font_options_create();
  cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY);
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(cairo_.get(), options);
  cairo_font_options_destroy(options);
}

void PngCanvas::set_pen(const Pen& pen) {
  set_color(cairo_.get(), pen.color);
  cairo_set_line_width(cairo_.get(), pen.width);
  cairo_set_dash(cairo_.get(), pen.dashes.data(), static_cast<int>(pen.dashes.size()), 0);
  cairo_set_line_cap(cairo_.get(), pen.dashes.empty() ? CAIRO_LINE_CAP_ROUND : CAIRO_LINE_CAP_BUTT);
  cairo_set_line_join(cairo_.get(), CAIRO_LINE_JOIN_ROUND);
}

void PngCanvas::line(Point from, Point to, const Pen& pen) { polyline(std::array{from, to}, pen); }

void PngCanvas::polyline(std::span<const Point> points, const Pen& pen) {
  set_pen(pen);
  bool down = false;
  for (const Point& p : points) {
    const bool is_point = std::isfinite(p.x) && std::isfinite(p.y);
    if (is_point && !down) cairo_move_to(cairo_.get(), p.x, p.y);
    if (is_point) cairo_line_to(cairo_.get(), p.x, p.y);
    down = is_point;
  }
  cairo_stroke(cairo_.get());
}

void PngCanvas::fill(const Rect& rect, Color color) {
  set_color(cairo_.get(), color);
  cairo_rectangle(cairo_.get(), rect.x, rect.y, rect.w, rect.h);
  cairo_fill(cairo_.get());
}

void PngCanvas::frame(const Rect& rect, const Pen& pen) {
  set_pen(pen);
  cairo_rectangle(cairo_.get(), rect.x, rect.y, rect.w, rect.h);
  cairo_stroke(cairo_.get());
}

void PngCanvas::text(Point baseline, std::string_view utf8, const TextStyle& style) {
  cairo_t* cairo = cairo_.get();
  const std::string terminated(utf8);
  set_color(cairo, style.color);
  cairo_select_font_face(cairo, "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL,
                         style.bold ? CAIRO_FONT_WEIGHT_BOLD : CAIRO_FONT_WEIGHT_NORMAL);
  cairo_set_font_size(cairo, style.size);
  cairo_text_extents_t extents;
  cairo_text_extents(cairo, terminated.c_str(), &extents);
  const double left_part = style.align == Align::kLeft     ? 0
                           : style.align == Align::kCenter ? 0.5
                                                           : 1;
  cairo_save(cairo);
  cairo_translate(cairo, baseline.x, baseline.y);
  if (style.upwards) cairo_rotate(cairo, -1.5707963267948966);
  cairo_move_to(cairo, -left_part * extents.x_advance, 0);
  cairo_show_text(cairo, terminated.c_str());
  cairo_restore(cairo);
  cairo_new_path(cairo);
}

std::string PngCanvas::bytes() const {
  check(cairo_status(cairo_.get()));
  std::string png;
  check(cairo_surface_write_to_png_stream(surface_.get(), append, &png));
  return png;
}

}  // namespace catena::plot
