#include "catena/loops/driven_joints.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "catena/loops/bounded_forces.hpp"
#include "catena/loops/loop_solver.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/support/error.hpp"

namespace catena {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

std::string short_text(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", x);
  return text;
}

// As many driven joints as may be chosen tell how fast the others must be; the worst is named.
[[noreturn]] void fail_contradictory(ClosedDynamics& dynamics, const std::vector<int>& driven,
                                     const VectorXd& qdd) {
  const ClosedMechanism& m = dynamics.mechanism();
  const RowMatrix& K = dynamics.state().jacobian();
  std::vector<char> known(index(m.tree.nv), 0);
  for (int v : independent_velocities(K, driven)) known[index(v)] = 1;
  const VectorXd right = complete_rates(K, -dynamics.state().accelerations(), qdd, known).rates;
  int worst = driven.front();
  for (int v : driven) {
    if (std::abs(right[v] - qdd[v]) > std::abs(right[worst] - qdd[worst])) worst = v;
  }
  throw NumericalError("no forces produce the accelerations of the driven joints: that of '" +
                       joint_of_velocity(m, worst) + "' is " + short_text(qdd[worst]) +
                       ", but the loops make it " + short_text(right[worst]) + ": off by " +
                       short_text(std::abs(right[worst] - qdd[worst])) +
                       "\n    drive fewer joints; the others follow");
}

}  // namespace

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
  if (!forces.possible) fail_contradictory(dynamics, driven, qdd);
  DrivenForward r{{}, VectorXd::Zero(tau.size())};
  for (Index i = 0; i < n; ++i) r.force[driven[static_cast<std::size_t>(i)]] = forces.force[i];
  r.qdd = dynamics.forward_dynamics(q, qd, tau + r.force, wrenches, method).qdd;
  for (int v : driven) r.qdd[v] = qdd[v];
  return r;
}

}  // namespace catena
