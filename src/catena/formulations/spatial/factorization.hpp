// Sparse factorisations of the inertia matrix of a tree: no fill-in, O(n d²) for depth d.
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"

namespace catena {

// Both take M [nv * nv] (as inertia_matrix() writes it) and work in place from the tips to the
// base, touching only entries between a velocity and those above it in the tree. For a mechanism
// with mimic joints the matrix is treated as full.

// M = Lᵀ L: on return the lower triangle holds L, the rest is zero. Returns the first velocity with
// a pivot that is not positive, or -1.
template <class C>
int factor_ltl(const Mechanism<C>& m, std::span<C> M);
// x = (Lᵀ L)⁻¹ x
template <class C>
void solve_ltl(const Mechanism<C>& m, std::span<const C> L, std::span<C> x);

// M = U D Uᵀ with U unit upper triangular (reverse Gaussian elimination): on return the strict
// upper triangle holds U and the diagonal D; the strict lower triangle is zero.
template <class C>
int factor_udut(const Mechanism<C>& m, std::span<C> M);
// x = (U D Uᵀ)⁻¹ x
template <class C>
void solve_udut(const Mechanism<C>& m, std::span<const C> UD, std::span<C> x);

}  // namespace catena
