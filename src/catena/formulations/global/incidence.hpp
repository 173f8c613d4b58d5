// The global matrices of a tree, written down: for study and for tests. The method itself never
// does.
#pragma once

#include <Eigen/Sparse>
#include <span>

#include "catena/model/mechanism.hpp"

namespace catena::global_analysis {

// All in one common frame: axes of body 0, moments and velocities at the origin of body 1. Rows
// come in sixes, [angular; linear], body 1 first.
struct GlobalMatrices {
  Eigen::SparseMatrix<double> P;  // 6N x 6N, incidence: 1 at (i, i), -1 at (i, parent of i)
  Eigen::SparseMatrix<double> H;  // 6N x nv, joint directions: diag(H_i)
  Eigen::SparseMatrix<double> I;  // 6N x 6N, inertias: diag(I_i)
  Eigen::SparseMatrix<double> T;  // 6N x (6N - nv), constraint forces: Pᵀ diag(T_i), T_iᵀ H_i = 0
  Eigen::SparseMatrix<double> F;  // 6N x nv, joint forces: Pᵀ diag(Psi_i), Psi_iᵀ H_i = 1
};

//   reads   m, q [tree_nq]; drive inertia is not in I
//   throws  SizeError if q does not fit
GlobalMatrices global_matrices(const Mechanism<double>& m, std::span<const double> q);

// S = P⁻¹ H: the velocities of all bodies as functions of the joints' rates.
Eigen::SparseMatrix<double> motion_subspace(const GlobalMatrices& g);

// M = Hᵀ P⁻ᵀ I P⁻¹ H.
Eigen::SparseMatrix<double> inertia_matrix(const GlobalMatrices& g);

// The matrix of the augmented system (27), [I T; Tᵀ 0].
Eigen::SparseMatrix<double> augmented_matrix(const GlobalMatrices& g);

}  // namespace catena::global_analysis
