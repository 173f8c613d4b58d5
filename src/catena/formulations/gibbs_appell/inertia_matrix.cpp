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

// Several columns take the same way at once.
template <class T>
using Columns = std::conditional_t<is_plain<T>, Pack<T, is_plain<T> ? 4 : 1>, T>;
template <class T>
constexpr int width = is_plain<T> ? 4 : 1;

template <class T>
Vec3<Columns<T>> load(const T* at, std::size_t stride) {
  if constexpr (is_plain<T>) {
    using V = Columns<T>;
    return {V::load(at), V::load(at + stride), V::load(at + 2 * stride)};
  } else {
    return {at[0], at[stride], at[2 * stride]};
  }
}
template <class T>
void store(const Vec3<Columns<T>>& v, T* at, std::size_t stride) {
  if constexpr (is_plain<T>)
    v.x.store(at), v.y.store(at + stride), v.z.store(at + 2 * stride);
  else
    at[0] = v.x, at[stride] = v.y, at[2 * stride] = v.z;
}

// The motions above body j, seen in j, a column each and a row for each component.
template <class T>
struct Above {
  T* turns;   // d = d(omegadot_j)/d(qdd_k), and s from the origin of k's body to that of j
  T* slides;  // d(sdd_j)/d(qdd_k) of a translation
  int* v_turns;
  int* v_slides;  // their velocities k

  static constexpr std::size_t rows = 9;
  static std::size_t stride(int nv) { return (index(nv) + 15) / 8 * 8; }
};
// How many there are.
struct Counts {
  int turns = 0, slides = 0;
};

// Where the motions above each body are kept: a body takes its parent's place over when it is the
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

// Its part along direction k of the same joint.
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

// d · (n + s x f): the force along a rotation above, (psi - s~ phi~) z being the moment about the
// origin of its body.
template <class V, class J>
V along_turn(J, const Vec3<V>& d, const Vec3<V>& s, const Force<V>& F) {
  const Vec3<V>&n = F.n, &f = F.f;
  if constexpr (J::along_z && !J::slides)
    return dot(d, Vec3<V>{n.x - s.z * f.y, n.y + s.z * f.x, n.z + s.x * f.y - s.y * f.x});
  else
    return dot(d, add_cross(n, s, f));
}

template <class T>
struct Kernel {
  using C = Constant<T>;
  using V = Columns<T>;

  static void run(const Mechanism<C>* mechanism, const T* q, Arena arena, T* M) {
    const auto& m = *mechanism;
    const int nb = m.num_bodies();
    const std::size_t stride = Above<T>::stride(m.tree_nv);
    const JointPositions<T> at = joint_positions(m, q, arena);
    Inertia<T>* carried = arena.take<Inertia<T>>(index(nb));
    int* places = arena.take<int>(index(nb));
    Counts* counts = arena.take<Counts>(index(nb));
    int last = places[0] = 0;
    for (int i = 1; i < nb; ++i) last = std::max(last, places[i] = place(m, i, places));
    T* columns = arena.take<T>(index(last + 1) * Above<T>::rows * stride);
    int* velocities = arena.take<int>(index(last + 1) * 2 * stride);
    const auto above = [&](int i) -> Above<T> {
      T* at_place = columns + index(places[i]) * Above<T>::rows * stride;
      int* v = velocities + index(places[i]) * 2 * stride;
      return {at_place, at_place + 6 * stride, v, v + stride};
    };

    if (m.branched) std::fill(M, M + index(m.tree_nv) * index(m.tree_nv), T(0));
    carry_inertia(m, at, carried);
    counts[0] = {};
    for (int i = 1; i < nb; ++i) {  // base to tip
      const auto& b = m.bodies[index(i)];
      const Above<T> P = above(b.parent), B = above(i);
      counts[i] = counts[b.parent];
      if (places[i] != places[b.parent]) {
        std::copy(P.v_turns, P.v_turns + counts[i].turns, B.v_turns);
        std::copy(P.v_slides, P.v_slides + counts[i].slides, B.v_slides);
      }
      with_joint(b.kind, [&](auto joint) {
        write_rows(joint, m, b, frame_of<T>(joint, b, at), carried[i], P, B, counts[i], M);
        append(joint, b, B, stride, counts[i]);
      });
    }
    mirror(M, m.tree_nv);
  }

  // Steps 1, 4 and 5: M_i, phi_i and psi_i, tip to base. Where a revolute joint stands on the
  // ground nothing but psi_zz is asked for.
  static void carry_inertia(const Mechanism<C>& m, const JointPositions<T>& at,
                            Inertia<T>* carried) {
    for (int i = 1; i < m.num_bodies(); ++i) carried[i] = m.bodies[index(i)].M;
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

  // Steps 2, 3, 6 and 7: the motions above P are carried to B, and meet what answers there to each
  // direction of its joint. Writes the lower triangle.
  template <class J, class Frame>
  static void write_rows(J joint, const Mechanism<C>& m, const MechanismBody<C>& b,
                         const Frame& frame, const Inertia<T>& carried, const Above<T>& P,
                         const Above<T>& B, const Counts& count, T* M) {
    const std::size_t n = index(m.tree_nv), stride = Above<T>::stride(m.tree_nv);
    T* rows = M + index(b.v) * n;
    Force<V> F[J::nv + 1];
    for (int l = 0; l < J::nv; ++l) {
      const Force<T> f = response(joint, b, l, carried);
      for (int k = 0; k <= l; ++k) rows[index(l) * n + index(b.v + k)] = component(joint, b, k, f);
      F[l] = {copies<V>(f.n), copies<V>(f.f)};
    }
    const auto step = step_of<V>(frame);
    for (int a = 0; a < count.turns; a += width<T>) {
      const Vec3<V> d = step.to_child(load(P.turns + a, stride));
      const Vec3<V> s = step.way_to_child(load(P.turns + 3 * stride + a, stride));
      store(d, B.turns + a, stride);
      store(s, B.turns + 3 * stride + a, stride);
      for (int l = 0; l < J::nv; ++l)
        write(along_turn(joint, d, s, F[l]), count.turns - a, B.v_turns + a, rows + index(l) * n);
    }
    for (int a = 0; a < count.slides; a += width<T>) {
      const Vec3<V> d = step.to_child(load(P.slides + a, stride));
      store(d, B.slides + a, stride);
      for (int l = 0; l < J::nv; ++l) {
        T entries[width<T>];
        const int all[] = {0, 1, 2, 3};
        write(dot(d, F[l].f), width<T>, all, entries);
        for (int k = 0; k < std::min(count.slides - a, width<T>); ++k) {
          const int v = B.v_slides[a + k];
          const auto& upper = m.bodies[index(m.body_of_v[index(v)])];
          T& entry = rows[index(l) * n + index(v)];
          entry = upper.kind == Primitive::screw ? entry + upper.pitch * entries[k] : entries[k];
        }
      }
    }
  }
  // The first columns, at most so many, to their places in a row.
  static void write(const V& entries, int most, const int* at, T* row) {
    if constexpr (is_plain<T>) {
      if (most >= 4 && at[3] == at[0] + 3) return entries.store(row + at[0]);
      row[at[0]] = entries[0];
      if (most > 1) row[at[1]] = entries[1];
      if (most > 2) row[at[2]] = entries[2];
      if (most > 3) row[at[3]] = entries[3];
    } else {
      static_cast<void>(most);
      row[at[0]] = entries;
    }
  }

  // The joint's own directions join those above the bodies to come.
  template <class J>
  static void append(J, const MechanismBody<C>& b, const Above<T>& B, std::size_t stride,
                     Counts& count) {
    static_cast<void>(b), static_cast<void>(B), static_cast<void>(stride);
    const auto add = [&](T* at, int rows, int& number, int axis) {
      at += number;
      for (int r = 0; r < rows; ++r) {  // columns that come along unused are zero
        for (int k = 0; k < (number % width<T> == 0 ? width<T> : 1); ++k)
          at[index(r) * stride + index(k)] = T(0);
      }
      at[index(axis) * stride] = T(1);
      return number++;
    };
    if constexpr (J::turns) {
      for (int k = 0; k < (J::along_z ? 1 : 3); ++k)
        B.v_turns[add(B.turns, 6, count.turns, J::along_z ? 2 : k)] = b.v + k;
    }
    if constexpr (J::slides) {
      for (int k = 0; k < (J::along_z ? 1 : 3); ++k) {
        const int v = b.v + (J::along_z ? 0 : 3) + k;
        B.v_slides[add(B.slides, 3, count.slides, J::along_z ? 2 : k)] = v;
      }
    }
  }

  // Copies the lower triangle to the upper one, in tiles that the cache holds.
  static void mirror(T* M, int n) {
    constexpr int tile = 32;
    for (int i0 = 0; i0 < n; i0 += tile) {
      for (int j0 = 0; j0 <= i0; j0 += tile) {
        for (int i = i0; i < std::min(n, i0 + tile); ++i) {
          for (int j = j0; j < std::min(i, j0 + tile); ++j)
            M[index(j) * index(n) + index(i)] = M[index(i) * index(n) + index(j)];
        }
      }
    }
  }
};

}  // namespace

template <class T>
std::size_t room(const Mechanism<Constant<T>>& m) {
  int last = 0;
  std::vector<int> places(m.bodies.size());
  for (int i = 1; i < m.num_bodies(); ++i)
    last = std::max(last, places[index(i)] = place(m, i, places.data()));
  const std::size_t n = index(m.num_bodies() + m.tree_nq + m.tree_nv + 8);
  const std::size_t columns = (Above<T>::rows + 2) * Above<T>::stride(m.tree_nv);
  return 64 * n + index(last + 1) * columns + index(m.tree_nv) * index(m.tree_nv) + 1024;
}

template <class T>
void inertia_matrix(const Mechanism<Constant<T>>& m, const T* q, Arena arena, T* M) {
  run_kernel<T, Kernel<T>>(&m, q, arena, M);
}

#define CATENA_INSTANTIATE(T)                                  \
  template std::size_t room<T>(const Mechanism<Constant<T>>&); \
  template void inertia_matrix<T>(const Mechanism<Constant<T>>&, const T*, Arena, T*);
CATENA_FOR_EACH_SCALAR(CATENA_INSTANTIATE)

}  // namespace catena::gibbs_appell
