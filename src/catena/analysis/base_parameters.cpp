#include "catena/analysis/base_parameters.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>
#include <random>

#include "catena/analysis/condition.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/random_motion.hpp"
#include "catena/loops/rough_assembly.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double explained = 1e-9;  // what is left of a column, relative, if others explain it

// The order in which columns are taken: moments of inertia first, so that masses are gathered in
// them and not the other way round; bodies from the base to the tips, then the joints.
std::vector<int> order_of(const std::vector<Parameter>& all) {
  static constexpr int within[] = {9, 6, 7, 8, 0, 1, 2, 3, 4, 5};  // by kind: m last
  std::vector<int> order;
  for (std::size_t i = 0; i < all.size();) {
    const int kind = static_cast<int>(all[i].kind);
    if (kind > static_cast<int>(ParameterKind::Izz)) {
      order.push_back(static_cast<int>(i++));
      continue;
    }
    for (int place = 0; place < 10; ++place) {
      for (int k = 0; k < 10; ++k) {
        if (within[k] == place) order.push_back(static_cast<int>(i) + k);
      }
    }
    i += 10;
  }
  return order;
}

// Regressors of random states, one below the other.
MatrixXd tree_rows(const Mechanism<double>& m, std::size_t columns, std::mt19937_64& generator) {
  const std::size_t n = index(m.nv);
  const std::size_t states = 2 * columns / std::max<std::size_t>(n, 1) + 10;
  MatrixXd rows(static_cast<Index>(states * n), static_cast<Index>(columns));
  Workspace<double> w(m);
  std::vector<double> q(index(m.nq)), Y(n * columns);
  for (std::size_t s = 0; s < states; ++s) {
    random_configuration(m, generator, q);
    const VectorXd qd = random_vector(m.nv, generator), qdd = random_vector(m.nv, generator);
    torque_regressor<double>(m, q, {qd.data(), n}, {qdd.data(), n}, w, Y);
    rows.middleRows(static_cast<Index>(s * n), m.nv) =
        Eigen::Map<const Rows>(Y.data(), m.nv, static_cast<Index>(columns));
  }
  return rows;
}

// The same along the motions that the loops allow: Gᵀ Y.
MatrixXd closed_rows(const Model& model, const CompileOptions& options, std::size_t columns,
                     std::mt19937_64& generator) {
  const ClosedMechanism m = compile_closed(model, options);
  LoopState loops(m);
  const Assembly start = assemble_from_afar(m, loops, m.start);
  if (!start.closed) throw NumericalError("base parameters: the loops cannot be closed");
  const std::size_t n = index(m.tree.nv);
  Workspace<double> w(m.tree);
  std::vector<double> Y(n * columns);
  MatrixXd rows(0, static_cast<Index>(columns));
  const std::size_t wanted = 2 * columns + 20;
  int missed = 0;
  while (static_cast<std::size_t>(rows.rows()) < wanted) {
    RandomMotion s;
    const bool good = random_motion(m, loops, start.q, generator, s);
    const VectorXd free = random_vector(m.tree.nv, generator);
    if (!good) {
      if (++missed > 100)
        throw NumericalError("base parameters: hardly any position closes the loops");
      continue;
    }
    loops.set_motion(s.q, s.qd);
    const VectorXd qdd =
        complete_rates(loops.jacobian(), -loops.accelerations(), free, s.chosen).rates;
    const MatrixXd G = null_space(unit_rows(loops.jacobian()));
    if (G.cols() == 0) break;
    torque_regressor<double>(m.tree, {s.q.data(), index(m.tree.nq)}, {s.qd.data(), n},
                             {qdd.data(), n}, w, Y);
    const MatrixXd along =
        G.transpose() * Eigen::Map<const Rows>(Y.data(), m.tree.nv, static_cast<Index>(columns));
    rows.conservativeResize(rows.rows() + along.rows(), Eigen::NoChange);
    rows.bottomRows(along.rows()) = along;
  }
  return rows;
}

// Columns are kept while something of them is left when those before are taken away (twice, for
// rounding). Q: what is left of them, at unit length; R: what was taken away.
class GramSchmidt {
 public:
  explicit GramSchmidt(Index rows) : Q_(rows, 0) {}
  // The share that is left; the column is kept if `keep` says so.
  double take(const VectorXd& column, double least) {
    VectorXd left = column, taken = VectorXd::Zero(Q_.cols());
    for (int turn = 0; turn < 2; ++turn) {
      const VectorXd along = Q_.transpose() * left;
      left -= Q_ * along, taken += along;
    }
    coefficients_ = taken;
    const double share = left.norm() / column.norm();
    if (share <= least) return share;
    Q_.conservativeResize(Eigen::NoChange, Q_.cols() + 1);
    Q_.rightCols(1) = left.normalized();
    taken.conservativeResize(taken.size() + 1);
    taken[taken.size() - 1] = left.norm();
    R_.push_back(taken);
    return share;
  }
  // Of the last column that was not kept: its factors of those that were.
  VectorXd factors() const {
    VectorXd x = coefficients_;
    for (Index k = x.size() - 1; k >= 0; --k) {
      for (Index j = k + 1; j < x.size(); ++j) x[k] -= R_[index(j)][k] * x[j];
      x[k] /= R_[index(k)][k];
    }
    return x;
  }

 private:
  static std::size_t index(Index i) { return static_cast<std::size_t>(i); }
  MatrixXd Q_;
  std::vector<VectorXd> R_;  // by column
  VectorXd coefficients_;
};

// From the Gram matrix of columns of unit length.
double condition_of(const MatrixXd& rows, const std::vector<BaseParameter>& base) {
  MatrixXd unit(rows.rows(), static_cast<Index>(base.size()));
  for (std::size_t k = 0; k < base.size(); ++k)
    unit.col(static_cast<Index>(k)) = rows.col(base[k].column).normalized();
  const MatrixXd gram = unit.transpose() * unit;
  return std::sqrt(
      condition_number({gram.data(), gram.data() + gram.size()}, static_cast<int>(base.size())));
}

}  // namespace

BaseParameters base_parameters(const Model& model, const CompileOptions& options,
                               std::uint64_t seed) {
  const Mechanism<double> m = compile(model, options);
  BaseParameters r;
  r.all = parameters(*m.names);
  std::mt19937_64 generator(seed);
  const MatrixXd rows = model.closed() ? closed_rows(model, options, r.all.size(), generator)
                                       : tree_rows(m, r.all.size(), generator);
  double largest = 0;
  for (Index c = 0; c < rows.cols(); ++c) largest = std::max(largest, rows.col(c).norm());
  GramSchmidt columns(rows.rows());
  for (const int c : order_of(r.all)) {
    if (rows.rows() == 0 || rows.col(c).norm() <= 1e-13 * largest) {
      r.without_effect.push_back(c);
      continue;
    }
    const double share = columns.take(rows.col(c), explained);
    if (share > explained) {
      r.smallest_kept = std::min(r.smallest_kept, share);
      r.base.push_back({c, {}});
      continue;
    }
    r.largest_dropped = std::max(r.largest_dropped, share);
    const VectorXd factors = columns.factors();
    for (std::size_t k = 0; k < r.base.size(); ++k) {
      const double factor = factors[static_cast<Index>(k)];
      const double noise = 1e-8 * rows.col(c).norm() / rows.col(r.base[k].column).norm();
      if (std::abs(factor) > noise) r.base[k].parts.push_back({c, factor});
    }
  }
  if (!r.base.empty()) r.condition = condition_of(rows, r.base);
  std::sort(r.without_effect.begin(), r.without_effect.end());
  return r;
}

std::vector<double> base_values(const BaseParameters& b, const std::vector<double>& values) {
  std::vector<double> r;
  for (const BaseParameter& p : b.base) {
    double sum = values[index(p.column)];
    for (const BaseParameter::Part& part : p.parts) sum += part.factor * values[index(part.column)];
    r.push_back(sum);
  }
  return r;
}

std::string describe(const BaseParameters& b, const BaseParameter& p) {
  std::string text = b.all[index(p.column)].name;
  for (const BaseParameter::Part& part : p.parts) {
    const double size = std::abs(part.factor);
    text += part.factor < 0 ? " - " : " + ";
    if (std::abs(size - 1) > 1e-9) {
      char number[32];
      std::snprintf(number, sizeof number, "%.6g ", size);
      text += number;
    }
    text += b.all[index(part.column)].name;
  }
  return text;
}

}  // namespace catena
