#include "catena/model/mechanism.hpp"

#include "catena/model/workspace.hpp"
#include "catena/scalar/symbolic.hpp"

namespace catena {
namespace {

template <class C>
Vec3<C> cast_to(const Vec3<double>& v) {
  return {C(v.x), C(v.y), C(v.z)};
}
template <class C>
Pose<C> cast_to(const Pose<double>& X) {
  return {{cast_to<C>(X.R.x), cast_to<C>(X.R.y), cast_to<C>(X.R.z)}, cast_to<C>(X.p)};
}
template <class C>
Sym3<C> cast_to(const Sym3<double>& S) {
  return {C(S.xx), C(S.xy), C(S.xz), C(S.yy), C(S.yz), C(S.zz)};
}
template <class C>
Inertia<C> cast_to(const Inertia<double>& M) {
  return {C(M.m), cast_to<C>(M.h), cast_to<C>(M.I)};
}
template <class C>
std::vector<C> cast_to(const std::vector<double>& v) {
  std::vector<C> r;
  for (double x : v) r.push_back(C(x));
  return r;
}
template <class C>
std::vector<CoordinateMap<C>> cast_to(const std::vector<CoordinateMap<double>>& v) {
  std::vector<CoordinateMap<C>> r;
  for (const auto& x : v) r.push_back({x.index, C(x.ratio), C(x.offset)});
  return r;
}

// Constants of double are rotations to 1e-16 only; a scalar with more digits needs them exact.
template <class C>
void make_exact(C& c, C& s) {
  const C r = sqrt(c * c + s * s);
  c = c / r, s = s / r;
}
template <class C>
void make_exact(Mat3<C>& R) {
  R.x = (C(1) / sqrt(dot(R.x, R.x))) * R.x;
  R.y = R.y - dot(R.x, R.y) * R.x;
  R.y = (C(1) / sqrt(dot(R.y, R.y))) * R.y;
  R.z = cross(R.x, R.y);
}
template <class C>
void make_exact(Mechanism<C>& m) {
  for (MechanismBody<C>& b : m.bodies) {
    make_exact(b.ca, b.sa);
    make_exact(b.c0, b.s0);
    b.p = {b.px, b.ca * b.py, b.sa * b.py};
  }
  for (Pose<C>& X : m.X_PJ) make_exact(X.R);
  make_exact(m.X_W0.R);
  m.gravity_0 = transpose_times(m.X_W0.R, m.gravity);
}

}  // namespace

void Arena::exhausted() { throw std::logic_error("the workspace is too small for this mechanism"); }

int num_velocities(Primitive kind) {
  switch (kind) {
    case Primitive::fixed:
      return 0;
    case Primitive::spherical:
      return 3;
    case Primitive::free:
      return 6;
    default:
      return 1;
  }
}

int num_positions(Primitive kind) {
  const bool quaternion = kind == Primitive::spherical || kind == Primitive::free;
  return num_velocities(kind) + (quaternion ? 1 : 0);
}

int MechanismNames::joint(const std::string& name) const {
  for (std::size_t i = 0; i < joints.size(); ++i) {
    if (joints[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

int MechanismNames::frame(const std::string& name) const {
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if (frames[i].name == name) return static_cast<int>(i);
  }
  return -1;
}

template <class C>
Mechanism<C> cast(const Mechanism<double>& m) {
  Mechanism<C> r;
  for (const MechanismBody<double>& b : m.bodies) {
    MechanismBody<C> c;
    c.ca = C(b.ca), c.sa = C(b.sa), c.px = C(b.px), c.py = C(b.py);
    c.theta0 = C(b.theta0), c.c0 = C(b.c0), c.s0 = C(b.s0), c.pitch = C(b.pitch);
    c.p = cast_to<C>(b.p);
    c.M = cast_to<C>(b.M);
    if constexpr (std::is_same_v<C, Symbolic>)  // zeros and equal numbers stay what they are
      c.E = cast_to<C>(b.E);
    else
      c.E = euler_tensor(c.M.I);
    c.parent = b.parent, c.q = b.q, c.v = b.v, c.dense = b.dense, c.subtree_end = b.subtree_end;
    c.subtree_end_v = b.subtree_end_v;
    c.kind = b.kind, c.massless = b.massless;
    r.bodies.push_back(c);
  }
  for (const Pose<double>& X : m.X_PJ) r.X_PJ.push_back(cast_to<C>(X));
  r.dense_bodies = m.dense_bodies;
  r.angle_offset = cast_to<C>(m.angle_offset);
  r.X_W0 = cast_to<C>(m.X_W0);
  r.gravity = cast_to<C>(m.gravity), r.gravity_0 = cast_to<C>(m.gravity_0);
  r.nq = m.nq, r.nv = m.nv, r.tree_nq = m.tree_nq, r.tree_nv = m.tree_nv, r.coupled = m.coupled;
  r.q_map = cast_to<C>(m.q_map), r.v_map = cast_to<C>(m.v_map);
  r.armature = cast_to<C>(m.armature), r.viscous = cast_to<C>(m.viscous);
  r.coulomb = cast_to<C>(m.coulomb), r.stiffness = cast_to<C>(m.stiffness);
  r.rest = cast_to<C>(m.rest);
  r.q_of_v = m.q_of_v, r.parent_of_v = m.parent_of_v;
  r.body_of_v = m.body_of_v, r.run_begin_v = m.run_begin_v;
  r.has_armature = m.has_armature, r.has_passive = m.has_passive;
  r.branched = m.branched, r.deep = m.deep;
  r.names = m.names;
#if CATENA_HAS_QUAD
  if constexpr (std::is_same_v<C, Quad>) make_exact(r);
#endif
  return r;
}

#define CATENA_INSTANTIATE(C) template Mechanism<C> cast<C>(const Mechanism<double>&);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(Symbolic)

}  // namespace catena
