#include "catena/batch/one_state.hpp"

#include <algorithm>
#include <limits>

#include "catena/formulations/spatial/forward_derivatives.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/model/coordinates.hpp"

namespace catena {
namespace {

template <class E>
struct OneState {
  std::span<const E> q, qd, x;
  std::span<const Force<E>> Fext_B;

  OneState(const Job<E>& job, std::size_t state) {
    static_assert(sizeof(Force<E>) == 6 * sizeof(E));
    const std::size_t nq = index(job.m->nq), nv = index(job.m->nv), nb = job.m->bodies.size();
    q = {job.q + state * nq, nq};
    if (job.qd != nullptr) qd = {job.qd + state * nv, nv};
    if (job.x != nullptr) x = {job.x + state * nv, nv};
    if (job.Fext_B != nullptr)
      Fext_B = {reinterpret_cast<const Force<E>*>(job.Fext_B) + state * nb, nb};
  }
};

// The matrix of a state.
template <class E>
std::span<E> matrix(const Job<E>& job, E* all, std::size_t state) {
  const std::size_t size = index(job.m->nv) * index(job.m->nv);
  return {all + state * size, size};
}

template <class E>
void fill_with_nan(std::span<E> numbers) {
  std::fill(numbers.begin(), numbers.end(), std::numeric_limits<E>::quiet_NaN());
}

}  // namespace

template <class E>
bool forward_dynamics_alone(const Job<E>& job, std::size_t state, Workspace<E>& w) {
  const OneState<E> s(job, state);
  const std::span<E> qdd(job.out + state * index(job.m->nv), index(job.m->nv));
  if (forward_dynamics<E>(*job.m, s.q, s.qd, s.x, s.Fext_B, w, qdd)) return true;
  fill_with_nan(qdd);
  return false;
}

template <class E>
bool forward_derivatives_alone(const Job<E>& job, std::size_t state, Workspace<E>& w) {
  const OneState<E> s(job, state);
  const ForwardDerivatives<E> out{{job.out + state * index(job.m->nv), index(job.m->nv)},
                                  matrix(job, job.dq, state),
                                  matrix(job, job.dv, state),
                                  matrix(job, job.dx, state)};
  if (forward_dynamics_derivatives<E>(*job.m, s.q, s.qd, s.x, s.Fext_B, w, out)) return true;
  for (const auto& numbers : {out.qdd, out.dqdd_dq, out.dqdd_dv, out.dqdd_dtau})
    fill_with_nan(numbers);
  return false;
}

template <class E>
std::size_t inertia_matrices_one_by_one(const Job<E>& job, std::size_t first, std::size_t last,
                                        Arena, Workspace<E>& w) {
  for (std::size_t i = first; i < last; ++i)
    inertia_matrix<E>(*job.m, OneState<E>(job, i).q, w, matrix(job, job.out, i), job.triangle);
  return no_state;
}

template <class E>
std::size_t inverse_derivatives_one_by_one(const Job<E>& job, std::size_t first, std::size_t last,
                                           Arena, Workspace<E>& w) {
  for (std::size_t i = first; i < last; ++i) {
    const OneState<E> s(job, i);
    inverse_dynamics_derivatives<E>(*job.m, s.q, s.qd, s.x, s.Fext_B, w, matrix(job, job.dq, i),
                                    matrix(job, job.dv, i), matrix(job, job.dx, i));
  }
  return no_state;
}

template <class E>
std::size_t forward_derivatives_one_by_one(const Job<E>& job, std::size_t first, std::size_t last,
                                           Arena, Workspace<E>& w) {
  std::size_t without = no_state;
  for (std::size_t i = first; i < last; ++i) {
    if (!forward_derivatives_alone(job, i, w)) without = std::min(without, i);
  }
  return without;
}

#define CATENA_INSTANTIATE(E)                                                                     \
  template bool forward_dynamics_alone<E>(const Job<E>&, std::size_t, Workspace<E>&);             \
  template bool forward_derivatives_alone<E>(const Job<E>&, std::size_t, Workspace<E>&);          \
  template std::size_t inertia_matrices_one_by_one<E>(const Job<E>&, std::size_t, std::size_t,    \
                                                      Arena, Workspace<E>&);                      \
  template std::size_t inverse_derivatives_one_by_one<E>(const Job<E>&, std::size_t, std::size_t, \
                                                         Arena, Workspace<E>&);                   \
  template std::size_t forward_derivatives_one_by_one<E>(const Job<E>&, std::size_t, std::size_t, \
                                                         Arena, Workspace<E>&);
CATENA_INSTANTIATE(double)
CATENA_INSTANTIATE(float)

}  // namespace catena
