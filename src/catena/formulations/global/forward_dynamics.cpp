// Global analysis, forward dynamics [Featherstone & Orin 2000, (27)]:
//
//   | I   T | |  a    |   | f_a - v x I v |
//   | Tᵀ  0 | | -beta | = | Tᵀ a_0        |      T = Pᵀ diag(T_i)
//
// in the accelerations a of all bodies and the constraint forces beta of all joints, 12 - nv
// numbers per body. The graph of the matrix is the tree, so that the order "tips first" is perfect:
// what the elimination of (a_i, beta_i) leaves behind touches the parent alone.
//
// In the joint's basis a_i = H y + S u, and of the equations of body i
//
//   D y + kᵀ u          = tau - Hᵀ p          D = Hᵀ I H, k = Sᵀ I H, B = Sᵀ I S
//   k y + B u   - beta  =     - Sᵀ p
//        u              = T_iᵀ (a_parent + c_i)
//
// the first gives y, the pivot being D, and the last two are solved by beta and u as they stand.
// So no inertia of a single body is inverted, which may be zero; D is that of all that the joint
// moves. The parent then feels beta = (B - k kᵀ / D) u + b.
//
// A drive inertia J acts on y less the parent's part y_0 = Psi_iᵀ (a_parent + c_i): I becomes
// I + Pᵀ diag(Psi J Psiᵀ) P, of the same graph. D becomes D + J, and the parent also feels
// tau - J (y - y_0) along Psi.
//
// Blocks are in body axes at Bo, and a = [alpha; a of Bo] is the classical acceleration, whose
// velocity terms need the angular velocity alone.
#include "catena/formulations/global/forward_dynamics.hpp"

#include "catena/formulations/forward_status.hpp"
#include "catena/formulations/global/joint_basis.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/model/joints.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::global_analysis {
namespace {

// What is kept of body i: the velocity terms of its two equations.
template <class T>
struct Row {
  Vec3<T> w;
  Motion<T> c;  // a_i - a_parent = c + H qdd
  Force<T> p;   // I a + p = forces of its joints
};

// One pivot: qdd = (r - U · x) / D, x being a_i in the joint's basis before this direction moved.
template <class T>
struct Pivot {
  Force<T> U;
  T inverse_D, r;
};

template <class T>
bool is_lost(const T& D, const Articulated<T>& I) {
  if constexpr (spacing < T >> 0) {
    const T scale = (I.A.xx + I.A.yy + I.A.zz) + (I.C.xx + I.C.yy + I.C.zz);
    return !(D > T(16 * spacing<T>) * scale);
  }
  return static_cast<void>(D), static_cast<void>(I), false;
}

// Eliminates y along this axis. I and p become those of the remaining unknowns, with y_0 in the
// place of y:
//   I = | J - J²/D       (J/D) kᵀ   |    p = | tau - J r/D |    r = tau - p_axis
//       | (J/D) k        B - k kᵀ/D |        | p + k r/D   |
template <class T>
Pivot<T> eliminate(int axis, const T& tau, const Constant<T>& J, bool driven, Articulated<T>& I,
                   Force<T>& p, bool& lost) {
  const T o(0);
  Force<T> U = column(I, axis);
  const T own = component(U, axis), D = own + J;
  lost |= is_lost(D, I);
  const T inverse_D = T(1) / D, r = tau - component(p, axis), y = r * inverse_D;
  Force<T> k = U;
  component(k, axis) = o;
  subtract_outer(I, k, inverse_D);
  p = {p.n + y * k.n, p.f + y * k.f};
  Force<T> left{{o, o, o}, {o, o, o}};
  component(p, axis) = tau;
  if (driven) {
    const T share = J * inverse_D;
    left = {share * k.n, share * k.f};
    component(left, axis) = share * own;
    component(p, axis) = tau - J * y;
  }
  set_column(I, axis, left);
  return {U, inverse_D, r};
}

template <class T, class C>
void add_rigid(Articulated<T>& I, const Inertia<C>& M) {
  I.A = {I.A.xx + M.I.xx, I.A.xy + M.I.xy, I.A.xz + M.I.xz,
         I.A.yy + M.I.yy, I.A.yz + M.I.yz, I.A.zz + M.I.zz};
  I.H.x.y = I.H.x.y + M.h.z, I.H.x.z = I.H.x.z - M.h.y;
  I.H.y.x = I.H.y.x - M.h.z, I.H.y.z = I.H.y.z + M.h.x;
  I.H.z.x = I.H.z.x + M.h.y, I.H.z.y = I.H.z.y - M.h.x;
  I.C.xx = I.C.xx + M.m, I.C.yy = I.C.yy + M.m, I.C.zz = I.C.zz + M.m;
}

template <class T>
struct System {
  const Mechanism<Constant<T>>& m;
  JointPositions<T> at;
  Row<T>* rows;
  Articulated<T>* I;  // the diagonal blocks of bodies
  Pivot<T>* pivots;

  System(const Mechanism<Constant<T>>& mechanism, const T* q, Arena& arena)
      : m(mechanism),
        at(joint_positions(m, q, arena)),
        rows(arena.take<Row<T>>(m.bodies.size())),
        I(arena.take<Articulated<T>>(m.bodies.size())),
        pivots(arena.take<Pivot<T>>(index(m.tree_nv))) {}

  // Base to tip: the coefficients and right sides.
  void write(const T* qd, const Force<T>* Fext_B) {
    const T o(0);
    const Vec3<T> zero{o, o, o};
    const Articulated<T> none{{o, o, o, o, o, o}, {zero, zero, zero}, {o, o, o, o, o, o}};
    rows[0].w = zero;
    for (int i = 1; i < m.num_bodies(); ++i) {
      const auto& b = m.bodies[index(i)];
      Vec3<T> w = rows[b.parent].w, alpha = zero, a;
      with_joint(b.kind, [&](auto joint) {
        transform_of<T>(joint, b, at).carry_velocity(w, a);
        add_rates(joint, b, qd, w, alpha, a);
      });
      rows[i] = {w, {alpha, a}, {zero, zero}};
      I[i] = none;
      if (!b.massless) rows[i].p = {cross(w, b.M.I * w), cross(w, cross(w, b.M.h))};
      if (Fext_B != nullptr) rows[i].p = rows[i].p - Fext_B[i];
    }
  }

  // Tip to base: (a_i, beta_i) of every body.
  int eliminate_all(const T* tau) {
    bool lost = false;
    int bad = -1;
    for (int i = m.num_bodies() - 1; i > 0; --i) {
      const auto& b = m.bodies[index(i)];
      Articulated<T>& K = I[i];
      if (!b.massless) add_rigid(K, b.M);
      with_joint(b.kind, [&](auto joint) {
        using J = decltype(joint);
        Force<T> p = rows[i].p;
        Motion<T> c = rows[i].c;
        if constexpr (std::is_same_v<J, ScrewJoint>)
          shear(K, b.pitch), shear(p, b.pitch), shear(c, b.pitch);
        for (int k = 0; k < joint.nv; ++k) {
          const int v = b.v + k;
          pivots[v] = eliminate(free_axis(joint, k), tau[v], m.armature[index(v)], m.has_armature,
                                K, p, lost);
          if (lost && bad < 0) bad = v;
        }
        if (b.parent == 0) return;
        p = p + K * c;
        if constexpr (std::is_same_v<J, ScrewJoint>) shear(K, -b.pitch), shear(p, -b.pitch);
        const auto X = transform_of<T>(joint, b, at);
        I[b.parent] += X.to_parent(K);
        X.add_to_parent(rows[b.parent].p, p);
      });
    }
    return bad;
  }

  // Base to tip: the accelerations.
  void substitute(Motion<T>* a, T* qdd) const {
    for (int i = 1; i < m.num_bodies(); ++i) {
      const auto& b = m.bodies[index(i)];
      with_joint(b.kind, [&](auto joint) {
        using J = decltype(joint);
        Motion<T> x = transform_of<T>(joint, b, at).to_child(a[b.parent]) + rows[i].c;
        if constexpr (std::is_same_v<J, ScrewJoint>) shear(x, b.pitch);
        for (int k = joint.nv - 1; k >= 0; --k) {
          const Pivot<T>& pivot = pivots[b.v + k];
          const T y = (pivot.r - dot(x, pivot.U)) * pivot.inverse_D;
          qdd[b.v + k] = y;
          T& moved = component(x, free_axis(joint, k));
          moved = moved + y;
        }
        if constexpr (std::is_same_v<J, ScrewJoint>) shear(x, -b.pitch);
        a[i] = x;
      });
    }
  }

  // Tip to base: P⁻ᵀ (I a + p), which is what the joints exert.
  void joint_forces(const Motion<T>* a, const Force<T>* Fext_B, Force<T>* F) const {
    const T o(0);
    for (int i = 0; i < m.num_bodies(); ++i) {
      const auto& b = m.bodies[index(i)];
      F[i] = {{o, o, o}, {o, o, o}};
      if (i == 0) continue;
      const Vec3<T>& w = rows[i].w;
      F[i] = b.M * a[i] + Force<T>{cross(w, b.M.I * w), cross(w, cross(w, b.M.h))};
      if (Fext_B != nullptr) F[i] = F[i] - Fext_B[i];
    }
    for (int i = m.num_bodies() - 1; i > 0; --i) {
      const auto& b = m.bodies[index(i)];
      with_joint(b.kind, [&](auto joint) {
        transform_of<T>(joint, b, at).add_to_parent(F[b.parent], F[i]);
      });
    }
  }
};

template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, const T* qd, const T* tau,
                  const Force<T>* Fext_B, bool gravity, Arena arena, T* qdd, Motion<T>* A,
                  Force<T>* F_PB_B, int* bad) {
    const auto& m = *mechanism;
    System<T> system(m, q, arena);
    if (A == nullptr) A = arena.take<Motion<T>>(m.bodies.size());
    const T o(0);
    A[0] = {{o, o, o}, {o, o, o}};
    if (gravity) A[0].v = {T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)};
    system.write(qd, Fext_B);
    *bad = system.eliminate_all(tau);
    system.substitute(A, qdd);
    if (F_PB_B != nullptr) system.joint_forces(A, Fext_B, F_PB_B);
  }
};

}  // namespace

template <class T>
int augmented_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                       const Force<T>* Fext_B, Arena arena, T* qdd, Motion<T>* A,
                       Force<T>* F_PB_B) {
  int bad = -1;
  run_kernel<T, Kernel<T>>(&m, q, qd, tau, Fext_B, true, arena, qdd, A, F_PB_B, &bad);
  return bad;
}

template <class T>
int forward_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* tau,
                     const Force<T>* Fext_B, Arena arena, T* qdd) {
  return augmented_dynamics<T>(m, q, qd, tau, Fext_B, arena, qdd, nullptr, nullptr);
}

template <class T>
int solve_inertia(const Mechanism<Constant<T>>& m, const T* q, const T* f, Arena arena, T* x) {
  T* rest = arena.take<T>(index(m.tree_nv));
  for (int v = 0; v < m.tree_nv; ++v) rest[v] = T(0);
  int bad = -1;
  run_kernel<T, Kernel<T>>(&m, q, static_cast<const T*>(rest), f,
                           static_cast<const Force<T>*>(nullptr), false, arena, x,
                           static_cast<Motion<T>*>(nullptr), static_cast<Force<T>*>(nullptr), &bad);
  return bad;
}

#define CATENA_INSTANTIATE(T)                                                                     \
  template int forward_dynamics<T>(const Mechanism<Constant<T>>&, const T*, const T*, const T*,   \
                                   const Force<T>*, Arena, T*);                                   \
  template int solve_inertia<T>(const Mechanism<Constant<T>>&, const T*, const T*, Arena, T*);    \
  template int augmented_dynamics<T>(const Mechanism<Constant<T>>&, const T*, const T*, const T*, \
                                     const Force<T>*, Arena, T*, Motion<T>*, Force<T>*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::global_analysis
