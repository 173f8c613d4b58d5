#include "catena/formulations/denoc/factors.hpp"

#include "catena/formulations/denoc/directions.hpp"
#include "catena/model/workspace.hpp"

namespace catena::denoc {
namespace {

template <class T>
Articulated<T> rigid_body(const MechanismBody<Constant<T>>& b) {
  const T o(0);
  const Vec3<T> zero{o, o, o};
  Articulated<T> M{{o, o, o, o, o, o}, {zero, zero, zero}, {o, o, o, o, o, o}};
  add_rigid(M, b.M);
  return M;
}

}  // namespace

template <class T>
Factors<T> factor_inertia(const Mechanism<Constant<T>>& m, const T* q) {
  Workspace<T> workspace(m);
  Arena arena = workspace.arena();
  const JointPositions<T> at = joint_positions(m, q, arena);
  const int nb = m.num_bodies();
  const std::size_t nv = index(m.tree_nv);
  Factors<T> f{std::vector<Articulated<T>>(nv), std::vector<Force<T>>(nv), std::vector<T>(nv),
               std::vector<Force<T>>(nv), std::vector<T>(nv * nv, T(0))};
  std::vector<Articulated<T>> M;  // M^_{i,i+1} of the bodies, about their origins
  for (const auto& b : m.bodies) M.push_back(rigid_body<T>(b));
  std::vector<Force<T>> column(nv);  // psi_ik = B_kiᵀ psi_k (46), at the body i reached

  for (int i = nb - 1; i > 0; --i) {  // tip to base
    const auto& b = m.bodies[index(i)];
    Articulated<T>& own = M[index(i)];
    with_joint(b.kind, [&](auto joint) {
      for (int v = b.v + joint.nv - 1; v >= b.v; --v) {
        const std::size_t k = index(v);
        const int direction = v - b.v;
        for (std::size_t l = k + 1; l < index(b.subtree_end_v); ++l)
          f.U[k * nv + l] = along(joint, b, direction, column[l]);
        f.U[k * nv + k] = T(1);
        f.M_hat[k] = own;
        f.psi_hat[k] = mass_times<T>(joint, b, direction, own);
        f.m_hat[k] = along(joint, b, direction, f.psi_hat[k]) + m.armature[k];
        const T inverse = T(1) / f.m_hat[k];
        f.psi[k] = {inverse * f.psi_hat[k].n, inverse * f.psi_hat[k].f};
        subtract(own, f.psi_hat[k], f.psi[k]);  // M^_kk
        column[k] = f.psi[k];
      }
      if (b.parent == 0) return;
      const auto X = transform_of<T>(joint, b, at);
      for (std::size_t l = index(b.v); l < index(b.subtree_end_v); ++l)
        column[l] = X.to_parent(column[l]);
      M[index(b.parent)] += X.to_parent(own);  // M^_{i,k} = M_i + B_{k,i}ᵀ M^_{kk} B_{k,i} (50)
    });
  }
  return f;
}

template <class T>
std::vector<T> inverse_inertia_matrix(const Mechanism<Constant<T>>& m, const T* q,
                                      const Factors<T>& factors) {
  Workspace<T> workspace(m);
  Arena arena = workspace.arena();
  const JointPositions<T> at = joint_positions(m, q, arena);
  const int nb = m.num_bodies();
  const std::size_t nv = index(m.tree_nv);
  const T o(0);
  std::vector<T> inverse(nv * nv), tau_tilde(nv);
  std::vector<Motion<T>> mu(index(nb), {{o, o, o}, {o, o, o}});
  for (std::size_t k = 0; k < nv; ++k) {
    // Steps 1 and 2: the unit force k is felt by the joints above it alone.
    for (T& x : tau_tilde) x = o;
    Force<T> eta{{o, o, o}, {o, o, o}};
    for (int i = m.body_of_v[k]; i != 0; i = m.bodies[index(i)].parent) {
      const auto& b = m.bodies[index(i)];
      with_joint(b.kind, [&](auto joint) {
        for (int v = b.v + joint.nv - 1; v >= b.v; --v) {
          const Force<T>& psi = factors.psi[index(v)];
          const T phi = index(v) == k ? T(1) : o;
          const T tau_hat = phi - along(joint, b, v - b.v, eta);
          tau_tilde[index(v)] = tau_hat / factors.m_hat[index(v)];
          eta = {eta.n + tau_hat * psi.n, eta.f + tau_hat * psi.f};
        }
        eta = transform_of<T>(joint, b, at).to_parent(eta);
      });
    }
    for (int i = 1; i < nb; ++i) {  // step 3
      const auto& b = m.bodies[index(i)];
      Motion<T>& own = mu[index(i)];
      with_joint(b.kind, [&](auto joint) {
        own = transform_of<T>(joint, b, at).to_child(mu[index(b.parent)]);
        for (int d = 0; d < joint.nv; ++d) {
          const std::size_t v = index(b.v + d);
          const T x = tau_tilde[v] - dot(own, factors.psi[v]);
          inverse[v * nv + k] = x;
          add_direction(joint, b, d, x, own.w, own.v);
        }
      });
    }
  }
  return inverse;
}

#define CATENA_INSTANTIATE(T)                                                                \
  template Factors<T> factor_inertia<T>(const Mechanism<Constant<T>>&, const T*);            \
  template std::vector<T> inverse_inertia_matrix<T>(const Mechanism<Constant<T>>&, const T*, \
                                                    const Factors<T>&);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::denoc
