// A mechanism with closed loops: a tree, the joints that close it, actuators and springs.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "catena/kinematics/kinematics.hpp"
#include "catena/loops/closure.hpp"
#include "catena/model/compile.hpp"

namespace catena {

// Rows are closure equations, columns the user's velocities.
using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

struct Spring {
  int body1 = 0, body2 = 0;
  Vec3<double> point1{}, point2{};  // in B1, B2
  double stiffness = 0, damping = 0, length = 0;
};

struct ClosedMechanism {
  Mechanism<double> tree;
  std::vector<Closure> closures;
  std::vector<ClosureRow> rows;
  std::vector<Spring> springs;
  std::vector<int> actuated;   // velocities of actuated and driven joints; all if none is named
  bool has_actuators = false;  // the model names some
  Eigen::VectorXd start;       // where the loops are closed from

  int num_rows() const { return static_cast<int>(rows.size()); }
};

// Compiles the tree of a model and its loops.
//   throws  InputError as validate() does
ClosedMechanism compile_closed(const Model& model, const CompileOptions& options = {});

// Everything about the loops at one state, computed in one pass; memory is kept between calls.
class LoopState {
 public:
  explicit LoopState(const ClosedMechanism& m);

  // Values of the rows at q.
  void set_position(const Eigen::VectorXd& q);
  // Also the Jacobian, rows of wrenches, and the acceleration of the rows for qdd = 0.
  void set_motion(const Eigen::VectorXd& q, const Eigen::VectorXd& qd);

  const Eigen::VectorXd& values() const { return values_; }
  const RowMatrix& jacobian() const { return K_; }                // of set_position and set_motion
  const Eigen::VectorXd& accelerations() const { return bias_; }  // of set_motion
  const std::vector<Pose<double>>& poses() const { return X_WB_; }
  // Directions of the velocities of the tree and wrenches of the rows, in world axes about the
  // world's origin; motions of the bodies for qdd = 0 (of set_motion).
  const std::vector<Motion<double>>& directions() const { return S_; }
  const std::vector<Force<double>>& wrenches() const { return W_; }
  const std::vector<BodyInWorld>& bodies() const { return bodies_; }
  // How long the rows of the Jacobian would be if they forbade all of what the joints do: points of
  // a closure as fast as they can be, directions as they turn. 0: nothing moves there.
  Eigen::VectorXd row_sizes() const;

  // Adds what the rows do with forces lambda, and what springs do, to wrenches on the bodies, at Bo
  // in B.
  void add_row_wrenches(const Eigen::VectorXd& lambda, std::vector<Force<double>>& Fext_B) const;
  void add_spring_wrenches(std::vector<Force<double>>& Fext_B) const;
  // The wrench that body 1 exerts on body 2 through closure c: at the origin of L2, in world axes.
  Force<double> reaction(int c, const Eigen::VectorXd& lambda) const;
  // The elastic energy of the springs.
  double spring_energy() const;
  // The power that dampers between points take at a motion.
  double spring_loss(const Eigen::VectorXd& q, const Eigen::VectorXd& qd);

 private:
  void fill_jacobian();
  const ClosedMechanism& m_;
  Workspace<double> w_;
  std::vector<Pose<double>> X_WB_;
  std::vector<Motion<double>> V_WB_B_, A_WB_B_;
  std::vector<BodyInWorld> bodies_;
  std::vector<Motion<double>> S_;  // directions of the velocities of the tree
  std::vector<Force<double>> W_;   // wrenches of the rows
  Eigen::VectorXd values_, bias_;
  RowMatrix K_;
};

// How a mechanism can move at a state where its loops are closed.
struct Mobility {
  int velocities = 0;
  int rows = 0;
  int rank = 0;                     // of the rows
  int by_count = 0;                 // velocities - rows (Grübler)
  int by_rank = 0;                  // velocities - rank
  std::vector<int> redundant_rows;  // what the others say already
  double smallest = 0;  // singular value of the rows that count, relative to the largest
};
Mobility mobility_of(const RowMatrix& K);

// Which velocities may be chosen freely: as many as the mobility, actuated ones first, the rest
// where the others then follow best.
std::vector<int> independent_velocities(const RowMatrix& K, const std::vector<int>& preferred);
// The same with several groups to prefer, the first one most.
std::vector<int> independent_velocities_of_groups(const RowMatrix& K,
                                                  const std::vector<std::vector<int>>& preferred);

}  // namespace catena
