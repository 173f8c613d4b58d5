// The joints that algorithms know, and the one dispatch on their kind.
//
// An algorithm says with_joint(body.kind, [&](auto joint) { ... }) and then, inside, what it means:
// "the parent's motion seen in B", "plus the joint's rates", "the force along the joint". For a
// revolute joint that is a turn about x, one about z and one addition.
#pragma once

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"
#include "catena/scalar/sincos.hpp"
#include "catena/spatial/articulated.hpp"

namespace catena {

// Along z: turns about it, slides along it, or stands still. Dense: moves in several directions.
struct FixedJoint {
  static constexpr bool along_z = true, turns = false, slides = false;
  static constexpr int nv = 0;
};
struct RevoluteJoint {
  static constexpr bool along_z = true, turns = true, slides = false;
  static constexpr int nv = 1;
};
struct PrismaticJoint {
  static constexpr bool along_z = true, turns = false, slides = true;
  static constexpr int nv = 1;
};
struct ScrewJoint {
  static constexpr bool along_z = true, turns = true, slides = true;
  static constexpr int nv = 1;
};
struct SphericalJoint {
  static constexpr bool along_z = false, turns = true, slides = false;
  static constexpr int nv = 3;
};
struct FreeJoint {
  static constexpr bool along_z = false, turns = true, slides = true;
  static constexpr int nv = 6;
};

template <class F>
inline void with_joint(Primitive kind, F&& f) {
  switch (kind) {
    case Primitive::revolute: return f(RevoluteJoint{});
    case Primitive::prismatic: return f(PrismaticJoint{});
    case Primitive::fixed: return f(FixedJoint{});
    case Primitive::screw: return f(ScrewJoint{});
    case Primitive::spherical: return f(SphericalJoint{});
    case Primitive::free: return f(FreeJoint{});
  }
}

// What the positions q say of every joint, computed once per call.
template <class T>
struct JointPositions {
  const T* q;        // tree coordinates
  const T* c;        // by body: cosine and sine of theta, of joints that turn about z
  const T* s;
  const Pose<T>* X;  // by dense index: X_PB of spherical and free joints
};

// The pose of B in P for a joint along z.
template <class T, class J>
struct AxialTransform {
  using C = Constant<T>;
  using Angle = std::conditional_t<J::turns, T, C>;
  const MechanismBody<C>& b;
  Angle c, s;
  T d;

  // A free vector of P, in B; and back.
  Vec3<T> to_child(const Vec3<T>& v) const {
    return turn_back_z(c, s, turn_back_x(b.ca, b.sa, v));
  }
  Vec3<T> to_parent(const Vec3<T>& v) const { return turn_x(b.ca, b.sa, turn_z(c, s, v)); }

  // p x f and w x p with p = (px, py, d) in the axes of the joint.
  template <class V>
  Vec3<T> p_cross(const V& f) const {
    Vec3<T> r{b.py * f.z, -(b.px * f.z), b.px * f.y - b.py * f.x};
    if constexpr (J::slides) r.x = r.x - d * f.y, r.y = r.y + d * f.x;
    return r;
  }
  // w x (w x p) = w (w·p) - p (w·w)
  Vec3<T> centripetal(const Vec3<T>& w) const {
    if constexpr (J::slides) {
      const T k = b.px * w.x + b.py * w.y + d * w.z, w2 = dot(w, w);
      return {w.x * k - b.px * w2, w.y * k - b.py * w2, w.z * k - d * w2};
    } else {
      const T k = b.px * w.x + b.py * w.y, w2 = dot(w, w);
      return {w.x * k - b.px * w2, w.y * k - b.py * w2, w.z * k};
    }
  }

  // The motion of P seen at Bo, in B: angular velocity and acceleration, and the (classical)
  // acceleration a + alpha x p + w x (w x p).
  void carry(Vec3<T>& w, Vec3<T>& alpha, Vec3<T>& a) const {
    w = turn_back_x(b.ca, b.sa, w);
    alpha = turn_back_x(b.ca, b.sa, alpha);
    a = turn_back_x(b.ca, b.sa, a);
    a = a - p_cross(alpha) + centripetal(w);
    w = turn_back_z(c, s, w);
    alpha = turn_back_z(c, s, alpha);
    a = turn_back_z(c, s, a);
  }
  // The same without the velocity-dependent part, which is returned apart by bias().
  Motion<T> to_child(const Motion<T>& A) const {
    const Vec3<T> w = turn_back_x(b.ca, b.sa, A.w);
    const Vec3<T> v = turn_back_x(b.ca, b.sa, A.v) - p_cross(w);
    return {turn_back_z(c, s, w), turn_back_z(c, s, v)};
  }
  // w of P -> w of P in B, and w x (w x p) in B
  void carry_velocity(Vec3<T>& w, Vec3<T>& bias) const {
    w = turn_back_x(b.ca, b.sa, w);
    bias = turn_back_z(c, s, centripetal(w));
    w = turn_back_z(c, s, w);
  }

  Force<T> to_parent(const Force<T>& F) const {
    const Vec3<T> f = turn_z(c, s, F.f);
    const Vec3<T> n = turn_z(c, s, F.n) + p_cross(f);
    return {turn_x(b.ca, b.sa, n), turn_x(b.ca, b.sa, f)};
  }

  Inertia<T> to_parent(const Inertia<T>& M) const {
    Vec3<T> h = turn_z(c, s, M.h);
    Sym3<T> I = turn_z(c, s, M.I);
    if constexpr (J::slides) {
      const Vec3<T> p{T(b.px), T(b.py), d};
      const Inertia<T> S = transform(Pose<T>{Mat3<T>{}, p}, Inertia<T>{M.m, h, I});
      return {M.m, turn_x(b.ca, b.sa, S.h), turn_x(b.ca, b.sa, S.I)};
    } else {
      const T gx = h.x + h.x + b.px * M.m, gy = h.y + h.y + b.py * M.m;  // 2 h + m p
      const T dx = b.px * gx, dy = b.py * gy;
      I.xx = I.xx + dy;
      I.yy = I.yy + dx;
      I.zz = I.zz + (dx + dy);
      I.xy = I.xy - b.px * (h.y + b.py * M.m) - b.py * h.x;
      I.xz = I.xz - b.px * h.z;
      I.yz = I.yz - b.py * h.z;
      h.x = h.x + b.px * M.m;
      h.y = h.y + b.py * M.m;
      return {M.m, turn_x(b.ca, b.sa, h), turn_x(b.ca, b.sa, I)};
    }
  }

  Articulated<T> to_parent(Articulated<T> I) const {
    I = {turn_z(c, s, I.A), turn_z(c, s, I.H), turn_z(c, s, I.C)};
    if constexpr (J::slides) {
      I = shift(I, Vec3<T>{T(b.px), T(b.py), d});
    } else {
      // shift() with p = (px, py, 0), written out
      const Mat3<T> H = I.H;
      I.H.x = H.x + Vec3<T>{b.py * I.C.xz, -(b.px * I.C.xz), b.px * I.C.xy - b.py * I.C.xx};
      I.H.y = H.y + Vec3<T>{b.py * I.C.yz, -(b.px * I.C.yz), b.px * I.C.yy - b.py * I.C.xy};
      I.H.z = H.z + Vec3<T>{b.py * I.C.zz, -(b.px * I.C.zz), b.px * I.C.yz - b.py * I.C.xz};
      I.A.xx = I.A.xx + b.py * (H.z.x + I.H.z.x);
      I.A.xy = I.A.xy + b.py * I.H.z.y - b.px * H.z.x;
      I.A.yy = I.A.yy - b.px * (H.z.y + I.H.z.y);
      I.A.xz = I.A.xz + b.py * I.H.z.z + (b.px * H.y.x - b.py * H.x.x);
      I.A.yz = I.A.yz - b.px * I.H.z.z + (b.px * H.y.y - b.py * H.x.y);
      I.A.zz = I.A.zz + b.px * (H.y.z + I.H.y.z) - b.py * (H.x.z + I.H.x.z);
    }
    return {turn_x(b.ca, b.sa, I.A), turn_x(b.ca, b.sa, I.H), turn_x(b.ca, b.sa, I.C)};
  }

  Pose<T> after(const Pose<T>& X_WP) const {
    const Vec3<T>& x = X_WP.R.x;
    const Vec3<T> y = b.ca * X_WP.R.y + b.sa * X_WP.R.z;
    const Vec3<T> z = b.ca * X_WP.R.z - b.sa * X_WP.R.y;
    Vec3<T> p = X_WP.p + b.px * x + b.py * y;
    if constexpr (J::slides) p = p + d * z;
    return {{c * x + s * y, c * y - s * x, z}, p};
  }
};

// The pose of B in P for a spherical or free joint.
template <class T>
struct DenseTransform {
  const Pose<T>& X;

  Vec3<T> to_child(const Vec3<T>& v) const { return transpose_times(X.R, v); }
  Vec3<T> to_parent(const Vec3<T>& v) const { return X.R * v; }
  void carry(Vec3<T>& w, Vec3<T>& alpha, Vec3<T>& a) const {
    a = transpose_times(X.R, a + cross(alpha, X.p) + cross(w, cross(w, X.p)));
    w = transpose_times(X.R, w);
    alpha = transpose_times(X.R, alpha);
  }
  Motion<T> to_child(const Motion<T>& A) const { return catena::to_child(X, A); }
  void carry_velocity(Vec3<T>& w, Vec3<T>& bias) const {
    bias = transpose_times(X.R, cross(w, cross(w, X.p)));
    w = transpose_times(X.R, w);
  }
  Force<T> to_parent(const Force<T>& F) const { return transform(X, F); }
  Inertia<T> to_parent(const Inertia<T>& M) const { return transform(X, M); }
  Articulated<T> to_parent(const Articulated<T>& I) const { return shift(rotate(X.R, I), X.p); }
  Pose<T> after(const Pose<T>& X_WP) const { return X_WP * X; }
};

template <class T, class J>
auto transform_of(J, const MechanismBody<Constant<T>>& b, int index, const JointPositions<T>& at) {
  if constexpr (J::along_z) {
    using C = Constant<T>;
    T d = T(0);
    if constexpr (J::slides && J::turns) d = b.pitch * at.q[b.q];
    if constexpr (J::slides && !J::turns) d = at.q[b.q];
    if constexpr (J::turns) {
      return AxialTransform<T, J>{b, at.c[index], at.s[index], d};
    } else {
      const C c = b.c0, s = b.s0;
      return AxialTransform<T, J>{b, c, s, d};
    }
  } else {
    static_cast<void>(index);
    return DenseTransform<T>{at.X[b.dense]};
  }
}

// Adds what the joint's rates do to the motion carried from the parent (w, alpha, a in B); the
// joint's accelerations come by add_motion().
template <class T, class J>
void add_rates(J, const MechanismBody<Constant<T>>& b, const T* qd, Vec3<T>& w, Vec3<T>& alpha,
               Vec3<T>& a) {
  if constexpr (J::nv == 1) {
    const T rate = qd[b.v];
    if constexpr (J::slides) {
      T slide = rate;
      if constexpr (J::turns) slide = b.pitch * rate;
      const T twice = slide + slide;
      a.x = a.x + twice * w.y, a.y = a.y - twice * w.x;
    }
    if constexpr (J::turns) {
      alpha.x = alpha.x + rate * w.y, alpha.y = alpha.y - rate * w.x;
      w.z = w.z + rate;
    }
  } else if constexpr (J::nv >= 3) {
    const Vec3<T> rate{qd[b.v], qd[b.v + 1], qd[b.v + 2]};
    if constexpr (J::slides) {
      const Vec3<T> slide{qd[b.v + 3], qd[b.v + 4], qd[b.v + 5]};
      a = a + cross(rate + (w + w), slide);
    }
    alpha = alpha + cross(w, rate);
    w = w + rate;
  }
}

// The generalized forces of the joint for a wrench F on B: tau = Sᵀ F.
template <class T, class J>
void project(J, const MechanismBody<Constant<T>>& b, const Force<T>& F, T* tau) {
  if constexpr (J::nv == 1) {
    if constexpr (J::turns && J::slides) tau[b.v] = F.n.z + b.pitch * F.f.z;
    if constexpr (J::turns && !J::slides) tau[b.v] = F.n.z;
    if constexpr (!J::turns) tau[b.v] = F.f.z;
  } else if constexpr (J::nv >= 3) {
    tau[b.v] = F.n.x, tau[b.v + 1] = F.n.y, tau[b.v + 2] = F.n.z;
    if constexpr (J::nv == 6) tau[b.v + 3] = F.f.x, tau[b.v + 4] = F.f.y, tau[b.v + 5] = F.f.z;
  }
}

// Adds S_k x to a motion (w, v) in B: direction k of the joint, at rate (or acceleration) x.
template <class T, class J>
void add_direction(J, const MechanismBody<Constant<T>>& b, int k, const T& x, Vec3<T>& w,
                   Vec3<T>& v) {
  static_cast<void>(b), static_cast<void>(k), static_cast<void>(w), static_cast<void>(v);
  if constexpr (J::along_z) {
    if constexpr (J::turns) w.z = w.z + x;
    if constexpr (J::slides && J::turns) v.z = v.z + b.pitch * x;
    if constexpr (J::slides && !J::turns) v.z = v.z + x;
  } else {
    Vec3<T>& u = k < 3 ? w : v;
    T& component = k % 3 == 0 ? u.x : k % 3 == 1 ? u.y : u.z;
    component = component + x;
  }
}
// Adds S x for all directions of the joint.
template <class T, class J>
void add_motion(J joint, const MechanismBody<Constant<T>>& b, const T* x, Vec3<T>& w, Vec3<T>& v) {
  for (int k = 0; k < J::nv; ++k) add_direction(joint, b, k, x[b.v + k], w, v);
}

// The k-th direction of the joint in world axes, at the world's origin, for B at X_WB.
template <class T, class J>
Motion<T> direction(J, const MechanismBody<Constant<T>>& b, int k, const Pose<T>& X_WB) {
  static_cast<void>(b), static_cast<void>(k);
  const Vec3<T> o{T(0), T(0), T(0)};
  if constexpr (J::along_z) {
    const Vec3<T>& z = X_WB.R.z;
    if constexpr (J::turns && J::slides) return {z, cross(X_WB.p, z) + b.pitch * z};
    if constexpr (J::turns && !J::slides) return {z, cross(X_WB.p, z)};
    return {o, z};
  } else {
    const Vec3<T>& u = k % 3 == 0 ? X_WB.R.x : k % 3 == 1 ? X_WB.R.y : X_WB.R.z;
    if (k < 3) return {u, cross(X_WB.p, u)};
    return {o, u};
  }
}

// q: tree positions. Takes 3 (bodies + 8) scalars and the dense poses from the arena.
template <class T>
JointPositions<T> joint_positions(const Mechanism<Constant<T>>& m, const T* q, Arena& arena) {
  const int nb = m.num_bodies();
  const std::size_t room = static_cast<std::size_t>(nb + 16);
  T* theta = arena.take<T>(room);
  T* c = arena.take<T>(room);
  T* s = arena.take<T>(room);
  Pose<T>* X = arena.take<Pose<T>>(m.X_PJ.size());
  if constexpr (is_plain<T>) {
    for (int b = nb; b < nb + 8; ++b) theta[b] = T(0);
    theta[0] = T(0);
  }
  for (int b = 1; b < nb; ++b) {
    const auto& body = m.bodies[static_cast<std::size_t>(b)];
    const bool turns = body.kind == Primitive::revolute || body.kind == Primitive::screw;
    if constexpr (is_plain<T>) {
      theta[b] = turns ? q[body.q] + body.theta0 : T(0);
    } else if (turns) {
      sincos(q[body.q] + body.theta0, s[b], c[b]);
    }
    if (body.dense < 0) continue;
    const Pose<Constant<T>>& X_PJ = m.X_PJ[static_cast<std::size_t>(body.dense)];
    const T* at = q + body.q;
    Vec3<T> p = {T(X_PJ.p.x), T(X_PJ.p.y), T(X_PJ.p.z)};
    if (body.kind == Primitive::free) p = p + X_PJ.R * Vec3<T>{at[0], at[1], at[2]}, at += 3;
    const T x2 = at[0] + at[0], y2 = at[1] + at[1], z2 = at[2] + at[2];
    const T xx = x2 * at[0], yy = y2 * at[1], zz = z2 * at[2], xy = x2 * at[1], xz = x2 * at[2];
    const T yz = y2 * at[2], wx = x2 * at[3], wy = y2 * at[3], wz = z2 * at[3];
    const T one(1);
    const Mat3<T> R{{one - (yy + zz), xy + wz, xz - wy},
                    {xy - wz, one - (xx + zz), yz + wx},
                    {xz + wy, yz - wx, one - (xx + yy)}};
    X[body.dense] = Pose<T>{X_PJ.R * R, p};
  }
  if constexpr (is_plain<T>) sincos_all(theta, s, c, static_cast<std::size_t>(nb));
  return {q, c, s, X};
}

}  // namespace catena
