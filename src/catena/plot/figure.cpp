#include "catena/plot/figure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "catena/plot/layout.hpp"
#include "catena/plot/png_canvas.hpp"
#include "catena/plot/svg_canvas.hpp"

namespace catena::plot {

std::string to_svg(const Figure& figure) {
  check_lengths(figure);
  const Layout layout = lay_out(figure);
  SvgCanvas canvas(layout.width, layout.height, layout.title);
  draw(figure, layout, canvas);
  return canvas.document();
}

std::string to_png(const Figure& figure) {
  check_lengths(figure);
  const Layout layout = lay_out(figure);
  PngCanvas canvas(layout.width, layout.height);
  draw(figure, layout, canvas);
  return canvas.bytes();
}

std::string render(const Figure& figure, std::string_view extension) {
  std::string name(extension.starts_with('.') ? extension.substr(1) : extension);
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (name == "svg") return to_svg(figure);
  if (name == "png") return to_png(figure);
  if (name == "html") return to_html(figure);
  throw std::invalid_argument(
      fmt::format("plot: cannot draw '{}' files; use .svg, .png or .html", extension));
}

}  // namespace catena::plot
