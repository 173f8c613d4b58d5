// One source, several instruction sets: the best that the processor has is chosen at run time.
#pragma once

#include "catena/scalar/scalar.hpp"

namespace catena {

enum class Isa { baseline, avx2, avx512 };

// The level in use: what the processor has, or less if the environment variable CATENA_ISA says
// baseline, avx2 or avx512 (for tests). Constant during a run.
extern const Isa isa;
const char* to_string(Isa level);

// Sanitizers see the plain code: instrumented three times over it would take minutes to compile.
#if defined(__x86_64__) && defined(__GNUC__) && defined(__OPTIMIZE__) && \
    !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CATENA_ISA_DISPATCH 1
#define CATENA_AVX2 __attribute__((flatten, target("avx2,fma,bmi,bmi2")))
#define CATENA_AVX512 \
  __attribute__((flatten, target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma,bmi,bmi2")))
#else
#define CATENA_ISA_DISPATCH 0
#endif

#if CATENA_ISA_DISPATCH
// Runs Kernel::run(arguments...), compiled once per level with everything it calls inlined.
template <class Kernel, class... A>
CATENA_AVX2 void run_avx2(A... arguments) {
  Kernel::run(arguments...);
}
template <class Kernel, class... A>
CATENA_AVX512 void run_avx512(A... arguments) {
  Kernel::run(arguments...);
}
#endif

// Arguments are passed by value: pointers, spans and numbers. Double gains from fused operations
// and twice as many registers; other scalars run as they are. (Packs for speed have files of their
// own for each level: batch/lanes.)
template <class T, class Kernel, class... A>
void run_kernel(A... arguments) {
  if constexpr (std::is_same_v<T, double>) {
#if CATENA_ISA_DISPATCH
#ifndef CATENA_WITHOUT_AVX512
    if (isa == Isa::avx512) return run_avx512<Kernel, A...>(arguments...);
#endif
    if (isa != Isa::baseline) return run_avx2<Kernel, A...>(arguments...);
#endif
  }
  Kernel::run(arguments...);
}

}  // namespace catena
