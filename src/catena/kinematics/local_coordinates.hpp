// Local coordinates: a configuration near q as q moved by u (integrate_configuration), so that
// methods for vectors work on quaternions, too. For all other joints u is the difference of q.
#pragma once

#include <span>

#include "catena/model/mechanism.hpp"

namespace catena {

// du/dt of the configuration "q moved by u" when its joint velocity is v: the inverse of the
// differential of the exponential, 1 + ad/2 + ad²/12 - ... All spans have nv entries.
void local_rate(const Mechanism<double>& m, std::span<const double> u, std::span<const double> v,
                std::span<double> rate);

// The transposes, for forces: local_rateᵀ p, and its inverse, velocity_of_rateᵀ p.
void local_rate_transposed(const Mechanism<double>& m, std::span<const double> u,
                           std::span<const double> p, std::span<double> result);
void velocity_of_rate_transposed(const Mechanism<double>& m, std::span<const double> u,
                                 std::span<const double> p, std::span<double> result);

// The force v x* p of a joint's own twist on a momentum p; zero where there is no quaternion.
void momentum_turning(const Mechanism<double>& m, std::span<const double> v,
                      std::span<const double> p, std::span<double> result);

// dq/dt [nq] at q for the joint velocity v: quaternions number by number.
void position_rate(const Mechanism<double>& m, std::span<const double> q, std::span<const double> v,
                   std::span<double> rate);

}  // namespace catena
