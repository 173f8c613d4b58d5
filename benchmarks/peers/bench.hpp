// What every benchmark program shares: its options, its random states, its clock and its output.
//
//   PROGRAM MODEL.urdf [--states 256] [--reps 5] [--min-time 0.2] [--only inverse_dynamics,...]
//
// (MODEL.machine for programs with loops, see machine.hpp)
// prints one JSON line per measurement. "ns" is the median over the repetitions, "min_ns" the least
// of them, both in processor time of this thread, so that other programs on the machine matter
// less. "check" condenses the result at a fixed state, so that programs can be seen to compute the
// same thing.
#pragma once

#include <time.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

namespace bench {

struct Options {
  std::string urdf;
  int states = 256;
  int reps = 5;
  double min_time = 0.2;   // seconds per repetition
  double accuracy = 1e-6;  // that a simulation is to have at its end
  std::vector<std::string> only;

  // "inverse_dynamics.denoc" belongs to inverse_dynamics.
  bool wants(const std::string& computation) const {
    const std::string name = computation.substr(0, computation.find('.'));
    return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
  }
  // File name without folder and extension.
  std::string model() const {
    const std::string name = urdf.substr(urdf.find_last_of('/') + 1);
    return name.substr(0, name.find_last_of('.'));
  }
};

inline Options parse(int argc, char** argv) {
  Options o;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    const char* value = i + 1 < argc ? argv[i + 1] : "";
    if (arg == "--states")
      o.states = std::atoi(value), ++i;
    else if (arg == "--reps")
      o.reps = std::atoi(value), ++i;
    else if (arg == "--min-time")
      o.min_time = std::atof(value), ++i;
    else if (arg == "--accuracy")
      o.accuracy = std::atof(value), ++i;
    else if (arg == "--only") {
      std::stringstream list(value);
      for (std::string s; std::getline(list, s, ',');) o.only.push_back(s);
      ++i;
    } else
      o.urdf = arg;
  }
  if (o.urdf.empty() || o.urdf[0] == '-' || o.states < 1 || o.reps < 1) {
    std::fprintf(stderr,
                 "usage: %s MODEL.urdf [--states N] [--reps N] [--min-time S] [--only NAME,...]\n",
                 argv[0]);
    std::exit(2);
  }
  return o;
}

// splitmix64: the same numbers in every program.
struct Random {
  std::uint64_t state = 1;
  double operator()(double size) {  // uniform in [-size, size)
    std::uint64_t z = (state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return size * (static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1);
  }
  template <class Vector>
  void fill(Vector&& v, int n, double size) {
    for (int i = 0; i < n; ++i) v[i] = (*this)(size);
  }
  // A random orientation: four coordinates from v[first] on, of unit norm.
  template <class Vector>
  void fill_quaternion(Vector&& v, int first) {
    double norm = 0;
    for (int i = 0; i < 4; ++i) v[first + i] = (*this)(1), norm += v[first + i] * v[first + i];
    for (int i = 0; i < 4; ++i) v[first + i] /= std::sqrt(norm);
  }
};

// The fixed state of "check": one value in [-1, 1) per joint, from its name, since libraries order
// joints differently. A free joint stands at the identity, at rest, unaccelerated and unloaded.
enum class Kind { q = 1, qd = 2, qdd = 3, tau = 4 };
inline double check_value(const std::string& joint, Kind kind) {
  std::uint64_t hash = 14695981039346656037u;
  for (unsigned char c : joint) hash = (hash ^ c) * 1099511628211u;
  return Random{hash + static_cast<std::uint64_t>(kind)}(1);
}
template <class Vector>
double sum_of_magnitudes(const Vector& v, int n) {
  double sum = 0;
  for (int i = 0; i < n; ++i) sum += std::abs(v[i]);
  return sum;
}

// The compiler must assume that somebody reads all memory reachable from `value`.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r"(&value) : "memory");
}

inline double seconds_of_this_thread() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// Nanoseconds per call(state), one figure per repetition; cycles through the states.
template <class Call>
std::vector<double> repeat(const Options& o, Call call) {
  int state = 0;
  const auto run = [&](long calls) {
    const double start = seconds_of_this_thread();
    for (long i = 0; i < calls; ++i) {
      call(state);
      if (++state == o.states) state = 0;
    }
    return seconds_of_this_thread() - start;
  };
  long chunk = 1;  // so many calls that reading the clock does not matter
  while (run(chunk) < 1e-3) chunk *= 2;

  std::vector<double> ns;
  for (int rep = 0; rep < o.reps; ++rep) {
    double time = 0;
    long calls = 0;
    while (time < o.min_time) time += run(chunk), calls += chunk;
    ns.push_back(1e9 * time / static_cast<double>(calls));
  }
  return ns;
}

struct Program {
  std::string library, version, compiler;
};

inline const char* this_compiler() {
#if defined(__clang__)
  return "clang " __clang_version__;
#else
  return "gcc " __VERSION__;
#endif
}

inline void report(const Program& p, const Options& o, const std::string& computation,
                   const std::string& variant, std::vector<double> ns, double check = NAN,
                   const std::string& more = "") {
  std::sort(ns.begin(), ns.end());
  std::printf(
      "{\"library\": \"%s\", \"version\": \"%s\", \"compiler\": \"%s\", \"model\": \"%s\", "
      "\"computation\": \"%s\", \"variant\": \"%s\", \"ns\": %.1f, \"min_ns\": %.1f",
      p.library.c_str(), p.version.c_str(), p.compiler.c_str(), o.model().c_str(),
      computation.c_str(), variant.c_str(), ns[ns.size() / 2], ns.front());
  if (std::isfinite(check)) std::printf(", \"check\": %.12g", check);
  if (!more.empty()) std::printf(", %s", more.c_str());
  std::printf("}\n");
  std::fflush(stdout);
}

}  // namespace bench
