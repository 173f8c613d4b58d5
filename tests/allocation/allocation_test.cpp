// Low-level calls allocate nothing once the workspace is made: operator new and malloc are counted.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <new>

#include "catena/batch/batch.hpp"
#include "catena/formulations/formulation.hpp"
#include "catena/formulations/spatial/forward_derivatives.hpp"
#include "catena/loops/closed_dynamics.hpp"
#include "catena/simulation/integrator.hpp"
#include "catena/simulation/tree_system.hpp"
#include "oracles/cases.hpp"
#include "oracles/n_four_bar.hpp"

namespace {
thread_local long allocations = 0;
std::atomic<long> all_allocations = 0;  // of all threads
}  // namespace

// glibc's own allocator under another name; sanitizers bring theirs, and then nothing is replaced.
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CATENA_COUNTS_MALLOC 1
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);

void* malloc(std::size_t n) { return ++allocations, ++all_allocations, __libc_malloc(n); }
void* calloc(std::size_t n, std::size_t m) {
  return ++allocations, ++all_allocations, __libc_calloc(n, m);
}
void* realloc(void* p, std::size_t n) {
  return ++allocations, ++all_allocations, __libc_realloc(p, n);
}
void* aligned_alloc(std::size_t a, std::size_t n) {
  return ++allocations, ++all_allocations, __libc_memalign(a, n);
}
}
#else
#define CATENA_COUNTS_MALLOC 0
#endif

namespace catena::oracle {
namespace {

// How many allocations f makes.
template <class F>
long count(F f) {
  const long before = allocations;
  f();
  return allocations - before;
}

template <class T>
class Allocations : public ::testing::Test {};
TYPED_TEST_SUITE(Allocations, Scalars);

TEST(AllocationCounter, Counts) {
  if (!CATENA_COUNTS_MALLOC) GTEST_SKIP() << "a sanitizer brings its own malloc";
  EXPECT_GE(count([] { delete new std::vector<double>(100); }), 2);
  EXPECT_GE(
      count([] { operator delete(operator new(64, std::align_val_t(64)), std::align_val_t(64)); }),
      1);
  EXPECT_GE(count([] { std::free(std::malloc(10)); }), 1);
}

TYPED_TEST(Allocations, LowLevelCallsMakeNone) {
  using T = TypeParam;
  for_each_model(30, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    Machine<T> machine(m);
    const State<T> s = random_state_of(machine, m, random);
    const std::size_t n = at(m.nv);
    std::vector<T> out(n), M(n * n), J(6 * n), C(3 * n), q(at(m.nq)), v(n);
    std::vector<Pose<T>> X(m.bodies.size());
    std::vector<Motion<T>> V(m.bodies.size()), A(m.bodies.size());
    std::vector<Force<T>> F(m.bodies.size());
    const int last = m.num_bodies() - 1;
    auto& w = machine.w;
    const auto& mm = machine.m;
    EXPECT_EQ(count([&] { inverse_dynamics<T>(mm, s.q, s.qd, s.qdd, s.Fext, w, out); }), 0)
        << where;
    EXPECT_EQ(count([&] { inverse_dynamics<T>(mm, s.q, s.qd, {}, {}, w, out, F); }), 0) << where;
    EXPECT_EQ(count([&] { bias_forces<T>(mm, s.q, s.qd, w, out); }), 0) << where;
    EXPECT_EQ(count([&] { gravity_forces<T>(mm, s.q, w, out); }), 0) << where;
    EXPECT_EQ(count([&] { inertia_matrix<T>(mm, s.q, w, M); }), 0) << where;
    EXPECT_EQ(count([&] { (void)forward_dynamics<T>(mm, s.q, s.qd, s.tau, s.Fext, w, out); }), 0)
        << where;
    EXPECT_EQ(count([&] { (void)solve_inertia<T>(mm, s.q, s.tau, w, out); }), 0) << where;
    EXPECT_EQ(count([&] { body_poses<T>(mm, s.q, w, X); }), 0) << where;
    EXPECT_EQ(count([&] { body_motions<T>(mm, s.q, s.qd, s.qdd, w, X, V, A); }), 0) << where;
    EXPECT_EQ(count([&] { poses_and_jacobians<T>(mm, s.q, w, X, J); }), 0) << where;
    EXPECT_EQ(count([&] { frame_jacobian<T>(mm, s.q, last, {}, Axes::world, w, J); }), 0) << where;
    EXPECT_EQ(count([&] { frame_jacobian_rate<T>(mm, s.q, s.qd, last, {}, Axes::frame, w, J); }), 0)
        << where;
    EXPECT_EQ(count([&] { frame_twist<T>(X[at(last)], V[at(last)], {}, Axes::frame); }), 0)
        << where;
    EXPECT_EQ(count([&] {
                frame_acceleration<T>(X[at(last)], V[at(last)], A[at(last)], {}, Axes::world);
              }),
              0);
    if (n > 0) {
      EXPECT_EQ(count([&] { mass_centre<T>(mm, s.q, w, C); }), 0) << where;
    }
    EXPECT_EQ(count([&] { kinetic_energy<T>(mm, s.q, s.qd, w); }), 0) << where;
    EXPECT_EQ(count([&] { potential_energy<T>(mm, s.q, w); }), 0) << where;
    EXPECT_EQ(count([&] { momentum<T>(mm, s.q, s.qd, w); }), 0) << where;
    {
      EXPECT_EQ(count([&] { factor_ltl<T>(mm, M); }), 0) << where;
      EXPECT_EQ(count([&] { solve_ltl<T>(mm, M, out); }), 0) << where;
      EXPECT_EQ(count([&] { factor_udut<T>(mm, M); }), 0) << where;
      EXPECT_EQ(count([&] { solve_udut<T>(mm, M, out); }), 0) << where;
      EXPECT_EQ(count([&] { neutral_configuration<T>(mm, q); }), 0) << where;
      EXPECT_EQ(count([&] { integrate_configuration<T>(mm, s.q, s.qd, q); }), 0) << where;
      EXPECT_EQ(count([&] { difference_configuration<T>(mm, s.q, q, v); }), 0) << where;
      EXPECT_EQ(count([&] { normalise_configuration<T>(mm, q); }), 0) << where;
    }
    if constexpr (std::is_same_v<T, double>) {
      EXPECT_EQ(count([&] { random_configuration(m, random.generator(), q); }), 0) << where;
    }
  });
}

// The workspace is linear in the number of bodies where nothing is coupled, and large enough.
TEST(Integrators, MakeNoneInTheirSteps) {
  Random random(5);
  TreeOptions options;
  options.floating = true;
  const Mechanism<double> m = compile(random_model(random, options));
  TreeSystem system(m, *find_formulation<double>("spatial"));
  std::vector<double> q(static_cast<std::size_t>(m.nq)), v(static_cast<std::size_t>(m.nv), 0.3);
  neutral_configuration<double>(m, q);
  for (const IntegratorInfo& info : integrators()) {
    const auto integrator = make_integrator(info.name, system, {1e-6, 1e-6, 1e-3});
    integrator->start(0, q, v);
    integrator->step(1);
    EXPECT_EQ(count([&] {
                for (int i = 0; i < 5; ++i) integrator->step(1);
              }),
              0)
        << info.name;
    if (std::string(info.name) != "dormand-prince") continue;
    std::vector<double> q_at = q, v_at = v;
    EXPECT_EQ(count([&] {
                for (double part : {0.3, 0.7})
                  integrator->at(integrator->previous_time() +
                                     part * (integrator->time() - integrator->previous_time()),
                                 q_at, v_at);
              }),
              0);
  }
}

TEST(Workspaces, CarryAChainOfAThousandJoints) {
  Random random(1);
  TreeOptions options;
  options.bodies = 1000, options.branching = 0, options.kinds = {JointKind::revolute};
  const Mechanism<double> m = compile(random_model(random, options));
  Machine<double> machine(m);
  const State<double> s = random_state(m, random);
  std::vector<double> tau(at(m.nv)), qdd(at(m.nv));
  EXPECT_EQ(count([&] { inverse_dynamics<double>(m, s.q, s.qd, s.qdd, s.Fext, machine.w, tau); }),
            0);
  EXPECT_EQ(
      count([&] { (void)forward_dynamics<double>(m, s.q, s.qd, tau, s.Fext, machine.w, qdd); }), 0);
  EXPECT_LE(difference(machine.inverse(s.q, s.qd, qdd, s.Fext), tau), 1e-12);
}

TEST(DerivativeCalls, MakeNone) {
  for_each_model(20, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    const State<double> s = random_state(m, random);
    const std::size_t n = at(m.nv);
    Workspace<double> w(m, derivatives_room<double>(m));
    std::vector<double> qdd(n), dq(n * n), dv(n * n), dx(n * n);
    EXPECT_EQ(count([&] {
                inverse_dynamics_derivatives<double>(m, s.q, s.qd, s.qdd, s.Fext, w, dq, dv, dx);
              }),
              0)
        << where;
    EXPECT_EQ(count([&] {
                (void)forward_dynamics_derivatives<double>(m, s.q, s.qd, s.tau, s.Fext, w,
                                                           {qdd, dq, dv, dx});
              }),
              0)
        << where;
  });
}

// Nor do the threads: their work is counted where they do it, and the pool's are made before.
TEST(BatchCalls, MakeNoneInAnyThread) {
  for_each_model(8, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    if (m.nv == 0) return;
    const std::size_t states = 37, n = at(m.nv), nq = at(m.nq);
    std::vector<double> q, v(states * n, 0.1), out(states * n), M(states * n * n), dv(M), dx(M);
    for (std::size_t i = 0; i < states; ++i) {
      const State<double> s = random_state(m, random);
      q.insert(q.end(), s.q.begin(), s.q.end());
    }
    std::vector<double> q_out(states * nq), energy(states), J(states * 6 * n), X(states * 12);
    const std::vector<int> frames{0};
    for (const int threads : {1, 2}) {
      Batch<double> batch(m, {.threads = threads});
      batch.inverse_dynamics(q, v, v, out);  // the pool makes its thread here
      const long before = all_allocations;
      EXPECT_EQ(count([&] {
                  batch.inverse_dynamics(q, v, v, out);
                  (void)batch.forward_dynamics(q, v, v, out);
                  batch.inertia_matrix(q, M);
                  batch.inverse_derivatives(q, v, v, M, dv, dx);
                  (void)batch.forward_derivatives(q, v, v, out, M, dv, dx);
                  batch.frame_poses(q, frames, X);
                  batch.frame_jacobian(q, 0, Axes::world, J);
                  batch.kinetic_energy(q, v, energy);
                  batch.potential_energy(q, energy);
                  (void)batch.rollout({Stepper::rk4, 1e-3, 3, 3}, q, v, v, q_out, out);
                }),
                0)
          << where;
      EXPECT_EQ(all_allocations, before) << where << ", " << threads << " threads";
    }
  });
}

TEST(ClosedAllocations, ForwardDynamicsOfClosedMechanismsMakesNone) {
  for (const int windows : {1, 20}) {
    ClosedDynamics dynamics(n_four_bar(windows));
    const Eigen::VectorXd q = n_four_bar_vector(windows, 0.8), qd = n_four_bar_vector(windows, 0.3);
    const auto n = static_cast<std::size_t>(q.size());
    const std::vector<double> tau(n, 0.1);
    std::vector<double> qdd(n);
    EXPECT_EQ(count([&] {
                dynamics.forward_dynamics({q.data(), n}, {qd.data(), n}, tau, {}, qdd);
              }),
              0)
        << windows;
    EXPECT_NE(qdd[0], 0);
  }
}

}  // namespace
}  // namespace catena::oracle
