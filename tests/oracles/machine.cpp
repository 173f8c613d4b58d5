#include "oracles/machine.hpp"

namespace catena::oracle {
namespace {

bool is_angle(JointKind kind, int k) {
  return kind == JointKind::revolute || kind == JointKind::screw || kind == JointKind::universal ||
         (kind == JointKind::cylindrical && k == 0) || (kind == JointKind::planar && k == 2);
}

}  // namespace

State<double> random_state(const Mechanism<double>& m, Random& random, bool wrenches) {
  State<double> s;
  s.q.resize(at(m.nq));
  for (const JointInfo& j : m.names->joints) {
    if (j.mimic) continue;
    for (int k = 0; k < j.nq; ++k) {
      s.q[at(j.q + k)] = is_angle(j.kind, k) ? random.uniform(-3.14, 3.14) : random.uniform();
    }
    const int quaternion = j.kind == JointKind::spherical ? 0 : j.kind == JointKind::free ? 3 : -1;
    if (quaternion < 0) continue;
    const std::vector<double> e = random.quaternion();
    for (int k = 0; k < 4; ++k) s.q[at(j.q + quaternion + k)] = e[at(k)];
  }
  for (std::vector<double>* v : {&s.qd, &s.qdd, &s.tau}) {
    for (int k = 0; k < m.nv; ++k) v->push_back(random.uniform());
  }
  if (wrenches) {
    for (int b = 0; b < m.num_bodies(); ++b) {
      const Vec3<double> n = random.vector(), f = random.vector();
      s.Fext.push_back({n, f});
    }
  }
  return s;
}

std::map<std::string, BodyWrench> random_wrenches(const Model& model, const Mechanism<double>& m,
                                                  Random& random, State<double>& state) {
  std::map<std::string, BodyWrench> wrenches;
  state.Fext.assign(m.bodies.size(), Force<double>{});
  for (const Body& body : model.bodies) {
    if (body.name == model.ground) continue;
    const Force<double> F{random.vector(), random.vector()};
    wrenches[body.name] = {{F.n.x, F.n.y, F.n.z}, {F.f.x, F.f.y, F.f.z}};
    const FrameInfo& frame = m.names->frames[at(m.names->frame(body.name))];
    state.Fext[at(frame.body)] += transform(frame.X_BF, F);
  }
  return wrenches;
}

std::vector<std::string> coordinate_order(const Mechanism<double>& m) {
  std::vector<std::string> order;
  for (const JointInfo& j : m.names->joints) {
    if (!j.mimic && j.kind != JointKind::fixed) order.push_back(j.name);
  }
  return order;
}

#if CATENA_HAS_QUAD
Mat3<Quad> orthogonal(Mat3<Quad> R) {
  auto unit = [](const Vec3<Quad>& v) { return (1 / sqrt(dot(v, v))) * v; };
  R.x = unit(R.x);
  R.y = unit(R.y - dot(R.x, R.y) * R.x);
  R.z = cross(R.x, R.y);
  return R;
}
#endif

}  // namespace catena::oracle
