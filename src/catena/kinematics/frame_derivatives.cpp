// At the world's origin, with V_P, A_P of the body below joint j and V, A of the frame:
//   Psi' = V_P x S, Psi" = A_P x S + V_P x Psi', S' = V_B x S,
//   dV/dq_j = Psi' + S x V,   dA/dq_j = Psi" + S x A + Psi' x V,   dA/dv_j = Psi' + S' + S x V.
// S x ... is the part that comes from moving the frame as a whole, which its own axes do not see.
#include "catena/kinematics/frame_derivatives.hpp"

#include "catena/kinematics/all_jacobians.hpp"

namespace catena {
namespace {

template <class T>
Motion<T> spatial_cross(const Motion<T>& a, const Motion<T>& b) {
  return {cross(a.w, b.w), cross(a.w, b.v) + cross(a.v, b.w)};
}

template <class T>
struct Writer {
  const Mechanism<Constant<T>>& m;
  Pose<T> X_WF;
  Motion<T> V, A;  // at the world's origin
  Axes axes;
  FrameDerivatives<T> out;

  void add(std::span<T> to, int k, const Motion<T>& x) const {
    const auto& map = m.v_map[index(k)];
    T* column = to.data() + 6 * index(map.index);
    const T part[6] = {x.w.x, x.w.y, x.w.z, x.v.x, x.v.y, x.v.z};
    for (int r = 0; r < 6; ++r) column[r] = column[r] + map.ratio * part[r];
  }
  Motion<T> at_frame(const Motion<T>& x) const { return {x.w, x.v + cross(x.w, X_WF.p)}; }
  Motion<T> in_frame(const Motion<T>& x) const {
    const Motion<T> y = at_frame(x);
    return {transpose_times(X_WF.R, y.w), transpose_times(X_WF.R, y.v)};
  }

  // S, Psi', Psi" and Psi' + S' of velocity k
  void write(int k, const Motion<T>& S, const Motion<T>& psi, const Motion<T>& psi2,
             const Motion<T>& rate) const {
    const Motion<T> SV = spatial_cross(S, V);
    if (axes == Axes::frame) {
      add(out.J, k, in_frame(S));
      add(out.dV_dq, k, in_frame(psi));
      add(out.dA_dq, k, in_frame(psi2 + spatial_cross(psi, V)));
      add(out.dA_dv, k, in_frame(rate + SV));
      return;
    }
    const Motion<T> dV_dq = psi + SV, dA_dv = rate + SV;
    const Motion<T> dA_dq = psi2 + spatial_cross(S, A) + spatial_cross(psi, V);
    if (axes == Axes::world) {
      add(out.J, k, S), add(out.dV_dq, k, dV_dq), add(out.dA_dq, k, dA_dq);
      return add(out.dA_dv, k, dA_dv);
    }
    // At Fo: v = V.v + w x p, and the acceleration of that point A.v + alpha x p + w x v.
    const Motion<T> J = at_frame(S), V_F = at_frame(V);
    const Vec3<T>& dp = J.v;
    Motion<T> dV = at_frame(dV_dq), dA = at_frame(dA_dq), dA_v = at_frame(dA_dv);
    dV.v = dV.v + cross(V.w, dp);
    dA.v = dA.v + cross(A.w, dp) + cross(dV.w, V_F.v) + cross(V.w, dV.v);
    dA_v.v = dA_v.v + cross(S.w, V_F.v) + cross(V.w, dp);
    add(out.J, k, J), add(out.dV_dq, k, dV), add(out.dA_dq, k, dA), add(out.dA_dv, k, dA_v);
  }
};

}  // namespace

template <class T>
void frame_derivatives(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                       std::span<const T> qdd, int body, const Pose<Constant<T>>& X_BF, Axes axes,
                       Workspace<T>& w, const FrameDerivatives<T>& out) {
  check_size("q", q.size(), index(m.nq));
  if (!qd.empty()) check_size("qd", qd.size(), index(m.nv));
  if (!qdd.empty()) check_size("qdd", qdd.size(), index(m.nv));
  for (const std::span<T>& matrix : {out.J, out.dV_dq, out.dA_dq, out.dA_dv}) {
    check_size("a derivative", matrix.size(), 6 * index(m.nv));
    for (T& entry : matrix) entry = T(0);
  }
  Arena arena = w.arena();
  const T* tree_qd = tree_rates(m, qd, arena);
  const T* tree_qdd = tree_rates(m, qdd, arena);
  const kernels::AllJacobians<T> all = all_jacobians(m, q, arena);
  int* path = arena.take<int>(index(m.tree_nv));  // from the ground to the frame
  int length = 0;
  for (int k = kernels::last_velocity(m, body); k >= 0; k = m.parent_of_v[index(k)]) ++length;
  for (int k = kernels::last_velocity(m, body), i = length; k >= 0; k = m.parent_of_v[index(k)])
    path[--i] = k;

  const Vec3<T> zero{T(0), T(0), T(0)};
  Motion<T>* psi = arena.take<Motion<T>>(index(length));
  Motion<T>* psi2 = arena.take<Motion<T>>(index(length));
  Motion<T>* rate = arena.take<Motion<T>>(index(length));
  Motion<T> V{zero, zero}, A{zero, zero};
  for (int i = 0; i < length;) {  // joint by joint
    const int moved = m.body_of_v[index(path[i])];
    const Motion<T> V_P = V, A_P = A;
    const int first = i;
    for (; i < length && m.body_of_v[index(path[i])] == moved; ++i) {
      const int k = path[i];
      const Motion<T> S = all.column(k);
      psi[i] = spatial_cross(V_P, S);
      psi2[i] = spatial_cross(A_P, S) + spatial_cross(V_P, psi[i]);
      V = V + Motion<T>{tree_qd[k] * S.w, tree_qd[k] * S.v};
      A = A + Motion<T>{tree_qdd[k] * S.w, tree_qdd[k] * S.v} +
          Motion<T>{tree_qd[k] * psi[i].w, tree_qd[k] * psi[i].v};
    }
    for (int j = first; j < i; ++j) rate[j] = psi[j] + spatial_cross(V, all.column(path[j]));
  }
  const Writer<T> writer{m, all.X_WB[body] * X_BF, V, A, axes, out};
  for (int i = 0; i < length; ++i)
    writer.write(path[i], all.column(path[i]), psi[i], psi2[i], rate[i]);
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template void frame_derivatives<T>(                                                            \
      const Mechanism<Constant<T>>&, std::span<const T>, std::span<const T>, std::span<const T>, \
      int, const Pose<Constant<T>>&, Axes, Workspace<T>&, const FrameDerivatives<T>&);
CATENA_FOR_EACH_DERIVED_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena
