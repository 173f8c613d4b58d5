// The factors of the generalized inertia matrix, with every quantity of the elimination readable by
// its name [Saha 1999, appendix B].
#pragma once

#include <vector>

#include "catena/model/mechanism.hpp"
#include "catena/spatial/articulated.hpp"

namespace catena::denoc {

// I = U D Uᵀ by reverse Gaussian elimination. Indices are velocities k of the tree; six-dimensional
// quantities are about the origin of the body that k moves, in its axes.
template <class T>
struct Factors {
  std::vector<Articulated<T>> M_hat;  // M^_k: mass of the articulated body, before k is eliminated
  std::vector<Force<T>> psi_hat;      // psi^_k = M^_k p_k
  std::vector<T> m_hat;               // m^_k = p_kᵀ psi^_k (+ drive inertia): D
  std::vector<Force<T>> psi;          // psi_k = psi^_k / m^_k
  std::vector<T> U;                   // [nv * nv], rows: U_ik = p_iᵀ B_kiᵀ psi_k for i above k
};

// Takes O(n d) for a tree of depth d. Where a joint has no inertia, m^ is zero or rounding, and
// what is divided by it is meaningless.
//   reads   m (with m.armature), q in tree coordinates
template <class T>
Factors<T> factor_inertia(const Mechanism<Constant<T>>& m, const T* q);

// I⁻¹ [nv * nv] from the factors at the same q: the three steps of solve_inertia() for each unit
// force, O(n²) in all.
template <class T>
std::vector<T> inverse_inertia_matrix(const Mechanism<Constant<T>>& m, const T* q,
                                      const Factors<T>& factors);

}  // namespace catena::denoc
