#include "catena/loops/random_motion.hpp"

#include "catena/kinematics/configuration.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {

using Eigen::VectorXd;

VectorXd random_vector(int n, std::mt19937_64& generator) {
  VectorXd v(n);
  for (double& x : v) x = static_cast<double>(generator() >> 11) * 0x1p-52 - 1;
  return v;
}

bool random_motion(const ClosedMechanism& m, LoopState& loops, const VectorXd& start,
                   std::mt19937_64& generator, RandomMotion& motion) {
  loops.set_position(start);
  const auto free = independent_velocities(loops.jacobian(), m.actuated);
  motion.chosen.assign(index(m.tree.nv), 0);
  for (int v : free) motion.chosen[index(v)] = 1;
  const VectorXd offset = random_vector(m.tree.nv, generator);
  const VectorXd rates = random_vector(m.tree.nv, generator);
  Assembly a;
  for (double size = 0.5; size > 0.01 && !a.closed; size *= 0.5) {
    VectorXd step = VectorXd::Zero(m.tree.nv), there(m.tree.nq);
    for (int v : free) step[v] = size * offset[v];
    integrate_configuration<double>(m.tree, {start.data(), index(m.tree.nq)},
                                    {step.data(), index(m.tree.nv)},
                                    {there.data(), index(m.tree.nq)});
    a = follow(m, loops, start, there, motion.chosen);
  }
  if (!a.closed) return false;
  const auto qd =
      complete_rates(loops.jacobian(), VectorXd::Zero(m.num_rows()), rates, motion.chosen);
  motion.q = a.q, motion.qd = qd.rates;
  return qd.gap < 1e-9;
}

}  // namespace catena
