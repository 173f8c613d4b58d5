#include "catena/simulation/closed_system.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/simulation/integrator.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// A state this near to the loops is left as it is.
constexpr double close_enough = 1e-13;

// Rows of a matrix that are as independent as its rank, largest first.
std::vector<int> independent_rows(MatrixXd A, int rank) {
  std::vector<int> rows;
  while (static_cast<int>(rows.size()) < rank) {
    Index best = 0;
    const double size = A.rowwise().norm().maxCoeff(&best);
    if (!(size > 0)) break;
    rows.push_back(static_cast<int>(best));
    const VectorXd u = A.row(best).transpose() / size;
    A -= (A * u).eval() * u.transpose();
    A.row(best).setZero();
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

}  // namespace

ClosedSystem::ClosedSystem(const Model& model, const CompileOptions& compile_options,
                           const ClosedOptions& options)
    : dynamics_(model, compile_options),
      loops_(dynamics_.mechanism()),
      tree_(dynamics_.mechanism().tree, formulations<double>().front()),
      options_(options),
      Fext_B_(dynamics_.mechanism().tree.bodies.size()),
      q_(nq()),
      v_(nv()),
      tau_(nv()) {
  // Watched from the first state on, if the actuated joints are as many as the mobility.
  const ClosedMechanism& m = mechanism();
  if (options_.through_singularities || !m.has_actuators || m.num_rows() == 0) return;
  const Assembly start = assemble(m, loops_, m.start);
  if (!start.closed) return;
  const int rank = mobility_of(loops_.jacobian()).rank;
  if (rank + static_cast<int>(m.actuated.size()) != nv()) return;
  for (int v = 0; v < nv(); ++v) {
    if (std::find(m.actuated.begin(), m.actuated.end(), v) == m.actuated.end())
      columns_.push_back(v);
  }
  MatrixXd dependent(m.num_rows(), rank);
  for (int i = 0; i < rank; ++i) dependent.col(i) = loops_.jacobian().col(columns_[index(i)]);
  rows_ = independent_rows(dependent, rank);
  watches_ = static_cast<int>(rows_.size()) == rank;
}

void ClosedSystem::acceleration(double t, In q, In v, Out a) {
  tau_.setZero();
  std::fill(Fext_B_.begin(), Fext_B_.end(), Force<double>{});
  for (const auto& forces : forces_) forces->add(t, q, v, {tau_.data(), index(nv())}, Fext_B_);
  dynamics_.forward_dynamics(q, v, {tau_.data(), index(nv())},
                             forces_.empty() ? std::span<const Force<double>>() : Fext_B_, a);
}

bool ClosedSystem::project(double t, Out q, Out v) {
  std::copy(q.begin(), q.end(), q_.begin());
  std::copy(v.begin(), v.end(), v_.begin());
  loops_.set_position(q_);
  if (mechanism().num_rows() == 0) return false;
  bool changed = false;
  if (loops_.values().cwiseAbs().maxCoeff() > close_enough) {
    const Assembly a = assemble(mechanism(), loops_, q_);
    if (!(a.residual < 1e-9)) {
      throw NumericalError(at_time(t) + "the loops cannot be closed any more (loop '" +
                           mechanism().closures[index(a.worst_closure)].name +
                           "'); take smaller tolerances");
    }
    q_ = a.q;
    changed = true;
  }
  const VectorXd rate = loops_.jacobian() * v_;
  if (rate.cwiseAbs().maxCoeff() > close_enough * (1 + v_.cwiseAbs().maxCoeff())) {
    v_ -= least_norm(loops_.jacobian(), rate).x;
    changed = true;
  }
  std::copy(q_.begin(), q_.end(), q.begin());
  std::copy(v_.begin(), v_.end(), v.begin());
  return changed;
}

double ClosedSystem::minor(In q) {
  std::copy(q.begin(), q.end(), q_.begin());
  loops_.set_position(q_);
  const Index n = static_cast<Index>(rows_.size());
  MatrixXd part(n, n);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < n; ++j)
      part(i, j) = loops_.jacobian()(rows_[static_cast<std::size_t>(i)],
                                     columns_[static_cast<std::size_t>(j)]);
  }
  return part.partialPivLu().determinant();
}

void ClosedSystem::begin(double, Out q, Out) {
  if (watches_) first_minor_ = minor(q);
}

void ClosedSystem::switches(double, In q, In, Out values) {
  if (!watches_) return;
  values[0] = first_minor_ == 0 ? 1 : minor(q) / first_minor_;
}

void ClosedSystem::switch_over(int, double t, Out, Out) {
  std::string names;
  for (int v : mechanism().actuated)
    names += (names.empty() ? "'" : ", '") + tree_.velocity_name(v) + "'";
  throw NumericalError(at_time(t) +
                       "the mechanism is in a singular position: the actuated joints (" + names +
                       ") no longer decide how the others move; --through-singularities goes on");
}

Energies ClosedSystem::energies(In q, In v) {
  const Eigen::Map<const VectorXd> position(q.data(), nq()), velocity(v.data(), nv());
  return {dynamics_.kinetic_energy(position, velocity), dynamics_.potential_energy(position)};
}

void ClosedSystem::joint_forces(double t, In q, In v, In, Out tau) {
  tau_.setZero();
  for (const auto& forces : forces_) forces->add(t, q, v, {tau_.data(), index(nv())}, Fext_B_);
  std::copy(tau_.begin(), tau_.end(), tau.begin());
}

double ClosedSystem::residual(double, In q, In) {
  std::copy(q.begin(), q.end(), q_.begin());
  loops_.set_position(q_);
  return mechanism().num_rows() > 0 ? loops_.values().cwiseAbs().maxCoeff() : 0;
}

}  // namespace catena
