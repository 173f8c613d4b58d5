// Of all factors C the one that comes from B/2 for every body [Echeandia & Wensing 2021]: with
// S' = V_B x S, and j at or below i,
//   C_ij = S_i (B_i/2 S_j + I_i S'_j),   C_ji = S_j (B_i/2 S_i + I_i S'_i).
#include "catena/formulations/spatial/coriolis_matrix.hpp"

#include "catena/formulations/spatial/derivative_passes.hpp"

namespace catena {
namespace {

template <class T>
struct Vectors {
  Motion<T> s, rate;  // S, S'
  Force<T> along;     // I S
  Force<T> force;     // B/2 S + I S'
  Vec3<T> turning;    // (B/2)ᵀ S
};

template <class T>
void tree_coriolis_matrix(const Mechanism<Constant<T>>& m, const T* q, const T* qd, Arena arena,
                          T* C) {
  const DerivativePasses<T> passes(m, arena);
  passes.place(joint_positions(m, q, arena), qd, nullptr);
  passes.accelerate();
  passes.weigh(nullptr);
  passes.gather();
  const int n = m.tree_nv;
  const Constant<T> half(0.5);
  Vectors<T>* x = arena.take<Vectors<T>>(index(n));
  for (int v = 0; v < n; ++v) {
    const int body = m.body_of_v[index(v)];
    const Subtree<T> B = passes.subtree_of(body);
    const Motion<T> s = passes.column(passes.S, v);
    const Motion<T> rate = cross(passes.motion(passes.bodies.row(body) + passes.twist), s);
    const Force<T> pushed = B.inertia_times(rate), turned = B.velocity_times(s.w);
    x[v] = {s, rate, B.inertia_times(s), pushed + Force<T>{half * turned.n, half * turned.f},
            half * B.velocity_transposed_times(s)};
  }
  clear(C, index(n) * index(n));
  const auto entry = [&](int i, int j) -> T& { return C[index(i) * index(n) + index(j)]; };
  for (int i = 0; i < n; ++i) {
    const int own = m.bodies[index(m.body_of_v[index(i)])].v;
    for (int j = passes.end_of_own(i) - 1; j >= 0; j = m.parent_of_v[index(j)]) {
      entry(i, j) = dot(x[j].rate, x[i].along) + dot(x[j].s.w, x[i].turning);
      if (j < own) entry(j, i) = dot(x[j].s, x[i].force);
    }
  }
}

}  // namespace

template <class T>
void coriolis_matrix(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                     Workspace<T>& w, std::span<T> C) {
  check_size("q", q.size(), index(m.nq));
  check_size("qd", qd.size(), index(m.nv));
  check_size("C", C.size(), index(m.nv) * index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  T* tree = m.coupled ? arena.take<T>(index(m.tree_nv) * index(m.tree_nv)) : C.data();
  tree_coriolis_matrix(m, tree_q, tree_qd, arena, tree);
  if (m.coupled) gather_square(m, static_cast<const T*>(tree), C);
}

#define CATENA_INSTANTIATE(T)                                                         \
  template void coriolis_matrix<T>(const Mechanism<Constant<T>>&, std::span<const T>, \
                                   std::span<const T>, Workspace<T>&, std::span<T>);
CATENA_FOR_EACH_DERIVED_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
