// Configurations: positions live on a manifold where there are quaternions, so that nq > nv.
#pragma once

#include <random>
#include <span>

#include "catena/model/mechanism.hpp"

namespace catena {

// Zeros, and unit quaternions.
template <class C>
void neutral_configuration(const Mechanism<C>& m, std::span<C> q);

// Angles in (-pi, pi) or within limits, displacements in (-1, 1) or within limits, attitudes
// uniformly distributed. The same numbers on every machine for the same generator.
void random_configuration(const Mechanism<double>& m, std::mt19937_64& generator,
                          std::span<double> q);

// Brings every quaternion to unit length; returns the worst | |quaternion| - 1 | found.
template <class C>
C normalise_configuration(const Mechanism<C>& m, std::span<C> q);

// q after moving with constant joint velocity v for unit time. Spherical: q * exp(v/2); free: the
// constant twist of the moving frame.
template <class C>
void integrate_configuration(const Mechanism<C>& m, std::span<const C> q, std::span<const C> v,
                             std::span<C> result);

// The v that leads from `from` to `to` by integrate_configuration, the short way round.
template <class C>
void difference_configuration(const Mechanism<C>& m, std::span<const C> from, std::span<const C> to,
                              std::span<C> v);

}  // namespace catena
