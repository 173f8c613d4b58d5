// Inverse dynamics by the decoupled natural orthogonal complement: RIDIM [Saha 1999, 5.1].
#pragma once

#include <vector>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena::denoc {

// Scalars of scratch memory that any function of this folder takes from an arena, at most.
template <class T>
std::size_t room(const Mechanism<Constant<T>>& m);

// tau = Nᵀ (M t' + W M E t - wext), twists about the bodies' origins, in O(n).
//   reads   m, q, qd, qdd in tree coordinates, Fext_B [num_bodies] or null
//   writes  tau; scratch memory of the arena
template <class T>
void inverse_dynamics(const Mechanism<Constant<T>>& m, const T* q, const T* qd, const T* qdd,
                      const Force<T>* Fext_B, Arena arena, T* tau);

// What twists about mass centres need of each body, computed once for a mechanism.
template <class C>
struct MassCentre {
  Vec3<C> d;  // from the body's origin to its mass centre; zero for a massless body
  Vec3<C> r;  // from the parent's mass centre to a joint along z, before it slides
  Sym3<C> I;  // moments of inertia about the mass centre
};
template <class C>
std::vector<MassCentre<C>> mass_centres(const Mechanism<C>& m);

// The same forces with twists [w; v of the mass centre], as RIDIM has them.
//   reads   centres [num_bodies], as mass_centres(m) gives them, and as above
template <class T>
void inverse_dynamics_about_centres(const Mechanism<Constant<T>>& m,
                                    const MassCentre<Constant<T>>* centres, const T* q, const T* qd,
                                    const T* qdd, const Force<T>* Fext_B, Arena arena, T* tau);

}  // namespace catena::denoc
