// Derivatives of inverse and forward dynamics, of the tree: sizes unchecked, mimic joints left to
// the caller.
#pragma once

#include "catena/formulations/passive.hpp"
#include "catena/formulations/spatial/derivative_passes.hpp"
#include "catena/formulations/spatial/tree_inverse.hpp"

namespace catena::kernels {

template <class T>
struct InverseDerivatives {
  using Passes = DerivativePasses<T>;

  static void run(const Mechanism<Constant<T>>* m, const T* q, const T* qd, const T* qdd,
                  const Force<T>* Fext_B, Arena arena, T* dq, T* dv, T* M) {
    const Passes passes = prepare(*m, q, qd, qdd, Fext_B, arena);
    const int nv = passes.nv;
    if (m->branched) {  // branches do not feel each other
      for (T* matrix : {dq, dv, M})
        if (matrix != nullptr) clear(matrix, index(nv) * index(nv));
    }
    passes.write_derivatives(dq, dv, arena);
    if (M != nullptr) passes.write_inertia(M, arena);
  }

  // Calls take(i, row_q, row_v, row_M) for every row of the matrices.
  template <class Take>
  static void row_by_row(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* qdd,
                         const Force<T>* Fext_B, Arena arena, Take take) {
    const Passes passes = prepare(m, q, qd, qdd, Fext_B, arena);
    const std::size_t n = padded(passes.nv);
    T *const row_q = arena.take<T>(n), *const row_v = arena.take<T>(n);
    T* const row_M = arena.take<T>(n);
    for (int i = 0; i < passes.nv; ++i) {
      if (m.branched) clear(row_q, n), clear(row_v, n), clear(row_M, n);
      passes.write_derivatives(i, row_q, row_v);
      passes.write_inertia(i, row_M, true);
      take(i, row_q, row_v, row_M);
    }
  }

 private:
  static Passes prepare(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* qdd,
                        const Force<T>* Fext_B, Arena& arena) {
    const JointPositions<T> at = joint_positions(m, q, arena);
    const Passes passes(m, arena);
    passes.place(at, qd, qdd);
    passes.accelerate();
    passes.weigh(Fext_B);
    passes.gather();
    passes.template multiply<Passes::Stage::all>();
    return passes;
  }
};

// dq and dv hold dtau/dq and dtau/dv, M its inverted factors: from them to the derivatives of the
// accelerations.
template <class T>
void finish_derivatives(const TreeInverse<T>& M, Arena& arena, T* dq, T* dv, T* inverse_M) {
  const std::size_t n = index(M.n);
  M.negative_solve(dq, dv, arena.take<T>(n * 2 * TreeInverse<T>::Wide::columns));
  M.multiply_factors();
  for (int i = 0; i < M.n; ++i) {
    const T* column = M.M + i;
    T* const to = inverse_M + index(i) * n;
    for (int j = 0; j < i; ++j, column += M.step) to[j] = *column;
    copy_row(M.row(i) + i, to + i, M.n - i);
  }
}

// The inertia matrix and the bias forces give the accelerations; these change what the bias forces
// were made of, and the derivatives follow.
template <class T>
struct ForwardDerivatives {
  static void run(const Mechanism<Constant<T>>* mechanism, const T* q, const T* qd, const T* tau,
                  const Force<T>* Fext_B, Arena arena, T* qdd, T* dq, T* dv, T* inverse_M,
                  LostPivots<T>* lost) {
    const auto& m = *mechanism;
    const int n = m.tree_nv;
    int* ends = arena.take<int>(index(n));
    int* roots = arena.take<int>(index(n));
    for (int v = 0; v < n; ++v) {
      const int above = m.parent_of_v[index(v)];
      ends[v] = m.bodies[index(m.body_of_v[index(v)])].subtree_end_v;
      roots[v] = above < 0 ? v : roots[above];
    }
    T* const matrix = arena.take<T>(index(n) * padded(n) + 16);
    const TreeInverse<T> M{{m.parent_of_v.data(), m.run_begin_v.data(), roots, ends},
                           n,
                           matrix,
                           arena.take<T>(padded(n))};
    const JointPositions<T> at = joint_positions(m, q, arena);
    using Passes = DerivativePasses<T>;
    const Passes passes(m, arena);
    passes.place(at, qd, nullptr);
    passes.accelerate();
    passes.weigh(Fext_B);
    passes.gather();
    passes.template multiply<Passes::Stage::inertia>();
    if (m.branched) {  // branches do not feel each other
      clear(dq, index(n) * index(n)), clear(dv, index(n) * index(n));
      clear(matrix, index(n) * M.step);
    }
    for (int i = 0; i < n; ++i) passes.write_inertia(i, M.row(i), false);
    M.factor(*lost);
    M.invert_factor();
    T* forces = arena.take<T>(index(n));
    for (int v = 0; v < n; ++v) forces[v] = T(0);
    if (m.has_passive) add_passive_forces(m, q, qd, forces);
    for (int v = 0; v < n; ++v) forces[v] = tau[v] - forces[v] - passes.force_along(v);
    M.solve(forces, qdd);
    passes.change_acceleration(qdd);
    passes.template multiply<Passes::Stage::rest>();
    passes.write_derivatives(dq, dv, arena);
    finish_derivatives(M, arena, dq, dv, inverse_M);
  }
};

// Mimic joints: the coupled matrix is full. The matrices hold dtau/dq, dtau/dv and M.
template <class T>
struct CoupledForwardDerivatives {
  static void run(int n, Arena arena, T* dq, T* dv, T* M_of_q, LostPivots<T>* lost) {
    int* parent = arena.take<int>(index(n));
    int* zeros = arena.take<int>(index(n));
    int* ends = arena.take<int>(index(n));
    for (int v = 0; v < n; ++v) parent[v] = v - 1, zeros[v] = 0, ends[v] = n;
    T* const matrix = arena.take<T>(index(n) * padded(n) + 16);
    const TreeInverse<T> M{{parent, zeros, zeros, ends}, n, matrix, arena.take<T>(padded(n))};
    for (int i = 0; i < n; ++i) copy_row(M_of_q + index(i) * index(n), M.row(i), n);
    M.factor(*lost);
    M.invert_factor();
    finish_derivatives(M, arena, dq, dv, M_of_q);
  }
};

}  // namespace catena::kernels
