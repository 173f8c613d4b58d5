#include "oracles/naive.hpp"

#include <Eigen/Geometry>
#include <cmath>
#include <stdexcept>

#include "oracles/plain_matrices.hpp"

namespace catena::oracle {
namespace {

Vec vex(const Mat& m) { return Vec(m(2, 1) - m(1, 2), m(0, 2) - m(2, 0), m(1, 0) - m(0, 1)) / 2; }

MovingPose constant(const Pose<double>& X) {
  MovingPose r;
  r.R[0] = mat(X.R), r.p[0] = vec(X.p);
  return r;
}

// R(t) with angular velocity w and its rate, both in the moving axes: R' = R w~
void turn(MovingPose& X, const Mat& R, const Vec& w, const Vec& wd) {
  X.R[0] = R, X.R[1] = R * tilde(w), X.R[2] = R * (tilde(w) * tilde(w) + tilde(wd));
}

MovingPose revolute(const Vec& axis, Real q, Real qd, Real qdd) {
  MovingPose X;
  const Mat K = tilde(axis);
  turn(X, Mat::Identity() + std::sin(q) * K + (1 - std::cos(q)) * (K * K), axis * qd, axis * qdd);
  return X;
}
MovingPose prismatic(const Vec& axis, Real q, Real qd, Real qdd) {
  MovingPose X;
  X.p[0] = axis * q, X.p[1] = axis * qd, X.p[2] = axis * qdd;
  return X;
}
Mat attitude(const Real* e) {
  const Vec u(e[0], e[1], e[2]);
  const Real w = e[3];
  return Mat::Identity() + 2 * w * tilde(u) + 2 * tilde(u) * tilde(u);
}

// The shortest turn from z to the axis, applied to a unit vector of the plane.
Vec in_plane(const Vec& axis, const Vec& u) {
  const Vec z = Vec::UnitZ();
  if (axis.z() < -1 + 1e-12L) return Vec(u.x(), -u.y(), 0);
  const Mat K = tilde(z.cross(axis));  // sine times the unit axis of the turn
  return u + K * u + K * (K * u) / (1 + axis.z());
}

MovingPose joint_motion(const Joint& joint, const Real* q, const Real* qd, const Real* qdd) {
  const Vec a = vec(joint.axis), a2 = vec(joint.axis2);
  switch (joint.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
      return revolute(a, q[0], qd[0], qdd[0]);
    case JointKind::prismatic:
      return prismatic(a, q[0], qd[0], qdd[0]);
    case JointKind::screw: {
      const Vec advance = static_cast<Real>(joint.pitch) * a;
      return prismatic(advance, q[0], qd[0], qdd[0]) * revolute(a, q[0], qd[0], qdd[0]);
    }
    case JointKind::cylindrical:
      return revolute(a, q[0], qd[0], qdd[0]) * prismatic(a, q[1], qd[1], qdd[1]);
    case JointKind::universal:
      return revolute(a, q[0], qd[0], qdd[0]) * revolute(a2, q[1], qd[1], qdd[1]);
    case JointKind::planar:
      return prismatic(in_plane(a, Vec::UnitX()), q[0], qd[0], qdd[0]) *
             (prismatic(in_plane(a, Vec::UnitY()), q[1], qd[1], qdd[1]) *
              revolute(a, q[2], qd[2], qdd[2]));
    case JointKind::spherical: {
      MovingPose X;
      turn(X, attitude(q), Vec(qd[0], qd[1], qd[2]), Vec(qdd[0], qdd[1], qdd[2]));
      return X;
    }
    case JointKind::free: {
      MovingPose X;
      const Vec w(qd[0], qd[1], qd[2]), v(qd[3], qd[4], qd[5]), vd(qdd[3], qdd[4], qdd[5]);
      turn(X, attitude(q + 3), w, Vec(qdd[0], qdd[1], qdd[2]));
      X.p[0] = Vec(q[0], q[1], q[2]);
      X.p[1] = X.R[0] * v, X.p[2] = X.R[0] * (vd + w.cross(v));
      return X;
    }
  }
  throw std::logic_error("a joint the oracle does not know");
}

// The motion of the world that a joint velocity of one makes of everything it carries, as a matrix:
// the velocity of a point p is W p + u.
struct Displacement {
  int v = 0;  // user's velocity
  Real ratio = 1;
  Mat W;
  Vec u;
};

bool has_springs(JointKind kind) { return kind != JointKind::spherical && kind != JointKind::free; }
Real sign_of(Real x) { return x > 0 ? 1 : x < 0 ? -1 : 0; }

}  // namespace

Vec MovingPose::angular_velocity() const { return vex(R[1] * R[0].transpose()); }
Vec MovingPose::angular_acceleration() const { return vex(R[2] * R[0].transpose()); }

MovingPose operator*(const MovingPose& a, const MovingPose& b) {
  MovingPose r;
  r.R[0] = a.R[0] * b.R[0];
  r.R[1] = a.R[1] * b.R[0] + a.R[0] * b.R[1];
  r.R[2] = a.R[2] * b.R[0] + 2 * a.R[1] * b.R[1] + a.R[0] * b.R[2];
  r.p[0] = a.p[0] + a.R[0] * b.p[0];
  r.p[1] = a.p[1] + a.R[1] * b.p[0] + a.R[0] * b.p[1];
  r.p[2] = a.p[2] + a.R[2] * b.p[0] + 2 * a.R[1] * b.p[1] + a.R[0] * b.p[2];
  return r;
}

Naive::Naive(const Model& model, std::vector<std::string> order) : model_(model) {
  coordinates_.resize(model.joints.size());
  int nq = 0;
  for (const std::string& name : order) {
    const int j = find_joint(name);
    const JointKind kind = model.joints[static_cast<std::size_t>(j)].kind;
    coordinates_[static_cast<std::size_t>(j)] = {nq, nv_, 1, 0};
    nq += num_positions(kind), nv_ += num_velocities(kind);
  }
  for (std::size_t j = 0; j < model.joints.size(); ++j) {
    Real ratio = 1, offset = 0;  // q_j = ratio q_at + offset
    std::size_t at = j;
    while (model.joints[at].mimic) {
      const Mimic& mimic = *model.joints[at].mimic;
      offset += ratio * mimic.offset;
      ratio *= mimic.multiplier;
      at = static_cast<std::size_t>(find_joint(mimic.joint));
    }
    coordinates_[j] = {coordinates_[at].q, coordinates_[at].v, ratio, offset};
  }
}

int Naive::find_joint(const std::string& name) const {
  for (std::size_t j = 0; j < model_.joints.size(); ++j) {
    if (model_.joints[j].name == name) return static_cast<int>(j);
  }
  throw std::logic_error("no joint " + name);
}

// What the passes below share.
struct Naive::Sums {
  NaiveResult r;
  VecX scale;
  std::map<std::string, std::vector<Displacement>> moved_by;  // by body
};

// Places the child of joint j, whose parent is known, and adds the joint's own forces.
void Naive::place(std::size_t j, const std::vector<double>& q, const std::vector<double>& qd,
                  const std::vector<double>& qdd, Sums& sums) const {
  NaiveResult& r = sums.r;
  const Joint& joint = model_.joints[j];
  const Coordinates& at = coordinates_[j];
  const int joint_nq = num_positions(joint.kind), joint_nv = num_velocities(joint.kind);
  Real jq[7] = {}, jqd[6] = {}, jqdd[6] = {};
  for (int k = 0; k < joint_nq; ++k) {
    jq[k] = at.ratio * q[static_cast<std::size_t>(at.q + k)] + at.offset;
  }
  for (int k = 0; k < joint_nv; ++k) {
    jqd[k] = at.ratio * qd[static_cast<std::size_t>(at.v + k)];
    jqdd[k] = at.ratio * qdd[static_cast<std::size_t>(at.v + k)];
  }
  const MovingPose X_WJ = r.bodies.at(joint.parent) * constant(joint.X_PJ);
  r.bodies[joint.child] = X_WJ * joint_motion(joint, jq, jqd, jqdd) * constant(joint.X_MB);

  std::vector<Displacement> moved = sums.moved_by.at(joint.parent);
  for (int k = 0; k < joint_nv; ++k) {
    Real one[6] = {}, zero[6] = {};
    one[k] = 1;
    MovingPose still;
    still.R[0] = X_WJ.R[0], still.p[0] = X_WJ.p[0];
    const MovingPose X = still * joint_motion(joint, jq, one, zero);
    const Mat W = X.R[1] * X.R[0].transpose();
    moved.push_back({at.v + k, at.ratio, W, X.p[1] - W * X.p[0]});

    const JointDynamics& d = joint.dynamics;
    const Real rotor = static_cast<Real>(d.rotor_inertia) * d.gear_ratio * d.gear_ratio;
    Real passive = d.viscous * jqd[k] + d.coulomb * sign_of(jqd[k]);
    if (has_springs(joint.kind)) {
      passive += d.stiffness * (jq[k] - d.rest);
      r.potential += d.stiffness * (jq[k] - d.rest) * (jq[k] - d.rest) / 2;
    }
    r.tau[at.v + k] += at.ratio * (rotor * jqdd[k] + passive);
    sums.scale[at.v + k] += std::abs(at.ratio * rotor * jqdd[k]) + std::abs(at.ratio * passive);
    r.M(at.v + k, at.v + k) += at.ratio * at.ratio * rotor;
    r.kinetic += rotor * jqd[k] * jqd[k] / 2;
  }
  sums.moved_by[joint.child] = moved;
}

// Newton and Euler for one body about its mass centre, and what that means for every velocity.
void Naive::add_body(const Body& body, const BodyWrench& F, Sums& sums) const {
  NaiveResult& r = sums.r;
  const Vec g = vec(model_.gravity);
  const MovingPose& X = r.bodies.at(body.name);
  const Vec c = X.p[0] + X.R[0] * vec(body.com);
  const Vec v = X.p[1] + X.R[1] * vec(body.com);
  const Vec a = X.p[2] + X.R[2] * vec(body.com);
  const Vec w = X.angular_velocity(), alpha = X.angular_acceleration();
  const Mat I = X.R[0] * mat(body.inertia) * X.R[0].transpose();
  const Real m = body.mass;
  const Vec f_ext = X.R[0] * F.f;
  const Vec n_ext = X.R[0] * F.n + (X.p[0] - c).cross(f_ext);  // about the mass centre
  const Vec f = m * (a - g) - f_ext;
  const Vec n = I * alpha + w.cross(I * w) - n_ext;
  const auto& moved = sums.moved_by.at(body.name);
  for (const Displacement& i : moved) {
    const Vec v_i = i.W * c + i.u, w_i = vex(i.W);
    r.tau[i.v] += i.ratio * (v_i.dot(f) + w_i.dot(n));
    sums.scale[i.v] += std::abs(i.ratio) *
                       (v_i.norm() * (m * a.norm() + m * g.norm() + f_ext.norm()) +
                        w_i.norm() * (I.norm() * (alpha.norm() + w.squaredNorm()) + n_ext.norm()));
    for (const Displacement& k : moved) {
      r.M(i.v, k.v) += i.ratio * k.ratio * (m * v_i.dot(k.W * c + k.u) + w_i.dot(I * vex(k.W)));
    }
  }
  r.mass += m;
  r.mass_centre += m * c;
  r.linear_momentum += m * v;
  r.angular_momentum += m * c.cross(v) + I * w;
  r.kinetic += (m * v.squaredNorm() + w.dot(I * w)) / 2;
  r.potential -= m * g.dot(c);
}

NaiveResult Naive::compute(const std::vector<double>& q, const std::vector<double>& qd,
                           const std::vector<double>& qdd,
                           const std::map<std::string, BodyWrench>& wrenches) const {
  Sums sums;
  NaiveResult& r = sums.r;
  r.tau = VecX::Zero(nv_), sums.scale = VecX::Zero(nv_);
  r.M = MatX::Zero(nv_, nv_);
  r.bodies[model_.ground] = {};
  sums.moved_by[model_.ground] = {};
  for (std::size_t before = 0; before != r.bodies.size();) {  // until nothing new is placed
    before = r.bodies.size();
    for (std::size_t j = 0; j < model_.joints.size(); ++j) {
      const Joint& joint = model_.joints[j];
      if (r.bodies.count(joint.parent) && !r.bodies.count(joint.child)) place(j, q, qd, qdd, sums);
    }
  }
  for (const Body& body : model_.bodies) {
    if (body.name == model_.ground) continue;
    const auto F = wrenches.find(body.name);
    add_body(body, F == wrenches.end() ? BodyWrench{} : F->second, sums);
  }
  if (r.mass > 0) r.mass_centre /= r.mass;
  r.tau_scale = nv_ > 0 ? sums.scale.maxCoeff() : 0;
  return r;
}

}  // namespace catena::oracle
