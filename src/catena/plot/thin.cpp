#include "catena/plot/thin.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>

namespace catena::plot {
namespace {

void append(Series& out, double x, double y) {
  out.x.push_back(x);
  out.y.push_back(y);
}

void append_gap(Series& out) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  if (!out.x.empty() && !std::isnan(out.x.back())) append(out, kNan, kNan);
}

bool is_point(const Series& s, std::size_t i) { return is_drawable(s.x[i]) && is_drawable(s.y[i]); }

Series all_points(const Series& in) {
  Series out{in.name, {}, {}};
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    if (is_point(in, i)) {
      append(out, in.x[i], in.y[i]);
    } else {
      append_gap(out);
    }
  }
  return out;
}

// The points of a run (consecutive points within one column) that its picture needs, in their
// order: the lowest, the highest, and where a curve that turns back in x does so.
struct Run {
  std::size_t first, last, low, high, left, right;

  explicit Run(std::size_t i) : first(i), last(i), low(i), high(i), left(i), right(i) {}

  void include(const Series& s, std::size_t i) {
    last = i;
    if (s.y[i] < s.y[low]) low = i;
    if (s.y[i] > s.y[high]) high = i;
    if (s.x[i] < s.x[left]) left = i;
    if (s.x[i] > s.x[right]) right = i;
  }

  void append_to(Series& out, const Series& s) const {
    const auto turn = [&](std::size_t i) { return i == first || i == last ? low : i; };
    std::array<std::size_t, 4> kept = {low, high, turn(left), turn(right)};
    std::sort(kept.begin(), kept.end());
    const auto end = std::unique(kept.begin(), kept.end());
    for (auto i = kept.begin(); i != end; ++i) append(out, s.x[*i], s.y[*i]);
  }
};

// Gaps within a column close: nobody would see them.
Series runs_per_column(const Series& in, const Range& x, double columns) {
  Series out{in.name, {}, {}};
  std::optional<Run> run;
  double column = 0;  // of the run
  bool gap = false;
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    if (!is_point(in, i)) {
      gap = true;
      continue;
    }
    const double place = std::floor((in.x[i] - x.lo) / x.width() * columns);
    const double here = std::clamp(place, 0.0, columns - 1);
    if (run && here == column) {
      run->include(in, i);
    } else {
      if (run) run->append_to(out, in);
      if (gap) append_gap(out);
      run.emplace(i);
      column = here;
    }
    gap = false;
  }
  if (run) run->append_to(out, in);
  return out;
}

// Every stride-th point, and the gaps between them.
Series every_nth(const Series& in, std::size_t stride) {
  Series out{in.name, {}, {}};
  for (std::size_t i = 0; i < in.x.size(); ++i) {
    if (!is_point(in, i)) {
      append_gap(out);
    } else if (i % stride == 0) {
      append(out, in.x[i], in.y[i]);
    }
  }
  return out;
}

}  // namespace

Series thin(const Series& series, const Range& x, std::size_t columns, std::size_t max_points) {
  const std::size_t n = series.x.size();
  if (n <= std::min(4 * columns, max_points)) return all_points(series);
  // A column of a curve that does not turn back leaves two points and a gap.
  const std::size_t coarser = std::min(columns, max_points / 3);
  Series thinned = runs_per_column(series, x, static_cast<double>(coarser));
  if (thinned.x.size() <= max_points) return thinned;
  return every_nth(series, (n + max_points - 1) / max_points);
}

}  // namespace catena::plot
