// Forward dynamics: which motion given joint forces produce.
#pragma once

#include <span>

#include "catena/formulations/forward_status.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// qdd = M(q)⁻¹ (tau - h(q, qd) + sum_b J_bᵀ Fext_b), in O(n) for trees without mimic joints.
//   reads   m, q [nq], qd [nv], tau [nv] (empty means zero), Fext_B [num_bodies] or empty
//   writes  w, qdd [nv]; not meaningful unless the status is good
//   throws  SizeError if a span does not fit the mechanism; nothing else
// The status is found for double, float and quadruple precision; packs and counters cannot branch.
template <class T>
ForwardStatus forward_dynamics(const Mechanism<Constant<T>>& m, std::span<const T> q,
                               std::span<const T> qd, std::span<const T> tau,
                               std::span<const Force<T>> Fext_B, Workspace<T>& w, std::span<T> qdd);

// x = M(q)⁻¹ f: forward dynamics at rest without gravity, springs or friction.
template <class T>
ForwardStatus solve_inertia(const Mechanism<Constant<T>>& m, std::span<const T> q,
                            std::span<const T> f, Workspace<T>& w, std::span<T> x);

}  // namespace catena
