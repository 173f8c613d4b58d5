// The algorithm of Mata et al. 2002, section 4.2, for trees with any joints. With phi_j the first
// moment and psi_j the inertia tensor about Bo of all that body j carries, and s_kj the way from
// the origin of body k to that of body j, revolute joints have
//   D_jk = (d omegadot_j / d qdd_k) · (psi_j - s_kj~ phi_j~) z_j.
#include "catena/formulations/gibbs_appell/inertia_matrix.hpp"

#include <algorithm>

#include "catena/formulations/gibbs_appell/frames.hpp"
#include "catena/formulations/gibbs_appell/inverse_dynamics.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/scalar/isa.hpp"

namespace catena::gibbs_appell {
namespace {

// A joint above body j, seen in j. Its axes are d(omegadot_j)/d(qdd_k) for rotations and
// d(sdd_j)/d(qdd_k) for translations: z alone for a joint along z.
template <class T>
struct Above {
  Vec3<T> s;  // from its body's origin to that of j
  Vec3<T> z, x, y;
  int body;
};

// Where the joints above each body are kept: a body takes its parent's place over when it is the
// last to read it, and else one further on.
template <class C>
int place(const Mechanism<C>& m, int i, const int* places) {
  const int parent = m.bodies[index(i)].parent;
  if (parent == 0) return 0;
  const bool last = m.bodies[index(i)].subtree_end == m.bodies[index(parent)].subtree_end;
  return places[parent] + (last ? 0 : 1);
}

// What the mass, first moment and inertia tensor of all that B carries answer to a unit
// acceleration along direction k of its joint: moment about Bo, and force.
template <class T, class J>
Force<T> response(J joint, const MechanismBody<Constant<T>>& b, int k, const Inertia<T>& M) {
  const T o(0);
  if constexpr (J::along_z && !J::slides) {
    return {{M.I.xz, M.I.yz, M.I.zz}, {-M.h.y, M.h.x, o}};
  } else {
    Motion<T> A{{o, o, o}, {o, o, o}};
    add_direction(joint, b, k, T(1), A.w, A.v);
    return M * A;
  }
}

// The part of a force F along direction k of a joint with these axes, where n is the moment about
// its origin.
template <class T, class J>
T along(J, const MechanismBody<Constant<T>>& b, int k, const Above<T>& joint, const Vec3<T>& n,
        const Vec3<T>& f) {
  static_cast<void>(b), static_cast<void>(k), static_cast<void>(n), static_cast<void>(f);
  if constexpr (J::along_z) {
    if constexpr (J::turns && J::slides) return dot(joint.z, n + b.pitch * f);
    if constexpr (J::turns && !J::slides) return dot(joint.z, n);
    return dot(joint.z, f);
  } else {
    const Vec3<T>& axis = k % 3 == 0 ? joint.x : k % 3 == 1 ? joint.y : joint.z;
    return dot(axis, k < 3 ? n : f);
  }
}

// The same for the joint of the body that F acts on.
template <class T, class J>
T component(J, const MechanismBody<Constant<T>>& b, int k, const Force<T>& F) {
  static_cast<void>(b), static_cast<void>(k);
  if constexpr (J::along_z) {
    if constexpr (J::turns && J::slides) return F.n.z + b.pitch * F.f.z;
    if constexpr (J::turns && !J::slides) return F.n.z;
    return F.f.z;
  } else {
    const Vec3<T>& v = k < 3 ? F.n : F.f;
    return k % 3 == 0 ? v.x : k % 3 == 1 ? v.y : v.z;
  }
}

template <class T>
struct Kernel {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, Arena arena, T* M) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const JointPositions<T> at = joint_positions(m, q, arena);
    Inertia<T>* carried = arena.take<Inertia<T>>(index(nb));
    int* places = arena.take<int>(index(nb));
    int* counts = arena.take<int>(index(nb));
    carry_inertia(m, at, carried);
    if (m.branched) std::fill(M, M + index(m.tree_nv) * index(m.tree_nv), T(0));

    counts[0] = places[0] = 0;
    int last = 0;
    for (int i = 1; i < nb; ++i) last = std::max(last, places[i] = place(m, i, places));
    Above<T>* lists = arena.take<Above<T>>(index(last + 1) * index(nb));
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = m.bodies[index(i)];
      Above<T>* above = lists + index(places[i]) * index(nb);
      const Above<T>* of_parent = lists + index(places[b.parent]) * index(nb);
      const int count = counts[b.parent];
      with_joint(b.kind, [&](auto joint) {
        const auto frame = frame_of<T>(joint, b, at);
        for (int k = 0; k < count; ++k) carry(m, frame, of_parent[k], above[k]);
        write_rows(joint, m, b, carried[i], above, count, M);
        counts[i] = count + (joint.nv > 0 ? 1 : 0);
      });
      const T o(0), l(1);
      if (counts[i] > count) above[count] = {{o, o, o}, {o, o, l}, {l, o, o}, {o, l, o}, i};
    }
  }

  // Steps 1, 4 and 5: M_i, phi_i and psi_i, tip to base. Where a revolute joint stands on the
  // ground nothing but psi_zz is asked for.
  static void carry_inertia(const Mechanism<Constant<T>>& m, const JointPositions<T>& at,
                            Inertia<T>* carried) {
    for (int i = 1; i < m.num_bodies(); ++i) carried[i] = Inertia<T>(m.bodies[index(i)].M);
    for (int i = m.num_bodies() - 1; i > 0; --i) {
      const auto& b = m.bodies[index(i)];
      if (b.parent == 0) continue;
      with_joint(b.kind, [&](auto joint) {
        const auto frame = frame_of<T>(joint, b, at);
        Inertia<T>& sum = carried[b.parent];
        if (only_z(m.bodies[index(b.parent)]))
          frame.add_zz_to_parent(sum.I.zz, carried[i]);
        else
          frame.add_to_parent(sum, carried[i]);
      });
    }
  }

  // Steps 2 and 3: a joint above P, seen in B.
  template <class Frame>
  static void carry(const Mechanism<Constant<T>>& m, const Frame& frame, const Above<T>& from,
                    Above<T>& to) {
    const bool dense = m.bodies[index(from.body)].dense >= 0;
    to.s = frame.way_to_child(from.s);
    to.z = frame.to_child(from.z);
    if (dense) to.x = frame.to_child(from.x), to.y = frame.to_child(from.y);
    to.body = from.body;
  }

  // Steps 6 and 7.
  template <class J>
  static void write_rows(J joint, const Mechanism<Constant<T>>& m,
                         const MechanismBody<Constant<T>>& b, const Inertia<T>& carried,
                         const Above<T>* above, int count, T* M) {
    const std::size_t n = index(m.tree_nv);
    for (int l = 0; l < J::nv; ++l) {
      const Force<T> F = response(joint, b, l, carried);
      const std::size_t row = index(b.v + l);
      const auto write = [&](int v, const T& entry) {
        M[row * n + index(v)] = M[index(v) * n + row] = entry;
      };
      for (int k = 0; k <= l; ++k) write(b.v + k, component(joint, b, k, F));
      for (int a = 0; a < count; ++a) {
        const Above<T>& A = above[a];
        const auto& upper = m.bodies[index(A.body)];
        // (psi - s~ phi~) z: the moment about the upper origin
        const Vec3<T> moment = moment_about(joint, F, A.s);
        with_joint(upper.kind, [&](auto of) {
          for (int k = 0; k < of.nv; ++k) write(upper.v + k, along(of, upper, k, A, moment, F.f));
        });
      }
    }
  }
  template <class J>
  static Vec3<T> moment_about(J, const Force<T>& F, const Vec3<T>& s) {
    if constexpr (J::along_z && !J::slides)
      return {F.n.x - s.z * F.f.y, F.n.y + s.z * F.f.x, F.n.z + s.x * F.f.y - s.y * F.f.x};
    else
      return add_cross(F.n, s, F.f);
  }
};

}  // namespace

template <class T>
std::size_t room(const Mechanism<Constant<T>>& m) {
  int deepest = 0;
  std::vector<int> places(m.bodies.size());
  for (int i = 1; i < m.num_bodies(); ++i) {
    places[index(i)] = place(m, i, places.data());
    deepest = std::max(deepest, places[index(i)]);
  }
  const std::size_t n = index(m.num_bodies() + m.tree_nq + m.tree_nv + 8);
  const std::size_t lists = index(deepest + 1) * m.bodies.size() * sizeof(Above<T>) / sizeof(T);
  return 64 * n + lists + index(m.tree_nv) * index(m.tree_nv) + 1024;
}

template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, const T* q, Arena arena, T* M) {
  run_kernel<T, Kernel<T>>(&m, q, arena, M);
}

#define CATENA_INSTANTIATE(T)                                  \
  template std::size_t room<T>(const Mechanism<Constant<T>>&); \
  template void inertia_matrix<T>(const Mechanism<Constant<T>>&, const T*, Arena, T*);
CATENA_FOR_EACH_CONSTANT(CATENA_INSTANTIATE)

}  // namespace catena::gibbs_appell
