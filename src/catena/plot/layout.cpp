#include "catena/plot/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "catena/plot/metrics.hpp"
#include "catena/plot/text.hpp"

namespace catena::plot {
namespace {

constexpr double kYMargin = 0.05;

std::vector<std::string> names_of(const Panel& panel) {
  std::vector<std::string> names;
  for (const Series& s : panel.series) names.push_back(clean_utf8(s.name));
  return names;
}

Legend make_legend(std::vector<std::string> names, double width) {
  Legend legend;
  if (names.empty()) return legend;
  const double marks = kSampleWidth + kSampleGap;
  double widest = 0;
  for (std::string& name : names) {
    name = ellipsized(name, std::min(width - marks, 320.0), kTickSize);
    widest = std::max(widest, text_width(name, kTickSize));
  }
  legend.cell_width = marks + widest + kEntryGap;
  const double fit = std::floor((width + kEntryGap) / legend.cell_width);
  legend.per_row = std::max<std::size_t>(1, static_cast<std::size_t>(fit));
  const std::size_t rows = (names.size() + legend.per_row - 1) / legend.per_row;
  legend.per_row = (names.size() + rows - 1) / rows;  // rows of about equal length
  legend.height = static_cast<double>(rows) * kLegendRow + 6;
  legend.names = std::move(names);
  return legend;
}

struct PanelSize {
  double width, height;  // of a cell with its y axis, and of the frame
};

PanelSize panel_size(const Figure& figure, std::size_t columns) {
  const std::size_t panels = figure.panels.size();
  if (figure.panel_width > 0 && figure.panel_height > 0)
    return {figure.panel_width, figure.panel_height};
  if (panels <= 1) return {920, 430};
  if (columns == 1) return {920, panels == 2 ? 260.0 : 210.0};
  if (columns == 2) return {540, 210};
  return {columns == 3 ? 430.0 : 360.0, 190};
}

// As many round numbers as fit without crowding.
Ticks x_ticks_that_fit(const Range& x, double width) {
  Ticks ticks;
  for (double count = std::max(1.0, width / 75); count >= 1; count *= 0.8) {
    ticks = nice_ticks(x, count);
    double widest = 0;
    for (const std::string& label : ticks.labels)
      widest = std::max(widest, text_width(label, kTickSize));
    const double places = static_cast<double>(std::max<std::size_t>(2, ticks.values.size())) - 1;
    const double extent = ticks.values.empty() ? 0 : ticks.values.back() - ticks.values.front();
    if (extent / x.width() * width / places >= widest + 14) break;
  }
  return ticks;
}

double y_axis_width(const PanelLayout& panel) {
  double widest = 0;
  for (const std::string& label : panel.y_ticks.labels)
    widest = std::max(widest, text_width(label, kTickSize));
  return widest + kTickGap + (panel.y_label.empty() ? 0 : kLabelHeight);
}

PanelLayout panel_contents(const Panel& panel, double plot_height) {
  PanelLayout out;
  out.title = clean_utf8(panel.title);
  out.y_label = clean_utf8(panel.y_label);
  Range data;
  for (const Series& s : panel.series) {
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      if (is_drawable(s.x[i]) && is_drawable(s.y[i])) data.include(s.y[i]);
    }
  }
  out.has_data = !data.empty;
  out.y = axis_range(data, kYMargin);
  if (panel.y_shown && panel.y_shown->first < panel.y_shown->second &&
      data.lo >= panel.y_shown->first && data.hi <= panel.y_shown->second) {
    out.y.lo = panel.y_shown->first;
    out.y.hi = panel.y_shown->second;
  }
  out.y_ticks = nice_ticks(out.y, plot_height / 45);
  if (!out.has_data) out.y_ticks = {};
  return out;
}

double header_height(const PanelLayout& panel) {
  return (panel.title.empty() ? 0 : kPanelTitleHeight) + panel.legend.height +
         (panel.y_ticks.note.empty() ? 0 : kNoteHeight);
}

}  // namespace

std::size_t grid_columns(const Figure& figure) {
  const std::size_t n = std::max<std::size_t>(1, figure.panels.size());
  if (figure.columns > 0) return std::min(n, static_cast<std::size_t>(figure.columns));
  return n <= 3 ? 1 : n <= 8 ? 2 : n <= 18 ? 3 : 4;
}

Range shared_x_range(const Figure& figure) {
  Range data;
  for (const Panel& panel : figure.panels) {
    for (const Series& s : panel.series) {
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        if (is_drawable(s.x[i]) && is_drawable(s.y[i])) data.include(s.x[i]);
      }
    }
  }
  return axis_range(data, 0);
}

bool has_shared_legend(const Figure& figure) {
  if (figure.panels.size() < 2 || figure.panels.front().series.size() < 2) return false;
  const auto names = names_of(figure.panels.front());
  return std::all_of(figure.panels.begin(), figure.panels.end(),
                     [&](const Panel& p) { return names_of(p) == names; });
}

bool has_own_legend(const Figure& figure, const Panel& panel) {
  if (has_shared_legend(figure) || panel.series.empty()) return false;
  if (panel.series.size() > 1) return true;
  const std::string& name = panel.series.front().name;
  return !name.empty() && name != panel.title &&
         !(figure.panels.size() == 1 && name == figure.title);
}

void check_lengths(const Figure& figure) {
  for (const Panel& panel : figure.panels) {
    for (const Series& s : panel.series) {
      if (s.x.size() == s.y.size()) continue;
      throw std::invalid_argument(
          fmt::format("plot: series '{}' has {} values of x but {} of y; every point needs both",
                      s.name, s.x.size(), s.y.size()));
    }
  }
}

Layout lay_out(const Figure& figure) {
  const std::size_t n = figure.panels.size(), columns = grid_columns(figure);
  const std::size_t rows = (n + columns - 1) / columns;
  const PanelSize size = panel_size(figure, columns);
  const double gaps = static_cast<double>(columns - 1) * kColumnGap;

  Layout out;
  out.width = 2 * kOuter + static_cast<double>(columns) * size.width + gaps;
  out.title = clean_utf8(figure.title);
  out.x_label = clean_utf8(figure.x_label);
  out.x = shared_x_range(figure);

  // Widths: each column has its widest y axis, all frames are equally wide.
  std::vector<double> axis_width(columns, 0);
  for (std::size_t i = 0; i < n; ++i) {
    out.panels.push_back(panel_contents(figure.panels[i], size.height));
    axis_width[i % columns] = std::max(axis_width[i % columns], y_axis_width(out.panels[i]));
  }
  double frames = out.width - 2 * kOuter - gaps - 6;
  for (const double width : axis_width) frames -= width;
  const double frame_width = std::floor(frames / static_cast<double>(columns));
  out.x_ticks = x_ticks_that_fit(out.x, frame_width);
  if (has_shared_legend(figure))
    out.legend = make_legend(names_of(figure.panels.front()), out.width - 2 * kOuter);

  // Heights, from the top down: title, legend, rows (header, frame), x axis.
  double y = kOuter + (out.title.empty() ? 0 : kTitleHeight) + out.legend.height;
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t begin = row * columns, end = std::min(n, begin + columns);
    double header = kTickSize / 2;  // a tick's label may rise above the frame
    for (std::size_t i = begin; i < end; ++i) {
      PanelLayout& panel = out.panels[i];
      if (has_own_legend(figure, figure.panels[i]))
        panel.legend = make_legend(names_of(figure.panels[i]), frame_width);
      header = std::max(header, header_height(panel));
    }
    if (row > 0) y += kRowGap;
    double x = kOuter;
    for (std::size_t i = begin; i < end; ++i) {
      PanelLayout& panel = out.panels[i];
      x += axis_width[i - begin];
      panel.header = y;  // titles of a row are level
      panel.plot = {std::round(x), std::round(y + header), frame_width, size.height};
      panel.axis_width = axis_width[i - begin];
      panel.shows_x = i + columns >= n;
      x += frame_width + kColumnGap;
    }
    y = std::round(y + header) + size.height;
  }
  if (n == 0) y += 60;
  const bool below = !out.x_label.empty() || !out.x_ticks.note.empty();
  out.height = std::round(y + kTickHeight + (below ? kLabelHeight : 0) + kOuter - 4);
  return out;
}

}  // namespace catena::plot
