// The table of this level: rows in, packs through the kernels, rows out.
#include "catena/batch/functions.hpp"

#include <limits>

#include "catena/batch/lanes/rows.hpp"
#include "catena/batch/one_state.hpp"
#include "catena/formulations/spatial/inverse_derivatives.hpp"
#include "catena/model/coordinates.hpp"

namespace catena::CATENA_LEVEL {

// The states of a job in lanes.
template <class E>
class States {
 public:
  using T = Lanes<E>;

  // Takes memory for the states; what is left of it is for the computation.
  States(const Job<E>& job, Arena& memory)
      : job_(job),
        q(memory.take<T>(index(job.m->nq))),
        qd(memory.take<T>(index(job.m->nv))),
        x(memory.take<T>(index(job.m->nv))) {
    if (job.Fext_B != nullptr) Fext_B = memory.take<Force<T>>(job.m->bodies.size());
    for (int v = 0; v < job.m->nv; ++v) qd[v] = x[v] = T(E(0));
  }

  // Loads states from `row` on, as many as there are lanes, but none beyond `last`.
  void load(std::size_t row, std::size_t last) {
    const Mechanism<E>& m = *job_.m;
    count = last - row < T::size ? static_cast<int>(last - row) : T::size;
    load_rows(job_.q + row * index(m.nq), m.nq, count, q);
    if (job_.qd != nullptr) load_rows(job_.qd + row * index(m.nv), m.nv, count, qd);
    if (job_.x != nullptr) load_rows(job_.x + row * index(m.nv), m.nv, count, x);
    if (Fext_B != nullptr) {
      const int width = 6 * m.num_bodies();
      load_rows(job_.Fext_B + row * index(width), width, count, &Fext_B->n.x);
    }
  }

 private:
  const Job<E>& job_;

 public:
  T *q, *qd, *x;
  Force<T>* Fext_B = nullptr;
  int count = 0;  // states that were loaded; the other lanes repeat the last
};

// f(row) for every pack of states, which are loaded then.
template <class E, class F>
void for_each_pack(States<E>& s, std::size_t first, std::size_t last, F f) {
  for (std::size_t row = first; row < last; row += Lanes<E>::size) {
    s.load(row, last);
    f(row);
  }
}

// The states from `row` on in whose lanes a pivot was lost are computed again, by alone(row).
// Returns the first that has no result.
template <class E, class Alone>
std::size_t compute_again(const LostPivots<Lanes<E>>& lost, std::size_t row, int count,
                          Alone alone) {
  std::size_t without = no_state;
  for (int i = count - 1; i >= 0; --i) {
    if (lost.lanes[i] != E(0) && !alone(row + index(i))) without = row + index(i);
  }
  return without;
}

template <class E>
std::size_t inverse_dynamics_rows(const Job<E>& job, std::size_t first, std::size_t last,
                                  Arena memory, Workspace<E>&) {
  const Mechanism<E>& m = *job.m;
  States<E> s(job, memory);
  Lanes<E>* tau = memory.take<Lanes<E>>(index(m.nv));
  for_each_pack(s, first, last, [&](std::size_t row) {
    inverse_dynamics<E>(m, s.q, s.qd, s.x, s.Fext_B, memory, tau);
    store_rows(tau, m.nv, s.count, job.out + row * index(m.nv));
  });
  return no_state;
}

template <class E>
std::size_t forward_dynamics_rows(const Job<E>& job, std::size_t first, std::size_t last,
                                  Arena memory, Workspace<E>& w) {
  const Mechanism<E>& m = *job.m;
  States<E> s(job, memory);
  Lanes<E>* qdd = memory.take<Lanes<E>>(index(m.nv));
  std::size_t without = no_state;
  for_each_pack(s, first, last, [&](std::size_t row) {
    const auto lost = forward_dynamics<E>(m, s.q, s.qd, s.x, s.Fext_B, memory, qdd);
    store_rows(qdd, m.nv, s.count, job.out + row * index(m.nv));
    const std::size_t bad = compute_again<E>(lost, row, s.count, [&](std::size_t state) {
      return forward_dynamics_alone(job, state, w);
    });
    if (bad < without) without = bad;
  });
  return without;
}

template <class E>
std::size_t inertia_matrix_rows(const Job<E>& job, std::size_t first, std::size_t last,
                                Arena memory, Workspace<E>&) {
  const Mechanism<E>& m = *job.m;
  States<E> s(job, memory);
  for_each_pack(s, first, last, [&](std::size_t row) {
    E* const out = job.out + row * index(m.nv) * index(m.nv);
    store_inertia_matrix<E>(m, s.q, s.count, job.triangle, memory, out);
  });
  return no_state;
}

// Where the derivatives of the states from `row` on are written.
template <class E>
Square<E> derivatives_of(const Job<E>& job, std::size_t row) {
  const std::size_t at = row * index(job.m->nv) * index(job.m->nv);
  return {job.dq + at, job.dv + at, job.dx + at};
}

template <class E>
std::size_t inverse_derivatives_rows(const Job<E>& job, std::size_t first, std::size_t last,
                                     Arena memory, Workspace<E>&) {
  States<E> s(job, memory);
  for_each_pack(s, first, last, [&](std::size_t row) {
    store_inverse_derivatives<E>(*job.m, s.q, s.qd, s.x, s.Fext_B, s.count, memory,
                                 derivatives_of(job, row));
  });
  return no_state;
}

template <class E>
std::size_t forward_derivatives_rows(const Job<E>& job, std::size_t first, std::size_t last,
                                     Arena memory, Workspace<E>& w) {
  const Mechanism<E>& m = *job.m;
  States<E> s(job, memory);
  const int size = m.nv * m.nv;
  Lanes<E>* const all = memory.take<Lanes<E>>(3 * index(size));
  const Square<Lanes<E>> lanes{all, all + size, all + 2 * size};
  Lanes<E>* qdd = memory.take<Lanes<E>>(index(m.nv));
  std::size_t without = no_state;
  for_each_pack(s, first, last, [&](std::size_t row) {
    const auto lost = forward_derivatives<E>(m, s.q, s.qd, s.x, s.Fext_B, memory, qdd, lanes);
    store_rows(qdd, m.nv, s.count, job.out + row * index(m.nv));
    const Square<E> out = derivatives_of(job, row);
    store_rows(lanes.dq, size, s.count, out.dq);
    store_rows(lanes.dv, size, s.count, out.dv);
    store_rows(lanes.dx, size, s.count, out.dx);
    const std::size_t bad = compute_again<E>(lost, row, s.count, [&](std::size_t state) {
      return forward_derivatives_alone(job, state, w);
    });
    if (bad < without) without = bad;
  });
  return without;
}

template <class E>
std::size_t frame_poses_rows(const Job<E>& job, std::size_t first, std::size_t last, Arena memory,
                             Workspace<E>&) {
  using T = Lanes<E>;
  const Mechanism<E>& m = *job.m;
  const std::ptrdiff_t width = 12 * static_cast<std::ptrdiff_t>(job.frames.size());
  States<E> s(job, memory);
  Pose<T>* X_WB = memory.take<Pose<T>>(m.bodies.size());
  for_each_pack(s, first, last, [&](std::size_t row) {
    body_poses<E>(m, s.q, memory, X_WB);
    E* to = job.out + static_cast<std::ptrdiff_t>(row) * width;
    for (const int f : job.frames) {
      const BatchFrame<E>& frame = job.all_frames[f];
      const Pose<T> X = X_WB[frame.body] * frame.X_BF;
      store_rows(&X.R.x.x, 12, s.count, to, width);
      to += 12;
    }
  });
  return no_state;
}

template <class E>
std::size_t frame_jacobian_rows(const Job<E>& job, std::size_t first, std::size_t last,
                                Arena memory, Workspace<E>&) {
  const Mechanism<E>& m = *job.m;
  States<E> s(job, memory);
  Lanes<E>* J = memory.take<Lanes<E>>(6 * index(m.nv));
  for_each_pack(s, first, last, [&](std::size_t row) {
    frame_jacobian<E>(m, s.q, job.all_frames[job.frames[0]], job.axes, memory, J);
    store_rows(J, 6 * m.nv, s.count, job.out + row * 6 * index(m.nv));
  });
  return no_state;
}

template <class E>
std::size_t kinetic_energy_rows(const Job<E>& job, std::size_t first, std::size_t last,
                                Arena memory, Workspace<E>&) {
  States<E> s(job, memory);
  for_each_pack(s, first, last, [&](std::size_t row) {
    store_some(kinetic_energy<E>(*job.m, s.q, s.qd, memory), job.out + row, s.count);
  });
  return no_state;
}

template <class E>
std::size_t potential_energy_rows(const Job<E>& job, std::size_t first, std::size_t last,
                                  Arena memory, Workspace<E>&) {
  States<E> s(job, memory);
  for_each_pack(s, first, last, [&](std::size_t row) {
    store_some(potential_energy<E>(*job.m, s.q, memory), job.out + row, s.count);
  });
  return no_state;
}

// Trajectories, one per lane.
template <class E>
std::size_t rollout_rows(const Job<E>& job, std::size_t first, std::size_t last, Arena memory,
                         Workspace<E>&) {
  using T = Lanes<E>;
  const Mechanism<E>& m = *job.m;
  const Rollout<E>& r = job.rollout;
  const int every = r.every > 0 ? r.every : r.steps;
  const std::ptrdiff_t samples = r.steps / every,
                       forces = static_cast<std::ptrdiff_t>(r.steps) * m.nv;
  Job<E> first_states = job;
  if (job.forces_change) first_states.x = nullptr;
  States<E> s(first_states, memory);
  std::size_t without = no_state;
  for (std::size_t row = first; row < last; row += T::size) {
    s.load(row, last);
    LostPivots<T> lost;
    for (int k = 1; k <= r.steps; ++k) {
      if (job.forces_change)
        load_rows(job.x + static_cast<std::ptrdiff_t>(row) * forces + index(k - 1) * index(m.nv),
                  forces, m.nv, s.count, s.x);
      lost.lanes += step<E>(m, r.stepper, r.step, s.x, memory, s.q, s.qd).lanes;
      if (k % every != 0) continue;
      const std::ptrdiff_t place = static_cast<std::ptrdiff_t>(row) * samples + k / every - 1;
      E *const q = job.out + place * m.nq, *const qd = job.out_qd + place * m.nv;
      store_rows(s.q, m.nq, s.count, q, samples * m.nq);
      store_rows(s.qd, m.nv, s.count, qd, samples * m.nv);
      for (int i = 0; i < s.count; ++i) {
        if (lost.lanes[i] == E(0)) continue;
        const E nan = std::numeric_limits<E>::quiet_NaN();
        for (int c = 0; c < m.nq; ++c) q[i * samples * m.nq + c] = nan;
        for (int c = 0; c < m.nv; ++c) qd[i * samples * m.nv + c] = nan;
      }
    }
    for (int i = s.count - 1; i >= 0; --i) {
      if (lost.lanes[i] != E(0) && row + index(i) < without) without = row + index(i);
    }
  }
  return without;
}

// Bytes for any of them. See Workspace: kernels take O(bodies), coupled mechanisms matrices, too.
template <class E>
std::size_t room(const Mechanism<E>& m) {
  const std::size_t n = index(m.num_bodies() + m.tree_nv + 8), nv = index(m.nv);
  std::size_t scalars = 200 * n + (m.coupled ? index(m.tree_nv) * index(m.tree_nv) + nv * nv : 0);
  if (m.nv <= most_lane_velocities) scalars += derivatives_room<Lanes<E>>(m) + 3 * nv * nv;
  return sizeof(Lanes<E>) * scalars + 64 * 64;
}

template <class E>
LaneFunctions<E> functions() {
  return {Lanes<E>::size,
          room<E>,
          inverse_dynamics_rows<E>,
          forward_dynamics_rows<E>,
          inertia_matrix_rows<E>,
          inverse_derivatives_rows<E>,
          forward_derivatives_rows<E>,
          frame_poses_rows<E>,
          frame_jacobian_rows<E>,
          kinetic_energy_rows<E>,
          potential_energy_rows<E>,
          rollout_rows<E>};
}
template LaneFunctions<double> functions<double>();
template LaneFunctions<float> functions<float>();

}  // namespace catena::CATENA_LEVEL
