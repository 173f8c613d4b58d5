// The low-level calls: spans in, spans out, scratch memory made once. Nothing is allocated in the
// loop; this program counts to prove it.
#include <catena/formulations/spatial/forward_dynamics.hpp>
#include <catena/formulations/spatial/inverse_dynamics.hpp>
#include <catena/model/compile.hpp>
#include <catena/motion/trajectory.hpp>
#include <catena/readers/readers.hpp>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <numbers>
#include <vector>

static long allocations = 0;
void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, std::size_t) noexcept { std::free(p); }

int main(int argc, char** argv) {
  const auto m = catena::compile(catena::read_model(argc > 1 ? argv[1] : "models/puma.yaml"));
  catena::Workspace<double> w(m);  // one per thread
  const std::size_t nq = m.nq, nv = m.nv;
  std::vector<double> q(nq), qd(nv), qdd(nv), tau(nv), back(nv);

  const std::vector<double> from(nq, 0.), to(nq, std::numbers::pi);
  const catena::PointToPoint path(m, from, to, {catena::Timing::cycloidal, 10.});

  const long before = allocations;
  double largest = 0, error = 0;
  for (int k = 0; k <= 1000; ++k) {
    path.at(0.01 * k, q, qd, qdd);
    catena::inverse_dynamics<double>(m, q, qd, qdd, {}, w, tau);
    if (!catena::forward_dynamics<double>(m, q, qd, tau, {}, w, back)) return 1;
    for (std::size_t i = 0; i < nv; ++i) {
      largest = std::max(largest, std::abs(tau[i]));
      error = std::max(error, std::abs(back[i] - qdd[i]));
    }
  }
  std::printf("largest torque %.6f N m\n", largest);
  std::printf("forward dynamics gives the accelerations back: %s\n", error < 1e-12 ? "yes" : "no");
  std::printf("allocations in 2002 calls: %ld\n", allocations - before);
}
