#include "catena/codegen/base_parameters.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

using Link = MechanismBody<double>;

Sym3<double> inertia_of_euler_tensor(const Sym3<double>& E) {
  return {E.yy + E.zz, -E.xy, -E.xz, E.xx + E.zz, -E.yz, E.xx + E.yy};
}

// What the joint of b cannot feel, in B: a part that moves nothing along the joint (M S = 0) and
// looks the same from the parent whatever the joint's position is.
Inertia<double> unfelt_part(const Link& b, bool turned_about_z_alone) {
  Inertia<double> part;
  const Sym3<double> E = euler_tensor(b.M.I);
  switch (b.kind) {
    case Primitive::fixed:
      return b.M;
    case Primitive::revolute:  // mass and first moment on the axis, and a needle along it
      part.m = b.M.m;
      part.h.z = b.M.h.z;
      part.I = inertia_of_euler_tensor({0, 0, 0, 0, 0, E.zz});
      return part;
    case Primitive::screw:  // it travels along the axis, where only a needle without mass is alike
      part.I = inertia_of_euler_tensor({0, 0, 0, 0, 0, E.zz});
      return part;
    case Primitive::prismatic:  // no turning: all second moments
      part.I = b.M.I;
      if (turned_about_z_alone) part.h.x = b.M.h.x, part.h.y = b.M.h.y;
      return part;
    case Primitive::spherical:
      part.m = b.M.m;
      return part;
    case Primitive::free:
      return part;
  }
  return part;
}

// The pose of b in its parent at a position of the joint that does not matter for the unfelt part.
Pose<double> joint_pose(const Mechanism<double>& m, const Link& b) {
  if (b.dense >= 0) return m.X_PJ[index(b.dense)];
  const bool turns = b.kind == Primitive::revolute || b.kind == Primitive::screw;
  const double c = turns ? 1 : b.c0, s = turns ? 0 : b.s0;
  return {{{c, b.ca * s, b.sa * s}, {-s, b.ca * c, b.sa * c}, {0, -b.sa, b.ca}}, b.p};
}

// a + b, where what is left of two opposite numbers counts as zero.
double add(double a, double b, double scale) {
  const double sum = a + b;
  return std::abs(sum) <= 1e-15 * (std::abs(a) + std::abs(b) + scale) ? 0 : sum;
}
Inertia<double> add(const Inertia<double>& a, const Inertia<double>& b) {
  const auto size = [](const Vec3<double>& v) { return std::sqrt(dot(v, v)); };
  const double h = size(b.h);
  const double I = std::abs(b.I.xx) + std::abs(b.I.yy) + std::abs(b.I.zz);
  return {a.m + b.m,
          {add(a.h.x, b.h.x, h), add(a.h.y, b.h.y, h), add(a.h.z, b.h.z, h)},
          {add(a.I.xx, b.I.xx, I), add(a.I.xy, b.I.xy, I), add(a.I.xz, b.I.xz, I),
           add(a.I.yy, b.I.yy, I), add(a.I.yz, b.I.yz, I), add(a.I.zz, b.I.zz, I)}};
}

// To 15 digits: numbers that differ by the rounding of their making become the same again.
double rounded(double x) {
  if (x == 0) return 0;
  char digits[40];
  std::snprintf(digits, sizeof digits, "%.14e", x);
  return std::strtod(digits, nullptr);
}
Sym3<double> rounded(const Sym3<double>& S) {
  return {rounded(S.xx), rounded(S.xy), rounded(S.xz), rounded(S.yy), rounded(S.yz), rounded(S.zz)};
}

// What is left in B, with exact zeros.
Inertia<double> without_unfelt_part(const Link& b, const Inertia<double>& part) {
  Inertia<double> M = b.M;
  if (b.kind == Primitive::fixed) return {};
  M.m -= part.m;
  M.h = M.h - part.h;
  if (b.kind == Primitive::prismatic) M.I = {};
  if (b.kind == Primitive::revolute || b.kind == Primitive::screw) {
    Sym3<double> E = euler_tensor(M.I);
    E.zz = 0;
    M.I = inertia_of_euler_tensor(E);
  }
  return M;
}

// True where the bodies above turn about directions parallel to z of b alone (or not at all).
std::vector<bool> turned_about_z_alone(const Mechanism<double>& m) {
  std::vector<bool> parallel(m.bodies.size(), true);  // of the body itself, about its own z
  std::vector<bool> turned(m.bodies.size(), false);
  for (std::size_t i = 1; i < m.bodies.size(); ++i) {
    const Link& b = m.bodies[i];
    const std::size_t p = index(b.parent);
    const bool dense = b.dense >= 0;
    parallel[i] = !dense && (!turned[p] || (parallel[p] && b.sa == 0));
    turned[i] = turned[p] || b.kind == Primitive::revolute || b.kind == Primitive::screw || dense;
  }
  return parallel;
}

// The x axis of a last body is free: it is put where the first moment, or else a principal axis
// normal to the joint, has one component less.
void turn_last_body(Link& b, double& angle_offset) {
  if (b.kind != Primitive::revolute && b.kind != Primitive::screw) return;
  const Sym3<double> E = euler_tensor(b.M.I);
  double angle = 0;
  if (b.M.h.x != 0 && b.M.h.y != 0)
    angle = std::atan2(b.M.h.y, b.M.h.x);
  else if (b.M.h.x == 0 && b.M.h.y == 0 && E.xy != 0)
    angle = 0.5 * std::atan2(2 * E.xy, E.xx - E.yy);
  if (angle == 0) return;
  const double c = std::cos(angle), s = std::sin(angle);
  const Mat3<double> R{{c, -s, 0}, {s, c, 0}, {0, 0, 1}};  // from the old axes to the new
  const bool by_moment = b.M.h.x != 0;
  b.M = transform(Pose<double>{R, {0, 0, 0}}, b.M);
  Sym3<double> turned = euler_tensor(b.M.I);
  turned.zz = E.zz;
  if (by_moment)
    b.M.h.y = 0;
  else
    turned.xy = 0;
  b.M.I = inertia_of_euler_tensor(turned);
  b.theta0 += angle;
  b.c0 = std::cos(b.theta0), b.s0 = std::sin(b.theta0);
  angle_offset = b.theta0;
}

// Bo moves by `shift` along z.
void shift_origin(Link& b, double shift, double parent_shift) {
  b.p = {b.p.x, b.p.y - shift * b.sa, b.p.z + shift * b.ca - parent_shift};
  const double size = std::abs(b.px) + std::abs(b.py) + std::abs(shift) + std::abs(parent_shift);
  for (double* x : {&b.p.x, &b.p.y, &b.p.z}) {
    if (std::abs(*x) <= 1e-15 * size) *x = 0;
  }
  b.M = transform(Pose<double>{Mat3<double>{}, {0, 0, -shift}}, b.M);
}

}  // namespace

Mechanism<double> with_short_offsets(const Mechanism<double>& m) {
  Mechanism<double> r = m;
  std::vector<double> shift(m.bodies.size(), 0);
  for (std::size_t i = 1; i < m.bodies.size(); ++i) {  // base to tip
    Link& b = r.bodies[i];
    const double above = shift[index(b.parent)];
    if (b.dense >= 0) {
      r.X_PJ[index(b.dense)].p.z -= above;
      continue;
    }
    // Where p has no y for steep axes, no z for nearly parallel ones. The first body's does not
    // matter: the ground does not move.
    if (b.parent != 0) {
      const bool steep = std::abs(b.sa) > std::abs(b.ca);
      shift[i] = steep ? b.ca * b.py / b.sa : (above - b.sa * b.py) / b.ca;
    }
    shift_origin(b, shift[i], above);
  }
  return r;
}

Mechanism<double> with_base_parameters(const Mechanism<double>& m) {
  Mechanism<double> r = m;
  const std::vector<bool> parallel = turned_about_z_alone(m);
  for (int i = m.num_bodies() - 1; i > 0; --i) {  // tip to base
    Link& b = r.bodies[index(i)];
    const Inertia<double> part = unfelt_part(b, parallel[index(i)]);
    Link& parent = r.bodies[index(b.parent)];
    if (b.parent != 0) parent.M = add(parent.M, transform(joint_pose(r, b), part));
    b.M = without_unfelt_part(b, part);
    if (b.subtree_end == i + 1 && b.kind != Primitive::fixed && b.dense < 0)
      turn_last_body(b, r.angle_offset[index(b.q)]);
    b.E = rounded(euler_tensor(b.M.I));
    b.M = {rounded(b.M.m), {rounded(b.M.h.x), rounded(b.M.h.y), rounded(b.M.h.z)}, rounded(b.M.I)};
    const Sym3<double>& I = b.M.I;
    b.massless = b.M.m == 0 && b.M.h.x == 0 && b.M.h.y == 0 && b.M.h.z == 0 && I.xx == 0 &&
                 I.yy == 0 && I.zz == 0 && I.xy == 0 && I.xz == 0 && I.yz == 0;
  }
  return r;
}

}  // namespace catena
