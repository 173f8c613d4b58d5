#include "catena/loops/rough_assembly.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catena/kinematics/configuration.hpp"
#include "catena/kinematics/jacobians.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int most_steps = 150;
constexpr double longest_step = 0.3;  // rad or m
constexpr double near_enough = 1e-2;  // for Newton to do the rest

// The turn that leads from u to v, both of length 1.
Vec3<double> turn_between(const Vec3<double>& u, const Vec3<double>& v) {
  const Vec3<double> n = cross(u, v);
  const double s = std::sqrt(dot(n, n)), angle = std::atan2(s, dot(u, v));
  if (s > 1e-9) return (angle / s) * n;
  if (angle < 1) return n;
  Vec3<double> any = cross(u, std::abs(u.x) < 0.6 ? Vec3<double>{1, 0, 0} : Vec3<double>{0, 1, 0});
  return (angle / std::sqrt(dot(any, any))) * any;
}

// The turn from frame 1 to frame 2, in world axes.
Vec3<double> turn_between(const Mat3<double>& R1, const Mat3<double>& R2) {
  const Vec3<double> n =
      0.5 * (cross(R1.x, R2.x) + cross(R1.y, R2.y) + cross(R1.z, R2.z));  // axis times sine
  const double c = 0.5 * (dot(R1.x, R2.x) + dot(R1.y, R2.y) + dot(R1.z, R2.z) - 1);
  const double s = std::sqrt(dot(n, n)), angle = std::atan2(s, c);
  if (s > 1e-9) return (angle / s) * n;
  if (angle < 1) return n;
  // Half a turn: about the axis that it leaves alone, the largest of R1 e + R2 e.
  Vec3<double> best{};
  for (const Vec3<double>& sum : {R1.x + R2.x, R1.y + R2.y, R1.z + R2.z}) {
    if (dot(sum, sum) > dot(best, best)) best = sum;
  }
  return (angle / std::sqrt(dot(best, best))) * best;
}

// Values of the loops that grow with the distance from closed, and how they change.
class RoughLoops {
 public:
  explicit RoughLoops(const ClosedMechanism& m)
      : m_(m), w_(m.tree), J1_(6, m.tree.nv), J2_(6, m.tree.nv) {
    K = MatrixXd::Zero(m.num_rows(), m.tree.nv);
    values = VectorXd::Zero(m.num_rows());
  }

  // `state` has its position already.
  void set(const LoopState& state, const VectorXd& q) {
    values = state.values(), K = state.jacobian();
    for (const Closure& c : m_.closures) {
      if (!turns(c)) continue;
      const Mat3<double> R1 = state.poses()[index(c.body1)].R * c.X_1.R;
      const Mat3<double> R2 = state.poses()[index(c.body2)].R * c.X_2.R;
      const bool rigid = c.kind == JointKind::fixed || c.kind == JointKind::prismatic;
      const Vec3<double> e = rigid ? turn_between(R1, R2) : turn_between(R1 * c.axis, R2 * c.axis);
      jacobian(q, c.body1, c.X_1, J1_), jacobian(q, c.body2, c.X_2, J2_);
      const MatrixXd W = J2_.topRows(3) - J1_.topRows(3);
      int k = 0;
      for (int r = c.first_row; r < c.first_row + c.num_rows; ++r) {
        if (m_.rows[index(r)].kind != RowKind::direction) continue;
        Vec3<double> u = k == 0 ? R1.x : k == 1 ? R1.y : R1.z;
        if (!rigid) {  // two directions normal to the axis
          const Vec3<double> z = R1 * c.axis;
          const Vec3<double> other = std::abs(c.axis.x) < 0.6 ? R1.x : R1.y;
          u = cross(z, other);
          if (k == 1) u = cross(z, u);
          u = (1 / std::sqrt(dot(u, u))) * u;
        }
        values[r] = dot(u, e);
        K.row(r) = u.x * W.row(0) + u.y * W.row(1) + u.z * W.row(2);
        ++k;
      }
    }
  }

  VectorXd values;
  MatrixXd K;

 private:
  static bool turns(const Closure& c) {
    return !c.rod && c.kind != JointKind::spherical && c.kind != JointKind::universal &&
           c.kind != JointKind::free;
  }
  void jacobian(const VectorXd& q, int body, const Pose<double>& X_BF, MatrixXd& J) {
    frame_jacobian<double>(m_.tree, {q.data(), index(m_.tree.nq)}, body, X_BF, Axes::world, w_,
                           {J.data(), static_cast<std::size_t>(J.size())});
  }

  const ClosedMechanism& m_;
  Workspace<double> w_;
  MatrixXd J1_, J2_;
};

VectorXd moved(const ClosedMechanism& m, const VectorXd& q, const VectorXd& step) {
  VectorXd r(m.tree.nq);
  integrate_configuration<double>(m.tree, {q.data(), index(m.tree.nq)},
                                  {step.data(), index(m.tree.nv)}, {r.data(), index(m.tree.nq)});
  return r;
}

// Levenberg-Marquardt on the rough values.
VectorXd approach(const ClosedMechanism& m, LoopState& state, RoughLoops& loops, VectorXd q,
                  const std::vector<char>& held) {
  double mu = 1e-2;
  state.set_position(q);
  loops.set(state, q);
  double mark = loops.values.norm();  // some steps ago
  for (int i = 0; i < most_steps && loops.values.norm() > 1e-6; ++i) {
    const double before = loops.values.norm();
    if (i % 20 == 19) {
      if (before > 0.9 * mark) break;  // stuck
      mark = before;
    }
    MatrixXd J = loops.K;
    for (int v = 0; v < m.tree.nv && !held.empty(); ++v) {
      if (held[index(v)] != 0) J.col(v).setZero();
    }
    VectorXd step = -least_norm(J, loops.values, mu).x;
    const double size = step.cwiseAbs().maxCoeff();
    if (size > longest_step) step *= longest_step / size;
    const VectorXd next = moved(m, q, step);
    state.set_position(next);
    loops.set(state, next);
    if (loops.values.norm() < before) {
      q = next, mu = std::max(1e-10, 0.2 * mu);
      continue;
    }
    mu = 5 * mu + 1e-8;
    if (mu > 1e3) break;
    state.set_position(q);
    loops.set(state, q);
  }
  return q;
}

}  // namespace

Assembly assemble_from_afar(const ClosedMechanism& m, LoopState& state, const VectorXd& q,
                            const std::vector<char>& held, int most_points) {
  Assembly best = assemble(m, state, q, held);
  if (best.closed || m.num_rows() == 0) return best;
  RoughLoops loops(m);
  std::mt19937_64 generator(1);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (int point = 0; point < most_points; ++point) {
    VectorXd away = VectorXd::Zero(m.tree.nv);
    for (int v = 0; v < m.tree.nv; ++v) {
      const double part = uniform(generator);
      if (held.empty() || held[index(v)] == 0) away[v] = 0.08 * point * part;
    }
    const VectorXd near = approach(m, state, loops, moved(m, q, away), held);
    if (loops.values.norm() > near_enough) continue;
    const Assembly a = assemble(m, state, near, held);
    if (a.closed) return a;
    if (a.residual < best.residual && !a.flipped) best = a;
  }
  state.set_position(best.q);
  return best;
}

}  // namespace catena
