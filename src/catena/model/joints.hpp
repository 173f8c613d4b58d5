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
// alpha: what is known of the angle between the joint's axis and z of the parent.
enum class Alpha : std::uint8_t { any, quarter, none };
struct FixedJoint {
  static constexpr bool along_z = true, turns = false, slides = false;
  static constexpr Alpha alpha = Alpha::any;
  static constexpr int nv = 0;
};
template <Alpha A>
struct RevoluteJointAt {
  static constexpr bool along_z = true, turns = true, slides = false;
  static constexpr Alpha alpha = A;
  static constexpr int nv = 1;
};
using RevoluteJoint = RevoluteJointAt<Alpha::any>;
struct PrismaticJoint {
  static constexpr Alpha alpha = Alpha::any;
  static constexpr bool along_z = true, turns = false, slides = true;
  static constexpr int nv = 1;
};
struct ScrewJoint {
  static constexpr Alpha alpha = Alpha::any;
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
    case Primitive::revolute:
      return f(RevoluteJoint{});
    case Primitive::prismatic:
      return f(PrismaticJoint{});
    case Primitive::fixed:
      return f(FixedJoint{});
    case Primitive::screw:
      return f(ScrewJoint{});
    case Primitive::spherical:
      return f(SphericalJoint{});
    case Primitive::free:
      return f(FreeJoint{});
  }
}

// The same for kernels where it pays to know alpha: most robots have axes that are parallel or
// normal to the one before.
template <class T, class F>
inline void with_joint_and_alpha(const MechanismBody<Constant<T>>& b, F&& f) {
  if constexpr (std::is_same_v<T, double>) {
    if (b.kind == Primitive::revolute && b.ca == 0) return f(RevoluteJointAt<Alpha::quarter>{});
    if (b.kind == Primitive::revolute && b.sa == 0 && b.ca == 1)
      return f(RevoluteJointAt<Alpha::none>{});
  }
  with_joint(b.kind, f);
}

// Constants that the compiler knows: sums and products with them are no operations.
struct Zero {
  friend Zero operator+(Zero, Zero) { return {}; }
  template <class T>
  friend Zero operator*(Zero, const T&) {
    return {};
  }
  template <class T>
  friend T operator+(const T& a, Zero) {
    return a;
  }
  template <class T>
  friend T operator+(Zero, const T& a) {
    return a;
  }
  template <class T>
  friend T operator-(const T& a, Zero) {
    return a;
  }
  template <class T>
  friend T operator-(Zero, const T& a) {
    return -a;
  }
};
struct One {
  template <class T>
  friend T operator*(One, const T& a) {
    return a;
  }
};
template <class J, class C>
auto cos_alpha(const MechanismBody<C>& b) {
  if constexpr (J::alpha == Alpha::quarter)
    return Zero{};
  else if constexpr (J::alpha == Alpha::none)
    return One{};
  else
    return b.ca;
}
template <class J, class C>
auto sin_alpha(const MechanismBody<C>& b) {
  if constexpr (J::alpha == Alpha::none)
    return Zero{};
  else
    return b.sa;
}
// turn_x() by a quarter (s is 1 or -1), and not at all
template <class T>
Vec3<T> turn_x(Zero, const T& s, const Vec3<T>& v) {
  return {v.x, -s * v.z, s * v.y};
}
template <class T>
Sym3<T> turn_x(Zero, const T& s, const Sym3<T>& m) {
  return {m.xx, -s * m.xz, s * m.xy, m.zz, -m.yz, m.yy};
}
template <class T>
Mat3<T> turn_x(Zero, const T& s, const Mat3<T>& m) {
  return {{m.x.x, -s * m.x.z, s * m.x.y}, {-s * m.z.x, m.z.z, -m.z.y}, {s * m.y.x, -m.y.z, m.y.y}};
}
template <class V>
const V& turn_x(One, Zero, const V& v) {
  return v;
}

// What the positions q say of every joint, computed once per call.
template <class T>
struct JointPositions {
  const T* q;  // tree coordinates
  const T* c;  // by coordinate: cosine and sine of theta, for joints that turn about z
  const T* s;
  const Pose<T>* X;  // by dense index: X_PB of spherical and free joints
};

// The pose of B in P for a joint along z. Its rotation is
//       | c      -s       0  |
//   R = | ca s    ca c   -sa |
//       | sa s    sa c    ca |
template <class T, class J>
struct AxialTransform {
  using C = Constant<T>;
  using Angle = std::conditional_t<J::turns, T, C>;
  const MechanismBody<C>& b;
  Angle c, s;
  T d;
  decltype(cos_alpha<J>(b)) ca = cos_alpha<J>(b);
  decltype(sin_alpha<J>(b)) sa = sin_alpha<J>(b);
  decltype(ca * s) yx = ca * s, yy = ca * c;
  decltype(sa * s) zx = sa * s, zy = sa * c;

  // A free vector of P, in B; and back. Two turns after one another cost less than their product,
  // but the second has to wait for the first.
  Vec3<T> to_child(const Vec3<T>& v) const {
    if constexpr (is_symbolic<T>) {
      const T y = ca * v.y + sa * v.z;
      return {c * v.x + s * y, c * y - s * v.x, ca * v.z - sa * v.y};
    }
    return {c * v.x + yx * v.y + zx * v.z, yy * v.y + zy * v.z - s * v.x, ca * v.z - sa * v.y};
  }
  // (V is the scalar, or a pack of several columns that take the same way.)
  template <class V>
  Vec3<V> to_parent(const Vec3<V>& v) const {
    if constexpr (is_symbolic<T>) return turn_x(ca, sa, turn_z(c, s, v));
    return {c * v.x - s * v.y, yx * v.x + yy * v.y - sa * v.z, zx * v.x + zy * v.y + ca * v.z};
  }
  // sum + Rᵀ v and sum + R v: the sum goes first, so that v is not waited for longer than need be.
  Vec3<T> add_to_child(const Vec3<T>& sum, const Vec3<T>& v) const {
    if constexpr (is_symbolic<T>) return sum + to_child(v);
    return {sum.x + c * v.x + yx * v.y + zx * v.z, sum.y + yy * v.y + zy * v.z - s * v.x,
            sum.z + ca * v.z - sa * v.y};
  }
  template <class V>
  Vec3<V> add_to_parent(const Vec3<V>& sum, const Vec3<V>& v) const {
    if constexpr (is_symbolic<T>) return sum + to_parent(v);
    return {sum.x + c * v.x - s * v.y, sum.y + yx * v.x + yy * v.y - sa * v.z,
            sum.z + zx * v.x + zy * v.y + ca * v.z};
  }
  // Bo in P
  auto position() const {
    if constexpr (J::slides)
      return Vec3<T>{T(b.p.x), b.p.y - sa * d, b.p.z + ca * d};
    else
      return b.p;
  }

  // Twist, or acceleration without its velocity-dependent part.
  Motion<T> to_child(const Motion<T>& A) const {
    return {to_child(A.w), to_child(add_cross(A.v, A.w, position()))};
  }
  // w of P -> w of P in B, and w x (w x p) in B
  void carry_velocity(Vec3<T>& w, Vec3<T>& bias) const {
    bias = to_child(cross(w, cross(w, position())));
    w = to_child(w);
  }

  template <class V>
  Force<V> to_parent(const Force<V>& F) const {
    const Vec3<V> f = to_parent(F.f);
    return {add_to_parent(cross(position(), f), F.n), f};
  }
  // sum + the wrench F, taken to Po in P
  void add_to_parent(Force<T>& sum, const Force<T>& F) const {
    const Vec3<T> f = to_parent(F.f);
    sum.n = add_to_parent(add_cross(sum.n, position(), f), F.n);
    sum.f = sum.f + f;
  }

  Inertia<T> to_parent(const Inertia<T>& M) const {
    Vec3<T> h = turn_z(c, s, M.h);
    Sym3<T> I = turn_z(c, s, M.I);
    if constexpr (J::slides) {
      const Vec3<T> p{T(b.px), T(b.py), d};
      const Inertia<T> S = transform(Pose<T>{Mat3<T>{}, p}, Inertia<T>{M.m, h, I});
      return {M.m, turn_x(ca, sa, S.h), turn_x(ca, sa, S.I)};
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
      return {M.m, turn_x(ca, sa, h), turn_x(ca, sa, I)};
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
    return {turn_x(ca, sa, I.A), turn_x(ca, sa, I.H), turn_x(ca, sa, I.C)};
  }

  // The same for an inertia that has nothing about z, as after the elimination of a revolute joint:
  // row and column z of A and row z of H are zero and are not read.
  Articulated<T> to_parent_without_z(const Articulated<T>& I) const {
    const T g = s * (I.A.xx - I.A.yy) + (c + c) * I.A.xy, e = s * g;
    T axx = I.A.xx - e, axy = c * g - I.A.xy, ayy = I.A.yy + e;
    const auto turn = [&](const Vec3<T>& h) {
      return Vec3<T>{c * h.x - s * h.y, s * h.x + c * h.y, T(0)};
    };
    const Vec3<T> u = turn(I.H.x), v = turn(I.H.y), z = turn(I.H.z);
    const T xx = c * u.x - s * v.x, xy = c * u.y - s * v.y, yx_ = s * u.x + c * v.x,
            yy_ = s * u.y + c * v.y;  // entries of H: column x is (xx, xy), column y (yx_, yy_)
    const Sym3<T> K = turn_z(c, s, I.C);
    // then the shift by (px, py, 0)
    const Mat3<T> H{{xx + b.py * K.xz, xy - b.px * K.xz, b.px * K.xy - b.py * K.xx},
                    {yx_ + b.py * K.yz, yy_ - b.px * K.yz, b.px * K.yy - b.py * K.xy},
                    {z.x + b.py * K.zz, z.y - b.px * K.zz, b.px * K.yz - b.py * K.xz}};
    const Sym3<T> A{axx + b.py * (z.x + H.z.x),
                    axy + b.py * H.z.y - b.px * z.x,
                    b.py * H.z.z + b.px * yx_ - b.py * xx,
                    ayy - b.px * (z.y + H.z.y),
                    b.px * yy_ - b.px * H.z.z - b.py * xy,
                    b.px * H.y.z - b.py * H.x.z};
    return {turn_x(ca, sa, A), turn_x(ca, sa, H), turn_x(ca, sa, K)};
  }

  Pose<T> after(const Pose<T>& X_WP) const {
    const auto& [x, y, z] = X_WP.R;
    if constexpr (is_symbolic<T>) {
      const Vec3<T> u = ca * y + sa * z;
      Pose<T> X{{c * x + s * u, c * u - s * x, ca * z - sa * y}, X_WP.p};
      X.p = X.p + b.px * x + b.py * u;
      if constexpr (J::slides) X.p = X.p + d * X.R.z;
      return X;
    }
    Pose<T> X{{c * x + yx * y + zx * z, yy * y + zy * z - s * x, ca * z - sa * y}, X_WP.p};
    X.p = X.p + b.p.x * x + b.p.y * y + b.p.z * z;
    if constexpr (J::slides) X.p = X.p + d * X.R.z;
    return X;
  }
};

// The pose of B in P for a spherical or free joint.
template <class T>
struct DenseTransform {
  const Pose<T>& X;

  Vec3<T> to_child(const Vec3<T>& v) const { return transpose_times(X.R, v); }
  Vec3<T> add_to_child(const Vec3<T>& sum, const Vec3<T>& v) const { return sum + to_child(v); }
  const Vec3<T>& position() const { return X.p; }
  Motion<T> to_child(const Motion<T>& A) const { return catena::to_child(X, A); }
  void carry_velocity(Vec3<T>& w, Vec3<T>& bias) const {
    bias = transpose_times(X.R, cross(w, cross(w, X.p)));
    w = transpose_times(X.R, w);
  }
  template <class V>
  Force<V> to_parent(const Force<V>& F) const {
    return transform(X, F);
  }
  void add_to_parent(Force<T>& sum, const Force<T>& F) const { sum += transform(X, F); }
  Inertia<T> to_parent(const Inertia<T>& M) const { return transform(X, M); }
  Articulated<T> to_parent(const Articulated<T>& I) const { return shift(rotate(X.R, I), X.p); }
  Pose<T> after(const Pose<T>& X_WP) const { return X_WP * X; }
};

template <class T, class J>
auto transform_of(J, const MechanismBody<Constant<T>>& b, const JointPositions<T>& at) {
  if constexpr (J::along_z) {
    using C = Constant<T>;
    T d = T(0);
    if constexpr (J::slides && J::turns) d = b.pitch * at.q[b.q];
    if constexpr (J::slides && !J::turns) d = at.q[b.q];
    if constexpr (J::turns) {
      return AxialTransform<T, J>{b, at.c[b.q], at.s[b.q], d};
    } else {
      const C c = b.c0, s = b.s0;
      return AxialTransform<T, J>{b, c, s, d};
    }
  } else {
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

// One step from parent to child: angular velocity, angular acceleration and acceleration of the
// origin of P become those of B. U is the acceleration matrix of P.
template <class T, class J, class X>
void carry_motion(J joint, const MechanismBody<Constant<T>>& b, const X& X_PB, const T* qd,
                  const T* qdd, const Mat3<T>& U, Vec3<T>& w, Vec3<T>& alpha, Vec3<T>& a) {
  const T o(0);
  const Vec3<T> a_P = add_product(a, U, X_PB.position());
  Vec3<T> joint_alpha{o, o, o}, joint_a{o, o, o};
  w = X_PB.to_child(w);
  add_rates(joint, b, qd, w, joint_alpha, joint_a);
  add_motion(joint, b, qdd, joint_alpha, joint_a);
  alpha = X_PB.add_to_child(joint_alpha, alpha);
  a = X_PB.add_to_child(joint_a, a_P);
}

// The first step, from the ground, which does not turn.
template <class T, class J, class X>
void leave_ground(J joint, const MechanismBody<Constant<T>>& b, const X& X_0B, const T* qd,
                  const T* qdd, const Vec3<T>& a_0, Vec3<T>& w, Vec3<T>& alpha, Vec3<T>& a) {
  const T o(0);
  w = alpha = a = {o, o, o};
  add_rates(joint, b, qd, w, alpha, a);
  add_motion(joint, b, qdd, alpha, a);
  a = X_0B.add_to_child(a, a_0);
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

// X_W0 in the scalar of the state.
template <class T>
Pose<T> world_pose(const Mechanism<Constant<T>>& m) {
  const auto vector = [](const Vec3<Constant<T>>& v) { return Vec3<T>{T(v.x), T(v.y), T(v.z)}; };
  const auto& X = m.X_W0;
  return {{vector(X.R.x), vector(X.R.y), vector(X.R.z)}, vector(X.p)};
}

// q: tree positions. Sines and cosines of all coordinates are computed at once, angles or not.
template <class T>
JointPositions<T> joint_positions(const Mechanism<Constant<T>>& m, const T* q, Arena& arena) {
  const std::size_t room = static_cast<std::size_t>(m.tree_nq + 8);
  T* c = arena.take<T>(room);
  T* s = arena.take<T>(room);
  Pose<T>* X = arena.take<Pose<T>>(m.X_PJ.size());
  if constexpr (is_plain<T>) {
    sincos_all(q, m.angle_offset.data(), s, c, static_cast<std::size_t>(m.tree_nq));
  } else {
    SinesAndCosines<T> all;
    for (const MechanismBody<Constant<T>>& b : m.bodies) {
      const bool turns = b.kind == Primitive::revolute || b.kind == Primitive::screw;
      if (turns) all.add(q[b.q] + b.theta0, s[b.q], c[b.q]);
    }
    if (all.any_far()) {
      for (const MechanismBody<Constant<T>>& b : m.bodies) {
        const bool turns = b.kind == Primitive::revolute || b.kind == Primitive::screw;
        if (turns) sincos(q[b.q] + b.theta0, s[b.q], c[b.q]);
      }
    }
  }
  for (const int body : m.dense_bodies) {
    const auto& b = m.bodies[static_cast<std::size_t>(body)];
    const Pose<Constant<T>>& X_PJ = m.X_PJ[static_cast<std::size_t>(b.dense)];
    const T* at = q + b.q;
    Vec3<T> p = {T(X_PJ.p.x), T(X_PJ.p.y), T(X_PJ.p.z)};
    if (b.kind == Primitive::free) p = p + X_PJ.R * Vec3<T>{at[0], at[1], at[2]}, at += 3;
    const T x2 = at[0] + at[0], y2 = at[1] + at[1], z2 = at[2] + at[2];
    const T xx = x2 * at[0], yy = y2 * at[1], zz = z2 * at[2], xy = x2 * at[1], xz = x2 * at[2];
    const T yz = y2 * at[2], wx = x2 * at[3], wy = y2 * at[3], wz = z2 * at[3];
    const T one(1);
    const Mat3<T> R{{one - (yy + zz), xy + wz, xz - wy},
                    {xy - wz, one - (xx + zz), yz + wx},
                    {xz + wy, yz - wx, one - (xx + yy)}};
    X[b.dense] = Pose<T>{X_PJ.R * R, p};
  }
  return {q, c, s, X};
}

}  // namespace catena
