// Batch: the same computation for many states, several at once.
//
//   catena::Batch<double> batch(mechanism, {.threads = 2});
//   batch.inverse_dynamics(q, qd, qdd, tau);   // row after row, one per state
//
// The states of a batch share the instructions of the processor (one lane of a register each) and
// its cores. Vectors of states are rows, one after the other: q has nq numbers per state, all
// others nv. Any number of states will do.
//
// What a state's row holds does not depend on the other states, its place among them or the number
// of threads: it is the same to the bit. The functions of one state round a little differently
// (docs/batches.md).
#pragma once

#include <memory>
#include <span>

#include "catena/batch/functions.hpp"
#include "catena/formulations/forward_status.hpp"

namespace catena {

struct BatchOptions {
  int threads = 1;  // 0: as many as the machine has cores
};

// The first state of a batch that has no result, and why; its row and those of others of its kind
// are NaN.
struct [[nodiscard]] BatchStatus {
  std::size_t state = no_state;
  ForwardStatus status{};
  explicit operator bool() const { return state == no_state; }
};

// For double and float. An object serves one caller at a time; it allocates nothing after it has
// been made.
template <class E>
class Batch {
 public:
  using In = std::span<const E>;
  using Out = std::span<E>;

  // Keeps a copy of the mechanism.
  explicit Batch(const Mechanism<E>& m, const BatchOptions& options = {});
  ~Batch();
  Batch(Batch&&) noexcept;
  Batch& operator=(Batch&&) noexcept;

  const Mechanism<E>& mechanism() const;
  int threads() const;
  int lanes() const;  // states that one core computes at once

  // In all functions an empty qd, qdd, tau or Fext_B means zero, and
  //   throws  SizeError if a span has not the size that the number of states asks for

  // tau [n nv] from q [n nq], qd, qdd [n nv], and wrenches on bodies Fext_B [n num_bodies 6]:
  // moment and force at Bo, in B.
  void inverse_dynamics(In q, In qd, In qdd, Out tau, In Fext_B = {});
  // h(q, qd) and g(q), as the functions of one state.
  void bias_forces(In q, In qd, Out tau) { inverse_dynamics(q, qd, {}, tau); }
  void gravity_forces(In q, Out tau) { inverse_dynamics(q, {}, {}, tau); }
  // qdd [n nv].
  BatchStatus forward_dynamics(In q, In qd, In tau, Out qdd, In Fext_B = {});
  // M [n nv nv], one matrix after the other.
  void inertia_matrix(In q, Out M, Triangle triangle = Triangle::both);

  // dtau/dq, dtau/dqd and dtau/dqdd = M [n nv nv] of inverse dynamics, matrices by rows, as
  // inverse_dynamics_derivatives of one state.
  void inverse_derivatives(In q, In qd, In qdd, Out dtau_dq, Out dtau_dqd, Out dtau_dqdd,
                           In Fext_B = {});
  // qdd [n nv], and dqdd/dq, dqdd/dqd and dqdd/dtau [n nv nv], as forward_dynamics_derivatives.
  BatchStatus forward_derivatives(In q, In qd, In tau, Out qdd, Out dqdd_dq, Out dqdd_dqd,
                                  Out dqdd_dtau, In Fext_B = {});

  // Frames are numbered as in mechanism().names->frames.
  //   throws  SizeError for a number that is none of them
  // X_WF [n frames 12]: for each frame its rotation by columns, then its position (as in Pose).
  void frame_poses(In q, std::span<const int> frames, Out X_WF);
  // J [n 6 nv], by columns, as frame_jacobian of one state.
  void frame_jacobian(In q, int frame, Axes axes, Out J);
  // One number per state [n].
  void kinetic_energy(In q, In qd, Out energy);
  void potential_energy(In q, Out energy);

  // Many trajectories in fixed steps, from q [n nq] and qd [n nv], under joint forces tau: none, [n
  // nv] held all the time, or [n steps nv] held for a step each. Springs, damping and friction act;
  // dry friction does not hold a joint at rest (that takes a simulation).
  //   writes  q_out [n samples nq], qd_out [n samples nv], where samples = steps / every; a
  //           trajectory is NaN from where a joint carries no inertia, and the first such one is
  //           returned (its status says which joint only if it begins there)
  BatchStatus rollout(const Rollout<E>& rollout, In q, In qd, In tau, Out q_out, Out qd_out);

 private:
  struct Parts;
  std::size_t run(LaneFunction<E> function, const Job<E>& job, std::size_t states);
  BatchStatus explain(std::size_t state, In q, Out qdd);

  std::unique_ptr<Parts> parts_;
};

}  // namespace catena
