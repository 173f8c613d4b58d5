#include "catena/loops/independent_rates.hpp"

#include "catena/loops/assembly.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Vector3d cross(const Eigen::Vector3d& a, const Eigen::Vector3d& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// What turning first along a, then along b does otherwise than the other way round: quaternions
// have velocities that are no derivatives of positions.
VectorXd bracket(const Mechanism<double>& m, const VectorXd& a, const VectorXd& b) {
  VectorXd r = VectorXd::Zero(a.size());
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic || j.nq == j.nv) continue;
    const Eigen::Vector3d wa = a.segment<3>(j.v), wb = b.segment<3>(j.v);
    r.segment<3>(j.v) = cross(wa, wb);
    if (j.nv == 6)
      r.segment<3>(j.v + 3) = cross(wa, b.segment<3>(j.v + 3)) + cross(a.segment<3>(j.v + 3), wb);
  }
  return r;
}

}  // namespace

IndependentRates independent_rates(const ClosedMechanism& m, LoopState& state, const VectorXd& q,
                                   const VectorXd& qd, const std::vector<int>& velocities) {
  const Index n = m.tree.nv, count = static_cast<Index>(velocities.size());
  IndependentRates r{MatrixXd::Zero(n, count), MatrixXd::Zero(n, count)};
  std::vector<char> known(static_cast<std::size_t>(n), 0);
  for (int v : velocities) known[index(v)] = 1;
  const VectorXd nothing = VectorXd::Zero(m.num_rows());
  // k(x) = Kdot(x) x, the acceleration of the rows at rates x without any of the joints
  const auto k = [&](const VectorXd& x) {
    state.set_motion(q, x);
    return state.accelerations();
  };
  const VectorXd k_qd = k(qd);
  const RowMatrix K = state.jacobian();
  for (Index i = 0; i < count; ++i) {
    const VectorXd unit = VectorXd::Unit(n, velocities[static_cast<std::size_t>(i)]);
    const VectorXd g = complete_rates(K, nothing, unit, known).rates;
    r.G.col(i) = g;
    if (m.num_rows() == 0) continue;
    // Kdot(qd) g: the symmetric part of it from sums, the other from the bracket
    const VectorXd rate = 0.5 * (k(qd + g) - k_qd - k(g)) + 0.5 * (K * bracket(m.tree, qd, g));
    r.Gdot.col(i) = complete_rates(K, -rate, VectorXd::Zero(n), known).rates;
  }
  return r;
}

}  // namespace catena
