// The condition number of an inertia matrix.
#pragma once

#include <vector>

#include "catena/scalar/scalar.hpp"

namespace catena {

// Largest by smallest eigenvalue of a symmetric matrix given row by row; infinite unless positive
// definite.
double condition_number(const std::vector<double>& M, int n);

template <class T>
double condition_number(const std::vector<T>& M, int n) {
  std::vector<double> rounded;
  for (const T& x : M) rounded.push_back(to_double(x));
  return condition_number(rounded, n);
}

}  // namespace catena
