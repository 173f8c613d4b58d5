// Thinning: fewer points, the same picture.
#pragma once

#include <cstddef>

#include "catena/plot/axis.hpp"
#include "catena/plot/figure.hpp"

namespace catena::plot {

// The series with at most about `max_points` points, for a picture in which `x` is `columns` wide.
// A short one stays as it is. Of a long one, every stretch within a column keeps its lowest and its
// highest point and where it turns back in x; gaps narrower than a column close. If a curve runs to
// and fro so often that this is still too much, it is sampled evenly.
// In the result every gap is one point of NaNs, and no gap comes first.
//   reads   series (x and y of equal length), x of positive width, columns >= 1, max_points >= 3
Series thin(const Series& series, const Range& x, std::size_t columns, std::size_t max_points);

}  // namespace catena::plot
