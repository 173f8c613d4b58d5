#include "catena/batch/batch.hpp"

#include <algorithm>
#include <atomic>
#include <limits>
#include <new>
#include <string>
#include <thread>
#include <vector>

#include "catena/batch/one_state.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/inverse_derivatives.hpp"
#include "catena/model/coordinates.hpp"
#include "catena/scalar/isa.hpp"
#include "catena/support/error.hpp"
#include "catena/support/worker_pool.hpp"

namespace catena {

#define CATENA_DECLARE(LEVEL)   \
  namespace LEVEL {             \
  template <class E>            \
  LaneFunctions<E> functions(); \
  }
CATENA_DECLARE(baseline)
CATENA_DECLARE(avx2)
CATENA_DECLARE(avx512)

namespace {

template <class E>
LaneFunctions<E> functions_of_this_machine() {
#if CATENA_ISA_DISPATCH && defined(CATENA_HAS_LEVELS)
  if (isa == Isa::avx512) return avx512::functions<E>();
  if (isa == Isa::avx2) return avx2::functions<E>();
#endif
  return baseline::functions<E>();
}

int wanted_threads(int asked) {
  if (asked > 0) return asked;
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}

struct FreeAligned {
  void operator()(std::byte* p) const { operator delete[](p, std::align_val_t(64)); }
};
using Memory = std::unique_ptr<std::byte[], FreeAligned>;

// States that a thread takes at once: enough to do, few enough to share evenly.
std::size_t share(std::size_t states, int threads, std::size_t lanes) {
  const std::size_t packs = (states + lanes - 1) / lanes;
  const std::size_t share = packs / (static_cast<std::size_t>(threads) * 8);
  return lanes * std::clamp<std::size_t>(share, 1, 64);
}

}  // namespace

template <class E>
struct Batch<E>::Parts {
  Mechanism<E> m;
  LaneFunctions<E> functions;
  std::size_t room;
  std::vector<Memory> memory;  // one per thread
  std::vector<Workspace<E>> w;
  std::vector<BatchFrame<E>> frames;

  Parts(const Mechanism<E>& mechanism, int threads)
      : m(mechanism), functions(functions_of_this_machine<E>()), room(functions.room(m)) {
    if (m.nv > most_lane_velocities) {
      functions.inertia_matrix = inertia_matrices_one_by_one<E>;
      functions.inverse_derivatives = inverse_derivatives_one_by_one<E>;
      functions.forward_derivatives = forward_derivatives_one_by_one<E>;
    }
    for (int i = 0; i < threads; ++i) {
      memory.emplace_back(new (std::align_val_t(64)) std::byte[room]);
      w.emplace_back(m, derivatives_room<E>(m));
    }
    const auto e = [](const Vec3<double>& v) {
      return Vec3<E>{static_cast<E>(v.x), static_cast<E>(v.y), static_cast<E>(v.z)};
    };
    for (const FrameInfo& f : m.names->frames)
      frames.push_back({f.body, {{e(f.X_BF.R.x), e(f.X_BF.R.y), e(f.X_BF.R.z)}, e(f.X_BF.p)}});
  }
  Arena arena(int thread) const {
    std::byte* const begin = memory[index(thread)].get();
    return Arena(begin, begin + room);
  }
  int threads() const { return static_cast<int>(memory.size()); }
};

template <class E>
Batch<E>::Batch(const Mechanism<E>& m, const BatchOptions& options)
    : parts_(std::make_unique<Parts>(m, wanted_threads(options.threads))) {}
template <class E>
Batch<E>::~Batch() = default;
template <class E>
Batch<E>::Batch(Batch&&) noexcept = default;
template <class E>
Batch<E>& Batch<E>::operator=(Batch&&) noexcept = default;

template <class E>
const Mechanism<E>& Batch<E>::mechanism() const {
  return parts_->m;
}
template <class E>
int Batch<E>::threads() const {
  return parts_->threads();
}
template <class E>
int Batch<E>::lanes() const {
  return parts_->functions.lanes;
}

// Threads take shares of the states in turn. A state's lane makes no difference to its result, and
// so does the thread.
template <class E>
std::size_t Batch<E>::run(LaneFunction<E> function, const Job<E>& job, std::size_t states) {
  struct Context {
    Parts& parts;
    LaneFunction<E> function;
    const Job<E>& job;
    std::size_t states, share;
    std::atomic<std::size_t> next = 0, without = no_state;

    void work(int part) {
      for (;;) {
        const std::size_t first = next.fetch_add(share, std::memory_order_relaxed);
        if (first >= states) return;
        const std::size_t last = std::min(first + share, states);
        const std::size_t bad = function(job, first, last, parts.arena(part), parts.w[index(part)]);
        for (std::size_t least = without; bad < least;) {
          if (without.compare_exchange_weak(least, bad)) break;
        }
      }
    }
  };
  const std::size_t lanes = static_cast<std::size_t>(parts_->functions.lanes);
  const std::size_t packs = (states + lanes - 1) / lanes;
  const int threads = static_cast<int>(std::min(packs, static_cast<std::size_t>(this->threads())));
  if (threads < 2) return function(job, 0, states, parts_->arena(0), parts_->w[0]);
  Context context{*parts_, function, job, states, share(states, threads, lanes)};
  run_parts(
      threads, [](void* c, int part) { static_cast<Context*>(c)->work(part); }, &context, false);
  return context.without;
}

namespace {

// How many states there are: by q, or by the result where the mechanism has no coordinates.
std::size_t count_states(std::size_t q, std::size_t width_q, std::size_t out, std::size_t width) {
  if (width_q == 0) return width == 0 ? 0 : out / width;
  if (q % width_q != 0)
    throw SizeError("q has " + std::to_string(q) + " entries, but each state needs " +
                    std::to_string(width_q));
  return q / width_q;
}
template <class E>
const E* rows(const char* name, std::span<const E> x, std::size_t expected) {
  if (x.empty()) return nullptr;
  check_size(name, x.size(), expected);
  return x.data();
}

template <class E>
void check_frames(const Mechanism<E>& m, std::span<const int> frames) {
  const std::size_t all = m.names->frames.size();
  for (const int f : frames) {
    if (f < 0 || index(f) >= all)
      throw SizeError("there is no frame " + std::to_string(f) + ": '" + m.names->model + "' has " +
                      std::to_string(all));
  }
}

}  // namespace

template <class E>
void Batch<E>::inverse_dynamics(In q, In qd, In qdd, Out tau, In Fext_B) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t nv = index(m.nv);
  const std::size_t n = count_states(q.size(), index(m.nq), tau.size(), nv);
  check_size("tau", tau.size(), n * nv);
  run(parts_->functions.inverse_dynamics,
      {.m = &m,
       .q = q.data(),
       .qd = rows("qd", qd, n * nv),
       .x = rows("qdd", qdd, n * nv),
       .Fext_B = rows("Fext_B", Fext_B, n * 6 * m.bodies.size()),
       .out = tau.data()},
      n);
}

// Which joint it is that carries no inertia. The inertia depends on the position alone.
template <class E>
BatchStatus Batch<E>::explain(std::size_t state, In q, Out qdd) {
  if (state == no_state) return {};
  const std::size_t nq = index(parts_->m.nq), nv = index(parts_->m.nv);
  Out row = qdd.subspan(state * nv, nv);
  const ForwardStatus status = catena::forward_dynamics<E>(parts_->m, q.subspan(state * nq, nq), {},
                                                           {}, {}, parts_->w[0], row);
  std::fill(row.begin(), row.end(), std::numeric_limits<E>::quiet_NaN());
  return {state, status};
}

template <class E>
BatchStatus Batch<E>::forward_dynamics(In q, In qd, In tau, Out qdd, In Fext_B) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t nv = index(m.nv);
  const std::size_t n = count_states(q.size(), index(m.nq), qdd.size(), nv);
  check_size("qdd", qdd.size(), n * nv);
  const Job<E> job{.m = &m,
                   .q = q.data(),
                   .qd = rows("qd", qd, n * nv),
                   .x = rows("tau", tau, n * nv),
                   .Fext_B = rows("Fext_B", Fext_B, n * 6 * m.bodies.size()),
                   .out = qdd.data()};
  return explain(run(parts_->functions.forward_dynamics, job, n), q, qdd);
}

template <class E>
void Batch<E>::inverse_derivatives(In q, In qd, In qdd, Out dtau_dq, Out dtau_dqd, Out dtau_dqdd,
                                   In Fext_B) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t nv = index(m.nv), size = nv * nv;
  const std::size_t n = count_states(q.size(), index(m.nq), dtau_dq.size(), size);
  check_size("dtau_dq", dtau_dq.size(), n * size);
  check_size("dtau_dqd", dtau_dqd.size(), n * size);
  check_size("dtau_dqdd", dtau_dqdd.size(), n * size);
  run(parts_->functions.inverse_derivatives,
      {.m = &m,
       .q = q.data(),
       .qd = rows("qd", qd, n * nv),
       .x = rows("qdd", qdd, n * nv),
       .Fext_B = rows("Fext_B", Fext_B, n * 6 * m.bodies.size()),
       .dq = dtau_dq.data(),
       .dv = dtau_dqd.data(),
       .dx = dtau_dqdd.data()},
      n);
}

template <class E>
BatchStatus Batch<E>::forward_derivatives(In q, In qd, In tau, Out qdd, Out dqdd_dq, Out dqdd_dqd,
                                          Out dqdd_dtau, In Fext_B) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t nv = index(m.nv), size = nv * nv;
  const std::size_t n = count_states(q.size(), index(m.nq), qdd.size(), nv);
  check_size("qdd", qdd.size(), n * nv);
  check_size("dqdd_dq", dqdd_dq.size(), n * size);
  check_size("dqdd_dqd", dqdd_dqd.size(), n * size);
  check_size("dqdd_dtau", dqdd_dtau.size(), n * size);
  const Job<E> job{.m = &m,
                   .q = q.data(),
                   .qd = rows("qd", qd, n * nv),
                   .x = rows("tau", tau, n * nv),
                   .Fext_B = rows("Fext_B", Fext_B, n * 6 * m.bodies.size()),
                   .out = qdd.data(),
                   .dq = dqdd_dq.data(),
                   .dv = dqdd_dqd.data(),
                   .dx = dqdd_dtau.data()};
  return explain(run(parts_->functions.forward_derivatives, job, n), q, qdd);
}

template <class E>
void Batch<E>::inertia_matrix(In q, Out M, Triangle triangle) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t size = index(m.nv) * index(m.nv);
  const std::size_t n = count_states(q.size(), index(m.nq), M.size(), size);
  check_size("M", M.size(), n * size);
  run(parts_->functions.inertia_matrix,
      {.m = &m, .q = q.data(), .out = M.data(), .triangle = triangle}, n);
}

template <class E>
void Batch<E>::frame_poses(In q, std::span<const int> frames, Out X_WF) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t n = count_states(q.size(), index(m.nq), X_WF.size(), 12 * frames.size());
  check_size("X_WF", X_WF.size(), n * 12 * frames.size());
  check_frames(m, frames);
  run(parts_->functions.frame_poses,
      {.m = &m,
       .q = q.data(),
       .out = X_WF.data(),
       .all_frames = parts_->frames.data(),
       .frames = frames},
      n);
}

template <class E>
void Batch<E>::frame_jacobian(In q, int frame, Axes axes, Out J) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t size = 6 * index(m.nv);
  const std::size_t n = count_states(q.size(), index(m.nq), J.size(), size);
  check_size("J", J.size(), n * size);
  check_frames(m, {&frame, 1});
  run(parts_->functions.frame_jacobian,
      {.m = &m,
       .q = q.data(),
       .out = J.data(),
       .all_frames = parts_->frames.data(),
       .frames = {&frame, 1},
       .axes = axes},
      n);
}

template <class E>
void Batch<E>::kinetic_energy(In q, In qd, Out energy) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t n = count_states(q.size(), index(m.nq), energy.size(), 1);
  check_size("energy", energy.size(), n);
  run(parts_->functions.kinetic_energy,
      {.m = &m, .q = q.data(), .qd = rows("qd", qd, n * index(m.nv)), .out = energy.data()}, n);
}

template <class E>
void Batch<E>::potential_energy(In q, Out energy) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t n = count_states(q.size(), index(m.nq), energy.size(), 1);
  check_size("energy", energy.size(), n);
  run(parts_->functions.potential_energy, {.m = &m, .q = q.data(), .out = energy.data()}, n);
}

template <class E>
BatchStatus Batch<E>::rollout(const Rollout<E>& rollout, In q, In qd, In tau, Out q_out,
                              Out qd_out) {
  const Mechanism<E>& m = parts_->m;
  const std::size_t nq = index(m.nq), nv = index(m.nv);
  const std::size_t n = nq > 0 ? count_states(q.size(), nq, 0, 0) : 0;
  if (rollout.steps < 1 || rollout.every < 0)
    throw SizeError("a rollout needs at least one step, and 'every' must not be negative");
  const std::size_t steps = index(rollout.steps);
  const std::size_t samples = rollout.every == 0 ? 1 : steps / index(rollout.every);
  check_size("q_out", q_out.size(), n * samples * nq);
  check_size("qd_out", qd_out.size(), n * samples * nv);
  const bool forces_change = !tau.empty() && tau.size() != n * nv;
  const std::size_t bad = run(parts_->functions.rollout,
                              {.m = &m,
                               .q = q.data(),
                               .qd = rows("qd", qd, n * nv),
                               .x = rows("tau", tau, n * (forces_change ? steps : 1) * nv),
                               .out = q_out.data(),
                               .out_qd = qd_out.data(),
                               .rollout = rollout,
                               .forces_change = forces_change},
                              n);
  if (bad == no_state) return {};
  std::vector<E> unused(nv);
  return {bad, catena::forward_dynamics<E>(m, q.subspan(bad * nq, nq), {}, {}, {}, parts_->w[0],
                                           unused)};
}

template class Batch<double>;
template class Batch<float>;

}  // namespace catena
