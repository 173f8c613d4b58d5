#include "catena/formulations/homogeneous/chain.hpp"

#include "catena/model/coordinates.hpp"

namespace catena::homogeneous {
namespace {

using Place = Position<double>;

Place about_z(double c, double s, double d) {
  return {{{c, s, 0}, {-s, c, 0}, {0, 0, 1}}, {0, 0, d}};
}

Place about_x(double c, double s) { return {{{1, 0, 0}, {0, c, s}, {0, -s, c}}, {}}; }

// The motion of the joint alone.
Place joint_motion(const LinkObject& link, std::span<const double> q) {
  switch (link.joint) {
    case Primitive::fixed:
      return {};
    case Primitive::revolute:
    case Primitive::screw: {
      const auto [s, c] = sincos_of_constant(q[0]);
      return about_z(c, s, link.joint == Primitive::screw ? link.pitch * q[0] : 0);
    }
    case Primitive::prismatic:
      return about_z(1, 0, q[0]);
    case Primitive::spherical:
      return {rotation_from_quaternion(q[0], q[1], q[2], q[3]), {}};
    case Primitive::free:
      break;
  }
  return {rotation_from_quaternion(q[3], q[4], q[5], q[6]), {q[0], q[1], q[2]}};
}

// Direction k of the joint, in its moving frame [eq. (1)].
Screw<double> unit_screw(const LinkObject& link, int k) {
  const Vec3<double> zero{}, z{0, 0, 1};
  if (link.joint == Primitive::revolute) return {z, zero};
  if (link.joint == Primitive::prismatic) return {zero, z};
  if (link.joint == Primitive::screw) return {z, {0, 0, link.pitch}};
  const Vec3<double> u{k % 3 == 0 ? 1. : 0., k % 3 == 1 ? 1. : 0., k % 3 == 2 ? 1. : 0.};
  return k < 3 ? Screw<double>{u, zero} : Screw<double>{zero, u};
}

// The pose of a mechanism's body in its parent, without the joint's motion.
Place constant_part(const Mechanism<double>& m, const MechanismBody<double>& b) {
  if (b.dense >= 0) return m.X_PJ[index(b.dense)];
  Place X = about_x(b.ca, b.sa);
  X.p = b.p;
  return X * about_z(b.c0, b.s0, 0);
}

// The author's frame on body i: that of the body it is named after.
Place author_frame(const Mechanism<double>& m, int i) {
  const int f = m.names->frame(m.names->bodies[index(i)]);
  if (f < 0 || m.names->frames[index(f)].body != i) return {};
  return m.names->frames[index(f)].X_BF;
}

Mechanism<double> compile_all(const Model& model) {
  CompileOptions options;
  options.keep_fixed = true;
  return compile(model, options);
}

}  // namespace

LinkObject LinkObject::dh(JointType type, double theta, double s, double b, double a, double alfa) {
  LinkObject link;
  link.joint = type == Pri ? Primitive::prismatic : Primitive::revolute;
  const auto [st, ct] = sincos_of_constant(theta);
  const auto [sa, ca] = sincos_of_constant(alfa);
  link.after = about_z(ct, st, s) * (Place{{}, {a, b, 0}} * about_x(ca, sa));
  return link;
}

LinkObject& LinkObject::set_inertia(double mass, const Sym3<double>& moments,
                                    const Vec3<double>& centre) {
  J = pseudo_inertia(inertia_from_com(mass, centre, moments));
  return *this;
}

void LinkObject::set_motion(std::span<const double> q, std::span<const double> qp,
                            std::span<const double> qpp) {
  const int nv = num_velocities(joint);
  check_size("q", q.size(), index(num_positions(joint)));
  check_size("qp", qp.size(), index(nv));
  check_size("qpp", qpp.size(), index(nv));
  const Place moved = before * joint_motion(*this, q);
  A = moved * after;
  L.resize(index(nv));
  W = {};
  Velocity<double> rate{};
  for (int k = 0; k < nv; ++k) {
    // Turning about z and sliding along it leave the screw where it is.
    L[index(k)] = change_frame(nv == 1 ? before : moved, unit_screw(*this, k));
    W = W + L[index(k)] * qp[index(k)];
    rate = rate + L[index(k)] * qpp[index(k)];
  }
  H = square(W);
  add_rate(H, rate);
}

void LinkObject::set_motion(double q, double qp, double qpp) {
  set_motion(std::span(&q, 1), std::span(&qp, 1), std::span(&qpp, 1));
}

ChainObject::ChainObject() : links_(1) { links_[0].name = "base"; }

ChainObject::ChainObject(const Model& model) : ChainObject(compile_all(model)) {}

ChainObject::ChainObject(const Mechanism<double>& m) : ChainObject() {
  gravity = m.gravity;
  links_[0].after = inverse(m.X_W0);  // body 0 stands at X_W0 in the world
  for (int i = 1; i < m.num_bodies(); ++i) {
    const auto& b = m.bodies[index(i)];
    LinkObject link;
    link.name = m.names->bodies[index(i)];
    link.previous = b.parent;
    link.joint = b.kind;
    link.pitch = b.pitch;
    link.after = author_frame(m, i);
    link.before = inverse(links_[index(b.parent)].after) * constant_part(m, b);
    link.J = change_frame(inverse(link.after), PseudoInertia<double>{b.E, b.M.h, b.M.m});
    add(std::move(link));
  }
}

int ChainObject::add(LinkObject link) {
  if (link.previous < 0) link.previous = links();
  if (link.previous > links())
    throw SizeError("a link is added to one that the chain does not have");
  links_.push_back(std::move(link));
  return links();
}

void ChainObject::set_motion(std::span<const double> q, std::span<const double> qp,
                             std::span<const double> qpp) {
  std::size_t nq = 0, nv = 0;
  for (const LinkObject& link : links_) {
    nq += index(num_positions(link.joint));
    nv += index(num_velocities(link.joint));
  }
  check_size("q", q.size(), nq);
  check_size("qp", qp.size(), nv);
  check_size("qpp", qpp.size(), nv);
  for (std::size_t i = 1, at = 0, v = 0; i < links_.size(); ++i) {
    const std::size_t positions = index(num_positions(links_[i].joint));
    const std::size_t rates = index(num_velocities(links_[i].joint));
    links_[i].set_motion(q.subspan(at, positions), qp.subspan(v, rates), qpp.subspan(v, rates));
    at += positions, v += rates;
  }
}

void ChainObject::kinematics() {
  for (std::size_t i = 1; i < links_.size(); ++i) {  // base to tip
    LinkObject& link = links_[i];
    const LinkObject& last = links_[index(link.previous)];
    link.M0 = last.M0 * link.A;
    link.W0 = change_frame(last.M0, link.W);
    link.H0 = change_frame(last.M0, link.H);
    link.WA = last.WA + link.W0;
    link.HA = last.HA + link.H0 + 2.0 * last.WA * link.W0;
  }
}

void ChainObject::dynamics() {
  Acceleration<double> Hg;
  Hg.a = gravity;
  links_[0].ACT0 = {};
  for (std::size_t i = 1; i < links_.size(); ++i) {
    LinkObject& link = links_[i];
    link.J0 = change_frame(link.M0, link.J);
    link.FI = skew(Hg - link.HA, link.J0);
    link.ACT0 = link.FI + change_frame(link.M0, link.external);
  }
  for (std::size_t i = links_.size() - 1; i > 0; --i) {  // tip to base
    LinkObject& link = links_[i];
    LinkObject& last = links_[index(link.previous)];
    last.ACT0 = last.ACT0 + link.ACT0;
    link.L0.clear();
    link.tau.clear();
    for (const Screw<double>& L : link.L) {
      link.L0.push_back(change_frame(last.M0, L));
      link.tau.push_back(0 - work(link.ACT0, link.L0.back()));  // no -0
    }
  }
}

std::vector<double> ChainObject::inverse_dynamics(std::span<const double> q,
                                                  std::span<const double> qp,
                                                  std::span<const double> qpp) {
  set_motion(q, qp, qpp);
  kinematics();
  dynamics();
  std::vector<double> tau;
  for (const LinkObject& link : links_) tau.insert(tau.end(), link.tau.begin(), link.tau.end());
  return tau;
}

}  // namespace catena::homogeneous
