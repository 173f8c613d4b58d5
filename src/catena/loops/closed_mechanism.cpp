#include "catena/loops/closed_mechanism.hpp"

#include <algorithm>
#include <cmath>

#include "catena/kinematics/configuration.hpp"
#include "catena/loops/linear_algebra.hpp"
#include "catena/loops/sparse_rows.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"
#include "catena/support/error.hpp"

namespace catena {
namespace {

using Eigen::VectorXd;

std::span<const double> in(const VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

const FrameInfo& frame_of(const Mechanism<double>& m, const std::string& body) {
  return m.names->frames[index(m.names->frame(body))];
}

// The velocities above a body, from the body up.
std::vector<int> velocities_above(const Mechanism<double>& m, int body) {
  std::vector<int> all;
  for (int b = body; b != 0; b = m.bodies[index(b)].parent) {
    for (int k = num_velocities(m.bodies[index(b)].kind) - 1; k >= 0; --k)
      all.push_back(m.bodies[index(b)].v + k);
  }
  return all;
}

std::vector<PathEntry> path_between(const Mechanism<double>& m, int body1, int body2) {
  std::vector<int> one = velocities_above(m, body1), two = velocities_above(m, body2);
  while (!one.empty() && !two.empty() && one.back() == two.back()) one.pop_back(), two.pop_back();
  std::vector<PathEntry> path;
  for (int v : one) path.push_back({v, -1});
  for (int v : two) path.push_back({v, 1});
  return path;
}

Closure closure_of(const Loop& loop, const Mechanism<double>& m) {
  const FrameInfo &one = frame_of(m, loop.body1), &two = frame_of(m, loop.body2);
  Closure c;
  c.name = loop.name;
  c.kind = loop.kind;
  c.rod = loop.rod;
  c.body1 = one.body, c.body2 = two.body;
  if (c.body1 == c.body2) {
    throw InputError(loop.where,
                     "loop '" + loop.name + "': bodies '" + loop.body1 + "' and '" + loop.body2 +
                         "' are one rigid body already, through fixed joints",
                     "remove the loop, or name bodies that can move against each other");
  }
  c.X_1 = one.X_BF * loop.X_1L, c.X_2 = two.X_BF * loop.X_2L;
  c.axis = loop.axis, c.axis2 = loop.axis2;
  c.path = path_between(m, c.body1, c.body2);
  c.where = loop.where;
  return c;
}

VectorXd start_of(const Model& model, const Mechanism<double>& m) {
  VectorXd q(m.nq);
  neutral_configuration<double>(m, {q.data(), index(m.nq)});
  for (const StartPosition& s : model.start) {
    const JointInfo& joint = m.names->joints[index(m.names->joint(s.joint))];
    for (int k = 0; k < joint.nq; ++k) q[joint.q + k] = s.q[index(k)];
  }
  normalise_configuration<double>(m, {q.data(), index(m.nq)});
  return q;
}

}  // namespace

ClosedMechanism compile_closed(const Model& model, const CompileOptions& options) {
  ClosedMechanism c;
  c.tree = compile(model, options);
  for (const Loop& loop : model.loops) {
    Closure closure = closure_of(loop, c.tree);
    closure.first_row = c.num_rows();
    const auto rows =
        closure_rows(closure, static_cast<int>(c.closures.size()), loop.pitch, loop.length);
    closure.num_rows = static_cast<int>(rows.size());
    c.rows.insert(c.rows.end(), rows.begin(), rows.end());
    c.closures.push_back(closure);
  }
  for (const SpringDamper& s : model.springs) {
    const FrameInfo &one = frame_of(c.tree, s.body1), &two = frame_of(c.tree, s.body2);
    c.springs.push_back({one.body, two.body, one.X_BF.p + one.X_BF.R * s.point1,
                         two.X_BF.p + two.X_BF.R * s.point2, s.stiffness, s.damping, s.length});
  }
  c.has_actuators = !model.actuators.empty() || !model.driven.empty();
  const auto add_actuated = [&](const std::string& name) {
    const JointInfo& joint = c.tree.names->joints[index(c.tree.names->joint(name))];
    for (int v = joint.v; v < joint.v + joint.nv; ++v) {
      if (std::find(c.actuated.begin(), c.actuated.end(), v) == c.actuated.end())
        c.actuated.push_back(v);
    }
  };
  for (const Actuator& a : model.actuators) add_actuated(a.joint);
  for (const DrivenJoint& d : model.driven) add_actuated(d.joint);
  if (!c.has_actuators) {
    for (int v = 0; v < c.tree.nv; ++v) c.actuated.push_back(v);
  }
  c.start = start_of(model, c.tree);
  return c;
}

LoopState::LoopState(const ClosedMechanism& m)
    : m_(m),
      w_(m.tree),
      X_WB_(m.tree.bodies.size()),
      V_WB_B_(m.tree.bodies.size()),
      A_WB_B_(m.tree.bodies.size()),
      bodies_(m.tree.bodies.size()),
      S_(index(m.tree.tree_nv)),
      W_(m.rows.size()),
      values_(VectorXd::Zero(m.num_rows())),
      bias_(VectorXd::Zero(m.num_rows())),
      K_(RowMatrix::Zero(m.num_rows(), m.tree.nv)) {}

namespace {

// What the power of a wrench on a motion can be at most: rounding is relative to it.
double largest_product(const Motion<double>& S, const Force<double>& W) {
  return std::sqrt(dot(S.w, S.w) * dot(W.n, W.n)) + std::sqrt(dot(S.v, S.v) * dot(W.f, W.f));
}

}  // namespace

void LoopState::fill_jacobian() {
  for (std::size_t r = 0; r < m_.rows.size(); ++r) {
    const ClosureRow& row = m_.rows[r];
    const Closure& c = m_.closures[index(row.closure)];
    const Pose<double>&X1 = X_WB_[index(c.body1)], &X2 = X_WB_[index(c.body2)];
    values_[static_cast<Eigen::Index>(r)] = closure_value(row, c, X1, X2);
    W_[r] = closure_wrench(row, c, X1, X2);
  }
  const auto& bodies = m_.tree.bodies;
  for (std::size_t i = 1; i < bodies.size(); ++i) {
    with_joint(bodies[i].kind, [&](auto joint) {
      for (int k = 0; k < joint.nv; ++k)
        S_[index(bodies[i].v + k)] = direction<double>(joint, bodies[i], k, X_WB_[i]);
    });
  }
  for (const Closure& c : m_.closures) {
    for (int r = c.first_row; r < c.first_row + c.num_rows; ++r) {
      if (m_.tree.coupled) K_.row(r).setZero();
      double bound = 0, largest = 0;
      for (const PathEntry& entry : c.path) {
        const Motion<double>& S = S_[index(entry.velocity)];
        const double part = entry.sign * dot(S, W_[index(r)]);
        bound = std::max(bound, largest_product(S, W_[index(r)]));
        largest = std::max(largest, std::abs(part));
        if (!m_.tree.coupled) {
          K_(r, entry.velocity) = part;
        } else {
          const auto& map = m_.tree.v_map[index(entry.velocity)];
          K_(r, map.index) += map.ratio * part;
        }
      }
      // What is forbidden along no joint at all is rounding, and would be taken for a direction.
      if (largest <= row_noise * bound) K_.row(r).setZero();
    }
  }
}

VectorXd LoopState::row_sizes() const {
  VectorXd sizes = VectorXd::Zero(m_.num_rows());
  for (const Closure& c : m_.closures) {
    const Pose<double>&X1 = X_WB_[index(c.body1)], &X2 = X_WB_[index(c.body2)];
    const Vec3<double> p1 = X1.p + X1.R * c.X_1.p, p2 = X2.p + X2.R * c.X_2.p;
    double speeds = 0, turns = 0;  // squares
    for (const PathEntry& entry : c.path) {
      const Motion<double>& S = S_[index(entry.velocity)];
      const double ratio = m_.tree.coupled ? m_.tree.v_map[index(entry.velocity)].ratio : 1;
      const Vec3<double> v = S.v + cross(S.w, entry.sign < 0 ? p1 : p2);
      speeds += ratio * ratio * dot(v, v), turns += ratio * ratio * dot(S.w, S.w);
    }
    for (int r = c.first_row; r < c.first_row + c.num_rows; ++r)
      sizes[r] = std::sqrt(m_.rows[index(r)].kind == RowKind::direction ? turns : speeds);
  }
  return sizes;
}

void LoopState::set_position(const VectorXd& q) {
  body_poses<double>(m_.tree, in(q), w_, X_WB_);
  fill_jacobian();
}

void LoopState::set_motion(const VectorXd& q, const VectorXd& qd) {
  body_motions<double>(m_.tree, in(q), in(qd), {}, w_, X_WB_, V_WB_B_, A_WB_B_);
  fill_jacobian();
  for (std::size_t i = 0; i < bodies_.size(); ++i) {
    const Mat3<double>& R = X_WB_[i].R;
    bodies_[i] = {X_WB_[i], R * V_WB_B_[i].w, R * V_WB_B_[i].v, R * A_WB_B_[i].w, R * A_WB_B_[i].v};
  }
  for (std::size_t r = 0; r < m_.rows.size(); ++r) {
    const Closure& c = m_.closures[index(m_.rows[r].closure)];
    bias_[static_cast<Eigen::Index>(r)] =
        closure_acceleration(m_.rows[r], c, bodies_[index(c.body1)], bodies_[index(c.body2)]);
  }
}

namespace {

// A wrench in world axes about the world's origin, at Bo in B.
Force<double> in_body(const Pose<double>& X_WB, const Force<double>& F) {
  return {transpose_times(X_WB.R, F.n - cross(X_WB.p, F.f)), transpose_times(X_WB.R, F.f)};
}

}  // namespace

void LoopState::add_row_wrenches(const VectorXd& lambda, std::vector<Force<double>>& Fext_B) const {
  for (std::size_t r = 0; r < m_.rows.size(); ++r) {
    const Closure& c = m_.closures[index(m_.rows[r].closure)];
    const double size = lambda[static_cast<Eigen::Index>(r)];
    const Force<double> F{size * W_[r].n, size * W_[r].f};
    const std::size_t one = index(c.body1), two = index(c.body2);
    Fext_B[two] = Fext_B[two] + in_body(X_WB_[two], F);
    Fext_B[one] = Fext_B[one] - in_body(X_WB_[one], F);
  }
}

Force<double> LoopState::reaction(int c, const VectorXd& lambda) const {
  const Closure& closure = m_.closures[index(c)];
  Force<double> sum{{0, 0, 0}, {0, 0, 0}};
  for (int r = closure.first_row; r < closure.first_row + closure.num_rows; ++r) {
    sum.n = sum.n + lambda[r] * W_[index(r)].n;
    sum.f = sum.f + lambda[r] * W_[index(r)].f;
  }
  const Pose<double>& X_W2 = X_WB_[index(closure.body2)];
  const Vec3<double> p = X_W2.p + X_W2.R * closure.X_2.p;
  sum.n = sum.n - cross(p, sum.f);
  return sum;
}

void LoopState::add_spring_wrenches(std::vector<Force<double>>& Fext_B) const {
  for (const Spring& s : m_.springs) {
    const std::size_t one = index(s.body1), two = index(s.body2);
    const Pose<double>&X1 = X_WB_[one], &X2 = X_WB_[two];
    const Vec3<double> d = (X2.p + X2.R * s.point2) - (X1.p + X1.R * s.point1);
    const Vec3<double> rate = (bodies_[two].v + cross(bodies_[two].w, X2.R * s.point2)) -
                              (bodies_[one].v + cross(bodies_[one].w, X1.R * s.point1));
    const double l = std::sqrt(dot(d, d));
    if (l == 0) continue;
    const Vec3<double> u = (1 / l) * d;
    const Vec3<double> f = (s.stiffness * (l - s.length) + s.damping * dot(rate, u)) * u;
    const Vec3<double> f1 = transpose_times(X1.R, f), f2 = -transpose_times(X2.R, f);
    Fext_B[one] += Force<double>{cross(s.point1, f1), f1};
    Fext_B[two] += Force<double>{cross(s.point2, f2), f2};
  }
}

double LoopState::spring_energy() const {
  double energy = 0;
  for (const Spring& s : m_.springs) {
    const Pose<double>&X1 = X_WB_[index(s.body1)], &X2 = X_WB_[index(s.body2)];
    const Vec3<double> d = (X2.p + X2.R * s.point2) - (X1.p + X1.R * s.point1);
    const double stretch = std::sqrt(dot(d, d)) - s.length;
    energy += 0.5 * s.stiffness * stretch * stretch;
  }
  return energy;
}

double LoopState::spring_loss(const VectorXd& q, const VectorXd& qd) {
  if (m_.springs.empty()) return 0;
  set_motion(q, qd);
  double power = 0;
  for (const Spring& s : m_.springs) {
    const BodyInWorld &one = bodies_[index(s.body1)], &two = bodies_[index(s.body2)];
    const Vec3<double> r1 = one.X.R * s.point1, r2 = two.X.R * s.point2;
    const Vec3<double> d = (two.X.p + r2) - (one.X.p + r1);
    const Vec3<double> rate = (two.v + cross(two.w, r2)) - (one.v + cross(one.w, r1));
    const double l = std::sqrt(dot(d, d)), speed = l > 0 ? dot(rate, d) / l : 0;
    power += s.damping * speed * speed;
  }
  return power;
}

Mobility mobility_of(const RowMatrix& K) {
  Mobility r;
  r.velocities = static_cast<int>(K.cols()), r.rows = static_cast<int>(K.rows());
  r.by_count = r.velocities - r.rows;
  if (K.rows() == 0) {
    r.by_rank = r.velocities;
    return r;
  }
  const RowMatrix rows = unit_rows(K);
  if (const auto sparse = if_large(rows)) {
    const IndependentColumns independent = independent_columns(sparse->transpose());
    std::vector<char> counts(index(r.rows), 0);
    for (int i : independent.columns) counts[index(i)] = 1;
    for (int i = 0; i < r.rows; ++i) {
      if (counts[index(i)] == 0) r.redundant_rows.push_back(i);
    }
    r.rank = static_cast<int>(independent.columns.size()), r.smallest = independent.smallest;
    r.by_rank = r.velocities - r.rank;
    return r;
  }
  const VectorXd s = singular_values(rows);
  while (r.rank < s.size() && s[r.rank] > rank_tolerance * s[0]) ++r.rank;
  r.by_rank = r.velocities - r.rank;
  r.smallest = r.rank > 0 ? s[r.rank - 1] / s[0] : 0;
  // Row by row: what adds nothing to the rows before it is redundant.
  Eigen::MatrixXd basis(K.cols(), 0);
  for (Eigen::Index i = 0; i < K.rows(); ++i) {
    VectorXd v = rows.row(i).transpose();
    for (int pass = 0; pass < 2; ++pass) v -= basis * (basis.transpose() * v).eval();
    if (v.norm() <= 10 * rank_tolerance) {
      r.redundant_rows.push_back(static_cast<int>(i));
      continue;
    }
    basis.conservativeResize(Eigen::NoChange, basis.cols() + 1);
    basis.rightCols(1) = v / v.norm();
  }
  return r;
}

std::vector<int> independent_velocities(const RowMatrix& K, const std::vector<int>& preferred) {
  return independent_velocities_of_groups(K, {preferred});
}

std::vector<int> independent_velocities_of_groups(const RowMatrix& K,
                                                  const std::vector<std::vector<int>>& preferred) {
  const int n = static_cast<int>(K.cols());
  std::vector<std::vector<int>> groups(preferred.size() + 1);  // the best first, the others last
  std::vector<char> seen(index(n), 0);
  for (std::size_t g = 0; g < preferred.size(); ++g) {
    for (int v : preferred[g]) {
      if (seen[index(v)] == 0) groups[g].push_back(v);
      seen[index(v)] = 1;
    }
  }
  for (int v = 0; v < n; ++v) {
    if (seen[index(v)] == 0) groups.back().push_back(v);
  }
  // Dependent ones are pivots among the columns, by the largest rest; preferred ones come last.
  const RowMatrix unit = unit_rows(K);
  std::vector<char> dependent(index(n), 0);
  const auto sparse = if_large(unit);
  if (sparse) {  // all preferred ones alike
    std::vector<int> last;
    for (const std::vector<int>& group : preferred)
      last.insert(last.end(), group.begin(), group.end());
    for (int v : independent_columns(*sparse, last).columns) dependent[index(v)] = 1;
  }
  const int rank = sparse ? 0 : mobility_of(K).rank;
  Eigen::MatrixXd rest;
  if (!sparse) rest = unit;
  const double least = rank_tolerance * rest.norm();
  int found = 0;
  for (std::size_t g = groups.size(); g-- > 0;) {
    while (found < rank) {
      int best = -1;
      double size = least;
      for (int v : groups[g]) {
        if (dependent[index(v)] != 0) continue;
        if (const double s = rest.col(v).norm(); s > size) size = s, best = v;
      }
      if (best < 0) break;
      dependent[index(best)] = 1, ++found;
      const VectorXd u = rest.col(best) / size;
      rest -= u * (u.transpose() * rest).eval();
    }
  }
  std::vector<int> independent;
  for (const std::vector<int>& group : groups) {
    for (int v : group) {
      if (dependent[index(v)] == 0) independent.push_back(v);
    }
  }
  return independent;
}

}  // namespace catena
