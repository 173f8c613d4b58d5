// Figures: line plots as SVG, PNG or one interactive page.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace catena::plot {

// A curve. A point that is not finite (or beyond 1e300) is a gap; one between two gaps is a dot.
struct Series {
  std::string name;  // for the legend; UTF-8
  std::vector<double> x, y;
};

struct Panel {
  std::string title;
  std::string y_label;  // with its unit, as it shall appear
  std::vector<Series> series;
  // The axis of y shows this range if the data lie within; else it fits the data.
  std::optional<std::pair<double, double>> y_shown{};
};

// Panels fill a grid row by row. They share the range and the label of x; y is each panel's own.
struct Figure {
  std::string title;
  std::string x_label;
  std::vector<Panel> panels;
  int columns = 0;  // 0: chosen from the number of panels
  // Of a panel with its axis, in units of the SVG; 0: chosen from the number of panels.
  double panel_width = 0, panel_height = 0;
};

// The three pictures of a figure. Equal figures give equal bytes: SVG and HTML everywhere, PNG
// wherever cairo and the fonts are the same.
//   reads   figure, of any size: curves are thinned to what the eye can see, extremes are kept
//   throws  std::invalid_argument if x and y of a series differ in length,
//           std::runtime_error if cairo cannot draw the PNG

// A complete document, below 500 KB unless there are hundreds of series.
std::string to_svg(const Figure& figure);

// The bytes of a file, two pixels per unit of the SVG.
std::string to_png(const Figure& figure);

// One page that needs nothing else: zoom, read-out, hiding of series.
std::string to_html(const Figure& figure);

// The picture for a file extension: "svg", "png" or "html"; a leading dot and capitals are fine.
//   throws  as above, and std::invalid_argument for any other extension
std::string render(const Figure& figure, std::string_view extension);

}  // namespace catena::plot
