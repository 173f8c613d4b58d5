// The step from a parent P to a body B, by trigonometric identities instead of a rotation matrix
// [Mata et al. 2002, 4.1]: a turn about x by the constant alpha, a shift (px, py, d), a turn about
// z. The axes between the two turns are called middle axes. A vector costs 8 multiplications and 4
// additions, and nothing is set up.
#pragma once

#include "catena/model/joints.hpp"

namespace catena::gibbs_appell {

// The reaction of a revolute joint on the ground is not asked for: of all that acts on its body
// only the moment about z is.
template <class C>
bool only_z(const MechanismBody<C>& b) {
  return b.parent == 0 && b.kind == Primitive::revolute;
}

// A joint along z.
template <class T, class J>
struct AxialFrame {
  using C = Constant<T>;
  using Angle = std::conditional_t<J::turns, T, C>;
  const MechanismBody<C>& b;
  Angle c, s;
  T d;  // read if the joint slides

  Vec3<T> to_child(const Vec3<T>& v) const {
    const T y = b.ca * v.y + b.sa * v.z;  // in middle axes
    return {c * v.x + s * y, c * y - s * v.x, b.ca * v.z - b.sa * v.y};
  }
  // Bo in P
  auto position() const {
    if constexpr (J::slides)
      return Vec3<T>{T(b.p.x), b.p.y - b.sa * d, b.p.z + b.ca * d};
    else
      return b.p;
  }

  // sum + the force F of B at Po in P: (15), (16)
  void add_to_parent(Force<T>& sum, const Force<T>& F) const {
    const Vec3<T> f = turn_z(c, s, F.f);
    const Vec3<T> n = add_shift(turn_z(c, s, F.n), f);
    sum.f = sum.f + turn_x(b.ca, b.sa, f);
    sum.n = sum.n + turn_x(b.ca, b.sa, n);
  }
  // Of that the moment about z alone.
  void add_z_to_parent(T& sum, const Force<T>& F) const {
    const Vec3<T> f = turn_z(c, s, F.f);
    T ny = s * F.n.x + c * F.n.y - b.px * f.z, nz = F.n.z + b.px * f.y - b.py * f.x;
    if constexpr (J::slides) ny = ny + d * f.x;
    sum = sum + b.sa * ny + b.ca * nz;
  }

  // sum + the mass, first moment and inertia tensor of B at Po in P (4.2, steps 4 and 5).
  void add_to_parent(Inertia<T>& sum, const Inertia<T>& M) const {
    Inertia<T> S{M.m, turn_z(c, s, M.h), turn_z(c, s, M.I)};
    if constexpr (J::slides) {
      S = transform(Pose<T>{Mat3<T>{}, Vec3<T>{T(b.px), T(b.py), d}}, S);
    } else {
      const T hx = S.h.x + b.px * M.m, hy = S.h.y + b.py * M.m;
      const T dx = b.px * (S.h.x + hx), dy = b.py * (S.h.y + hy);
      S.I = {S.I.xx + dy,           S.I.xy - b.px * hy - b.py * S.h.x,
             S.I.xz - b.px * S.h.z, S.I.yy + dx,
             S.I.yz - b.py * S.h.z, S.I.zz + (dx + dy)};
      S.h.x = hx, S.h.y = hy;
    }
    sum = sum + Inertia<T>{M.m, turn_x(b.ca, b.sa, S.h), turn_x(b.ca, b.sa, S.I)};
  }
  // Of that the moment of inertia about z alone.
  void add_zz_to_parent(T& sum, const Inertia<T>& M) const {
    if constexpr (J::slides) {
      const T o(0);
      Inertia<T> S{o, {o, o, o}, {o, o, o, o, o, o}};
      add_to_parent(S, M);
      sum = sum + S.I.zz;
    } else {
      const Vec3<T> h = turn_z(c, s, M.h);
      const T e = s * (s * (M.I.xx - M.I.yy) + (c + c) * M.I.xy);
      const T dx = b.px * (h.x + h.x + b.px * M.m), dy = b.py * (h.y + h.y + b.py * M.m);
      const T yy = M.I.yy + e + dx, zz = M.I.zz + (dx + dy);
      const T yz = s * M.I.xz + c * M.I.yz - b.py * h.z;
      sum = sum + (zz + b.sa * (b.sa * (yy - zz) + (b.ca + b.ca) * yz));
    }
  }

 private:
  // n + p x f in middle axes
  Vec3<T> add_shift(const Vec3<T>& n, const Vec3<T>& f) const {
    Vec3<T> r{n.x + b.py * f.z, n.y - b.px * f.z, n.z + b.px * f.y - b.py * f.x};
    if constexpr (J::slides) r.x = r.x - d * f.y, r.y = r.y + d * f.x;
    return r;
  }
};

// A spherical or free joint.
template <class T>
struct DenseFrame {
  const Pose<T>& X;

  Vec3<T> to_child(const Vec3<T>& v) const { return transpose_times(X.R, v); }
  const Vec3<T>& position() const { return X.p; }
  void add_to_parent(Force<T>& sum, const Force<T>& F) const { sum += transform(X, F); }
  void add_z_to_parent(T& sum, const Force<T>& F) const { sum = sum + transform(X, F).n.z; }
  void add_to_parent(Inertia<T>& sum, const Inertia<T>& M) const { sum = sum + transform(X, M); }
  void add_zz_to_parent(T& sum, const Inertia<T>& M) const { sum = sum + transform(X, M).I.zz; }
};

template <class T, class J>
auto frame_of(J, const MechanismBody<Constant<T>>& b, const JointPositions<T>& at) {
  if constexpr (!J::along_z) {
    return DenseFrame<T>{at.X[b.dense]};
  } else {
    T d = T(0);
    if constexpr (J::slides && J::turns) d = b.pitch * at.q[b.q];
    if constexpr (J::slides && !J::turns) d = at.q[b.q];
    if constexpr (J::turns)
      return AxialFrame<T, J>{b, at.c[b.q], at.s[b.q], d};
    else
      return AxialFrame<T, J>{b, b.c0, b.s0, d};
  }
}

// The same step for many vectors, one after the other or (V a pack) several at once: its constants
// are copied, so that they can stay in registers.
template <class V, class J>
struct AxialStep {
  V ca, sa, c, s, px, py, d;

  Vec3<V> to_child(const Vec3<V>& v) const {
    const V y = ca * v.y + sa * v.z;
    return {c * v.x + s * y, c * y - s * v.x, ca * v.z - sa * v.y};
  }
  // way + Bo, both in P, then in B: the way from the origin of an earlier body.
  Vec3<V> way_to_child(const Vec3<V>& way) const {
    const V x = way.x + px, y = ca * way.y + sa * way.z + py;
    V z = ca * way.z - sa * way.y;
    if constexpr (J::slides) z = z + d;
    return {c * x + s * y, c * y - s * x, z};
  }
};
template <class V>
struct DenseStep {
  Mat3<V> R;
  Vec3<V> p;

  Vec3<V> to_child(const Vec3<V>& v) const { return transpose_times(R, v); }
  Vec3<V> way_to_child(const Vec3<V>& way) const { return to_child(way + p); }
};

template <class V, class S>
Vec3<V> copies(const Vec3<S>& v) {
  return {V(v.x), V(v.y), V(v.z)};
}
template <class V, class T, class J>
AxialStep<V, J> step_of(const AxialFrame<T, J>& frame) {
  const auto& b = frame.b;
  return {V(b.ca), V(b.sa), V(frame.c), V(frame.s), V(b.px), V(b.py), V(frame.d)};
}
template <class V, class T>
DenseStep<V> step_of(const DenseFrame<T>& frame) {
  const auto& [R, p] = frame.X;
  return {{copies<V>(R.x), copies<V>(R.y), copies<V>(R.z)}, copies<V>(p)};
}

}  // namespace catena::gibbs_appell
