#include "catena/kinematics/energy.hpp"

#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"
#include "catena/scalar/symbolic.hpp"

namespace catena {
namespace {

// Calls f(body index, its twist at Bo in B, X_WB) from base to tip.
template <class T, class F>
void for_each_body(const Mechanism<Constant<T>>& m, const T* q, const T* qd, Arena arena, F f) {
  const JointPositions<T> at = joint_positions(m, q, arena);
  Pose<T>* X_WB = arena.take<Pose<T>>(m.bodies.size());
  Motion<T>* V = arena.take<Motion<T>>(m.bodies.size());
  const Vec3<T> zero{T(0), T(0), T(0)};
  X_WB[0] = world_pose<T>(m);
  V[0] = {zero, zero};
  for (int i = 1; i < m.num_bodies(); ++i) {
    const auto& b = m.bodies[index(i)];
    with_joint(b.kind, [&](auto joint) {
      const auto X = transform_of<T>(joint, b, at);
      X_WB[i] = X.after(X_WB[b.parent]);
      V[i] = X.to_child(V[b.parent]);
      add_motion(joint, b, qd, V[i].w, V[i].v);
    });
    f(i, V[i], X_WB[i]);
  }
}

}  // namespace

template <class T>
T kinetic_energy(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                 Workspace<T>& w) {
  check_size("q", q.size(), index(m.nq));
  check_size("qd", qd.size(), index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  T twice(0);
  for_each_body<T>(m, tree_q, tree_qd, arena, [&](int i, const Motion<T>& V, const Pose<T>&) {
    twice = twice + dot(V, m.bodies[index(i)].M * V);
  });
  for (int v = 0; v < m.tree_nv; ++v) {
    twice = twice + m.armature[index(v)] * (tree_qd[v] * tree_qd[v]);
  }
  return T(0.5) * twice;
}

template <class T>
T potential_energy(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w) {
  check_size("q", q.size(), index(m.nq));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* rest = tree_rates<T>(m, {}, arena);
  T energy(0);
  for_each_body<T>(m, tree_q, rest, arena, [&](int i, const Motion<T>&, const Pose<T>& X_WB) {
    const auto& M = m.bodies[index(i)].M;
    energy = energy - dot(M.m * X_WB.p + X_WB.R * M.h, m.gravity);
  });
  for (int v = 0; v < m.tree_nv; ++v) {
    if (m.q_of_v[index(v)] < 0) continue;
    const T stretch = tree_q[m.q_of_v[index(v)]] - m.rest[index(v)];
    energy = energy + T(0.5) * (m.stiffness[index(v)] * (stretch * stretch));
  }
  return energy;
}

template <class T>
Force<T> momentum(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                  Workspace<T>& w) {
  check_size("q", q.size(), index(m.nq));
  check_size("qd", qd.size(), index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  const Vec3<T> zero{T(0), T(0), T(0)};
  Force<T> h{zero, zero};
  for_each_body<T>(m, tree_q, tree_qd, arena, [&](int i, const Motion<T>& V, const Pose<T>& X_WB) {
    h += transform(X_WB, m.bodies[index(i)].M * V);
  });
  return h;
}

#define CATENA_INSTANTIATE(T)                                                       \
  template T kinetic_energy<T>(const Mechanism<Constant<T>>&, std::span<const T>,   \
                               std::span<const T>, Workspace<T>&);                  \
  template T potential_energy<T>(const Mechanism<Constant<T>>&, std::span<const T>, \
                                 Workspace<T>&);                                    \
  template Force<T> momentum<T>(const Mechanism<Constant<T>>&, std::span<const T>,  \
                                std::span<const T>, Workspace<T>&);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(Symbolic)

}  // namespace catena
