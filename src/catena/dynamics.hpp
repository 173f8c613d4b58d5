// Dynamics: the library in a few lines, with Eigen vectors in and out.
//
//   catena::Dynamics arm(catena::read_model("puma.yaml"));
//   Eigen::VectorXd tau = arm.inverse_dynamics(q, qd, qdd);
//
// One object per thread: it carries the scratch memory of the computations.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <map>
#include <memory>
#include <random>
#include <string>

#include "catena/formulations/formulation.hpp"
#include "catena/formulations/spatial/inverse_derivatives.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/model/compile.hpp"

namespace catena {

// Wrenches on named frames: moment and force at the frame's origin, in its axes.
using FrameWrenches = std::map<std::string, Force<double>>;

// Derivatives by positions (along the joint velocities, see integrate()), velocities, and
// accelerations or forces: entry (i, j) is the change of i with j.
struct InverseSensitivity {
  Eigen::MatrixXd dtau_dq, dtau_dqd, dtau_dqdd;  // the last is the inertia matrix
};
struct ForwardSensitivity {
  Eigen::MatrixXd dqdd_dq, dqdd_dqd, dqdd_dtau;  // the last is its inverse
  Eigen::VectorXd qdd;
};
struct FrameSensitivity {
  using Matrix = Eigen::Matrix<double, 6, Eigen::Dynamic>;
  Matrix jacobian;  // of the twist by qd, and of the acceleration by qdd
  Matrix twist_dq;  // of the twist by q
  Matrix acceleration_dq, acceleration_dqd;
};
struct CentroidalMomentum {
  Eigen::Matrix<double, 6, Eigen::Dynamic> A,
      Adot;  // [angular, about the mass centre; linear] = A qd
  Eigen::Vector3d mass_centre;
};

class Dynamics {
 public:
  explicit Dynamics(const Model& model, const CompileOptions& options = {});

  // From now on forces, accelerations and the inertia matrix come from this formulation of the
  // table (formulations/formulation.hpp), e.g. "denoc"; at first it is "spatial". Reactions always
  // come from "spatial".
  //   throws  InputError if there is none of this name, or if it cannot do this model
  void use(std::string_view method);

  const Mechanism<double>& mechanism() const { return m_; }
  int nq() const { return m_.nq; }
  int nv() const { return m_.nv; }

  Eigen::VectorXd neutral() const;
  Eigen::VectorXd random(std::mt19937_64& generator) const;
  Eigen::VectorXd integrate(const Eigen::VectorXd& q, const Eigen::VectorXd& v) const;
  Eigen::VectorXd difference(const Eigen::VectorXd& from, const Eigen::VectorXd& to) const;

  // Every function throws SizeError for a vector that does not fit, InputError for an unknown
  // frame.
  Eigen::VectorXd inverse_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                   const Eigen::VectorXd& qdd, const FrameWrenches& wrenches = {});
  // Throws NumericalError, naming the joint, where a joint carries no inertia.
  Eigen::VectorXd forward_dynamics(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                   const Eigen::VectorXd& tau, const FrameWrenches& wrenches = {});
  Eigen::VectorXd bias_forces(const Eigen::VectorXd& q, const Eigen::VectorXd& qd);
  Eigen::VectorXd gravity_forces(const Eigen::VectorXd& q);
  Eigen::MatrixXd inertia_matrix(const Eigen::VectorXd& q);

  // The wrench the parent exerts on the child at every joint, at the joint's moving frame and in
  // its axes (or world axes), in the order of mechanism().names->joints. Fixed joints have one too
  // if the model was compiled with keep_fixed.
  std::vector<Force<double>> reactions(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                       const Eigen::VectorXd& qdd,
                                       const FrameWrenches& wrenches = {}, bool in_world = false);

  Eigen::Isometry3d pose(const std::string& frame, const Eigen::VectorXd& q);
  Eigen::Matrix<double, 6, 1> twist(const std::string& frame, const Eigen::VectorXd& q,
                                    const Eigen::VectorXd& qd, Axes axes = Axes::world_aligned);
  Eigen::Matrix<double, 6, 1> acceleration(const std::string& frame, const Eigen::VectorXd& q,
                                           const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd,
                                           Axes axes = Axes::world_aligned);
  Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian(const std::string& frame,
                                                    const Eigen::VectorXd& q,
                                                    Axes axes = Axes::world_aligned);
  Eigen::Matrix<double, 6, Eigen::Dynamic> jacobian_rate(const std::string& frame,
                                                         const Eigen::VectorXd& q,
                                                         const Eigen::VectorXd& qd,
                                                         Axes axes = Axes::world_aligned);
  // Derivatives. All by the same recursions (docs/derivatives.md), whatever use() says.
  InverseSensitivity inverse_derivatives(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                         const Eigen::VectorXd& qdd,
                                         const FrameWrenches& wrenches = {},
                                         WrenchAxes held = WrenchAxes::frame);
  // Throws NumericalError, naming the joint, where a joint carries no inertia.
  ForwardSensitivity forward_derivatives(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                                         const Eigen::VectorXd& tau,
                                         const FrameWrenches& wrenches = {},
                                         WrenchAxes held = WrenchAxes::frame);
  FrameSensitivity frame_derivatives(const std::string& frame, const Eigen::VectorXd& q,
                                     const Eigen::VectorXd& qd, const Eigen::VectorXd& qdd,
                                     Axes axes = Axes::world_aligned);
  // Y with inverse_dynamics(q, qd, qdd) = Y p; columns as parameters() of
  // formulations/regressor.hpp names them.
  Eigen::MatrixXd regressor(const Eigen::VectorXd& q, const Eigen::VectorXd& qd,
                            const Eigen::VectorXd& qdd);
  // C with C qd the Coriolis and centrifugal forces and dM/dt - 2 C skew-symmetric.
  Eigen::MatrixXd coriolis_matrix(const Eigen::VectorXd& q, const Eigen::VectorXd& qd);
  CentroidalMomentum centroidal_momentum(const Eigen::VectorXd& q, const Eigen::VectorXd& qd);
  // (J M⁻¹ Jᵀ)⁻¹. Throws NumericalError where the frame cannot move along some direction.
  Eigen::Matrix<double, 6, 6> operational_inertia(const std::string& frame,
                                                  const Eigen::VectorXd& q,
                                                  Axes axes = Axes::world_aligned);

  Eigen::Vector3d mass_centre(const Eigen::VectorXd& q);
  double kinetic_energy(const Eigen::VectorXd& q, const Eigen::VectorXd& qd);
  double potential_energy(const Eigen::VectorXd& q);

 private:
  const FrameInfo& frame(const std::string& name) const;
  std::span<const Force<double>> body_wrenches(const FrameWrenches& wrenches);
  Workspace<double>& more();
  void hold_in_world(const Eigen::VectorXd& q, const FrameWrenches& wrenches,
                     std::span<double> dtau_dq);

  Mechanism<double> m_;
  const Formulation<double>* method_;
  Workspace<double> w_;
  std::unique_ptr<Workspace<double>> more_;  // for derivatives, made when they are first asked for
  std::vector<Pose<double>> X_WB_;
  std::vector<Motion<double>> V_WB_B_, A_WB_B_;
  std::vector<Force<double>> Fext_B_, F_PB_B_;
};

}  // namespace catena
