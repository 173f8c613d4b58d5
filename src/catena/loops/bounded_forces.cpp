#include "catena/loops/bounded_forces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "catena/linear/singular_values.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Eigenvalues of the scaled matrix below this are zero: the forces do the same.
constexpr double same_direction = 1e-11;

// The way of the free forces: to where their part of the rest is zero, or without end along a
// direction in which the rest does not change.
struct Way {
  VectorXd step;
  bool endless = false;
};

Way way_of(const MatrixXd& A, const VectorXd& rest, const VectorXd& sizes,
           const std::vector<Index>& free) {
  const auto n = static_cast<Index>(free.size());
  double size = 0;
  MatrixXd part(n, n);
  VectorXd g(n);
  for (Index i = 0; i < n; ++i) {
    g[i] = rest[free[static_cast<std::size_t>(i)]];
    size = std::max(size, sizes[free[static_cast<std::size_t>(i)]]);
    for (Index j = 0; j < n; ++j)
      part(i, j) = A(free[static_cast<std::size_t>(i)], free[static_cast<std::size_t>(j)]);
  }
  if (n == 0) return {};
  const SymmetricModes modes(part);
  VectorXd along = modes.V.transpose() * g, lost = along;
  for (Index i = 0; i < n; ++i) {
    const bool counts = modes.values[i] > same_direction;
    along[i] = counts ? -along[i] / modes.values[i] : 0;
    lost[i] = counts ? 0 : -lost[i];
  }
  Way way;
  way.endless = lost.size() > 0 && lost.cwiseAbs().maxCoeff() > 1e-9 * size;
  way.step = modes.V * (way.endless ? lost : along);
  return way;
}

}  // namespace

MatrixXd unit_responses(const AccelerationsOf& of, const VectorXd& tau, const VectorXd& free,
                        const std::vector<int>& velocities) {
  const auto n = static_cast<std::size_t>(tau.size());
  MatrixXd columns(tau.size(), static_cast<Index>(velocities.size()));
  VectorXd more = tau, qdd(tau.size());
  for (std::size_t i = 0; i < velocities.size(); ++i) {
    const Index v = velocities[i];
    // large enough that the difference is not lost beside what is there already
    const double size = 1 + std::fabs(tau[v]);
    more[v] = tau[v] + size;
    of({more.data(), n}, {qdd.data(), n});
    more[v] = tau[v];
    columns.col(static_cast<Index>(i)) = (qdd - free) / size;
  }
  return columns;
}

BoundedForces bounded_forces(const MatrixXd& A, const VectorXd& b, const VectorXd& lower,
                             const VectorXd& upper) {
  const Index n = b.size();
  BoundedForces r;
  // In units in which every force alone has the same effect.
  VectorXd unit(n);
  for (Index i = 0; i < n; ++i)
    unit[i] = 1 / std::sqrt(std::max(A(i, i), std::numeric_limits<double>::min()));
  const MatrixXd S = unit.asDiagonal() * A * unit.asDiagonal();
  const VectorXd s = unit.cwiseProduct(b), low = lower.cwiseQuotient(unit),
                 high = upper.cwiseQuotient(unit);
  VectorXd x = VectorXd::Zero(n).cwiseMax(low).cwiseMin(high);
  std::vector<int> side(static_cast<std::size_t>(n), 0);  // -1, 1: kept at that bound
  for (int round = 0; round < 20 * n + 20; ++round) {
    const VectorXd rest = S * x + s;
    const VectorXd sizes = (S * x).cwiseAbs() + s.cwiseAbs();  // rounding is relative to them
    std::vector<Index> free;
    for (Index i = 0; i < n; ++i) {
      if (side[static_cast<std::size_t>(i)] == 0) free.push_back(i);
    }
    const Way way = way_of(S, rest, sizes, free);
    double length = way.endless ? std::numeric_limits<double>::infinity() : 1;
    Index hit = -1;
    for (std::size_t k = 0; k < free.size(); ++k) {
      const Index i = free[k];
      const double d = way.step[static_cast<Index>(k)];
      const double room = d > 0 ? (high[i] - x[i]) / d : d < 0 ? (low[i] - x[i]) / d : INFINITY;
      if (room < length) length = std::max(0., room), hit = i;
    }
    if (!std::isfinite(length)) {
      Index worst = 0;
      way.step.cwiseAbs().maxCoeff(&worst);
      r.possible = false, r.blocked = static_cast<int>(free[static_cast<std::size_t>(worst)]);
      break;
    }
    for (std::size_t k = 0; k < free.size(); ++k)
      x[free[k]] += length * way.step[static_cast<Index>(k)];
    if (hit >= 0) {
      const bool down = x[hit] - low[hit] < high[hit] - x[hit];
      x[hit] = down ? low[hit] : high[hit];
      side[static_cast<std::size_t>(hit)] = down ? -1 : 1;
      continue;
    }
    // Which of those at a bound would rather leave it?
    const VectorXd after = S * x + s;
    double most = 0;
    Index leaves = -1;
    for (Index i = 0; i < n; ++i) {
      const int at = side[static_cast<std::size_t>(i)];
      const double wants = at * after[i];
      if (low[i] < high[i] && wants > std::max(most, 1e-12 * sizes[i])) most = wants, leaves = i;
    }
    if (leaves < 0) break;
    side[static_cast<std::size_t>(leaves)] = 0;
  }
  r.force = unit.cwiseProduct(x);
  r.rest = A * r.force + b;
  for (Index i = 0; i < n; ++i) {  // exactly on the bounds
    if (side[static_cast<std::size_t>(i)] < 0) r.force[i] = lower[i];
    if (side[static_cast<std::size_t>(i)] > 0) r.force[i] = upper[i];
  }
  return r;
}

}  // namespace catena
