#include "catena/formulations/spatial/inverse_derivatives.hpp"

#include "catena/formulations/spatial/derivatives_kernel.hpp"
#include "catena/scalar/isa.hpp"

namespace catena {
template <class T>
void inverse_dynamics_derivatives(const Mechanism<Constant<T>>& m, std::span<const T> q,
                                  std::span<const T> qd, std::span<const T> qdd,
                                  std::span<const Force<T>> Fext_B, Workspace<T>& w,
                                  std::span<T> dtau_dq, std::span<T> dtau_dv, std::span<T> M) {
  const std::size_t n = index(m.nv), tree_n = index(m.tree_nv);
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), n);
  if (!qdd.empty()) check_size("qdd", qdd.size(), n);
  if (!Fext_B.empty()) check_size("Fext_B", Fext_B.size(), m.bodies.size());
  check_size("dtau_dq", dtau_dq.size(), n * n);
  check_size("dtau_dv", dtau_dv.size(), n * n);
  if (!M.empty()) check_size("M", M.size(), n * n);
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_qdd = tree_rates(m, qdd, arena);
  std::span<T> user[] = {dtau_dq, dtau_dv, M};
  T* tree[3];
  for (int k = 0; k < 3; ++k) {
    tree[k] = user[k].empty() ? nullptr : user[k].data();
    if (tree[k] == nullptr) continue;
    if (m.coupled) tree[k] = arena.take<T>(tree_n * tree_n);
  }
  run_kernel<T, kernels::InverseDerivatives<T>>(&m, tree_q, tree_qd, tree_qdd,
                                                Fext_B.empty() ? nullptr : Fext_B.data(), arena,
                                                tree[0], tree[1], tree[2]);
  for (int k = 0; m.coupled && k < 3; ++k) {
    if (tree[k] != nullptr) gather_square(m, static_cast<const T*>(tree[k]), user[k]);
  }
}

// dtau_i/dq_j changes by w_i · (w_j x n) + v_i · (w_j x f), with w and v the motions of the point
// where the wrench acts.
template <class T>
void hold_wrench_in_world(const Mechanism<Constant<T>>& m, std::span<const T> q, int body,
                          const Vec3<Constant<T>>& p_B, const Force<T>& F_W, Workspace<T>& w,
                          std::span<T> dtau_dq) {
  const std::size_t n = index(m.nv);
  check_size("q", q.size(), index(m.nq));
  check_size("dtau_dq", dtau_dq.size(), n * n);
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const DerivativePasses<T> passes(m, arena);
  passes.place(joint_positions(m, tree_q, arena), tree_rates<T>(m, {}, arena), nullptr);
  const Force<T> F{transpose_times(m.X_W0.R, F_W.n), transpose_times(m.X_W0.R, F_W.f)};
  const T* const B = passes.bodies.row(body);
  const Vec3<T> p = Mat3<T>{passes.vector(B), passes.vector(B + 3), passes.vector(B + 6)} * p_B +
                    passes.vector(B + 9);
  while (body > 0 && m.bodies[index(body)].kind == Primitive::fixed)
    body = m.bodies[index(body)].parent;
  if (body == 0) return;
  const int last = passes.end_of_joint(body) - 1;
  for (int j = last; j >= 0; j = m.parent_of_v[index(j)]) {
    const auto& to_j = m.v_map[index(j)];
    const Vec3<T> turn = to_j.ratio * passes.column(passes.S, j).w;
    const Vec3<T> n_j = cross(turn, F.n), f_j = cross(turn, F.f);
    for (int i = last; i >= 0; i = m.parent_of_v[index(i)]) {
      const auto& to_i = m.v_map[index(i)];
      const Motion<T> s = passes.column(passes.S, i);
      T& entry = dtau_dq[index(to_i.index) * n + index(to_j.index)];
      entry = entry + to_i.ratio * (dot(s.w, n_j) + dot(s.v + cross(s.w, p), f_j));
    }
  }
}

#define CATENA_INSTANTIATE(T)                                                                     \
  template void inverse_dynamics_derivatives<T>(                                                  \
      const Mechanism<Constant<T>>&, std::span<const T>, std::span<const T>, std::span<const T>,  \
      std::span<const Force<T>>, Workspace<T>&, std::span<T>, std::span<T>, std::span<T>);        \
  template void hold_wrench_in_world<T>(const Mechanism<Constant<T>>&, std::span<const T>, int,   \
                                        const Vec3<Constant<T>>&, const Force<T>&, Workspace<T>&, \
                                        std::span<T>);
CATENA_FOR_EACH_DERIVED_SCALAR(CATENA_INSTANTIATE)
CATENA_INSTANTIATE(float)

}  // namespace catena
