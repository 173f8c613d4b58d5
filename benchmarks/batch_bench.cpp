// Times batches over their size and the number of threads, and says how near each kernel comes to
// what the processor can do.
//
//   batch_bench MODELS_FOLDER SIZES.csv LIMITS.csv [SECONDS]
//
// A time is the least of several rounds, in which everyone gets his turn; SECONDS is how long one
// of them lasts (0.02). Wall-clock time: threads shall show.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iostream>
#include <limits>
#include <thread>

#include "catena/batch/batch.hpp"
#include "catena/formulations/spatial/derivatives_kernel.hpp"
#include "catena/formulations/spatial/forward_dynamics.hpp"
#include "catena/formulations/spatial/inverse_derivatives.hpp"
#include "catena/formulations/spatial/inverse_dynamics.hpp"
#include "catena/kinematics/configuration.hpp"
#include "catena/model/compile.hpp"
#include "catena/readers/readers.hpp"
#include "catena/scalar/isa.hpp"
#include "peers/bench.hpp"

namespace {

using namespace catena;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

struct Contestant {
  std::function<void()> run;
  double best = std::numeric_limits<double>::infinity();  // seconds per call
};

void race(std::vector<Contestant>& all, double seconds, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    for (Contestant& c : all) {
      const auto begin = Clock::now();
      do {
        const auto start = Clock::now();
        c.run();
        c.best = std::min(c.best, seconds_since(start));
      } while (seconds_since(begin) < seconds);
    }
  }
}

// Multiplications and additions per second of one core, fused where it can: twelve sums that do not
// wait for each other.
#if CATENA_ISA_DISPATCH
#define CATENA_WITH(TARGET) __attribute__((target(TARGET)))
#else
#define CATENA_WITH(TARGET)
#endif
#define CATENA_PEAK(NAME, BYTES, TARGET)                                         \
  CATENA_WITH(TARGET) double NAME(long rounds) {                                 \
    typedef double V __attribute__((vector_size(BYTES)));                        \
    V a[12], b = V{} + 0.999, c = V{} + 1e-3;                                    \
    for (int k = 0; k < 12; ++k) a[k] = V{} + k;                                 \
    const auto begin = Clock::now();                                             \
    for (long i = 0; i < rounds; ++i) {                                          \
      _Pragma("GCC unroll 12") for (int k = 0; k < 12; ++k) a[k] = a[k] * b + c; \
    }                                                                            \
    const double time = seconds_since(begin);                                    \
    for (int k = 1; k < 12; ++k) a[0] += a[k];                                   \
    bench::keep(a[0]);                                                           \
    return static_cast<double>(rounds) * 12 * 2 * (BYTES / 8) / time;            \
  }
CATENA_PEAK(peak_baseline, 16, "sse2")
CATENA_PEAK(peak_avx2, 32, "avx2,fma")
CATENA_PEAK(peak_avx512, 64, "avx512f,fma")

double peak() {
  double best = 0;
  for (int i = 0; i < 20; ++i) {
    const long rounds = 300000;
    best = std::max(best, isa == Isa::avx512 ? peak_avx512(rounds)
                          : isa == Isa::avx2 ? peak_avx2(rounds)
                                             : peak_baseline(rounds));
  }
  return best;
}

// Random states, and room for results.
template <class E>
struct States {
  Mechanism<E> m;
  std::size_t n;
  std::vector<E> q, qd, qdd, tau, v, M, dq, dv;

  States(const Mechanism<double>& mechanism, std::size_t count) : m(cast<E>(mechanism)), n(count) {
    const std::size_t nq = static_cast<std::size_t>(m.nq), nv = static_cast<std::size_t>(m.nv);
    bench::Random random;
    const auto fill = [&](std::vector<E>& to, std::size_t size, double largest) {
      for (std::size_t i = 0; i < size; ++i) to.push_back(static_cast<E>(random(largest)));
    };
    fill(q, n * nq, M_PI), fill(qd, n * nv, 1), fill(qdd, n * nv, 1), fill(tau, n * nv, 1);
    for (std::size_t i = 0; i < n; ++i)
      normalise_configuration<E>(m, std::span<E>(q).subspan(i * nq, nq));
    v.resize(n * nv), M.resize(n * nv * nv), dq = dv = M;
  }
};

const char* const computations[] = {"inverse dynamics", "inertia matrix", "forward dynamics",
                                    "derivatives of inverse dynamics",
                                    "derivatives of forward dynamics"};

template <class E>
std::function<void()> call(Batch<E>& batch, States<E>& s, int computation) {
  switch (computation) {
    case 0:
      return [&] { batch.inverse_dynamics(s.q, s.qd, s.qdd, s.v); };
    case 1:
      return [&] { batch.inertia_matrix(s.q, s.M, Triangle::lower); };
    case 2:
      return [&] { (void)batch.forward_dynamics(s.q, s.qd, s.tau, s.v); };
    case 3:
      return [&] { batch.inverse_derivatives(s.q, s.qd, s.qdd, s.dq, s.dv, s.M); };
    default:
      return [&] { (void)batch.forward_derivatives(s.q, s.qd, s.tau, s.v, s.dq, s.dv, s.M); };
  }
}

void over_sizes(const std::string& name, const Mechanism<double>& m, std::size_t most,
                double seconds, std::ofstream& csv) {
  const int cores = static_cast<int>(std::thread::hardware_concurrency());
  for (std::size_t n = 1; n <= most; n *= n < 64 ? 2 : 4) {
    States<double> s(m, n);
    std::vector<Batch<double>> batches;
    for (int threads = 1; threads <= std::min(cores, 8); threads *= 2)
      batches.emplace_back(m, BatchOptions{threads});
    for (int c = 0; c < 5; ++c) {
      std::vector<Contestant> all;
      for (Batch<double>& batch : batches) all.push_back({call(batch, s, c)});
      race(all, seconds, 15);
      for (std::size_t k = 0; k < all.size(); ++k) {
        const double ns = 1e9 * all[k].best / static_cast<double>(n);
        const int threads = batches[k].threads();
        csv << name << ',' << n << ',' << threads << ',' << computations[c] << ',' << ns << '\n';
        std::printf("%-9s %6zu states  %d threads  %-32s %8.1f ns\n", name.c_str(), n, threads,
                    computations[c], ns);
      }
    }
  }
}

// Operations of one state, as the lanes execute them: those with a structural zero, too; a sine and
// cosine are 46 (reduction and polynomials).
double operations(const Mechanism<double>& mechanism, int computation) {
  const Mechanism<Counting> m = cast<Counting>(mechanism);
  const std::size_t nv = static_cast<std::size_t>(m.nv);
  Workspace<Counting> w(m, derivatives_room<Counting>(m));
  std::vector<Counting> q(static_cast<std::size_t>(m.nq), Counting::variable(0.3)),
      v(nv, Counting::variable(0.2)), out(nv), M(nv * nv), dq(M), dv(M);
  Counting::count() = {};
  if (computation == 0) inverse_dynamics<Counting>(m, q, v, v, {}, w, out);
  if (computation == 1) inertia_matrix<Counting>(m, q, w, M, Triangle::lower);
  if (computation == 2) (void)forward_dynamics<Counting>(m, q, v, v, {}, w, out);
  if (computation == 3)
    kernels::InverseDerivatives<Counting>::run(&m, q.data(), v.data(), v.data(), nullptr, w.arena(),
                                               dq.data(), dv.data(), M.data());
  LostPivots<Counting> lost;
  if (computation == 4)
    kernels::ForwardDerivatives<Counting>::run(&m, q.data(), v.data(), v.data(), nullptr, w.arena(),
                                               out.data(), dq.data(), dv.data(), M.data(), &lost);
  const OperationCount& c = Counting::count();
  return static_cast<double>(c.raw_multiplications + c.raw_additions + c.divisions +
                             23 * c.trigonometric);
}

template <class E>
void against_limit(const std::string& name, const Mechanism<double>& m, double most, double seconds,
                   std::ofstream& csv) {
  States<E> s(m, 256);
  Batch<E> batch(s.m);
  std::vector<Contestant> all;
  for (int c = 0; c < 5; ++c) all.push_back({call(batch, s, c)});
  race(all, seconds, 15);
  for (int c = 0; c < 5; ++c) {
    const double ns = 1e9 * all[static_cast<std::size_t>(c)].best / 256, flops = operations(m, c);
    const double share = 100 * flops / ns * 1e9 / most;
    const char* const scalar = sizeof(E) == 8 ? "double" : "float";
    csv << name << ',' << computations[c] << ',' << scalar << ',' << flops << ',' << ns << ','
        << flops / ns << ',' << share << '\n';
    std::printf("%-9s %-32s %-6s %7.0f operations %8.1f ns %6.1f GFLOP/s %5.1f %%\n", name.c_str(),
                computations[c], scalar, flops, ns, flops / ns, share);
  }
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 4) {
    std::cerr << "usage: batch_bench MODELS_FOLDER SIZES.csv LIMITS.csv [SECONDS]\n";
    return 2;
  }
  const std::string folder = argv[1];
  const double seconds = argc > 4 ? std::atof(argv[4]) : 0.02;
  const auto model = [&](const std::string& name) {
    return compile(read_model(folder + "/" + name + ".urdf"));
  };
  std::ofstream sizes(argv[2]);
  sizes << "model,states,threads,computation,ns_per_state\n";
  over_sizes("chain7", model("chain7"), 65536, seconds, sizes);
  over_sizes("humanoid", model("humanoid"), 4096, seconds, sizes);
  const double most = peak();
  std::printf("%s: %.1f GFLOP/s in double, twice that in float\n", to_string(isa), 1e-9 * most);
  std::ofstream csv(argv[3]);
  csv << "model,computation,scalar,operations,ns_per_state,gflops,percent_of_peak\n";
  for (const char* name : {"chain6", "chain7", "chain30", "humanoid"}) {
    const Mechanism<double> m = model(name);
    against_limit<double>(name, m, most, seconds, csv);
    against_limit<float>(name, m, 2 * most, seconds, csv);
  }
} catch (const std::exception& e) {
  std::cerr << e.what() << '\n';
  return 3;
}
