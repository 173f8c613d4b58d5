// Global analysis, inverse dynamics [Featherstone & Orin 2000, 3.5].
// Every vector has 6 numbers per body, all in the common frame; every line is one global equation.
#include "catena/formulations/global/inverse_dynamics.hpp"

#include "catena/formulations/global/common_frame.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::global_analysis {
namespace {

// y := H x, block by block
template <class T>
void times_H(const Mechanism<Constant<T>>& m, const CommonFrame<T>& frame, const T* x,
             Motion<T>* y) {
  const T o(0);
  const int nb = m.num_bodies();
  for (int i = 1; i < nb; ++i) {
    const auto& b = m.bodies[index(i)];
    y[i] = {{o, o, o}, {o, o, o}};
    with_joint(b.kind, [&](auto joint) {
      for (int k = 0; k < joint.nv; ++k) y[i] = y[i] + scaled(frame.H[b.v + k], x[b.v + k]);
    });
  }
}

template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* tau) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const T o(0);
    const Vec3<T> zero{o, o, o};
    const CommonFrame<T> frame = common_frame(m, q, arena);
    Motion<T>* s = arena.take<Motion<T>>(index(nb));  // H qd, the joints' own velocities
    Motion<T>* v = arena.take<Motion<T>>(index(nb));
    Motion<T>* a = arena.take<Motion<T>>(index(nb));
    Force<T>* f = arena.take<Force<T>>(index(nb));

    // P v = H qd
    times_H(m, frame, qd, s);
    v[0] = {zero, zero};
    for (int i = 1; i < nb; ++i) v[i] = s[i];
    solve_incidence(frame.parent, nb, v);

    // P a = H qdd + Hdot qd (29), where the directions stand still in their bodies: hdot = v x h.
    // Gravity enters as the acceleration of the ground.
    times_H(m, frame, qdd, a);
    for (int i = 1; i < nb; ++i) a[i] = a[i] + cross_motion(v[frame.parent[i]], s[i]);
    a[0] = {zero, {T(-m.gravity_0.x), T(-m.gravity_0.y), T(-m.gravity_0.z)}};
    solve_incidence(frame.parent, nb, a);

    // f = I a + v x I v - f_ext (23)
    for (int i = 1; i < nb; ++i) {
      const auto& b = m.bodies[index(i)];
      f[i] = {zero, zero};
      if (!b.massless) {
        const Inertia<T> I = common_inertia<T>(b, frame.X[i]);
        f[i] = I * a[i] + cross_force(v[i], I * v[i]);
      }
      if (Fext_B != nullptr) f[i] = f[i] - transform(frame.X[i], Fext_B[i]);
    }

    // tau = Hᵀ P⁻ᵀ f
    solve_transposed(frame.parent, nb, f);
    for (int k = 0; k < m.tree_nv; ++k) tau[k] = dot(frame.H[k], f[m.body_of_v[index(k)]]);
  }
};

}  // namespace

template <class T>
std::size_t room(const Mechanism<Constant<T>>& m) {
  return common_room<T>(m);
}

template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau) {
  run_kernel<T, Kernel<T>>(&m, q, qd, qdd, Fext_B, arena, tau);
}

#define CATENA_INSTANTIATE(T)                                                                    \
  template std::size_t room<T>(const Mechanism<Constant<T>>&);                                   \
  template void inverse_dynamics<T>(const Mechanism<Constant<T>>&, const T*, const T*, const T*, \
                                    const Force<T>*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::global_analysis
