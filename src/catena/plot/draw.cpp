#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/plot/layout.hpp"
#include "catena/plot/metrics.hpp"
#include "catena/plot/style.hpp"
#include "catena/plot/text.hpp"
#include "catena/plot/thin.hpp"

namespace catena::plot {
namespace {

constexpr Color kInk = {0x22, 0x22, 0x22}, kSoftInk = {0x55, 0x55, 0x55};
constexpr Color kFrame = {0x9A, 0x9A, 0x9A}, kGrid = {0xE6, 0xE6, 0xE6},
                kZeroLine = {0xBC, 0xBC, 0xBC};
constexpr Color kPaper = {0xFF, 0xFF, 0xFF};
constexpr double kCurveWidth = 1.6, kDotWidth = 5;
constexpr std::size_t kPointsPerPicture = 28000;  // up to 16 bytes each in an SVG

// From data to pixels of one panel.
struct Map {
  const Range &x, &y;
  const Rect& plot;

  double px(double value) const { return plot.x + (value - x.lo) / x.width() * plot.w; }
  double py(double value) const { return plot.bottom() - (value - y.lo) / y.width() * plot.h; }
};

void draw_legend(const Legend& legend, Point top_left, Canvas& canvas) {
  for (std::size_t i = 0; i < legend.names.size(); ++i) {
    const double x = top_left.x + static_cast<double>(i % legend.per_row) * legend.cell_width;
    const double y = top_left.y + (static_cast<double>(i / legend.per_row) + 0.5) * kLegendRow;
    const SeriesStyle style = series_style(i);
    canvas.line({x, y}, {x + kSampleWidth, y}, {style.color, kCurveWidth + 0.4, style.dashes});
    canvas.text({x + kSampleWidth + kSampleGap, y + 4}, legend.names[i], {kTickSize, kInk});
  }
}

double legend_width(const Legend& legend) {
  return static_cast<double>(legend.per_row) * legend.cell_width - kEntryGap;
}

void draw_grid(const Layout& layout, const PanelLayout& panel, const Map& map, Canvas& canvas) {
  const Rect& plot = panel.plot;
  for (const double tick : layout.x_ticks.values) {
    canvas.line({map.px(tick), plot.y}, {map.px(tick), plot.bottom()}, {kGrid, 1});
  }
  for (const double tick : panel.y_ticks.values) {
    canvas.line({plot.x, map.py(tick)}, {plot.right(), map.py(tick)},
                {tick == 0 ? kZeroLine : kGrid, 1});
  }
}

void draw_curve(const Series& series, const SeriesStyle& style, const Map& map,
                std::size_t max_points, Canvas& canvas) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const Series thinned = thin(series, map.x, static_cast<std::size_t>(map.plot.w), max_points);
  std::vector<Point> line, dots;
  const std::size_t n = thinned.x.size();
  for (std::size_t i = 0; i < n; ++i) {
    const Point p = {map.px(thinned.x[i]), map.py(thinned.y[i])};
    const bool starts = i == 0 || std::isnan(thinned.x[i - 1]),
               ends = i + 1 == n || std::isnan(thinned.x[i + 1]);
    if (starts && ends) {
      dots.push_back(p);
      dots.push_back({kNan, kNan});
    } else {
      line.push_back(p);
    }
  }
  canvas.polyline(line, {style.color, kCurveWidth, style.dashes});
  canvas.polyline(dots, {style.color, kDotWidth});
}

void draw_axes(const Layout& layout, const PanelLayout& panel, const Map& map, Canvas& canvas) {
  const Rect& plot = panel.plot;
  canvas.frame(plot, {kFrame, 1});
  for (std::size_t i = 0; i < panel.y_ticks.values.size(); ++i) {
    canvas.text({plot.x - kTickGap, map.py(panel.y_ticks.values[i]) + 4}, panel.y_ticks.labels[i],
                {kTickSize, kSoftInk, Align::kRight});
  }
  canvas.text({plot.x, plot.y - 5}, panel.y_ticks.note, {kTickSize, kSoftInk});
  if (!panel.shows_x) return;
  for (std::size_t i = 0; i < layout.x_ticks.values.size(); ++i) {
    const double x = map.px(layout.x_ticks.values[i]);
    const double half = text_width(layout.x_ticks.labels[i], kTickSize) / 2;
    canvas.text({std::min(x, layout.width - 4 - half), plot.bottom() + kTickGap + kTickSize - 2},
                layout.x_ticks.labels[i], {kTickSize, kSoftInk, Align::kCenter});
  }
}

// The label of y is centred on the frame, in smaller letters or cut if the panel is too low for it.
void draw_y_label(const PanelLayout& panel, double left, Canvas& canvas) {
  const double room = panel.plot.h + 2 * kRowGap;
  const double size = std::clamp(
      kLabelSize * room / std::max(1.0, text_width(panel.y_label, kLabelSize)), 9.0, kLabelSize);
  canvas.text({left + kLabelSize, panel.plot.y + panel.plot.h / 2},
              ellipsized(panel.y_label, room, size), {size, kInk, Align::kCenter, false, true});
}

void draw_panel(const Panel& panel, const PanelLayout& at, const Layout& layout,
                std::size_t max_points, Canvas& canvas) {
  const Rect& plot = at.plot;
  const Map map{layout.x, at.y, plot};
  if (!at.title.empty()) {
    canvas.text({plot.x + plot.w / 2, at.header + kPanelTitleSize},
                ellipsized(at.title, plot.w, kPanelTitleSize, true),
                {kPanelTitleSize, kInk, Align::kCenter, true});
  }
  draw_legend(at.legend,
              {plot.x + (plot.w - legend_width(at.legend)) / 2,
               at.header + (at.title.empty() ? 0 : kPanelTitleHeight)},
              canvas);
  draw_grid(layout, at, map, canvas);
  for (std::size_t i = 0; i < panel.series.size(); ++i) {
    draw_curve(panel.series[i], series_style(i), map, max_points, canvas);
  }
  draw_axes(layout, at, map, canvas);
  if (!at.has_data) {
    canvas.text({plot.x + plot.w / 2, plot.y + plot.h / 2 + 4}, "no data",
                {kLabelSize, kSoftInk, Align::kCenter});
  }
}

}  // namespace

void draw(const Figure& figure, const Layout& layout, Canvas& canvas) {
  canvas.fill({0, 0, layout.width, layout.height}, kPaper);
  const double middle = layout.width / 2;
  canvas.text({middle, kOuter + kTitleSize},
              ellipsized(layout.title, layout.width - 2 * kOuter, kTitleSize, true),
              {kTitleSize, kInk, Align::kCenter, true});
  draw_legend(layout.legend,
              {middle - legend_width(layout.legend) / 2,
               kOuter + (layout.title.empty() ? 0 : kTitleHeight)},
              canvas);
  if (figure.panels.empty()) {
    canvas.text({middle, layout.height / 2 + 10}, "no data",
                {kLabelSize, kSoftInk, Align::kCenter});
    return;
  }

  std::size_t series = 1;
  for (const Panel& panel : figure.panels) series += panel.series.size();
  const std::size_t max_points = std::max<std::size_t>(kPointsPerPicture / series, 24);
  double left = layout.width, right = 0;
  for (std::size_t i = 0; i < figure.panels.size(); ++i) {
    const PanelLayout& panel = layout.panels[i];
    draw_panel(figure.panels[i], panel, layout, max_points, canvas);
    draw_y_label(panel, panel.plot.x - panel.axis_width, canvas);
    left = std::min(left, panel.plot.x);
    right = std::max(right, panel.plot.right());
  }
  const double baseline = layout.height - kOuter - 2;
  canvas.text({(left + right) / 2, baseline},
              ellipsized(layout.x_label, right - left - 160, kLabelSize),
              {kLabelSize, kInk, Align::kCenter});
  canvas.text({right, baseline}, layout.x_ticks.note, {kTickSize, kSoftInk, Align::kRight});
}

}  // namespace catena::plot
