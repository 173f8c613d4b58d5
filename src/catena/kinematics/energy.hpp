// Energies and momentum of the whole mechanism.
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// 1/2 qdᵀ M qd, rotors included.
template <class T>
T kinetic_energy(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                 Workspace<T>& w);

// Gravity (zero with the mass centre at the world's origin) and joint springs.
template <class T>
T potential_energy(const Mechanism<Constant<T>>& m, std::span<const T> q, Workspace<T>& w);

// Angular momentum about the world's origin and linear momentum of the bodies, in world axes.
template <class T>
Force<T> momentum(const Mechanism<Constant<T>>& m, std::span<const T> q, std::span<const T> qd,
                  Workspace<T>& w);

}  // namespace catena
