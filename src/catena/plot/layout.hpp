// Layout: where everything of a figure goes, and drawing it there.
#pragma once

#include <string>
#include <vector>

#include "catena/plot/axis.hpp"
#include "catena/plot/canvas.hpp"
#include "catena/plot/figure.hpp"

namespace catena::plot {

// Entries in rows of equal cells.
struct Legend {
  std::vector<std::string> names;  // cut to fit; empty: no legend
  std::size_t per_row = 1;
  double cell_width = 0;
  double height = 0;
};

struct PanelLayout {
  std::string title, y_label;
  Legend legend;
  Range y;
  Ticks y_ticks;
  Rect plot;              // the frame around the data
  double header = 0;      // y of the top of the title
  double axis_width = 0;  // of the tick labels and the label of y, left of the frame
  bool shows_x = false;   // labels its x ticks: nothing is below
  bool has_data = false;
};

struct Layout {
  double width = 0, height = 0;
  std::string title, x_label;
  Legend legend;  // of all panels, if they have the same series
  Range x;
  Ticks x_ticks;
  std::vector<PanelLayout> panels;
};

// Columns of the grid, at least 1 and at most the number of panels.
std::size_t grid_columns(const Figure& figure);

// The range of x that all panels show.
Range shared_x_range(const Figure& figure);

// Several panels with the same two or more names need one legend only.
bool has_shared_legend(const Figure& figure);

// A panel needs no legend if it has one series that is not named or named like the panel.
bool has_own_legend(const Figure& figure, const Panel& panel);

//   throws  std::invalid_argument if x and y of a series differ in length
void check_lengths(const Figure& figure);

Layout lay_out(const Figure& figure);
void draw(const Figure& figure, const Layout& layout, Canvas& canvas);

}  // namespace catena::plot
