// The equations of motion of a parallel manipulator: Newton-Euler equations of all bodies about
// their origins, and N = N_l N_c N_d takes the forces in the joints out of them.
#include "catena/loops/denoc_parallel.hpp"

#include "catena/formulations/passive.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

Vector6 six(const Vec3<double>& a, const Vec3<double>& b) {
  return (Vector6() << a.x, a.y, a.z, b.x, b.y, b.z).finished();
}

// M_b about the origin of the body, in world axes.
Inertia<double> in_world(const MechanismBody<double>& b, const Mat3<double>& R) {
  return {b.M.m, R * b.M.h, rotate(R, b.M.I)};
}

Matrix6 matrix(const Inertia<double>& M) {
  Matrix6 r;
  for (int k = 0; k < 6; ++k) {
    Vector6 unit = Vector6::Zero();
    unit[k] = 1;
    const Force<double> F =
        M * Motion<double>{{unit[0], unit[1], unit[2]}, {unit[3], unit[4], unit[5]}};
    r.col(k) = six(F.n, F.f);
  }
  return r;
}

// Twists t_b at the bodies' origins from rates of the joints, column by column, base to tip:
// t_b = A_{b,p} t_p + p_b rate (11c).
std::vector<MatrixXd> twists_of(const Mechanism<double>& m, const LoopState& state,
                                const MatrixXd& rates) {
  std::vector<MatrixXd> t(m.bodies.size(), MatrixXd::Zero(6, rates.cols()));
  for (int b = 1; b < m.num_bodies(); ++b) {
    const MechanismBody<double>& body = m.bodies[index(b)];
    const Vec3<double> p = state.poses()[index(b)].p;
    const Vec3<double> a = p - state.poses()[index(body.parent)].p;
    MatrixXd& here = t[index(b)];
    here = t[index(body.parent)];
    here.row(3) += here.row(1) * a.z - here.row(2) * a.y;  // w x a
    here.row(4) += here.row(2) * a.x - here.row(0) * a.z;
    here.row(5) += here.row(0) * a.y - here.row(1) * a.x;
    for (int v = body.v; v < body.v + num_velocities(body.kind); ++v) {
      const Motion<double>& S = state.directions()[index(v)];
      here += six(S.w, S.v + cross(S.w, p)) * rates.row(v);
    }
  }
  return t;
}

// Units of the independent rates in which each moves some body by about one length of the machine.
VectorXd scale_of(const std::vector<MatrixXd>& N, double length) {
  VectorXd size = VectorXd::Zero(N.front().cols());
  for (const MatrixXd& t : N) {
    const VectorXd turn = t.topRows(3).colwise().norm(), way = t.bottomRows(3).colwise().norm();
    size = size.cwiseMax(turn).cwiseMax(way / length);
  }
  for (double& x : size) x = x > 0 ? 1 / x : 1;
  return size;
}

// The equations of motion at a state, with everything that needs no acceleration.
class Equations {
 public:
  Equations(const ClosedMechanism& m, const LoopInput& in) : m_(m.tree), in_(in) {
    joints_ = VectorXd::Zero(m_.nv);
    add_passive_forces<double>(m_, in.q.data(), in.qd.data(), joints_.data());
  }

  // What must act on each body besides the forces in the joints: M t' + W M E t - w^E (8).
  std::vector<Vector6> wrenches(const VectorXd& qdd) const {
    const std::vector<MatrixXd> more = twists_of(m_, in_.state, qdd);
    std::vector<Vector6> w(m_.bodies.size(), Vector6::Zero());
    for (std::size_t b = 1; b < w.size(); ++b) {
      const BodyInWorld& body = in_.state.bodies()[b];
      const Inertia<double> M = in_world(m_.bodies[b], body.X.R);
      const MatrixXd& t = more[b];
      const Vec3<double> alpha = body.alpha + Vec3<double>{t(0, 0), t(1, 0), t(2, 0)};
      const Vec3<double> a = body.a - m_.gravity + Vec3<double>{t(3, 0), t(4, 0), t(5, 0)};
      const Force<double> F = M * Motion<double>{alpha, a};
      w[b] = six(F.n + cross(body.w, M.I * body.w), F.f + cross(body.w, cross(body.w, M.h)));
      if (!in_.Fext_B.empty()) w[b] -= six(body.X.R * in_.Fext_B[b].n, body.X.R * in_.Fext_B[b].f);
    }
    return w;
  }

  // Friction, springs and drives at the joints.
  VectorXd at_joints(const VectorXd& qdd) const { return joints_ + armature().cwiseProduct(qdd); }

  // Nᵀ w, and what the joints themselves take along.
  VectorXd along(const std::vector<MatrixXd>& N, const MatrixXd& G, const VectorXd& qdd) const {
    const std::vector<Vector6> w = wrenches(qdd);
    VectorXd sum = G.transpose() * at_joints(qdd);
    for (std::size_t b = 1; b < w.size(); ++b) sum += N[b].transpose() * w[b];
    return sum;
  }

  // Nᵀ M N
  MatrixXd inertia(const std::vector<MatrixXd>& N, const MatrixXd& G) const {
    MatrixXd I = G.transpose() * armature().asDiagonal() * G;
    for (std::size_t b = 1; b < N.size(); ++b) {
      if (m_.bodies[b].massless) continue;
      const Matrix6 M = matrix(in_world(m_.bodies[b], in_.state.poses()[b].R));
      I += N[b].transpose() * M * N[b];
    }
    return I;
  }

  // Forces of all joints of the open tree: w~_b = w_b + Σ A_cbᵀ w~_c, tip to base.
  VectorXd needed(const VectorXd& qdd) const {
    std::vector<Vector6> w = wrenches(qdd);
    VectorXd forces = at_joints(qdd);
    for (int b = m_.num_bodies() - 1; b > 0; --b) {
      const MechanismBody<double>& body = m_.bodies[index(b)];
      const Vec3<double> p = in_.state.poses()[index(b)].p;
      for (int v = body.v; v < body.v + num_velocities(body.kind); ++v) {
        const Motion<double>& S = in_.state.directions()[index(v)];
        forces[v] += six(S.w, S.v + cross(S.w, p)).dot(w[index(b)]);
      }
      const Vec3<double> a = p - in_.state.poses()[index(body.parent)].p;
      const Vector6& here = w[index(b)];
      const Vec3<double> n = cross(a, Vec3<double>{here[3], here[4], here[5]});
      w[index(body.parent)] += here + six(n, {0, 0, 0});
    }
    return forces;
  }

 private:
  Eigen::Map<const VectorXd> armature() const {
    return {m_.armature.data(), static_cast<Index>(m_.armature.size())};
  }

  const Mechanism<double>& m_;
  const LoopInput& in_;
  VectorXd joints_;
};

}  // namespace

DenocParallel::DenocParallel(const ClosedMechanism& m)
    : m_(m), graph_(joint_graph(m)), structure_(parallel_structure(graph_)) {}

ClosedForward DenocParallel::forward(const LoopInput& in, const VectorXd& tau) {
  const ParallelMotion motion = this->motion(in.state);
  const std::vector<MatrixXd> N = twists_of(m_.tree, in.state, motion.G);
  const Equations equations(m_, in);
  ClosedForward r;
  r.qdd = motion.x0;
  r.rank = static_cast<int>(m_.tree.nv - motion.G.cols());
  if (motion.G.cols() > 0) {
    const VectorXd scale = scale_of(N, motion.length);
    const VectorXd force = motion.G.transpose() * tau - equations.along(N, motion.G, motion.x0);
    const PositiveSolution y =
        solve_positive(scale.asDiagonal() * equations.inertia(N, motion.G) * scale.asDiagonal(),
                       scale.cwiseProduct(force));
    if (y.idle.size() > 0) fail_without_inertia(m_, motion.G * scale.cwiseProduct(y.idle));
    r.qdd += motion.G * scale.cwiseProduct(y.x);
  }
  r.lambda = row_forces(in.state.jacobian(), equations.needed(r.qdd) - tau);
  return r;
}

ClosedInverse DenocParallel::inverse(const LoopInput& in, const VectorXd& qdd) {
  const ParallelMotion motion = this->motion(in.state);
  const std::vector<MatrixXd> N = twists_of(m_.tree, in.state, motion.G);
  const Equations equations(m_, in);
  const VectorXd needed = equations.needed(qdd);
  ClosedInverse r = drives_along(m_, motion.G, equations.along(N, motion.G, qdd), needed.norm());
  r.rank = static_cast<int>(m_.tree.nv - motion.G.cols());
  r.lambda = row_forces(in.state.jacobian(), needed - r.tau);
  return r;
}

std::string denoc_parallel_refusal(const ClosedMechanism& m) {
  for (const JointInfo& j : m.tree.names->joints) {
    if (j.mimic) return "joint '" + j.name + "' mimics another, so that its leg is not one alone";
  }
  const std::string why = parallel_structure(joint_graph(m)).refusal;
  return why.empty() ? "" : "it is not a parallel manipulator: " + why;
}

std::unique_ptr<LoopSolver> make_denoc_parallel(const ClosedMechanism& m) {
  return std::make_unique<DenocParallel>(m);
}

}  // namespace catena
