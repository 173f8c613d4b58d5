// States of a batch that are computed one by one, by the functions of one state.
#pragma once

#include "catena/batch/functions.hpp"

namespace catena {

// A state in whose lane a pivot was lost, where rounding is known better. If it has no result, its
// row becomes NaN. Returns whether it has one.
template <class E>
bool forward_dynamics_alone(const Job<E>& job, std::size_t state, Workspace<E>& w);
template <class E>
bool forward_derivatives_alone(const Job<E>& job, std::size_t state, Workspace<E>& w);

// Matrices of large mechanisms: the lanes of all entries would not fit the cache.
template <class E>
std::size_t inertia_matrices_one_by_one(const Job<E>& job, std::size_t first, std::size_t last,
                                        Arena, Workspace<E>& w);
template <class E>
std::size_t inverse_derivatives_one_by_one(const Job<E>& job, std::size_t first, std::size_t last,
                                           Arena, Workspace<E>& w);
template <class E>
std::size_t forward_derivatives_one_by_one(const Job<E>& job, std::size_t first, std::size_t last,
                                           Arena, Workspace<E>& w);

}  // namespace catena
