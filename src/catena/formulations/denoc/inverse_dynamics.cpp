// RIDIM: forward recursion of twists, backward recursion of wrenches, once about the bodies'
// origins [Saha, Recursive Dynamics Algorithms, 2.4.1] and once about their mass centres [Saha
// 1999, 5.1].
#include "catena/formulations/denoc/inverse_dynamics.hpp"

#include "catena/formulations/denoc/twists.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::denoc {
namespace {

// w~_i = w*_i + sum A_{c,i}ᵀ w~_c over the children c,  tau_i = p_iᵀ w~_i.
// F holds w* on entry. For a chain the sums stay in registers.
template <class T>
void project_wrenches(const Mechanism<Constant<T>>& m, const JointPositions<T>& at, Force<T>* F,
                      T* tau) {
  const auto* bodies = m.bodies.data();
  const int nb = m.num_bodies();
  Force<T> w = F[nb - 1];
  for (int i = nb - 1; i > 0; --i) {  // tip to base; a child is done before its parent
    const auto& b = bodies[i];
    Force<T> sum = F[b.parent];
    with_joint(b.kind, [&](auto joint) {
      project(joint, b, w, tau);
      if (b.parent != 0) transform_of<T>(joint, b, at).add_to_parent(sum, w);
    });
    if (m.branched) F[b.parent] = sum;
    w = b.parent == i - 1 ? sum : F[i - 1];
  }
}

template <class T>
struct OriginKernel {
  static void run(const Mechanism<Constant<T>>* m, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* tau) {
    const JointPositions<T> at = joint_positions(*m, q, arena);
    Force<T>* F = arena.take<Force<T>>(index(m->num_bodies()));
    inertia_wrenches<true>(*m, at, qd, qdd, Fext_B, arena, F);
    project_wrenches(*m, at, F, tau);
  }
};

// Twists [w; v of C]: v_i = B_{i,i-1} v_{i-1} + p_i qd_i with p_i = [e_i; e_i x d_i] and
// c_{i,i-1} = -d_i - r_{i-1} (13), where r_{i-1} leads from C_{i-1} to O_i. The step over the joint
// is taken in two: by r_{i-1} with the parent, by d_i with the body itself.
template <class T>
struct CentreKernel {
  using C = Constant<T>;
  static void run(const Mechanism<C>* mechanism, const MassCentre<C>* centres, const T* q,
                  const T* qd, const T* qdd, const Force<T>* Fext_B, Arena arena, T* tau) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const JointPositions<T> at = joint_positions(m, q, arena);
    TwistRate<T>* twists = arena.take<TwistRate<T>>(index(nb));  // a: of the mass centre
    Force<T>* F = arena.take<Force<T>>(index(nb));               // about the mass centre
    const T o(0);
    const Vec3<T> zero{o, o, o};
    const Vec3<T> a_0{T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)};
    twists[0] = {zero, zero, a_0};
    F[0] = {zero, zero};
    TwistRate<T> t = twists[0];
    Mat3<T> U;
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = m.bodies[index(i)];
      if (b.parent != i - 1 && b.parent != 0) {
        t = twists[b.parent];
        U = acceleration_matrix(t.w, t.alpha);
      }
      with_joint(b.kind, [&](auto joint) {
        const auto X = transform_of<T>(joint, b, at);
        if (b.parent == 0)
          start_twist<true>(joint, b, X, qd, qdd, a_0, t);
        else
          carry(joint, b, X, arm(X, centres[i], centres[b.parent]), qd, qdd, U, t);
      });
      U = acceleration_matrix(t.w, t.alpha);
      t.a = add_product(t.a, U, centres[i].d);
      twists[i] = t;
      // M_i v'_i + M'_i v_i (7): n = I alpha + w x I w, f = m a
      F[i] = {zero, zero};
      if (!b.massless) {
        F[i].n = add_cross(centres[i].I * t.alpha, t.w, centres[i].I * t.w);
        F[i].f = b.M.m * t.a;
      }
      if (Fext_B == nullptr) continue;
      F[i].n = add_cross(F[i].n - Fext_B[i].n, centres[i].d, Fext_B[i].f);
      F[i].f = F[i].f - Fext_B[i].f;
    }
    for (int i = nb - 1; i > 0; --i) {  // tip to base: y_i += B_{c,i}ᵀ y_c, tau_i = p_iᵀ y_i
      const auto& b = m.bodies[index(i)];
      with_joint(b.kind, [&](auto joint) {
        const Force<T> at_joint{add_cross(F[i].n, centres[i].d, F[i].f), F[i].f};
        project(joint, b, at_joint, tau);
        if (b.parent == 0) return;
        const auto X = transform_of<T>(joint, b, at);
        hand_down(X, arm(X, centres[i], centres[b.parent]), at_joint, F[b.parent]);
      });
    }
  }

  // r_{i-1}, from the parent's mass centre to the joint, and a vector of B in P
  template <class J>
  static auto arm(const AxialTransform<T, J>& X_PB, const MassCentre<C>& own,
                  const MassCentre<C>&) {
    if constexpr (J::slides)
      return Vec3<T>{T(own.r.x), own.r.y - X_PB.b.sa * X_PB.d, own.r.z + X_PB.b.ca * X_PB.d};
    else
      return own.r;
  }
  static Vec3<T> arm(const DenseTransform<T>& X_PB, const MassCentre<C>&, const MassCentre<C>& P) {
    return X_PB.X.p - P.d;
  }
  template <class J>
  static Vec3<T> turn(const AxialTransform<T, J>& X_PB, const Vec3<T>& v) {
    return X_PB.to_parent(v);
  }
  static Vec3<T> turn(const DenseTransform<T>& X_PB, const Vec3<T>& v) { return X_PB.X.R * v; }

  template <class J, class X, class R>
  static void carry(J joint, const MechanismBody<C>& b, const X& X_PB, const Vec3<R>& r,
                    const T* qd, const T* qdd, const Mat3<T>& U, TwistRate<T>& t) {
    const T o(0);
    const Vec3<T> a_P = add_product(t.a, U, r);
    Vec3<T> alpha{o, o, o}, a{o, o, o};
    t.w = X_PB.to_child(t.w);
    add_rates(joint, b, qd, t.w, alpha, a);
    add_motion(joint, b, qdd, alpha, a);
    t.alpha = X_PB.add_to_child(alpha, t.alpha);
    t.a = X_PB.add_to_child(a, a_P);
  }
  template <class X, class R>
  static void hand_down(const X& X_PB, const Vec3<R>& r, const Force<T>& F, Force<T>& sum) {
    const Vec3<T> f = turn(X_PB, F.f);
    sum.n = add_cross(sum.n + turn(X_PB, F.n), r, f);
    sum.f = sum.f + f;
  }
};

}  // namespace

template <class T>
std::size_t room(const Mechanism<Constant<T>>& m) {
  const std::size_t n = index(m.num_bodies() + m.tree_nv) + 8;
  return 96 * n + 4 * index(m.tree_nq) + 16 * m.X_PJ.size() + 1024;
}

template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau) {
  run_kernel<T, OriginKernel<T>>(&m, q, qd, qdd, Fext_B, arena, tau);
}

template <class C>
std::vector<MassCentre<C>> mass_centres(const Mechanism<C>& m) {
  std::vector<MassCentre<C>> r;
  for (const MechanismBody<C>& b : m.bodies) {
    const Vec3<C> arm = r.empty() ? b.p : b.p - r[index(b.parent)].d;
    if (b.massless) {
      r.push_back({{C(0), C(0), C(0)}, arm, {C(0), C(0), C(0), C(0), C(0), C(0)}});
      continue;
    }
    const Vec3<C>& h = b.M.h;
    const Vec3<C> d{h.x / b.M.m, h.y / b.M.m, h.z / b.M.m};
    const C s = dot(d, h);  // I_C = I - m (d·d 1 - d dᵀ)
    const Sym3<C>& I = b.M.I;
    r.push_back({d,
                 arm,
                 {I.xx - s + d.x * h.x, I.xy + d.x * h.y, I.xz + d.x * h.z, I.yy - s + d.y * h.y,
                  I.yz + d.y * h.z, I.zz - s + d.z * h.z}});
  }
  return r;
}

template <class T>
void inverse_dynamics_about_centres(const Mechanism<Constant<T>>& m,
                                    const MassCentre<Constant<T>>* centres, const T* q, const T* qd,
                                    const T* qdd, const Force<T>* Fext_B, Arena arena, T* tau) {
  run_kernel<T, CentreKernel<T>>(&m, centres, q, qd, qdd, Fext_B, arena, tau);
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template std::size_t room<T>(const Mechanism<Constant<T>>&);                                   \
  template void inverse_dynamics<T>(const Mechanism<Constant<T>>&, const T*, const T*, const T*, \
                                    const Force<T>*, Arena, T*);                                 \
  template std::vector<MassCentre<T>> mass_centres<T>(const Mechanism<T>&);                      \
  template void inverse_dynamics_about_centres<T>(const Mechanism<Constant<T>>&,                 \
                                                  const MassCentre<Constant<T>>*, const T*,      \
                                                  const T*, const T*, const Force<T>*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::denoc
