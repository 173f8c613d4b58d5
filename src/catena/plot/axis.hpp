// Axes: which range to show, and where the round numbers are.
#pragma once

#include <string>
#include <vector>

namespace catena::plot {

// Values a picture can show: finite, and so far from overflow that differences are finite, too.
bool is_drawable(double value);

// The smallest interval that holds all values given to `include`.
struct Range {
  double lo = 0, hi = 0;
  bool empty = true;

  void include(double value);
  double width() const { return hi - lo; }
};

// The range an axis shows for `data`, with a margin (a fraction of its width) on both sides.
// Data without extent (nothing, one value, rounding noise about one value) gets room around it.
Range axis_range(const Range& data, double margin);

// Ticks at k * {1, 2, 5} * 10^e. A tick reads label * 10^exponent + offset; `note` says so.
struct Ticks {
  std::vector<double> values;
  std::vector<std::string> labels;
  std::string note;  // empty, "×10⁻³", "+120000" or both
};

// About `count` ticks (count >= 1) within a range of positive width.
Ticks nice_ticks(const Range& range, double count);

}  // namespace catena::plot
