#include "oracles/maximal.hpp"

#include <Eigen/Geometry>
#include <Eigen/QR>
#include <cmath>
#include <stdexcept>

#include "oracles/plain_matrices.hpp"

namespace catena::oracle {
namespace {

Six six(const Vec& a, const Vec& b) {
  Six r;
  r << a, b;
  return r;
}
Six wrench_at(const Vec& p, const Vec& n, const Vec& f) { return six(n + p.cross(f), f); }

// Angular velocity, and velocity of the point of the body that is at the world's origin.
Six twist(const MovingPose& X) {
  const Vec w = X.angular_velocity();
  return six(w, X.p[1] - w.cross(X.p[0]));
}
// The rate of that twist.
Six twist_rate(const MovingPose& X) {
  const Vec w = X.angular_velocity(), alpha = X.angular_acceleration();
  return six(alpha, X.p[2] - alpha.cross(X.p[0]) - w.cross(X.p[1]));
}
// The rate of a screw axis that a body carries along.
Six carried(const Six& V, const Six& S) {
  const Vec w = V.head<3>(), v = V.tail<3>(), a = S.head<3>(), b = S.tail<3>();
  return six(w.cross(a), w.cross(b) + v.cross(a));
}

Model massless(Model model) {
  for (Body& b : model.bodies) b.mass = 0, b.inertia = {};
  model.gravity = {};
  return model;
}

// A direction that the joint of a loop lets body 2 move in, and the body that carries it.
struct Freedom {
  Six S;
  int carrier;
};

std::vector<Freedom> freedoms(const Loop& loop, const MovingPose& X1, const MovingPose& X2) {
  const Mat R1 = X1.R[0] * mat(loop.X_1L.R), R2 = X2.R[0] * mat(loop.X_2L.R);
  const Vec p1 = X1.p[0] + X1.R[0] * vec(loop.X_1L.p), p2 = X2.p[0] + X2.R[0] * vec(loop.X_2L.p);
  const Vec a = R1 * vec(loop.axis), b = R2 * vec(loop.axis2);
  const auto turn = [](const Vec& p, const Vec& u) { return six(u, p.cross(u)); };
  const auto slide = [](const Vec& u) { return six(Vec::Zero(), u); };
  switch (loop.kind) {
    case JointKind::fixed:
      return {};
    case JointKind::revolute:
      return {{turn(p1, a), 1}};
    case JointKind::prismatic:
      return {{slide(a), 1}};
    case JointKind::screw:
      return {{turn(p1, a) + static_cast<Real>(loop.pitch) * slide(a), 1}};
    case JointKind::cylindrical:
      return {{turn(p1, a), 1}, {slide(a), 1}};
    case JointKind::universal:
      return {{turn(p1, a), 1}, {turn(p1, b), 2}};
    case JointKind::spherical:
      return {{turn(p1, R1.col(0)), 1}, {turn(p1, R1.col(1)), 1}, {turn(p1, R1.col(2)), 1}};
    case JointKind::planar: {
      const Vec x = a.unitOrthogonal();
      return {{slide(x), 1}, {slide(a.cross(x)), 1}, {turn(p2, R2 * vec(loop.axis)), 2}};
    }
    case JointKind::free:
      break;
  }
  throw std::logic_error("a loop the oracle does not know");
}

}  // namespace

// Unknowns: A per body, qdd, F per joint, then F and accelerations per loop.
struct Maximal::System {
  NaiveResult now;
  std::vector<NaiveResult> unit;  // by velocity: the motion that it alone makes
  NaiveResult passive;
  std::vector<double> qd;
  std::map<std::string, int> body;   // column of A, and row of its equations
  std::map<std::string, int> force;  // column of F, by joint and loop
  int qdd = 0, rows = 0, columns = 0;
  MatX E;
  VecX rhs;
  Real power = 0, gap = 0;
  const MovingPose& pose(const std::string& name) const { return now.bodies.at(name); }
  // A wrench that is known acts on a body.
  void act(const std::string& name, const Six& F) {
    if (const auto at = body.find(name); at != body.end()) rhs.segment<6>(at->second) += F;
    power += twist(pose(name)).dot(F);
  }
  // An unknown wrench, direction S times column c, acts on body 2 and against body 1.
  void between(const std::string& one, const std::string& two, const MatX& S, int c) {
    if (body.count(two)) E.block(body[two], c, 6, S.cols()) -= S;
    if (body.count(one)) E.block(body[one], c, 6, S.cols()) += S;
  }
  // Rows that say A of two minus A of one.
  void relative(const std::string& one, const std::string& two, int row, const MatX& by) {
    if (body.count(two)) E.block(row, body[two], by.rows(), 6) += by;
    if (body.count(one)) E.block(row, body[one], by.rows(), 6) -= by;
  }
};

Maximal::Maximal(const Model& model, std::vector<std::string> order)
    : model_(model), light_(massless(model)), naive_(model, order), passive_(light_, order) {
  for (const std::string& name : order) {
    for (const Joint& j : model.joints) {
      if (j.name == name) nv_ += num_velocities(j.kind);
    }
  }
}

void Maximal::add_bodies(System& s, const std::map<std::string, BodyWrench>& wrenches) const {
  for (const Body& b : model_.bodies) {
    if (!s.body.count(b.name)) continue;
    const MovingPose& X = s.pose(b.name);
    const Vec c = X.p[0] + X.R[0] * vec(b.com), w = X.angular_velocity();
    const Vec v_c = X.p[1] + X.R[1] * vec(b.com);
    const Mat I = X.R[0] * mat(b.inertia) * X.R[0].transpose();
    const Real m = b.mass;
    // f = m a_c, n = I alpha + w x I w about the mass centre; a_c = a + alpha x c + w x v_c
    Eigen::Matrix<Real, 6, 6> M;
    M << I - m * tilde(c) * tilde(c), m * tilde(c), -m * tilde(c), m * Mat::Identity();
    const int at = s.body[b.name];
    s.E.block(at, at, 6, 6) += M;
    const Vec weight = m * vec(model_.gravity);
    s.act(b.name, wrench_at(c, Vec::Zero(), weight));
    s.rhs.segment<6>(at) -= wrench_at(c, w.cross(I * w), m * w.cross(v_c));
    if (const auto F = wrenches.find(b.name); F != wrenches.end())
      s.act(b.name, wrench_at(X.p[0], X.R[0] * F->second.n, X.R[0] * F->second.f));
  }
}

void Maximal::add_springs(System& s) const {
  for (const SpringDamper& spring : model_.springs) {
    const MovingPose &X1 = s.pose(spring.body1), &X2 = s.pose(spring.body2);
    const Vec p1 = X1.p[0] + X1.R[0] * vec(spring.point1);
    const Vec p2 = X2.p[0] + X2.R[0] * vec(spring.point2);
    const Vec rate =
        X2.p[1] + X2.R[1] * vec(spring.point2) - X1.p[1] - X1.R[1] * vec(spring.point1);
    const Vec u = (p2 - p1).normalized();
    const Real size =
        spring.stiffness * ((p2 - p1).norm() - spring.length) + spring.damping * rate.dot(u);
    s.act(spring.body1, wrench_at(p1, Vec::Zero(), size * u));
    s.act(spring.body2, wrench_at(p2, Vec::Zero(), -size * u));
  }
}

void Maximal::add_tree_joints(System& s) const {
  for (const Joint& j : model_.joints) {
    const int c = s.force[j.name], row = s.rows;
    const MatX one = MatX::Identity(6, 6);
    s.between(j.parent, j.child, one, c);
    s.relative(j.parent, j.child, row, one);
    for (int k = 0; k < nv_; ++k) {
      const auto& bodies = s.unit[static_cast<std::size_t>(k)].bodies;
      const Six S = twist(bodies.at(j.child)) - twist(bodies.at(j.parent));
      s.E.block(row, s.qdd + k, 6, 1) -= S;
      s.E.block(s.E.rows() - nv_ + k, c, 1, 6) += S.transpose();  // the drives are the last rows
    }
    s.rhs.segment<6>(row) += twist_rate(s.pose(j.child)) - twist_rate(s.pose(j.parent));
    s.rows += 6;
  }
}

void Maximal::add_drives(System& s, const std::vector<double>& tau) const {
  const Eigen::Index row = s.E.rows() - nv_;
  for (int k = 0; k < nv_; ++k) {
    const Real drive = tau[static_cast<std::size_t>(k)] - s.passive.tau[k];
    s.rhs[row + k] += drive;
    s.power += drive * s.qd[static_cast<std::size_t>(k)];
  }
  s.E.block(row, s.qdd, nv_, nv_) += s.passive.M;
}

void Maximal::add_loop(System& s, const Loop& loop) const {
  const MovingPose &X1 = s.pose(loop.body1), &X2 = s.pose(loop.body2);
  const int c = s.force[loop.name], row = s.rows;
  if (loop.rod) {  // |d| stays: d · d'' + d' · d' = 0; the wrench acts along d
    const Vec p1 = X1.p[0] + X1.R[0] * vec(loop.X_1L.p), p2 = X2.p[0] + X2.R[0] * vec(loop.X_2L.p);
    const Vec v1 = X1.p[1] + X1.R[1] * vec(loop.X_1L.p), v2 = X2.p[1] + X2.R[1] * vec(loop.X_2L.p);
    const Vec d = p2 - p1, u = d.normalized();
    const Six W = wrench_at(p2, Vec::Zero(), u);
    s.between(loop.body1, loop.body2, W, c);
    s.relative(loop.body1, loop.body2, row, W.transpose());
    const Vec w1 = X1.angular_velocity(), w2 = X2.angular_velocity();
    s.rhs[row] -= u.dot(w2.cross(v2) - w1.cross(v1)) + (v2 - v1).squaredNorm() / d.norm();
    s.gap = std::max(s.gap, std::abs(u.dot(v2 - v1)));
    s.rows += 1;
    return;
  }
  const std::vector<Freedom> free = freedoms(loop, X1, X2);
  const int n = static_cast<int>(free.size());
  const Six V1 = twist(X1), V2 = twist(X2);
  MatX S(6, n);
  for (int k = 0; k < n; ++k) S.col(k) = free[static_cast<std::size_t>(k)].S;
  VecX rates = VecX::Zero(n);
  if (n > 0) rates = S.colPivHouseholderQr().solve(V2 - V1);
  s.gap = std::max(s.gap, (V2 - V1 - S * rates).cwiseAbs().maxCoeff());
  s.between(loop.body1, loop.body2, MatX::Identity(6, 6), c);
  s.relative(loop.body1, loop.body2, row, MatX::Identity(6, 6));
  s.E.block(row, c + 6, 6, n) -= S;
  for (int k = 0; k < n; ++k) {
    const Freedom& f = free[static_cast<std::size_t>(k)];
    s.rhs.segment<6>(row) += rates[k] * carried(f.carrier == 1 ? V1 : V2, f.S);
  }
  s.E.block(row + 6, c, n, 6) += S.transpose();
  s.rows += 6 + n;
}

// The system in units of its own mass and length, and then with rows and columns of one size, so
// that one threshold serves all: diag(left) E diag(right).
MatX Maximal::balanced(const System& s, VecX& left, VecX& right) const {
  Real mass = 0, length = 0;
  for (const Body& b : model_.bodies) {
    mass = std::max(mass, Real(b.mass));
    length = std::max(length, vec(b.com).norm());
  }
  for (const auto& [name, X] : s.now.bodies) length = std::max(length, X.p[0].norm());
  mass = mass > 0 ? mass : 1, length = length > 0 ? length : 1;
  left = VecX::Ones(s.columns), right = VecX::Ones(s.columns);
  for (const auto& [name, at] : s.body) {
    left.segment<6>(at) << VecX::Constant(3, 1 / (mass * length)), VecX::Constant(3, 1 / mass);
    right.segment<6>(at) << VecX::Constant(3, 1 / length), VecX::Constant(3, 1);
  }
  for (const Joint& j : model_.joints)
    right.segment<6>(s.force.at(j.name)) << VecX::Constant(3, mass * length),
        VecX::Constant(3, mass);
  for (const Loop& l : model_.loops) {
    if (l.rod) right[s.force.at(l.name)] = mass;
    if (!l.rod)
      right.segment<6>(s.force.at(l.name)) << VecX::Constant(3, mass * length),
          VecX::Constant(3, mass);
  }
  MatX E = left.asDiagonal() * s.E * right.asDiagonal();
  for (int pass = 0; pass < 12; ++pass) {
    for (Eigen::Index i = 0; i < s.columns; ++i) {
      if (const Real size = E.row(i).cwiseAbs().maxCoeff(); size > 0)
        left[i] /= std::sqrt(size), E.row(i) /= std::sqrt(size);
    }
    for (Eigen::Index i = 0; i < s.columns; ++i) {
      if (const Real size = E.col(i).cwiseAbs().maxCoeff(); size > 0)
        right[i] /= std::sqrt(size), E.col(i) /= std::sqrt(size);
    }
  }
  return E;
}

void Maximal::collect(System& s, const VecX& x, MaximalResult& r) const {
  r.qdd = x.segment(s.qdd, nv_);
  for (const Joint& j : model_.joints) r.wrenches[j.name] = x.segment<6>(s.force[j.name]);
  for (const Loop& l : model_.loops) {
    const int c = s.force[l.name];
    if (!l.rod) {
      r.wrenches[l.name] = x.segment<6>(c);
      continue;
    }
    const MovingPose &X1 = s.pose(l.body1), &X2 = s.pose(l.body2);
    const Vec p1 = X1.p[0] + X1.R[0] * vec(l.X_1L.p), p2 = X2.p[0] + X2.R[0] * vec(l.X_2L.p);
    r.wrenches[l.name] = wrench_at(p2, Vec::Zero(), x[c] * (p2 - p1).normalized());
  }
  r.power = s.power, r.velocity_gap = s.gap;
  for (const Body& b : model_.bodies) {
    if (!s.body.count(b.name)) continue;
    const int at = s.body[b.name];
    const Six A = x.segment<6>(at);
    r.needed[b.name] = s.E.block(at, at, 6, 6) * A - s.rhs.segment<6>(at);
    const MovingPose& X = s.pose(b.name);
    const Vec c = X.p[0] + X.R[0] * vec(b.com), w = X.angular_velocity();
    const Vec v_c = X.p[1] + X.R[1] * vec(b.com);
    const Mat I = X.R[0] * mat(b.inertia) * X.R[0].transpose();
    const Vec a_c = A.tail<3>() + A.head<3>().cross(c) + w.cross(v_c);
    r.kinetic_rate += b.mass * v_c.dot(a_c) + w.dot(I * A.head<3>());
  }
  for (int k = 0; k < nv_; ++k)  // rotors
    r.kinetic_rate += s.passive.M(k, k) * r.qdd[k] * s.qd[static_cast<std::size_t>(k)];
}

MaximalResult Maximal::compute(const std::vector<double>& q, const std::vector<double>& qd,
                               const std::vector<double>& tau,
                               const std::map<std::string, BodyWrench>& wrenches) const {
  System s;
  const std::vector<double> zero(static_cast<std::size_t>(nv_), 0);
  s.qd = qd;
  s.now = naive_.compute(q, qd, zero);
  s.passive = passive_.compute(q, qd, zero);
  for (std::size_t k = 0; k < zero.size(); ++k) {
    std::vector<double> one = zero;
    one[k] = 1;
    s.unit.push_back(passive_.compute(q, one, zero));
  }
  for (const Body& b : model_.bodies) {
    if (b.name == model_.ground) continue;
    s.body[b.name] = s.columns, s.columns += 6;
  }
  s.rows = s.columns;
  s.qdd = s.columns, s.columns += nv_;
  for (const Joint& j : model_.joints) s.force[j.name] = s.columns, s.columns += 6;
  for (const Loop& l : model_.loops) {
    s.force[l.name] = s.columns;
    s.columns += l.rod ? 1 : 6 + num_velocities(l.kind);
  }
  s.E = MatX::Zero(s.columns, s.columns), s.rhs = VecX::Zero(s.columns);
  add_bodies(s, wrenches);
  add_springs(s);
  add_tree_joints(s);
  for (const Loop& l : model_.loops) add_loop(s, l);
  add_drives(s, tau);
  VecX left, right;
  const MatX E = balanced(s, left, right);
  Eigen::CompleteOrthogonalDecomposition<MatX> solver;
  solver.setThreshold(1e-11L);
  solver.compute(E);
  const VecX x = right.cwiseProduct(solver.solve(left.cwiseProduct(s.rhs)));
  MaximalResult r;
  r.open = s.columns - static_cast<int>(solver.rank());
  const VecX rest = left.cwiseProduct(s.E * x - s.rhs);
  r.residual = rest.cwiseAbs().maxCoeff() / (1 + left.cwiseProduct(s.rhs).cwiseAbs().maxCoeff());
  r.bodies = s.now.bodies;
  collect(s, x, r);
  return r;
}

}  // namespace catena::oracle
