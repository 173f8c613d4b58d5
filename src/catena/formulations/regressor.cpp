#include "catena/formulations/regressor.hpp"

#include <algorithm>

#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {
namespace {

constexpr int per_body = 10, per_joint = 5;

template <class C>
Pose<C> cast_pose(const Pose<double>& X) {
  const auto vector = [](const Vec3<double>& v) { return Vec3<C>{C(v.x), C(v.y), C(v.z)}; };
  return {{vector(X.R.x), vector(X.R.y), vector(X.R.z)}, vector(X.p)};
}

// The motion of a body frame F in its own axes; gravity is an acceleration of the world.
template <class T>
struct FrameMotion {
  Vec3<T> w, alpha, a;
};

// The entries of one body for a direction s of a joint below it, seen at F: s times the wrench that
// each parameter alone would need,
//   m: [0; a],  h: [h x a; U h],  I: [I alpha + w x I w; 0].
template <class T>
void write_entries(const Motion<T>& s, const FrameMotion<T>& F, const Mat3<T>& U, T* entry) {
  const auto add = [](T& to, const T& x) { to = to + x; };
  const Vec3<T> u = cross(s.w, F.w), h = cross(F.a, s.w) + transpose_times(U, s.v);
  const auto product = [&](T Vec3<T>::*i, T Vec3<T>::*j) {
    return s.w.*i * F.alpha.*j + u.*i * F.w.*j;
  };
  constexpr auto x = &Vec3<T>::x, y = &Vec3<T>::y, z = &Vec3<T>::z;
  add(entry[0], dot(s.v, F.a));
  add(entry[1], h.x), add(entry[2], h.y), add(entry[3], h.z);
  add(entry[4], product(x, x)), add(entry[5], product(x, y) + product(y, x));
  add(entry[6], product(x, z) + product(z, x)), add(entry[7], product(y, y));
  add(entry[8], product(y, z) + product(z, y)), add(entry[9], product(z, z));
}

template <class T>
Motion<T> scaled(const Constant<T>& ratio, const Motion<T>& s) {
  return {ratio * s.w, ratio * s.v};
}

template <class T>
struct Kernel {
  using C = Constant<T>;

  static void run(const Mechanism<C>* mechanism, const T* q, const T* qd, const T* qdd, Arena arena,
                  std::size_t columns, T* Y) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const JointPositions<T> at = joint_positions(m, q, arena);
    Pose<T>* X_WB = arena.take<Pose<T>>(index(nb));
    FrameMotion<T>* motion = arena.take<FrameMotion<T>>(index(nb));
    Motion<T>* S = arena.take<Motion<T>>(index(m.tree_nv));
    int* last_v = arena.take<int>(index(nb));  // the nearest velocity that moves a body
    const Vec3<T> zero{T(0), T(0), T(0)};
    X_WB[0] = Pose<T>{{{T(1), T(0), T(0)}, {T(0), T(1), T(0)}, {T(0), T(0), T(1)}}, zero};
    motion[0] = {zero, zero, {T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)}};
    last_v[0] = -1;
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = m.bodies[index(i)];
      with_joint(b.kind, [&](auto joint) {
        const auto X = transform_of<T>(joint, b, at);
        X_WB[i] = X.after(X_WB[b.parent]);
        auto [w, alpha, a] = motion[b.parent];
        carry_motion(joint, b, X, qd, qdd, acceleration_matrix(w, alpha), w, alpha, a);
        motion[i] = {w, alpha, a};
        for (int k = 0; k < joint.nv; ++k) S[b.v + k] = direction(joint, b, k, X_WB[i]);
        last_v[i] = joint.nv > 0 ? b.v + joint.nv - 1 : last_v[b.parent];
      });
    }
    T* column = Y;
    for (const FrameInfo& f : m.names->frames) {
      if (!f.is_body || &f == m.names->frames.data()) continue;
      const Pose<C> X_BF = cast_pose<C>(f.X_BF);
      const FrameMotion<T>& B = motion[f.body];
      const Pose<T> X_WF = X_WB[f.body] * X_BF;
      const FrameMotion<T> F{
          transpose_times(X_BF.R, B.w), transpose_times(X_BF.R, B.alpha),
          transpose_times(X_BF.R, B.a + acceleration_matrix(B.w, B.alpha) * X_BF.p)};
      const Mat3<T> U = acceleration_matrix(F.w, F.alpha);
      for (int v = last_v[f.body]; v >= 0; v = m.parent_of_v[index(v)]) {
        const auto& map = m.v_map[index(v)];
        write_entries(scaled(map.ratio, to_child(X_WF, S[v])), F, U,
                      column + index(map.index) * columns);
      }
      column += per_body;
    }
    for (const JointInfo& j : m.names->joints) {
      if (j.kind == JointKind::fixed) continue;
      for (int v = j.tree_v; v < j.tree_v + num_velocities(j.kind); ++v) {
        const auto& map = m.v_map[index(v)];
        T* entry = column + index(map.index) * columns;
        const auto add = [&](int k, const T& x) { entry[k] = entry[k] + map.ratio * x; };
        add(0, qdd[v]), add(1, qd[v]), add(2, sign(qd[v]));
        const int at_q = m.q_of_v[index(v)];
        if (at_q >= 0) add(3, q[at_q]), add(4, T(-1));
      }
      column += per_joint;
    }
  }
};

}  // namespace

const char* to_string(ParameterKind kind) {
  static const char* names[] = {"m",     "hx",      "hy",      "hz",        "Ixx",
                                "Ixy",   "Ixz",     "Iyy",     "Iyz",       "Izz",
                                "rotor", "viscous", "coulomb", "stiffness", "preload"};
  return names[static_cast<int>(kind)];
}

template <class C>
std::size_t num_parameters(const Mechanism<C>& m) {
  std::size_t n = 0;
  for (const FrameInfo& f : m.names->frames) {
    if (f.is_body && &f != m.names->frames.data()) n += per_body;
  }
  for (const JointInfo& j : m.names->joints) n += j.kind == JointKind::fixed ? 0 : per_joint;
  return n;
}

std::vector<Parameter> parameters(const MechanismNames& names) {
  std::vector<Parameter> all;
  const auto add = [&](int first, int count, int owner, const std::string& name) {
    for (int k = first; k < first + count; ++k) {
      const auto kind = static_cast<ParameterKind>(k);
      all.push_back({kind, owner, std::string(to_string(kind)) + "." + name});
    }
  };
  for (std::size_t i = 1; i < names.frames.size(); ++i) {
    if (names.frames[i].is_body) add(0, per_body, static_cast<int>(i), names.frames[i].name);
  }
  for (std::size_t i = 0; i < names.joints.size(); ++i) {
    if (names.joints[i].kind == JointKind::fixed) continue;
    add(per_body, per_joint, static_cast<int>(i), names.joints[i].name);
  }
  return all;
}

std::vector<double> parameter_values(const Model& model, const MechanismNames& names) {
  std::vector<double> all;
  for (std::size_t i = 1; i < names.frames.size(); ++i) {
    if (!names.frames[i].is_body) continue;
    const auto body = std::find_if(model.bodies.begin(), model.bodies.end(),
                                   [&](const Body& b) { return b.name == names.frames[i].name; });
    Inertia<double> M;
    if (body != model.bodies.end()) M = inertia_from_com(body->mass, body->com, body->inertia);
    all.insert(all.end(),
               {M.m, M.h.x, M.h.y, M.h.z, M.I.xx, M.I.xy, M.I.xz, M.I.yy, M.I.yz, M.I.zz});
  }
  for (const JointInfo& j : names.joints) {
    if (j.kind == JointKind::fixed) continue;
    const auto joint = std::find_if(model.joints.begin(), model.joints.end(),
                                    [&](const Joint& x) { return x.name == j.name; });
    if (joint == model.joints.end()) throw InputError({}, "'" + j.name + "' is not in the model");
    const JointDynamics& d = joint->dynamics;
    all.insert(all.end(), {d.rotor_inertia * d.gear_ratio * d.gear_ratio, d.viscous, d.coulomb,
                           d.stiffness, d.stiffness * d.rest});
  }
  return all;
}

template <class T>
void torque_regressor(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                      std::span<const T> qdd, Workspace<T>& w, std::span<T> Y) {
  const std::size_t columns = num_parameters(m);
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), index(m.nv));
  if (!qdd.empty()) check_size("qdd", qdd.size(), index(m.nv));
  check_size("Y", Y.size(), index(m.nv) * columns);
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_qdd = tree_rates(m, qdd, arena);
  std::fill(Y.begin(), Y.end(), T(0));
  run_kernel<T, Kernel<T>>(&m, tree_q, tree_qd, tree_qdd, arena, columns, Y.data());
}

#define CATENA_INSTANTIATE(T)                                                              \
  template void torque_regressor<T>(const Mechanism<Constant<T>>&, std::span<const T>,     \
                                    std::span<const T>, std::span<const T>, Workspace<T>&, \
                                    std::span<T>);
CATENA_FOR_EACH_DERIVED_SCALAR(CATENA_INSTANTIATE)
#undef CATENA_INSTANTIATE
#define CATENA_INSTANTIATE(C) template std::size_t num_parameters<C>(const Mechanism<C>&);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
