#include "catena/loops/loop_solver.hpp"

#include <algorithm>
#include <cmath>

#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/support/error.hpp"

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

// The smallest singular value of the columns of the velocities that are not independent.
double soundness(const Rows& unit, const std::vector<int>& independent) {
  MatrixXd J(unit.rows(), unit.cols() - static_cast<Index>(independent.size()));
  Index at = 0;
  for (int v = 0; v < unit.cols(); ++v) {
    if (std::find(independent.begin(), independent.end(), v) == independent.end())
      J.col(at++) = unit.col(v);
  }
  const VectorXd s = singular_values(J);
  return J.cols() == 0 || s.size() < J.cols() ? 0 : s[J.cols() - 1];
}

}  // namespace

std::vector<int> sound_velocities(const ClosedMechanism& m, const RowMatrix& K) {
  constexpr double enough = 0.1;  // one digit may be lost for the sake of the actuators
  const Rows unit = unit_rows(K);
  const std::vector<int> actuated = independent_velocities(K, m.actuated);
  const double sound = soundness(unit, actuated);
  if (sound > enough) return actuated;
  const std::vector<int> best = independent_velocities(K, {});
  return sound < enough * soundness(unit, best) ? best : actuated;
}

ClosedInverse drives_along(const ClosedMechanism& m, const MatrixXd& G, const VectorXd& along,
                           double size, const Actuation& actuation) {
  const std::vector<int>& actuated =
      actuation.velocities.empty() ? m.actuated : actuation.velocities;
  const auto num_drives = static_cast<Index>(actuated.size());
  // Forces in units in which their squares weigh the same.
  MatrixXd GB(G.cols(), num_drives);
  VectorXd unit = VectorXd::Ones(num_drives);
  for (Index i = 0; i < num_drives; ++i) {
    const int v = actuated[static_cast<std::size_t>(i)];
    if (actuation.weights.size() > 0) unit[i] = 1 / std::sqrt(actuation.weights[v]);
    GB.col(i) = unit[i] * G.row(v).transpose();
  }
  const LeastNorm drives = least_norm(GB, along);
  ClosedInverse r;
  r.tau = VectorXd::Zero(m.tree.nv);
  for (Index i = 0; i < num_drives; ++i)
    r.tau[actuated[static_cast<std::size_t>(i)]] = unit[i] * drives.x[i];
  r.redundantly_actuated = drives.rank < num_drives;
  const VectorXd gap = along - GB * drives.x;
  if (gap.size() > 0 && drives.rank < G.cols()) {
    r.unbalanced = gap.norm();
    if (is_unbalanced(r.unbalanced, size)) r.unbalanced_motion = G * gap.normalized();
  }
  return r;
}

bool is_unbalanced(double force, double size) { return force > 1e-9 * (1 + size); }

std::string joint_of_velocity(const ClosedMechanism& m, int velocity) {
  for (const JointInfo& j : m.tree.names->joints) {
    if (!j.mimic && velocity >= j.v && velocity < j.v + j.nv) return j.name;
  }
  return {};
}

void fail_without_inertia(const ClosedMechanism& m, const VectorXd& motion) {
  Index largest = 0;
  motion.cwiseAbs().maxCoeff(&largest);
  throw NumericalError("joint '" + joint_of_velocity(m, static_cast<int>(largest)) +
                       "' is free to move and carries no inertia at this state; give the bodies it "
                       "moves a mass, or close another loop");
}

}  // namespace catena
