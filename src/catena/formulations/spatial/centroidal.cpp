// The momentum of a joint's motion is I S, with I of all that it moves. Its rate is I' S + I S';
// for a body whose points r move with V, and u = (y, z),
//   I' u = [integral of V x (z + y x r) + r x (y x V) dm; y x integral of V dm].
#include "catena/formulations/spatial/centroidal.hpp"

#include "catena/formulations/spatial/derivative_passes.hpp"

namespace catena {
namespace {

// In terms of N and p, which are twice the integrals of V rᵀ and V.
template <class T>
Force<T> inertia_rate_times(const Subtree<T>& B, const Motion<T>& u) {
  const Constant<T> half(0.5);
  const T trace = B.N.x.x + B.N.y.y + B.N.z.z;
  const Vec3<T> both = B.N * u.w + transpose_times(B.N, u.w);
  return {trace * u.w - half * both + half * cross(B.p, u.v), half * cross(u.w, B.p)};
}

}  // namespace

template <class T>
Vec3<T> centroidal_momentum(const Mechanism<Constant<T>>& m, std::span<const T> q,
                            std::span<const T> qd, Workspace<T>& w, std::span<T> A,
                            std::span<T> Adot) {
  check_size("q", q.size(), index(m.nq));
  check_size("qd", qd.size(), index(m.nv));
  check_size("A", A.size(), 6 * index(m.nv));
  check_size("Adot", Adot.size(), 6 * index(m.nv));
  Arena arena = w.arena();
  const T* tree_q = tree_positions(m, q, arena);
  const T* tree_qd = tree_rates(m, qd, arena);
  const JointPositions<T> at = joint_positions(m, tree_q, arena);
  const DerivativePasses<T> passes(m, arena);
  passes.place(at, tree_qd, nullptr);
  passes.accelerate();
  passes.weigh(nullptr);
  passes.gather();
  const Vec3<T> zero{T(0), T(0), T(0)};
  T mass(0);
  Vec3<T> h = zero, p = zero;
  for (int i = 1; i < m.num_bodies(); ++i) {
    if (m.bodies[index(i)].parent != 0) continue;
    const Subtree<T> B = passes.subtree_of(i);
    mass = mass + B.m, h = h + B.h, p = p + B.p;
  }
  if (!(to_double(mass) > 0))
    throw NumericalError("centroidal momentum: no body that moves has a mass");
  const T whole = T(1) / mass;
  const Vec3<T> centre = whole * h, velocity = (T(0.5) * whole) * p;

  for (T& entry : A) entry = T(0);
  for (T& entry : Adot) entry = T(0);
  const Mat3<T> R_W0 = world_pose<T>(m).R;
  const auto add = [&](std::span<T> to, int v, const Vec3<T>& n, const Vec3<T>& f) {
    const auto& map = m.v_map[index(v)];
    const Vec3<T> n_W = map.ratio * (R_W0 * n), f_W = map.ratio * (R_W0 * f);
    T* column = to.data() + 6 * index(map.index);
    column[0] = column[0] + n_W.x, column[1] = column[1] + n_W.y, column[2] = column[2] + n_W.z;
    column[3] = column[3] + f_W.x, column[4] = column[4] + f_W.y, column[5] = column[5] + f_W.z;
  };
  for (int v = 0; v < m.tree_nv; ++v) {
    const int body = m.body_of_v[index(v)];
    const Subtree<T> B = passes.subtree_of(body);
    const Motion<T> s = passes.column(passes.S, v);
    const Motion<T> rate = cross(passes.motion(passes.bodies.row(body) + passes.twist), s);
    const Force<T> F = B.inertia_times(s);
    const Force<T> dF = B.inertia_times(rate) + inertia_rate_times(B, s);
    add(A, v, F.n - cross(centre, F.f), F.f);
    add(Adot, v, dF.n - cross(centre, dF.f) - cross(velocity, F.f), dF.f);
  }
  // from the fixed point of the passes to the world's origin
  const T* const ground = passes.bodies.row(0);
  return world_pose<T>(m) * (centre - passes.vector(ground + 9));
}

#define CATENA_INSTANTIATE(T)                                                                \
  template Vec3<T> centroidal_momentum<T>(const Mechanism<Constant<T>>&, std::span<const T>, \
                                          std::span<const T>, Workspace<T>&, std::span<T>,   \
                                          std::span<T>);
CATENA_FOR_EACH_DERIVED_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
