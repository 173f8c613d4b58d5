// What the files of this folder are compiled for: each once per instruction set, with its flags.
//
// CATENA_LEVEL is the name of the set, and of the namespace of everything defined here;
// CATENA_LEVEL_BYTES the width of its registers. Packs carry the level in their type, so that no
// function made of them has the name of another level's. Functions that are not made of packs have
// to be inlined: tools/check-levels looks for those that were not.
#pragma once

#include "catena/batch/functions.hpp"
#include "catena/formulations/forward_status.hpp"

#if !defined(CATENA_LEVEL) || !defined(CATENA_LEVEL_BYTES)
#error "files of batch/lanes are compiled once per instruction set, see src/CMakeLists.txt"
#endif

namespace catena::CATENA_LEVEL {

struct Level;
// As many states of numbers E as a register holds.
template <class E>
using Lanes = Pack<E, CATENA_LEVEL_BYTES / static_cast<int>(sizeof(E)), Level>;

// One pack of states each, in the user's coordinates, sizes unchecked; none of the pointers is null
// but for Fext_B. They do what the functions of one state do.
template <class E>
void inverse_dynamics(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                      const Lanes<E>* qdd, const Force<Lanes<E>>* Fext_B, Arena arena,
                      Lanes<E>* tau);
// The lower triangle; entries between branches that do not feel each other are left as they are.
template <class E>
void inertia_matrix(const Mechanism<E>& m, const Lanes<E>* q, Arena arena, Lanes<E>* M);
// The matrices of the first `count` lanes as rows of n² numbers, for n <= most_lane_velocities.
template <class E>
void store_inertia_matrix(const Mechanism<E>& m, const Lanes<E>* q, int count, Triangle triangle,
                          Arena arena, E* out);
template <class E>
LostPivots<Lanes<E>> forward_dynamics(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                                      const Lanes<E>* tau, const Force<Lanes<E>>* Fext_B,
                                      Arena arena, Lanes<E>* qdd);
// Derivatives by positions, velocities, and by accelerations or forces: [nv nv] each, by rows.
template <class T>
struct Square {
  T *dq, *dv, *dx;
};
// Those of the first `count` lanes, as rows of nv² numbers.
template <class E>
void store_inverse_derivatives(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd,
                               const Lanes<E>* qdd, const Force<Lanes<E>>* Fext_B, int count,
                               Arena arena, const Square<E>& out);
template <class E>
LostPivots<Lanes<E>> forward_derivatives(const Mechanism<E>& m, const Lanes<E>* q,
                                         const Lanes<E>* qd, const Lanes<E>* tau,
                                         const Force<Lanes<E>>* Fext_B, Arena arena, Lanes<E>* qdd,
                                         const Square<Lanes<E>>& out);
// X_WB [num_bodies]
template <class E>
void body_poses(const Mechanism<E>& m, const Lanes<E>* q, Arena arena, Pose<Lanes<E>>* X_WB);
// J [6 nv], by columns
template <class E>
void frame_jacobian(const Mechanism<E>& m, const Lanes<E>* q, const BatchFrame<E>& frame, Axes axes,
                    Arena arena, Lanes<E>* J);
template <class E>
Lanes<E> kinetic_energy(const Mechanism<E>& m, const Lanes<E>* q, const Lanes<E>* qd, Arena arena);
template <class E>
Lanes<E> potential_energy(const Mechanism<E>& m, const Lanes<E>* q, Arena arena);
// One step of length h from (q, qd), which are overwritten, under the forces tau.
template <class E>
LostPivots<Lanes<E>> step(const Mechanism<E>& m, Stepper stepper, E h, const Lanes<E>* tau,
                          Arena arena, Lanes<E>* q, Lanes<E>* qd);

}  // namespace catena::CATENA_LEVEL

// Everything that such a function calls becomes part of it.
#define CATENA_LANES __attribute__((flatten))
