// Loop equations by homogeneous matrices [Legnani et al. 1996, part 2, 2.2 and 5].
//
// Round every loop, from body 1 over the joints of the tree to body 2 and back through the joint
// that closes it:
//   M_01 ... M_n0 = 1                                                                       (4)
//   W_01 + W_12 + ... = 0:      Σ L_i q'_i = 0                                          (5), (7)
//   H_01 + H_12 + ... = 0:      Σ L_i q''_i = -H~                                           (6)
// all in frame (0), that of body 0. Six equations per loop; the unknowns are the joints of the tree
// and those of the closing joint, with its dummy links. A loop's degree of mobility is the number
// of joints less the rank of A = [L_1 L_2 ...].
#pragma once

#include <memory>

#include "catena/formulations/formulation.hpp"
#include "catena/formulations/homogeneous/matrices.hpp"
#include "catena/loops/assembly.hpp"
#include "catena/loops/loop_solver.hpp"

namespace catena {

class LoopMatrices {
 public:
  explicit LoopMatrices(const ClosedMechanism& m);

  // The equations at q, and with qd also those of the accelerations.
  void set_position(const Eigen::VectorXd& q);
  void set_motion(const Eigen::VectorXd& q, const Eigen::VectorXd& qd);

  // Of loop c: the product of all matrices round it, in L1. It is 1 where the loop is closed.
  const homogeneous::Position<double>& product(int c) const { return product_[at(c)]; }
  // The largest entry by which a product is not 1.
  double open_by() const;

  // A = [tree, closing]: six rows [u; b] per loop.
  const Eigen::MatrixXd& tree() const { return tree_; }
  // The columns of the closing joint of loop c alone, [6 * freedoms].
  const Eigen::MatrixXd& closing(int c) const { return closing_[at(c)]; }
  // [6 loops]: the screws that would close the loops, and H~ (of set_motion).
  const Eigen::VectorXd& position_error() const { return error_; }
  const Eigen::VectorXd& bias() const { return bias_; }

  // The equations that are left once the closing joints are eliminated: K qdd = -k.
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows() const;
  Eigen::VectorXd row_values() const;

 private:
  static std::size_t at(int c) { return static_cast<std::size_t>(c); }
  void place(const Eigen::VectorXd& q, std::span<const double> qd);
  void fill_loop(int c);
  Eigen::Matrix<double, 6, 1> coriolis(int c) const;

  const ClosedMechanism& m_;
  Workspace<double> w_;
  std::vector<homogeneous::Position<double>> M_0_, product_;
  std::vector<homogeneous::Velocity<double>> W_0_;
  std::vector<homogeneous::Acceleration<double>> H_0_;
  std::vector<std::vector<std::vector<homogeneous::Screw<double>>>> groups_;  // in (0), by loop
  Eigen::MatrixXd tree_;
  std::vector<Eigen::MatrixXd> closing_, left_;  // left_: what closing joints do not reach
  Eigen::VectorXd error_, bias_;
};

// Solves the position equations (4) by Newton's method, from q, with the velocities of `held`
// fixed.
Assembly close_by_matrices(const ClosedMechanism& m, LoopMatrices& loops, const Eigen::VectorXd& q,
                           const std::vector<char>& held = {});

// Dynamics with the loop equations above, the inertia matrix and the joint actions of the open
// chains by homogeneous matrices.
std::unique_ptr<LoopSolver> make_homogeneous_loops(const ClosedMechanism& m);

}  // namespace catena
