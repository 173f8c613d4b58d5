// RFDSIM: the generalized inertia matrix is factored as U D Uᵀ by reverse Gaussian elimination,
// without being written down, and the accelerations follow in three steps:
//   1  U tau^ = phi         tau^_i = phi_i - p_iᵀ eta_{i,i+1}                 (34)
//                           eta_{i,i+1} = sum B_{c,i}ᵀ eta_c over the children c
//                           eta_i = psi_i tau^_i + eta_{i,i+1}                (35)
//   2  D tau~ = tau^        tau~_i = tau^_i / m^_i
//   3  Uᵀ qdd = tau~        qdd_i = tau~_i - psi_iᵀ mu_{i,i-1}                (36)
//                           mu_{i,i-1} = B_{i,i-1} mu_{i-1}
//                           mu_i = p_i qdd_i + mu_{i,i-1}                     (37)
// with psi_i, m^_i of the elimination (directions.hpp), all in body axes.
//
// Forward dynamics needs phi = tau - C qd - gravity, and C qd is a backward recursion of wrenches
// by the same B_{c,i}ᵀ as eta. The two are carried as one sum: eta_{i,i+1} + w~_i.
#include "catena/formulations/denoc/forward_dynamics.hpp"

#include "catena/formulations/denoc/directions.hpp"
#include "catena/formulations/denoc/revolute_step.hpp"
#include "catena/formulations/denoc/twists.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::denoc {
namespace {

template <class T>
struct Kernel {
  using Body = MechanismBody<Constant<T>>;

  // phi: tau if `moving`, when the bias is yet to be subtracted.
  static void run(const Mechanism<Constant<T>>* mechanism, bool moving, const T* q, const T* qd,
                  const T* phi, const Force<T>* Fext_B, Arena arena, T* qdd, int* lost) {
    const auto& m = *mechanism;
    const JointPositions<T> at = joint_positions(m, q, arena);
    Direction<T>* directions = arena.take<Direction<T>>(index(m.tree_nv));
    Force<T>* eta = arena.take<Force<T>>(index(m.num_bodies()));
    if (moving) {
      inertia_wrenches<false>(m, at, qd, qd, Fext_B, arena, eta);
    } else {
      const T o(0);
      for (int i = 0; i < m.num_bodies(); ++i) eta[i] = {{o, o, o}, {o, o, o}};
    }
    eliminate_all(m, at, phi, arena, eta, directions, lost);
    substitute(m, at, directions, arena, qdd);
  }

  // Steps 1 and 2, tip to base. What the children of a branching body hand down waits in `handed`.
  static void eliminate_all(const Mechanism<Constant<T>>& m, const JointPositions<T>& at,
                            const T* phi, Arena& arena, Force<T>* eta, Direction<T>* directions,
                            int* lost) {
    const T o(0);
    const Vec3<T> zero{o, o, o};
    const Articulated<T> none{{o, o, o, o, o, o}, {zero, zero, zero}, {o, o, o, o, o, o}};
    const int nb = m.num_bodies();
    const auto* bodies = m.bodies.data();
    Articulated<T>* handed = nullptr;
    if (m.branched) {
      handed = arena.take<Articulated<T>>(index(nb));
      for (int i = 0; i < nb; ++i) handed[i] = none;
    }
    Articulated<T> M = none;
    Force<T> F = eta[nb - 1];
    for (int i = nb - 1; i > 0; --i) {
      const Body& b = bodies[i];
      if (handed != nullptr) M += handed[i];
      add_rigid(M, b.M);
      Articulated<T> up = none;
      Force<T> sum = eta[b.parent];
      const bool last =
          bodies[b.parent].parent == 0 && bodies[b.parent].kind == Primitive::revolute;
      with_joint(b.kind, [&](auto joint) {
        const int bad = eliminate_joint(joint, m, b, last, at, phi, M, F, up, sum, directions);
        if (bad >= 0 && *lost < 0) *lost = bad;
      });
      if (b.parent == i - 1) {
        M = up;
        F = sum;
      } else {
        eta[b.parent] = sum;
        if (b.parent != 0) handed[b.parent] += up;
        M = none;
        F = eta[i - 1];
      }
    }
  }

  // The directions of one joint; then M^ and eta of the body are taken to its parent.
  // last: the parent turns about the ground's axis, and needs what concerns that axis alone.
  template <class J>
  static int eliminate_joint(J joint, const Mechanism<Constant<T>>& m, const Body& b, bool last,
                             const JointPositions<T>& at, const T* phi, Articulated<T>& M,
                             Force<T>& eta, Articulated<T>& up, Force<T>& sum,
                             Direction<T>* directions) {
    bool lost = false;
    if constexpr (std::is_same_v<J, RevoluteJoint>) {
      if (b.parent == 0) {  // psi is not needed
        const T m_hat = M.A.zz + m.armature[index(b.v)];
        directions[b.v].tau_tilde = (phi[b.v] - eta.n.z) / m_hat;
        return is_lost(m_hat, M) ? b.v : -1;
      }
      if (!m.has_armature) {
        const RevoluteStep<T> step{b, at.c[b.q], at.s[b.q]};
        T scale(0);
        if constexpr (spacing < T >> 0) scale = M.A.xx + M.A.yy + M.A.zz + M.C.xx + M.C.yy + M.C.zz;
        directions[b.v] = eliminate_z(phi[b.v], M, eta, lost);
        if (last) {
          up.A.zz = step.inertia_about_z(M);
          if constexpr (spacing < T >> 0) up.C.xx = scale;  // for is_lost() alone
          sum.n.z = sum.n.z + step.moment_about_z(eta);
        } else {
          up = step.to_parent(M);
          step.add_to_parent(sum, eta);
        }
        return lost ? b.v : -1;
      }
    }
    int bad = -1;
    for (int v = b.v + J::nv - 1; v >= b.v; --v) {
      directions[v] = eliminate(joint, b, v - b.v, phi[v], m.armature[index(v)], M, eta, lost);
      if (lost && bad < 0) bad = v;
    }
    if (b.parent == 0) return bad;
    const auto X = transform_of<T>(joint, b, at);
    up = X.to_parent(M);
    X.add_to_parent(sum, eta);
    return bad;
  }

  // Step 3, base to tip.
  static void substitute(const Mechanism<Constant<T>>& m, const JointPositions<T>& at,
                         const Direction<T>* directions, Arena& arena, T* qdd) {
    const T o(0);
    const int nb = m.num_bodies();
    Motion<T>* motions = m.branched ? arena.take<Motion<T>>(index(nb)) : nullptr;
    Motion<T> mu{{o, o, o}, {o, o, o}};
    if (m.branched) motions[0] = mu;
    for (int i = 1; i < nb; ++i) {
      const Body& b = m.bodies[index(i)];
      if (b.parent != i - 1) mu = motions[b.parent];
      with_joint(b.kind,
                 [&](auto joint) { substitute_joint(joint, m, b, at, directions, mu, qdd); });
      if (m.branched) motions[i] = mu;
    }
  }
  template <class J>
  static void substitute_joint(J joint, const Mechanism<Constant<T>>& m, const Body& b,
                               const JointPositions<T>& at, const Direction<T>* directions,
                               Motion<T>& mu, T* qdd) {
    if constexpr (std::is_same_v<J, RevoluteJoint>) {
      const Direction<T>& d = directions[b.v];
      if (b.parent == 0) {
        const T o(0);
        qdd[b.v] = d.tau_tilde;
        mu = {{o, o, d.tau_tilde}, {o, o, o}};
        return;
      }
      if (!m.has_armature) {  // psi.n.z = 1
        mu = RevoluteStep<T>{b, at.c[b.q], at.s[b.q]}.to_child(mu);
        const T rest = d.tau_tilde - d.psi.n.x * mu.w.x - d.psi.n.y * mu.w.y - d.psi.f.x * mu.v.x -
                       d.psi.f.y * mu.v.y - d.psi.f.z * mu.v.z;
        qdd[b.v] = rest - mu.w.z;
        mu.w.z = rest;
        return;
      }
    }
    mu = transform_of<T>(joint, b, at).to_child(mu);
    for (int k = 0; k < J::nv; ++k) {
      const Direction<T>& d = directions[b.v + k];
      const T x = d.tau_tilde - dot(mu, d.psi);
      qdd[b.v + k] = x;
      add_direction(joint, b, k, x, mu.w, mu.v);
    }
  }
};

}  // namespace

template <class T>
int forward_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd) {
  int lost = -1;
  run_kernel<T, Kernel<T>>(&m, true, q, qd, tau, Fext_B, arena, qdd, &lost);
  return lost;
}

template <class T>
int solve_inertia(const Mechanism<Constant<T>>& m, const T* q, const T* phi, Arena arena, T* x) {
  int lost = -1;
  const T* none = nullptr;
  const Force<T>* no_wrenches = nullptr;
  run_kernel<T, Kernel<T>>(&m, false, q, none, phi, no_wrenches, arena, x, &lost);
  return lost;
}

#define CATENA_INSTANTIATE(T)                                                                   \
  template int forward_dynamics<T>(const Mechanism<Constant<T>>&, const T*, const T*, const T*, \
                                   const Force<T>*, Arena, T*);                                 \
  template int solve_inertia<T>(const Mechanism<Constant<T>>&, const T*, const T*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::denoc
