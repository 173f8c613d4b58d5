#include "catena/loops/subsystems.hpp"

#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/null_space.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

std::span<const double> in_span(const VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

// Unknowns of the subsystems, for several right-hand sides at once.
struct Solution {
  MatrixXd drives;                // [nv * columns]
  std::vector<MatrixXd> closure;  // by closure: mu
  MatrixXd left;                  // [nv * columns] forces that nothing balances
  bool redundant = false;         // drives are the smallest
};

// tau and mu with tau + V mu = f in the rows of a step: the smallest tau where that leaves a
// choice.
void solve_step(const SubsystemPlan& plan, const SubsystemStep& step, MatrixXd& f, Solution& s) {
  std::vector<int> rows;
  for (const int j : step.subsystems) {
    const Subsystem& part = plan.subsystems[index(j)];
    rows.insert(rows.end(), part.velocities.begin(), part.velocities.end());
  }
  const Index n = static_cast<Index>(rows.size()),
              num_drives = static_cast<Index>(step.drives.size());
  Index num_forces = 0;
  for (const int c : step.closures) num_forces += plan.forces[index(c)].cols();
  MatrixXd B = MatrixXd::Zero(n, num_drives), V(n, num_forces), rhs(n, f.cols());
  for (Index r = 0; r < n; ++r) {
    const int v = rows[static_cast<std::size_t>(r)];
    rhs.row(r) = f.row(v);
    for (Index i = 0; i < num_drives; ++i) B(r, i) = step.drives[static_cast<std::size_t>(i)] == v;
    Index at = 0;
    for (const int c : step.closures) {
      const MatrixXd& part = plan.forces[index(c)];
      V.row(r).segment(at, part.cols()) = part.row(v);
      at += part.cols();
    }
  }
  MatrixXd tau, mu;
  if (step.determinate) {
    MatrixXd U(n, num_drives + num_forces);
    U << B, V;
    const MatrixXd x = least_norms(U, rhs);
    tau = x.topRows(num_drives), mu = x.bottomRows(num_forces);
  } else {
    const MatrixXd along = null_space(V.transpose());
    const MatrixXd reduced = along.transpose() * B;
    tau = least_norms(reduced, along.transpose() * rhs);
    mu = least_norms(V, rhs - B * tau);
    s.redundant = s.redundant || row_space(reduced).cols() < num_drives;
  }
  const MatrixXd left = rhs - B * tau - V * mu;
  for (Index r = 0; r < n; ++r) s.left.row(rows[static_cast<std::size_t>(r)]) = left.row(r);
  for (Index i = 0; i < num_drives; ++i)
    s.drives.row(step.drives[static_cast<std::size_t>(i)]) = tau.row(i);
  Index at = 0;
  for (const int c : step.closures) {  // known forces on all other subsystems from now on
    const MatrixXd& part = plan.forces[index(c)];
    s.closure[index(c)] = mu.middleRows(at, part.cols());
    f -= part * s.closure[index(c)];
    at += part.cols();
  }
}

Solution solve_all(const SubsystemPlan& plan, MatrixXd f) {
  Solution s;
  s.drives = s.left = MatrixXd::Zero(f.rows(), f.cols());
  for (const MatrixXd& V : plan.forces) s.closure.push_back(MatrixXd::Zero(V.cols(), f.cols()));
  for (const SubsystemStep& step : plan.steps) solve_step(plan, step, f, s);
  return s;
}

// lambda of the rows from the forces V mu of each cut joint.
VectorXd lambda_of(const ClosedMechanism& m, const SubsystemPlan& plan, const RowMatrix& K,
                   const std::vector<VectorXd>& mu, int rank) {
  VectorXd lambda(K.rows());
  Index counting = 0;
  for (std::size_t c = 0; c < m.closures.size(); ++c) {
    const Closure& closure = m.closures[c];
    lambda.segment(closure.first_row, closure.num_rows) =
        row_forces(K.middleRows(closure.first_row, closure.num_rows), plan.forces[c] * mu[c]);
    counting += plan.forces[c].cols();
  }
  return counting > rank ? smallest_forces(K, lambda) : lambda;
}

}  // namespace

Subsystems::Subsystems(const ClosedMechanism& m)
    : m_(m), tree_(*find_formulation<double>("denoc")), w_(m.tree, tree_.room(m.tree)) {}

VectorXd Subsystems::tree_forces(const LoopInput& in, const VectorXd& qdd) {
  VectorXd forces(m_.tree.nv);
  tree_.inverse_dynamics(m_.tree, in_span(in.q), in_span(in.qd), in_span(qdd), in.Fext_B, w_,
                         {forces.data(), index(m_.tree.nv)});
  return forces;
}

ClosedInverse Subsystems::inverse(const LoopInput& in, const VectorXd& qdd) {
  const RowMatrix& K = in.state.jacobian();
  const SubsystemPlan plan = plan_subsystems(m_, K, m_.actuated);
  const VectorXd needed = tree_forces(in, qdd);
  const Solution s = solve_all(plan, needed);
  ClosedInverse r;
  r.tau = s.drives.col(0);
  r.redundantly_actuated = s.redundant;
  r.rank = mobility_of(K).rank;
  r.unbalanced = s.left.norm();
  if (is_unbalanced(r.unbalanced, needed.norm()))
    r.unbalanced_motion = s.left.col(0).normalized();
  else
    r.unbalanced = 0;
  std::vector<VectorXd> mu;
  for (const MatrixXd& x : s.closure) mu.push_back(x.col(0));
  r.lambda = lambda_of(m_, plan, K, mu, r.rank);
  return r;
}

// With drives at the independent joints in place of the actuators, the drives that a motion needs
// are sigma = sigma_0 + I thdd; the motion that needs none is the one that happens.
ClosedForward Subsystems::forward(const LoopInput& in, const VectorXd& tau) {
  const RowMatrix& K = in.state.jacobian();
  const Index n = m_.tree.nv;
  const std::vector<int> independent = sound_velocities(m_, K);
  const auto d = static_cast<Index>(independent.size());
  const IndependentMotion motion = independent_motion(K, in.state.accelerations(), independent);
  RowMatrix M(n, n);
  tree_.inertia_matrix(m_.tree, in_span(in.q), w_, {M.data(), static_cast<std::size_t>(n * n)});
  const VectorXd unit = inertia_scale(M);
  VectorXd scale(d);  // each motion in units in which it carries about the same
  for (Index i = 0; i < d; ++i) scale[i] = 1 / motion.G.col(i).cwiseQuotient(unit).norm();
  const MatrixXd G = motion.G * scale.asDiagonal();
  MatrixXd forces(n, d + 1);
  forces << M * G, tree_forces(in, motion.x0) - tau;
  const SubsystemPlan plan = plan_subsystems(m_, K, independent);
  const Solution s = solve_all(plan, forces);
  MatrixXd sigma(d, d + 1);
  for (Index i = 0; i < d; ++i)
    sigma.row(i) = scale[i] * s.drives.row(independent[static_cast<std::size_t>(i)]);
  VectorXd y = VectorXd::Zero(d);
  if (d > 0) {
    const MatrixXd I = 0.5 * (sigma.leftCols(d) + sigma.leftCols(d).transpose());
    const PositiveSolution x = solve_positive(I, -sigma.col(d));
    if (x.idle.size() > 0) fail_without_inertia(m_, G * x.idle);
    y = x.x;
  }
  ClosedForward r;
  r.qdd = motion.x0 + G * y;
  r.rank = static_cast<int>(n - d);
  VectorXd factors(d + 1);
  factors << y, 1;
  std::vector<VectorXd> mu;
  for (const MatrixXd& x : s.closure) mu.push_back(x * factors);
  r.lambda = lambda_of(m_, plan, K, mu, r.rank);
  return r;
}

std::unique_ptr<LoopSolver> make_subsystems(const ClosedMechanism& m) {
  return std::make_unique<Subsystems>(m);
}

}  // namespace catena
