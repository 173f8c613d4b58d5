#include "catena/loops/driven_joints.hpp"

#include <algorithm>
#include <limits>

#include "catena/loops/bounded_forces.hpp"
#include "catena/support/error.hpp"

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

DrivenForward driven_forward_dynamics(ClosedDynamics& dynamics, const VectorXd& q,
                                      const VectorXd& qd, const VectorXd& tau,
                                      const std::map<std::string, Force<double>>& wrenches,
                                      const std::vector<int>& driven, const VectorXd& qdd,
                                      LoopMethod method) {
  if (driven.empty())
    return {dynamics.forward_dynamics(q, qd, tau, wrenches, method).qdd,
            VectorXd::Zero(tau.size())};
  const auto of = [&](std::span<const double> all, std::span<double> a) {
    const VectorXd forces = Eigen::Map<const VectorXd>(all.data(), tau.size());
    const VectorXd r = dynamics.forward_dynamics(q, qd, forces, wrenches, method).qdd;
    std::copy(r.begin(), r.end(), a.begin());
  };
  const auto n = static_cast<Index>(driven.size());
  VectorXd free(tau.size());
  of({tau.data(), static_cast<std::size_t>(tau.size())},
     {free.data(), static_cast<std::size_t>(free.size())});
  const MatrixXd columns = unit_responses(of, tau, free, driven);
  MatrixXd A(n, n);
  VectorXd b(n);
  for (Index i = 0; i < n; ++i) {
    const int v = driven[static_cast<std::size_t>(i)];
    A.row(i) = columns.row(v);
    b[i] = free[v] - qdd[v];
  }
  const double infinity = std::numeric_limits<double>::infinity();
  const BoundedForces forces =
      bounded_forces(0.5 * (A + A.transpose()), b, VectorXd::Constant(n, -infinity),
                     VectorXd::Constant(n, infinity));
  if (!forces.possible)
    throw NumericalError(
        "the accelerations of the driven joints contradict the loops: no forces produce them\n"
        "    drive fewer joints; the others follow");
  DrivenForward r{{}, VectorXd::Zero(tau.size())};
  for (Index i = 0; i < n; ++i) r.force[driven[static_cast<std::size_t>(i)]] = forces.force[i];
  r.qdd = dynamics.forward_dynamics(q, qd, tau + r.force, wrenches, method).qdd;
  for (int v : driven) r.qdd[v] = qdd[v];
  return r;
}

}  // namespace catena
