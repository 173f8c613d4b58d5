#include "catena/loops/assembly.hpp"

#include <algorithm>
#include <cmath>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_iterations = 200;
constexpr double longest_step = 0.5;  // rad or m

VectorXd moved(const ClosedMechanism& m, const VectorXd& q, const VectorXd& step) {
  VectorXd r(m.tree.nq);
  integrate_configuration<double>(m.tree, {q.data(), index(m.tree.nq)},
                                  {step.data(), index(m.tree.nv)}, {r.data(), index(m.tree.nq)});
  return r;
}

std::vector<int> free_columns(const ClosedMechanism& m, const std::vector<char>& held) {
  std::vector<int> columns;
  for (int v = 0; v < m.tree.nv; ++v) {
    if (held.empty() || held[index(v)] == 0) columns.push_back(v);
  }
  return columns;
}

// The step -J⁺ values, damped by mu: singular values s count as s / (s² + mu).
VectorXd damped_step(const RowMatrix& K, const VectorXd& values, const std::vector<int>& columns,
                     double mu) {
  MatrixXd J(K.rows(), static_cast<Index>(columns.size()));
  for (std::size_t i = 0; i < columns.size(); ++i) J.col(static_cast<Index>(i)) = K.col(columns[i]);
  const VectorXd small = -least_norm(J, values, mu).x;
  VectorXd step = VectorXd::Zero(K.cols());
  for (std::size_t i = 0; i < columns.size(); ++i) step[columns[i]] = small[static_cast<Index>(i)];
  const double size = step.size() > 0 ? step.cwiseAbs().maxCoeff() : 0;
  if (size > longest_step) step *= longest_step / size;
  return step;
}

// A joint whose axes are parallel, but point against each other, satisfies its rows all the same.
int flipped_closure(const ClosedMechanism& m, const LoopState& state) {
  for (std::size_t i = 0; i < m.closures.size(); ++i) {
    const Closure& c = m.closures[i];
    if (c.rod || c.kind == JointKind::spherical || c.kind == JointKind::universal) continue;
    const Mat3<double> R1 = state.poses()[index(c.body1)].R * c.X_1.R;
    const Mat3<double> R2 = state.poses()[index(c.body2)].R * c.X_2.R;
    if (dot(R1 * c.axis, R2 * c.axis) < 0) return static_cast<int>(i);
    const bool rigid = c.kind == JointKind::fixed || c.kind == JointKind::prismatic;
    const Mat3<double> R12 = transpose(R1) * R2;
    if (rigid && R12.x.x + R12.y.y + R12.z.z < 0) return static_cast<int>(i);
  }
  return -1;
}

}  // namespace

Assembly assemble(const ClosedMechanism& m, LoopState& state, const VectorXd& q,
                  const std::vector<char>& held) {
  Assembly r;
  r.q = q;
  const std::vector<int> columns = free_columns(m, held);
  state.set_position(r.q);
  double mu = 1e-4;
  for (; r.iterations < most_iterations && m.num_rows() > 0; ++r.iterations) {
    const double before = state.values().norm();
    const double largest = state.values().cwiseAbs().maxCoeff();
    if (largest <= 0.01 * closure_tolerance) break;
    // Where they are closed already, rounding may be all that is left: one try is enough.
    const int trials = largest <= closure_tolerance ? 1 : 12;
    const VectorXd values = state.values();
    const RowMatrix K = state.jacobian();
    bool better = false;
    for (int trial = 0; trial < trials && !better; ++trial) {
      const VectorXd next = moved(m, r.q, damped_step(K, values, columns, mu));
      state.set_position(next);
      better = state.values().norm() < before;
      if (better) {
        r.q = next;
        mu = before < 1e-2 ? 0 : mu * 0.1;
      } else {
        mu = mu > 0 ? mu * 10 : 1e-6;
      }
    }
    if (!better) break;
  }
  state.set_position(r.q);
  if (m.num_rows() > 0) {
    Index worst = 0;
    r.residual = state.values().cwiseAbs().maxCoeff(&worst);
    r.worst_closure = m.rows[static_cast<std::size_t>(worst)].closure;
  }
  r.closed = r.residual <= closure_tolerance;
  if (const int c = r.closed ? flipped_closure(m, state) : -1; c >= 0) {
    r.closed = false, r.flipped = true, r.worst_closure = c;
  }
  return r;
}

Assembly follow(const ClosedMechanism& m, LoopState& state, const VectorXd& q,
                const VectorXd& target, const std::vector<char>& held) {
  // The way of the held coordinates; the others are left to the loops.
  VectorXd way(m.tree.nv);
  difference_configuration<double>(m.tree, {q.data(), index(m.tree.nq)},
                                   {target.data(), index(m.tree.nq)},
                                   {way.data(), index(m.tree.nv)});
  for (const JointInfo& j : m.tree.names->joints) {  // angles go as far as they are told to
    for (int k = 0; k < j.nv && j.nq == j.nv; ++k) way[j.v + k] = target[j.q + k] - q[j.q + k];
  }
  for (int v = 0; v < m.tree.nv; ++v) {
    if (held.empty() || held[index(v)] == 0) way[v] = 0;
  }
  VectorXd now = q;
  double done = 0, step = std::min(1.0, 0.2 / std::max(1e-12, way.cwiseAbs().maxCoeff()));
  Assembly r;
  r.q = q;
  while (done < 1) {
    const double next = std::min(1.0, done + step);
    // predict the others along the loops, so that they stay on their branch
    state.set_position(now);
    const Completion predicted = complete_rates(state.jacobian(), VectorXd::Zero(m.num_rows()),
                                                VectorXd((next - done) * way), held);
    r = assemble(m, state, moved(m, now, predicted.rates), held);
    const VectorXd jump = r.q - moved(m, now, predicted.rates);
    const bool tame = jump.size() == 0 || jump.cwiseAbs().maxCoeff() < 0.2;
    if (r.closed && tame) {
      now = r.q, done = next;
      step *= 1.5;
    } else {
      step *= 0.25;
      if (step < 1e-4) break;
    }
  }
  if (done < 1) {
    r.closed = false;
    return r;
  }
  // The held ones exactly as told.
  for (const JointInfo& j : m.tree.names->joints) {
    for (int k = 0; k < j.nv && j.nq == j.nv; ++k) {
      if (!held.empty() && held[index(j.v + k)] != 0) now[j.q + k] = target[j.q + k];
    }
  }
  return assemble(m, state, now, held);
}

Completion complete_rates(const RowMatrix& K, const VectorXd& rhs, const VectorXd& rates,
                          const std::vector<char>& known) {
  Completion r;
  r.rates = rates;
  const Index n = K.cols();
  r.free.assign(static_cast<std::size_t>(n), 0);
  std::vector<int> unknown;
  for (Index v = 0; v < n; ++v) {
    if (known.empty() || known[static_cast<std::size_t>(v)] == 0)
      unknown.push_back(static_cast<int>(v)), r.rates[v] = 0;
  }
  if (K.rows() == 0) {
    for (int v : unknown) r.free[static_cast<std::size_t>(v)] = 1;
    return r;
  }
  VectorXd rest = rhs - K * r.rates;
  MatrixXd J(K.rows(), static_cast<Index>(unknown.size()));
  for (std::size_t i = 0; i < unknown.size(); ++i) J.col(static_cast<Index>(i)) = K.col(unknown[i]);
  if (!unknown.empty()) {
    MatrixXd unit = J;
    VectorXd scaled = rest;
    for (Index i = 0; i < K.rows(); ++i) {  // rows of one size, so that units do not count
      if (const double size = K.row(i).norm(); size > 0) unit.row(i) /= size, scaled[i] /= size;
    }
    const VectorXd x = least_norm(unit, scaled).x;
    rest -= J * x;
    const MatrixXd loose = null_space(unit);
    for (std::size_t i = 0; i < unknown.size(); ++i) {
      const auto row = static_cast<Index>(i);
      r.rates[unknown[i]] = x[row];
      if (loose.row(row).norm() > 1e-6) r.free[static_cast<std::size_t>(unknown[i])] = 1;
    }
  }
  Index worst = 0;
  r.gap = rest.cwiseAbs().maxCoeff(&worst);
  r.worst_row = static_cast<int>(worst);
  return r;
}

}  // namespace catena
