#include "catena/motion/inverse_kinematics.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "catena/kinematics/configuration.hpp"
#include "catena/kinematics/jacobians.hpp"
#include "catena/linear/cholesky.hpp"
#include "catena/linear/singular_values.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::VectorXd;

// The rotation vector of R, in (-pi, pi].
Vec3<double> rotation_vector(const Mat3<double>& R) {
  const Vec3<double> a{(R.y.z - R.z.y) / 2, (R.z.x - R.x.z) / 2, (R.x.y - R.y.x) / 2};
  const double sine = std::sqrt(dot(a, a)), cosine = (R.x.x + R.y.y + R.z.z - 1) / 2;
  const double angle = std::atan2(sine, cosine);
  if (cosine > -0.9) return sine > 1e-8 ? (angle / sine) * a : a;
  // Near half a turn the axis is the longest column of the symmetric part.
  const double d[3] = {R.x.x - cosine, R.y.y - cosine, R.z.z - cosine};
  Vec3<double> n = d[0] >= d[1] && d[0] >= d[2]
                       ? Vec3<double>{d[0], (R.y.x + R.x.y) / 2, (R.z.x + R.x.z) / 2}
                   : d[1] >= d[2] ? Vec3<double>{(R.y.x + R.x.y) / 2, d[1], (R.z.y + R.y.z) / 2}
                                  : Vec3<double>{(R.z.x + R.x.z) / 2, (R.z.y + R.y.z) / 2, d[2]};
  n = (1 / std::sqrt(dot(n, n))) * n;
  return (dot(n, a) < 0 ? -angle : angle) * n;
}

bool turns(const JointInfo& j) {
  return j.kind == JointKind::revolute || j.kind == JointKind::universal;
}

}  // namespace

Mat3<double> rotation_from_zyz(double first, double second, double third) {
  return rotation_about({0, 0, 1}, first) * rotation_about({0, 1, 0}, second) *
         rotation_about({0, 0, 1}, third);
}

InverseKinematics::InverseKinematics(const Mechanism<double>& m, const std::string& frame,
                                     const InverseKinematicsOptions& options,
                                     Conditions* conditions)
    : m_(m),
      options_(options),
      conditions_(conditions),
      values_(conditions == nullptr ? 0 : conditions->size()),
      K_(values_.size(), m.nv),
      w_(m),
      X_WB_(m.bodies.size()),
      J_(6 * index(m.nv)) {
  const int i = m.names->frame(frame);
  if (i < 0) {
    std::vector<std::string> known;
    for (const FrameInfo& f : m.names->frames) known.push_back(f.name);
    throw InputError({}, "'" + frame + "' is not a frame of '" + m.names->model + "'" +
                             did_you_mean(frame, known));
  }
  frame_ = m.names->frames[index(i)];
}

int InverseKinematics::frame_rows(const FrameTarget& target) const {
  return (target.attitude ? 3 : 0) + (target.position ? 3 : 0);
}
int InverseKinematics::rows(const FrameTarget& target) const {
  return frame_rows(target) + static_cast<int>(values_.size());
}

void InverseKinematics::residual(const FrameTarget& target, std::span<const double> q,
                                 VectorXd& r) {
  body_poses<double>(m_, q, w_, X_WB_);
  const Pose<double> X = X_WB_[index(frame_.body)] * frame_.X_BF;
  Eigen::Index k = 0;
  const auto put = [&](const Vec3<double>& v) { r[k++] = v.x, r[k++] = v.y, r[k++] = v.z; };
  if (target.attitude) put(rotation_vector(*target.attitude * transpose(X.R)));
  if (target.position) put(*target.position - X.p);
  if (conditions_ == nullptr) return;
  conditions_->at(q, values_, K_);
  r.tail(values_.size()) = -values_;
}

void InverseKinematics::jacobian(const FrameTarget& target, std::span<const double> q,
                                 Eigen::MatrixXd& J) {
  frame_jacobian<double>(m_, q, frame_.body, frame_.X_BF, Axes::world_aligned, w_, J_);
  const Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic>> all(J_.data(), 6, m_.nv);
  Eigen::Index k = 0;
  if (target.attitude) J.middleRows(k, 3) = all.topRows(3), k += 3;
  if (target.position) J.middleRows(k, 3) = all.bottomRows(3);
  if (conditions_ == nullptr) return;
  conditions_->at(q, values_, K_);
  J.bottomRows(values_.size()) = K_;
}

double InverseKinematics::error(const FrameTarget& target, std::span<const double> q) {
  VectorXd r(rows(target));
  residual(target, q, r);
  return r.size() == 0 ? 0 : r.cwiseAbs().maxCoeff();
}

// Angles by whole turns where that helps, the rest to the nearest limit.
void InverseKinematics::keep_limits(std::span<double> q) const {
  if (!options_.limits) return;
  for (const JointInfo& j : m_.names->joints) {
    if (j.mimic || j.nq != 1) continue;
    double& x = q[index(j.q)];
    if (turns(j) && x > j.limits.upper && x - 2 * M_PI >= j.limits.lower)
      x -= 2 * M_PI * std::ceil((x - j.limits.upper) / (2 * M_PI));
    if (turns(j) && x < j.limits.lower && x + 2 * M_PI <= j.limits.upper)
      x += 2 * M_PI * std::ceil((j.limits.lower - x) / (2 * M_PI));
    x = std::clamp(x, j.limits.lower, j.limits.upper);
  }
}

bool InverseKinematics::solve(const FrameTarget& target, std::span<double> q) {
  check_size("q", q.size(), index(m_.nq));
  const int n = rows(target);
  VectorXd r(n), trial(n), step(m_.nv), best = Eigen::Map<VectorXd>(q.data(), m_.nq), next(m_.nq);
  Eigen::MatrixXd J(n, m_.nv), A(m_.nv, m_.nv);
  const auto span_of = [](VectorXd& x) {
    return std::span<double>(x.data(), static_cast<std::size_t>(x.size()));
  };
  keep_limits(span_of(best));
  residual(target, span_of(best), r);
  double damping = 1e-2;
  bool good = true;  // the last step
  for (int i = 0; i < options_.iterations && r.norm() > 0; ++i) {
    jacobian(target, span_of(best), J);
    // The damping goes to zero with the square of the error: Newton's method at the end.
    A.noalias() = J.transpose() * J;
    A.diagonal().array() += damping * std::min(1., r.squaredNorm()) + 1e-24;
    const bool newton = good && r.norm() < 1e-4;
    const Cholesky damped(A);
    step = newton || !damped.definite() ? VectorXd(least_squares(J, r, negligible(1e-15)).X)
                                        : damped.solve(J.transpose() * r);
    const double size = step.cwiseAbs().maxCoeff();
    if (size > 1) step /= size;
    integrate_configuration<double>(m_, span_of(best), span_of(step), span_of(next));
    keep_limits(span_of(next));
    residual(target, span_of(next), trial);
    good = trial.norm() < r.norm();
    if (good) {
      best = next, r = trial;
      damping = std::max(damping / 5, 1e-8);
    } else if ((newton && r.cwiseAbs().maxCoeff() <= options_.tolerance) || damping > 1e8) {
      break;  // as good as rounding allows, or stuck
    } else {
      damping *= 10;
    }
  }
  std::copy(best.begin(), best.end(), q.begin());
  return r.size() == 0 || r.cwiseAbs().maxCoeff() <= options_.tolerance;
}

std::vector<std::vector<double>> InverseKinematics::solutions(const FrameTarget& target,
                                                              std::span<const double> q0,
                                                              int starts) {
  std::vector<std::vector<double>> found;
  std::vector<double> d(index(m_.nv));
  const auto distance = [&](const std::vector<double>& a, std::span<const double> b) {
    difference_configuration<double>(m_, a, b, d);
    double sum = 0;
    for (const JointInfo& j : m_.names->joints) {
      if (j.mimic) continue;
      for (int k = j.v; k < j.v + j.nv; ++k) {
        const double x = turns(j) ? std::remainder(d[index(k)], 2 * M_PI) : d[index(k)];
        sum += x * x;
      }
    }
    return std::sqrt(sum);
  };
  std::mt19937_64 generator(1);
  std::vector<double> q(q0.begin(), q0.end());
  for (int i = 0; i < starts; ++i) {
    if (i > 0) random_configuration(m_, generator, q);
    if (!solve(target, q)) continue;
    for (const JointInfo& j : m_.names->joints) {
      for (int k = j.q; !j.mimic && turns(j) && k < j.q + j.nq; ++k)
        q[index(k)] = std::remainder(q[index(k)], 2 * M_PI);
    }
    keep_limits(q);
    if (error(target, q) > 2 * options_.tolerance) continue;
    if (conditions_ != nullptr && !conditions_->accepts(q)) continue;
    const bool known = std::any_of(found.begin(), found.end(),
                                   [&](const auto& other) { return distance(other, q) < 1e-6; });
    if (!known) found.push_back(q);
  }
  std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
    return distance(a, q0) < distance(b, q0) - 1e-9;
  });
  return found;
}

void InverseKinematics::rates(const FrameTarget& target, std::span<const double> q,
                              const Motion<double>& twist, const Motion<double>& acceleration,
                              std::span<double> qd, std::span<double> qdd) {
  const int n = rows(target);
  Eigen::MatrixXd J(n, m_.nv), Jdot(n, m_.nv);
  VectorXd v(n), a(n);
  const auto take = [&](const Motion<double>& x, VectorXd& to) {
    Eigen::Index k = 0;
    if (target.attitude) to[k++] = x.w.x, to[k++] = x.w.y, to[k++] = x.w.z;
    if (target.position) to[k++] = x.v.x, to[k++] = x.v.y, to[k++] = x.v.z;
    to.tail(values_.size()).setZero();
  };
  take(twist, v), take(acceleration, a);
  jacobian(target, q, J);
  const auto solve_for = [&](const VectorXd& right, std::span<double> result) {
    const VectorXd x = least_squares(J, right, negligible(1e-13)).X;
    if ((J * x - right).norm() > 1e-9 * (1 + right.norm()))
      throw NumericalError("frame '" + frame_.name +
                           "' cannot move in this way: the machine is singular here; go another "
                           "way, or through another solution of the inverse kinematics");
    std::copy(x.begin(), x.end(), result.begin());
  };
  solve_for(v, qd);
  frame_jacobian_rate<double>(m_, q, qd, frame_.body, frame_.X_BF, Axes::world_aligned, w_, J_);
  const Eigen::Map<Eigen::Matrix<double, 6, Eigen::Dynamic>> all(J_.data(), 6, m_.nv);
  Eigen::Index k = 0;
  if (target.attitude) Jdot.middleRows(k, 3) = all.topRows(3), k += 3;
  if (target.position) Jdot.middleRows(k, 3) = all.bottomRows(3);
  const int n_frame = frame_rows(target);
  VectorXd right = a;
  right.head(n_frame) -= Jdot.topRows(n_frame) * Eigen::Map<const VectorXd>(qd.data(), m_.nv);
  if (conditions_ != nullptr) {
    conditions_->bias(q, qd, values_);
    right.tail(values_.size()) = -values_;
  }
  solve_for(right, qdd);
}

}  // namespace catena
