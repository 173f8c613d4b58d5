// The decoupled natural orthogonal complement itself, and the matrices of the equations of motion
//   I qdd + C qd = tau                                                                (20)
// element by element [Saha 1999, 3 and 4]. For reading and checking: dense, and they allocate.
//
// Bodies i = 0, 1, ... are the moving bodies i + 1 of the mechanism. Twists [w; v] and wrenches
// [n; f] are about mass centres (a massless body's is its origin), in world axes. In a tree, B_ij
// is zero where j is not above i: main chain and subchains need no other treatment [Saha,
// Recursive Dynamics Algorithms, (52)].
#pragma once

#include <vector>

#include "catena/model/mechanism.hpp"

namespace catena::denoc {

// A dense matrix, row by row.
template <class T>
struct Matrix {
  int rows = 0, columns = 0;
  std::vector<T> entries;
  Matrix(int r, int c)
      : rows(r),
        columns(c),
        entries(static_cast<std::size_t>(r) * static_cast<std::size_t>(c), T(0)) {}
  T& operator()(int i, int j) {
    return entries[static_cast<std::size_t>(i) * static_cast<std::size_t>(columns) +
                   static_cast<std::size_t>(j)];
  }
  const T& operator()(int i, int j) const { return const_cast<Matrix&>(*this)(i, j); }
};

// What the matrices are made of.
template <class T>
struct NaturalOrthogonalComplement {
  std::vector<int> parent;       // by body; -1: the ground
  std::vector<int> subtree_end;  // one past the last body of its subtree
  std::vector<int> body_of_v;    // by velocity
  std::vector<Vec3<T>> centre;   // C_i in the world
  std::vector<Motion<T>> t;      // twists at qd
  std::vector<T> mass;           // M_i = diag(I_i, m_i 1)                                (2)
  std::vector<Sym3<T>> I;        // about C_i, in world axes
  std::vector<Motion<T>> p;      // by velocity: [e; e x d], or [0; e] of a slide    (13), (15)

  int num_bodies() const { return static_cast<int>(parent.size()); }
  int num_velocities() const { return static_cast<int>(p.size()); }
  bool is_above(int j, int i) const {  // or the same
    return j <= i && i < subtree_end[static_cast<std::size_t>(j)];
  }
};

//   reads   m, q and qd in tree coordinates
template <class T>
NaturalOrthogonalComplement<T> natural_orthogonal_complement(const Mechanism<Constant<T>>& m,
                                                             const T* q, const T* qd);

// t = N_l N_d qd (16), (17): N_l of the twist propagations B_ij, [6 nb * 6 nb]; N_d of the
// joint-rate propagations p_i, [6 nb * nv].
template <class T>
Matrix<T> twist_propagation(const NaturalOrthogonalComplement<T>& noc);
template <class T>
Matrix<T> joint_rate_propagation(const NaturalOrthogonalComplement<T>& noc);

// M = diag(M_i), [6 nb * 6 nb] (4)
template <class T>
Matrix<T> mass_matrix(const NaturalOrthogonalComplement<T>& noc);

// i_ij = p_iᵀ M~_i B_ij p_j (24), [nv * nv]. No drive inertia.
template <class T>
Matrix<T> generalized_inertia(const NaturalOrthogonalComplement<T>& noc);

// Equation (8) leaves open whether the rate of M_i acts as w x I - I w x, which is the derivative
// of I, or as w x I. C qd is the same; but only with w x I is dI/dt - 2 C skew-symmetric.
enum class MassRate { derivative, cross_only };

// c_ij (29), [nv * nv], at the rates the complement was made for.
template <class T>
Matrix<T> convective_inertia(const NaturalOrthogonalComplement<T>& noc,
                             MassRate rate = MassRate::cross_only);

// tau_i = p_iᵀ w~_i, w~_i = w_i + sum B_ciᵀ w~_c (30), for wrenches w_i at the mass centres, in
// world axes.
template <class T>
std::vector<T> generalized_force(const NaturalOrthogonalComplement<T>& noc,
                                 const std::vector<Force<T>>& wrenches);

}  // namespace catena::denoc
