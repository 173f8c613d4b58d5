#include "catena/loops/linearization.hpp"

#include "catena/kinematics/frame_derivatives.hpp"
#include "catena/loops/dual.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Eigen::Index;
using Eigen::VectorXd;
using Columns6 = Eigen::Matrix<double, 6, Eigen::Dynamic>;

std::span<const double> in(const VectorXd& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}
template <class M>
std::span<double> out(M& m) {
  return {m.data(), static_cast<std::size_t>(m.size())};
}
Vec3<double> part(const Columns6& m, Index column, Index first) {
  return {m(first, column), m(first + 1, column), m(first + 2, column)};
}
Vec3<Dual> dual(const Vec3<double>& v, const Vec3<double>& d) {
  return {{v.x, d.x}, {v.y, d.y}, {v.z, d.z}};
}
Force<double> value(const Force<Dual>& F) {
  return {{F.n.x.value, F.n.y.value, F.n.z.value}, {F.f.x.value, F.f.y.value, F.f.z.value}};
}
Force<double> slope(const Force<Dual>& F) {
  return {{F.n.x.slope, F.n.y.slope, F.n.z.slope}, {F.f.x.slope, F.f.y.slope, F.f.z.slope}};
}
Force<double> operator*(double s, const Force<double>& F) { return {s * F.n, s * F.f}; }

enum class By { position, velocity };

// A body in the world, and how its motion changes with every coordinate: of Bo, world axes.
struct MovingBody {
  BodyInWorld at;
  Columns6 J, dV_dq, dA_dq, dA_dv;

  bool moves_with(Index k) const { return !J.col(k).isZero(0); }
  BodyInWorldOf<Dual> along(Index k, By by) const {
    const bool moves = by == By::position;
    const Vec3<double> still{0, 0, 0}, turn = moves ? part(J, k, 0) : still;
    const auto turned = [&](const Vec3<double>& v) { return dual(v, cross(turn, v)); };
    const Pose<Dual> X{{turned(at.X.R.x), turned(at.X.R.y), turned(at.X.R.z)},
                       dual(at.X.p, moves ? part(J, k, 3) : still)};
    const Columns6 &dV = moves ? dV_dq : J, &dA = moves ? dA_dq : dA_dv;
    return {X, dual(at.w, part(dV, k, 0)), dual(at.v, part(dV, k, 3)),
            dual(at.alpha, part(dA, k, 0)), dual(at.a, part(dA, k, 3))};
  }
  // The motion that velocity k gives the body, as a twist at the world's origin.
  Motion<double> direction(Index k) const {
    const Vec3<double> w = part(J, k, 0);
    return {w, part(J, k, 3) - cross(w, at.X.p)};
  }
};

// A twist at the world's origin.
Motion<Dual> twist(const BodyInWorldOf<Dual>& B) { return {B.w, B.v - cross(B.w, B.X.p)}; }

// The bodies that closures and springs hold; the others stay empty.
std::vector<MovingBody> moving_bodies(const ClosedMechanism& m, const VectorXd& q,
                                      const VectorXd& qd, const VectorXd& qdd,
                                      Workspace<double>& w) {
  const std::size_t nb = m.tree.bodies.size();
  std::vector<Pose<double>> X(nb);
  std::vector<Motion<double>> V(nb), A(nb);
  body_motions<double>(m.tree, in(q), in(qd), in(qdd), w, X, V, A);
  std::vector<MovingBody> bodies(nb);
  const auto find = [&](int body) {
    const std::size_t i = index(body);
    MovingBody& b = bodies[i];
    if (b.J.cols() > 0) return;
    const Mat3<double>& R = X[i].R;
    b.at = {X[i], R * V[i].w, R * V[i].v, R * A[i].w, R * A[i].v};
    for (Columns6* matrix : {&b.J, &b.dV_dq, &b.dA_dq, &b.dA_dv}) matrix->resize(6, m.tree.nv);
    frame_derivatives<double>(m.tree, in(q), in(qd), in(qdd), body, {}, Axes::world_aligned, w,
                              {out(b.J), out(b.dV_dq), out(b.dA_dq), out(b.dA_dv)});
  };
  for (const Closure& c : m.closures) find(c.body1), find(c.body2);
  for (const Spring& s : m.springs) find(s.body1), find(s.body2);
  return bodies;
}

// What a spring and damper does to body 2, at the world's origin; the opposite acts on body 1.
Force<Dual> spring_wrench(const Spring& s, const BodyInWorldOf<Dual>& one,
                          const BodyInWorldOf<Dual>& two) {
  const Vec3<Dual> r1 = one.X.R * s.point1, r2 = two.X.R * s.point2;
  const Vec3<Dual> p2 = two.X.p + r2, d = p2 - (one.X.p + r1);
  const Vec3<Dual> rate = (two.v + cross(two.w, r2)) - (one.v + cross(one.w, r1));
  const Dual length = sqrt(dot(d, d));
  if (length.value == 0) return {};
  const Vec3<Dual> u = (1 / length) * d;
  const Vec3<Dual> f = -((s.stiffness * (length - s.length) + s.damping * dot(rate, u)) * u);
  return {cross(p2, f), f};
}

// A wrench F on body 2 and its opposite on body 1 change by dF along coordinate k. Where positions
// change (`by`), the derivatives of the tree have let them move with their bodies: what is missing.
void add_missing(const MovingBody& one, const MovingBody& two, const Force<double>& F,
                 const Force<double>& dF, By by, Index k, RowMatrix& force) {
  const auto missing = [&](const MovingBody& B) -> Force<double> {
    if (by == By::velocity) return dF;
    const Motion<double> S = B.direction(k);
    return dF - Force<double>{cross(S.w, F.n) + cross(S.v, F.f), cross(S.w, F.f)};
  };
  const Force<double> on_one = missing(one), on_two = missing(two);
  for (Index i = 0; i < force.rows(); ++i)
    force(i, k) -= dot(two.direction(i), on_two) - dot(one.direction(i), on_one);
}

void add_closure(const ClosedMechanism& m, const Closure& c, const std::vector<MovingBody>& bodies,
                 const VectorXd& lambda, Linearization& l) {
  const MovingBody &one = bodies[index(c.body1)], &two = bodies[index(c.body2)];
  for (Index k = 0; k < m.tree.nv; ++k) {
    if (!one.moves_with(k) && !two.moves_with(k)) continue;
    const auto one_q = one.along(k, By::position), two_q = two.along(k, By::position);
    const auto one_v = one.along(k, By::velocity), two_v = two.along(k, By::velocity);
    Force<double> F{}, dF{};
    for (int r = c.first_row; r < c.first_row + c.num_rows; ++r) {
      if (l.K.row(r).isZero(0)) continue;  // forbids nothing
      const ClosureRow& row = m.rows[index(r)];
      const Force<Dual> W = closure_wrench(row, c, one_q.X, two_q.X);
      l.rate_q(r, k) = dot(twist(two_q) - twist(one_q), W).slope;
      l.row_q(r, k) = closure_acceleration(row, c, one_q, two_q).slope;
      l.row_v(r, k) = closure_acceleration(row, c, one_v, two_v).slope;
      F += lambda[r] * value(W), dF += lambda[r] * slope(W);
    }
    add_missing(one, two, F, dF, By::position, k, l.force_q);
  }
}

void add_spring(const Spring& s, const std::vector<MovingBody>& bodies, Linearization& l) {
  const MovingBody &one = bodies[index(s.body1)], &two = bodies[index(s.body2)];
  for (Index k = 0; k < l.M.cols(); ++k) {
    if (!one.moves_with(k) && !two.moves_with(k)) continue;
    for (const By by : {By::position, By::velocity}) {
      const Force<Dual> W = spring_wrench(s, one.along(k, by), two.along(k, by));
      add_missing(one, two, value(W), slope(W), by, k, by == By::position ? l.force_q : l.force_v);
    }
  }
}

}  // namespace

Linearization linearize(const ClosedMechanism& m, LoopState& loops, const LinearizedState& s) {
  const Index n = m.tree.nv;
  const RowMatrix none = RowMatrix::Zero(m.num_rows(), n);
  Linearization l{{}, RowMatrix(n, n), RowMatrix(n, n), RowMatrix(n, n), none, none, none};
  Workspace<double> w(m.tree, derivatives_room<double>(m.tree));
  loops.set_motion(s.q, s.qd);
  l.K = loops.jacobian();
  std::vector<Force<double>> Fext_B(m.tree.bodies.size());
  loops.add_spring_wrenches(Fext_B);
  loops.add_row_wrenches(s.lambda, Fext_B);
  const auto frame_of = [&](const std::string& name) -> const FrameInfo& {
    return m.tree.names->frames[index(m.tree.names->frame(name))];
  };
  for (const auto& [name, F_F] : s.wrenches)
    Fext_B[index(frame_of(name).body)] += transform(frame_of(name).X_BF, F_F);
  inverse_dynamics_derivatives<double>(m.tree, in(s.q), in(s.qd), in(s.qdd), Fext_B, w,
                                       out(l.force_q), out(l.force_v), out(l.M));
  if (s.held == WrenchAxes::world) {
    for (const auto& [name, F_F] : s.wrenches) {
      const FrameInfo& f = frame_of(name);
      const Mat3<double> R_WF = loops.poses()[index(f.body)].R * f.X_BF.R;
      hold_wrench_in_world<double>(m.tree, in(s.q), f.body, f.X_BF.p, {R_WF * F_F.n, R_WF * F_F.f},
                                   w, out(l.force_q));
    }
  }
  const std::vector<MovingBody> bodies = moving_bodies(m, s.q, s.qd, s.qdd, w);
  for (const Closure& c : m.closures) add_closure(m, c, bodies, s.lambda, l);
  for (const Spring& spring : m.springs) add_spring(spring, bodies, l);
  return l;
}

RowMatrix rates_by_positions(const ClosedMechanism& m, LoopState& loops, const VectorXd& q,
                             const VectorXd& v) {
  const VectorXd zero = VectorXd::Zero(m.tree.nv), none = VectorXd::Zero(m.num_rows());
  return linearize(m, loops, {q, v, zero, none, {}}).rate_q;
}

}  // namespace catena
