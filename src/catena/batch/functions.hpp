// What is to be computed of many states: pointers to rows of numbers, one row per state, and the
// functions that compute them several at once.
#pragma once

#include <cstddef>
#include <span>

#include "catena/formulations/spatial/inertia_matrix.hpp"
#include "catena/kinematics/kinematics.hpp"
#include "catena/model/workspace.hpp"

namespace catena {

// A frame fixed on a body.
template <class E>
struct BatchFrame {
  int body = 0;
  Pose<E> X_BF{};
};

// How a rollout goes from step to step: both as the integrators of the simulation, `euler` being
// the semi-implicit one.
enum class Stepper { rk4, euler };

template <class E>
struct Rollout {
  Stepper stepper = Stepper::rk4;
  E step = E(1e-3);  // length of a step, s
  int steps = 1;
  int every = 0;  // the state after every so many steps is written; 0: after the last alone
};

template <class E>
struct Job {
  const Mechanism<E>* m = nullptr;
  const E* q = nullptr;       // [nq]
  const E* qd = nullptr;      // [nv], or null: zeros
  const E* x = nullptr;       // qdd or tau [nv], or null: zeros
  const E* Fext_B = nullptr;  // [6 num_bodies], or null: wrenches on bodies, at Bo, in B
  E* out = nullptr;
  E* out_qd = nullptr;  // of rollouts
  // Derivatives by positions, velocities, and by accelerations or forces [nv nv].
  E *dq = nullptr, *dv = nullptr, *dx = nullptr;

  Triangle triangle = Triangle::both;         // of inertia matrices
  const BatchFrame<E>* all_frames = nullptr;  // of the mechanism
  std::span<const int> frames = {};           // those asked for; Jacobians have one
  Axes axes = Axes::world_aligned;            // of Jacobians
  Rollout<E> rollout = {};
  bool forces_change = false;  // x has rollout.steps rows per state, one for each step
};

// Larger matrices are computed one state at a time: the lanes would not fit the cache.
inline constexpr int most_lane_velocities = 64;

inline constexpr std::size_t no_state = static_cast<std::size_t>(-1);

// Computes the states first ... last - 1; returns the first of them that has no result, or
// no_state. The scratch memory is the caller's: the arena for several states at once, w for one.
template <class E>
using LaneFunction = std::size_t (*)(const Job<E>& job, std::size_t first, std::size_t last,
                                     Arena memory, Workspace<E>& w);

// The functions of one instruction set.
template <class E>
struct LaneFunctions {
  int lanes = 1;                                         // states that are computed at once
  std::size_t (*room)(const Mechanism<E>& m) = nullptr;  // bytes of scratch memory
  LaneFunction<E> inverse_dynamics = nullptr;
  LaneFunction<E> forward_dynamics = nullptr;
  LaneFunction<E> inertia_matrix = nullptr;
  LaneFunction<E> inverse_derivatives = nullptr;
  LaneFunction<E> forward_derivatives = nullptr;
  LaneFunction<E> frame_poses = nullptr;
  LaneFunction<E> frame_jacobian = nullptr;
  LaneFunction<E> kinetic_energy = nullptr;
  LaneFunction<E> potential_energy = nullptr;
  LaneFunction<E> rollout = nullptr;
};

}  // namespace catena
