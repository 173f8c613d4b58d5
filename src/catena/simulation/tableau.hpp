// Butcher tableaux of explicit Runge-Kutta methods.
#pragma once

#include <string_view>
#include <vector>

namespace catena {

struct Tableau {
  std::string_view name;
  int order;        // of the solution that goes on
  int error_order;  // of the other one; 0: no error estimate
  std::vector<double> c;
  std::vector<std::vector<double>> a;  // rows below the diagonal
  std::vector<double> b;
  std::vector<double> other;   // the weights of the other solution; empty: none
  bool last_is_first = false;  // the last stage is the derivative at the end of the step
};

const Tableau& dormand_prince_54();
const Tableau& cash_karp_54();
const Tableau& verner_65();
const Tableau& dormand_prince_87();
const Tableau& runge_kutta_4();

}  // namespace catena
