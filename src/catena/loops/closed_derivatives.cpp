#include "catena/loops/closed_derivatives.hpp"

#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/linearization.hpp"
#include "catena/loops/null_space.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// How all velocities follow from the independent ones.
class Following {
 public:
  Following(const ClosedMechanism& m, const RowMatrix& K, const std::vector<int>& asked)
      : independent(asked.empty() ? sound_velocities(m, K) : asked),
        sizes_(K.rowwise().norm()),
        inverse_() {
    std::vector<char> known(static_cast<std::size_t>(K.cols()), 0);
    for (const int v : independent) known[index(v)] = 1;
    for (int v = 0; v < K.cols(); ++v) {
      if (known[index(v)] == 0) dependent_.push_back(v);
    }
    const RowMatrix unit = unit_rows(K);
    const MatrixXd J = unit(Eigen::all, dependent_);
    inverse_ = least_norms(J, MatrixXd::Identity(K.rows(), K.rows()));
    require_rank(m, inverse_ * J);
    G = complete(-K(Eigen::all, independent));
    for (std::size_t i = 0; i < independent.size(); ++i)
      G(independent[i], static_cast<Index>(i)) = 1;
    require_freedom(m, unit * G);
  }

  // x with K x = rhs that is zero at the independent velocities, for every column.
  MatrixXd complete(MatrixXd rhs) const {
    for (Index i = 0; i < rhs.rows(); ++i) {
      if (sizes_[i] > 0) rhs.row(i) /= sizes_[i];
    }
    MatrixXd x =
        MatrixXd::Zero(static_cast<Index>(independent.size() + dependent_.size()), rhs.cols());
    x(dependent_, Eigen::all) = inverse_ * rhs;
    return x;
  }

  const std::vector<int> independent;
  MatrixXd G;  // [nv independent], K G = 0

 private:
  // What is left of the closure equations where one velocity after the other is 1.
  void require_freedom(const ClosedMechanism& m, const MatrixXd& rest) const {
    for (std::size_t i = 0; i < independent.size(); ++i) {
      const auto at = static_cast<Index>(i);
      if (rest.col(at).norm() <= 1e-6 * G.col(at).norm()) continue;
      throw NumericalError("the velocity of joint '" + joint_of(m, independent[i]) +
                           "' follows from the others that derivatives are taken by; leave it out");
    }
  }
  // J⁺ J is the identity where all dependent velocities follow.
  void require_rank(const ClosedMechanism& m, const MatrixXd& identity) const {
    for (std::size_t i = 0; i < dependent_.size(); ++i) {
      const auto at = static_cast<Index>(i);
      if (identity(at, at) > 1 - 1e-6) continue;
      throw NumericalError("the velocity of joint '" + joint_of(m, dependent_[i]) +
                           "' does not follow from those that derivatives are taken by");
    }
  }
  static std::string joint_of(const ClosedMechanism& m, int v) {
    for (const JointInfo& j : m.tree.names->joints) {
      if (!j.mimic && v >= j.v && v < j.v + j.nv) return j.name;
    }
    return {};
  }

  std::vector<int> dependent_;
  VectorXd sizes_;    // of the rows of K
  MatrixXd inverse_;  // of the dependent columns of K, rows of unit size
};

// What changes along the independent coordinates, the others following: column by column the
// change of the force at fixed accelerations of the independent velocities and fixed lambda, and
// the accelerations of the others.
struct Change {
  MatrixXd force, qdd;
};
Change by_position(const Linearization& l, const Following& f) {
  const MatrixXd rates = f.complete(-(l.rate_q * f.G));
  const MatrixXd qdd = f.complete(-(l.row_q * f.G + l.row_v * rates));
  return {l.force_q * f.G + l.force_v * rates + l.M * qdd, qdd};
}
Change by_velocity(const Linearization& l, const Following& f) {
  const MatrixXd qdd = f.complete(-(l.row_v * f.G));
  return {l.force_v * f.G + l.M * qdd, qdd};
}

// (Gᵀ M G)⁻¹
MatrixXd inverse_along(const ClosedMechanism& m, const RowMatrix& M, const MatrixXd& G) {
  const MatrixXd A = G.transpose() * M * G;
  const VectorXd scale = inertia_scale(A);
  const MatrixXd scaled = scale.asDiagonal() * A * scale.asDiagonal();
  MatrixXd inverse(A.rows(), A.cols());
  for (Index i = 0; i < A.cols(); ++i) {
    const PositiveSolution column = solve_positive(scaled, VectorXd::Unit(A.rows(), i));
    if (column.idle.size() > 0) fail_without_inertia(m, G * scale.cwiseProduct(column.idle));
    inverse.col(i) = column.x;
  }
  return scale.asDiagonal() * inverse * scale.asDiagonal();
}

}  // namespace

ClosedForwardSensitivity forward_derivatives(ClosedDynamics& dynamics, const VectorXd& q,
                                             const VectorXd& qd, const VectorXd& tau,
                                             const std::map<std::string, Force<double>>& wrenches,
                                             const ClosedDerivativesOptions& options) {
  const ClosedMechanism& m = dynamics.mechanism();
  const ClosedForward state = dynamics.forward_dynamics(q, qd, tau, wrenches);
  const Linearization l =
      linearize(m, dynamics.state(), {q, qd, state.qdd, state.lambda, wrenches, options.held});
  const Following f(m, l.K, options.independent);
  // Gᵀ (M (x + G y) + force) = Gᵀ dtau
  const MatrixXd response = f.G * inverse_along(m, l.M, f.G) * f.G.transpose();
  const Change q_change = by_position(l, f), v_change = by_velocity(l, f);
  return {f.independent,
          f.G,
          q_change.qdd - response * q_change.force,
          v_change.qdd - response * v_change.force,
          response,
          state.qdd};
}

ClosedInverseSensitivity inverse_derivatives(ClosedDynamics& dynamics, const VectorXd& q,
                                             const VectorXd& qd, const VectorXd& qdd,
                                             const std::map<std::string, Force<double>>& wrenches,
                                             const ClosedDerivativesOptions& options) {
  const ClosedMechanism& m = dynamics.mechanism();
  const ClosedInverse state = dynamics.inverse_dynamics(q, qd, qdd, wrenches);
  const Linearization l =
      linearize(m, dynamics.state(), {q, qd, qdd, state.lambda, wrenches, options.held});
  const Following f(m, l.K, options.independent);
  // H dtau = Gᵀ dforce, where H are the actuators' columns of Gᵀ.
  const MatrixXd H = f.G(m.actuated, Eigen::all).transpose();
  const MatrixXd pseudo_inverse = least_norms(H, MatrixXd::Identity(H.rows(), H.rows()));
  const VectorXd reached = (H * pseudo_inverse).diagonal();
  Index least = 0;
  if (reached.size() > 0 && reached.minCoeff(&least) < 1 - 1e-6)
    throw NumericalError(
        "the actuators do not drive every motion, so that their forces do not follow from it\n"
        "    name actuators for all " +
        std::to_string(H.rows()) + " degrees of freedom");
  const auto forces = [&](const MatrixXd& f_change) -> MatrixXd {
    return pseudo_inverse * (f.G.transpose() * f_change);
  };
  ClosedInverseSensitivity r{f.independent, f.G, m.actuated, {}, {}, {}, state.tau};
  r.dtau_dq = forces(by_position(l, f).force);
  r.dtau_dqd = forces(by_velocity(l, f).force);
  r.dtau_dqdd = forces(l.M * f.G);
  if (H.cols() > H.rows()) {
    // The least forces are Hᵀ y, and H changes: the part of dHᵀ y that does nothing is theirs, too.
    const VectorXd y = pseudo_inverse.transpose() * state.tau(m.actuated);
    const RowMatrix rates = rates_by_positions(m, dynamics.state(), q, f.G * y);
    const MatrixXd change = f.complete(-(rates * f.G))(m.actuated, Eigen::all);
    r.dtau_dq += change - pseudo_inverse * (H * change);
  }
  return r;
}

}  // namespace catena
