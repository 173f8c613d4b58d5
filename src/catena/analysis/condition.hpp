// The condition number of an inertia matrix.
#pragma once

#include <vector>

namespace catena {

// Largest by smallest eigenvalue of a symmetric matrix given row by row; infinite unless positive
// definite.
double condition_number(const std::vector<double>& M, int n);

}  // namespace catena
