// Dense output from the two ends of a step, for methods that have none of their own.
//
// A cubic through values and derivatives of both ends errs by O(h⁴). Derivatives of the system at
// points of it give a polynomial of higher degree that errs by O(h⁵), and so on: every round of
// evaluations gains one order (Enright, Jackson, Norsett, Thomsen 1986).
#pragma once

#include <Eigen/Core>
#include <functional>

namespace catena {

class HermiteOutput {
 public:
  // Writes dy/dt at t0 + theta h for the state y.
  using Derivative =
      std::function<void(double theta, const Eigen::VectorXd& y, Eigen::Ref<Eigen::VectorXd> dy)>;

  // For a method of this order: the error of the output is O(h^order), or O(h⁴) if that is less.
  HermiteOutput(int size, int order);

  // The polynomial of a step: values at its ends, h times derivatives.
  void set(const Eigen::VectorXd& y0, const Eigen::VectorXd& hf0, const Eigen::VectorXd& y1,
           const Eigen::VectorXd& hf1, double h, const Derivative& derivative);
  void at(double theta, Eigen::VectorXd& y) const;

 private:
  int rounds_;
  Eigen::MatrixXd data_, coefficients_;  // by columns: conditions; powers of theta
  Eigen::VectorXd y_;
};

}  // namespace catena
