// From a method's algorithms on the coordinates of the tree to a row of the table.
//
// A method is a namespace of function templates over the scalar, all on tree coordinates, for trees
// with any joints, without springs and friction, which are added here:
//
//   std::size_t room(m)                                       scalars of scratch memory, at most
//   void inverse_dynamics(m, q, qd, qdd, Fext_B, arena, tau)  Fext_B may be null; no drive inertia
//   void inertia_matrix(m, q, arena, M)                       both triangles, no drive inertia
//   int forward_dynamics(m, q, qd, tau, Fext_B, arena, qdd)   with m.armature on the diagonal;
//   int solve_inertia(m, q, f, arena, x)                      return -1 or a massless velocity
//
// with m a Mechanism<Constant<T>>, the state as `const T*`, `const Force<T>*`, and an Arena by
// value.
#pragma once

#include "catena/formulations/dense.hpp"
#include "catena/formulations/formulation.hpp"
#include "catena/formulations/passive.hpp"
#include "catena/support/error.hpp"

namespace catena {

// M_user = Gᵀ M_tree G, both triangles.
template <class T>
void gather_matrix(const Mechanism<Constant<T>>& m, const T* tree, T* user) {
  const std::size_t n = index(m.nv), tree_n = index(m.tree_nv);
  for (std::size_t k = 0; k < n * n; ++k) user[k] = T(0);
  for (std::size_t i = 0; i < tree_n; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      const auto& a = m.v_map[i];
      const auto& b = m.v_map[j];
      const T part = a.ratio * (b.ratio * tree[i * tree_n + j]);
      T& entry = user[index(a.index) * n + index(b.index)];
      entry = entry + part;
      if (i == j) continue;
      T& mirrored = user[index(b.index) * n + index(a.index)];
      mirrored = mirrored + part;
    }
  }
}

template <class T, class Method>
struct TreeMethod {
  using F = Formulation<T>;
  using M = typename F::M;
  using In = typename F::In;
  using Out = typename F::Out;
  using Wrenches = typename F::Wrenches;

  static std::size_t room(const M& m) {
    const std::size_t n = index(m.tree_nv) + 8;
    return Method::template room<T>(m) + (m.coupled ? 2 * n * n : 0) + 8 * n + 1024;
  }

  static void inverse_dynamics(const M& m, In q, In qd, In qdd, Wrenches Fext_B, Workspace<T>& w,
                               Out tau) {
    check(m, q, qd, qdd, Fext_B);
    check_size("tau", tau.size(), index(m.nv));
    Arena arena = w.arena();
    const T* tree_q = tree_positions(m, q, arena);
    const T* tree_qd = tree_rates(m, qd, arena);
    const T* tree_qdd = tree_rates(m, qdd, arena);
    T* tree_tau = tree_forces(m, tau, arena);
    Method::template inverse_dynamics<T>(m, tree_q, tree_qd, tree_qdd,
                                         Fext_B.empty() ? nullptr : Fext_B.data(), arena, tree_tau);
    if (m.has_armature) {
      for (int v = 0; v < m.tree_nv; ++v) {
        tree_tau[v] = tree_tau[v] + m.armature[index(v)] * tree_qdd[v];
      }
    }
    if (m.has_passive) add_passive_forces(m, tree_q, tree_qd, tree_tau);
    gather_forces(m, static_cast<const T*>(tree_tau), tau);
  }

  static void inertia_matrix(const M& m, In q, Workspace<T>& w, Out M_of_q) {
    check_size("q", q.size(), index(m.nq));
    check_size("M", M_of_q.size(), index(m.nv) * index(m.nv));
    Arena arena = w.arena();
    const T* tree_q = tree_positions(m, q, arena);
    write_inertia(m, tree_q, arena, M_of_q.data());
  }

  static ForwardStatus forward_dynamics(const M& m, In q, In qd, In tau, Wrenches Fext_B,
                                        Workspace<T>& w, Out qdd) {
    check(m, q, qd, tau, Fext_B);
    check_size("qdd", qdd.size(), index(m.nv));
    if (m.coupled) {
      inverse_dynamics(m, q, qd, {}, Fext_B, w, qdd);
      for (std::size_t v = 0; v < qdd.size(); ++v) {
        qdd[v] = tau.empty() ? T(-qdd[v]) : T(tau[v] - qdd[v]);
      }
      return solve_coupled(m, q, w, qdd);
    }
    Arena arena = w.arena();
    const T* tree_qd = tree_rates(m, qd, arena);
    const T* force = tree_rates(m, tau, arena);
    if (m.has_passive) {
      T* rest = arena.take<T>(index(m.tree_nv));
      for (int v = 0; v < m.tree_nv; ++v) rest[v] = T(0);
      add_passive_forces(m, q.data(), tree_qd, rest);
      for (int v = 0; v < m.tree_nv; ++v) rest[v] = force[v] - rest[v];
      force = rest;
    }
    return {Method::template forward_dynamics<T>(
        m, q.data(), tree_qd, force, Fext_B.empty() ? nullptr : Fext_B.data(), arena, qdd.data())};
  }

  static ForwardStatus solve_inertia(const M& m, In q, In f, Workspace<T>& w, Out x) {
    check_size("q", q.size(), index(m.nq));
    check_size("f", f.size(), index(m.nv));
    check_size("x", x.size(), index(m.nv));
    if (!m.coupled)
      return {Method::template solve_inertia<T>(m, q.data(), f.data(), w.arena(), x.data())};
    for (std::size_t v = 0; v < x.size(); ++v) x[v] = f[v];
    return solve_coupled(m, q, w, x);
  }

 private:
  static void check(const M& m, In q, In v, In a, Wrenches Fext_B) {
    check_size("q", q.size(), index(m.nq));
    if (!v.empty()) check_size("qd", v.size(), index(m.nv));
    if (!a.empty()) check_size("qdd or tau", a.size(), index(m.nv));
    if (!Fext_B.empty()) check_size("Fext_B", Fext_B.size(), m.bodies.size());
  }

  static void write_inertia(const M& m, const T* tree_q, Arena arena, T* out) {
    const std::size_t n = index(m.tree_nv);
    T* tree = m.coupled ? arena.take<T>(n * n) : out;
    Method::template inertia_matrix<T>(m, tree_q, arena, tree);
    for (std::size_t v = 0; m.has_armature && v < n; ++v) {
      tree[v * (n + 1)] = tree[v * (n + 1)] + m.armature[v];
    }
    if (m.coupled) gather_matrix(m, static_cast<const T*>(tree), out);
  }

  // Mimic joints close the tree: the coupled matrix is written down and factored as a whole.
  static ForwardStatus solve_coupled(const M& m, In q, Workspace<T>& w, Out x) {
    Arena arena = w.arena();
    T* matrix = arena.take<T>(index(m.nv) * index(m.nv));
    const T* tree_q = tree_positions(m, q, arena);
    write_inertia(m, tree_q, arena, matrix);
    const int bad = solve_dense(matrix, x.data(), m.nv);
    if (bad < 0) return {};
    for (int v = 0; v < m.tree_nv; ++v) {
      if (m.v_map[index(v)].index == bad) return {v};
    }
    return {0};
  }
};

}  // namespace catena
