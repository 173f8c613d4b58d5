#include "catena/dynamics.hpp"
#include "catena/formulations/regressor.hpp"
#include "catena/formulations/spatial/centroidal.hpp"
#include "catena/formulations/spatial/coriolis_matrix.hpp"
#include "catena/formulations/spatial/forward_derivatives.hpp"
#include "catena/formulations/spatial/inverse_derivatives.hpp"
#include "catena/formulations/spatial/operational_space.hpp"
#include "catena/kinematics/frame_derivatives.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

std::span<const double> read(const VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
template <class M>
std::span<double> written(M& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}

}  // namespace

Workspace<double>& Dynamics::more() {
  if (!more_) more_ = std::make_unique<Workspace<double>>(m_, derivatives_room<double>(m_));
  return *more_;
}

void Dynamics::hold_in_world(const VectorXd& q, const FrameWrenches& wrenches,
                             std::span<double> dtau_dq) {
  for (const auto& [name, F_F] : wrenches) {
    const FrameInfo& f = frame(name);
    body_poses<double>(m_, read(q), w_, std::span<Pose<double>>(X_WB_));
    const Mat3<double> R_WF = X_WB_[index(f.body)].R * f.X_BF.R;
    hold_wrench_in_world<double>(m_, read(q), f.body, f.X_BF.p, {R_WF * F_F.n, R_WF * F_F.f},
                                 more(), dtau_dq);
  }
}

InverseSensitivity Dynamics::inverse_derivatives(const VectorXd& q, const VectorXd& qd,
                                                 const VectorXd& qdd, const FrameWrenches& wrenches,
                                                 WrenchAxes held) {
  RowMajor dq(nv(), nv()), dv(nv(), nv()), M(nv(), nv());
  inverse_dynamics_derivatives<double>(m_, read(q), read(qd), read(qdd), body_wrenches(wrenches),
                                       more(), written(dq), written(dv), written(M));
  if (held == WrenchAxes::world) hold_in_world(q, wrenches, written(dq));
  return {dq, dv, M};
}

ForwardSensitivity Dynamics::forward_derivatives(const VectorXd& q, const VectorXd& qd,
                                                 const VectorXd& tau, const FrameWrenches& wrenches,
                                                 WrenchAxes held) {
  RowMajor dq(nv(), nv()), dv(nv(), nv()), inverse_M(nv(), nv());
  VectorXd qdd(nv());
  const ForwardStatus status = forward_dynamics_derivatives<double>(
      m_, read(q), read(qd), read(tau), body_wrenches(wrenches), more(),
      {written(qdd), written(dq), written(dv), written(inverse_M)});
  if (!status) throw NumericalError(describe(m_, status));
  if (held == WrenchAxes::world) {
    RowMajor change = RowMajor::Zero(nv(), nv());
    hold_in_world(q, wrenches, written(change));
    dq.noalias() -= inverse_M.lazyProduct(change);
  }
  return {dq, dv, inverse_M, qdd};
}

FrameSensitivity Dynamics::frame_derivatives(const std::string& name, const VectorXd& q,
                                             const VectorXd& qd, const VectorXd& qdd, Axes axes) {
  const FrameInfo& f = frame(name);
  FrameSensitivity r;
  for (auto* matrix : {&r.jacobian, &r.twist_dq, &r.acceleration_dq, &r.acceleration_dqd})
    matrix->resize(6, nv());
  catena::frame_derivatives<double>(m_, read(q), read(qd), read(qdd), f.body, f.X_BF, axes, w_,
                                    {written(r.jacobian), written(r.twist_dq),
                                     written(r.acceleration_dq), written(r.acceleration_dqd)});
  return r;
}

Eigen::MatrixXd Dynamics::regressor(const VectorXd& q, const VectorXd& qd, const VectorXd& qdd) {
  RowMajor Y(nv(), static_cast<Eigen::Index>(num_parameters(m_)));
  torque_regressor<double>(m_, read(q), read(qd), read(qdd), w_, written(Y));
  return Y;
}

Eigen::MatrixXd Dynamics::coriolis_matrix(const VectorXd& q, const VectorXd& qd) {
  RowMajor C(nv(), nv());
  catena::coriolis_matrix<double>(m_, read(q), read(qd), more(), written(C));
  return C;
}

CentroidalMomentum Dynamics::centroidal_momentum(const VectorXd& q, const VectorXd& qd) {
  CentroidalMomentum r;
  r.A.resize(6, nv()), r.Adot.resize(6, nv());
  const Vec3<double> c = catena::centroidal_momentum<double>(m_, read(q), read(qd), more(),
                                                             written(r.A), written(r.Adot));
  r.mass_centre = {c.x, c.y, c.z};
  return r;
}

Eigen::Matrix<double, 6, 6> Dynamics::operational_inertia(const std::string& name,
                                                          const VectorXd& q, Axes axes) {
  const FrameInfo& f = frame(name);
  Eigen::Matrix<double, 6, Eigen::Dynamic> J(6, nv()), response(6, nv());
  Eigen::Matrix<double, 6, 6> inertia;
  const ForwardStatus status = operational_space<double>(
      m_, read(q), f.body, f.X_BF, axes, w_, {written(J), written(response), written(inertia)});
  if (!status) throw NumericalError(describe(m_, status));
  const int fixed = invert_mobility<double>(written(inertia));
  if (fixed >= 0) {
    static const char* directions[] = {"about x", "about y", "about z",
                                       "along x", "along y", "along z"};
    throw NumericalError("frame '" + name + "' cannot move " + directions[fixed] +
                         " apart from its other motions here: it has no finite inertia");
  }
  return inertia;
}

}  // namespace catena
