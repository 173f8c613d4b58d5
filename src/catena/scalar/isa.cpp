#include "catena/scalar/isa.hpp"

#include <cstdlib>
#include <string_view>

namespace catena {
namespace {

Isa choose() {
  Isa best = Isa::baseline;
#if CATENA_ISA_DISPATCH
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
      __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) {
    best = Isa::avx2;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw")) {
      best = Isa::avx512;
    }
  }
#endif
  const char* asked = std::getenv("CATENA_ISA");
  if (asked == nullptr) return best;
  for (Isa level : {Isa::baseline, Isa::avx2}) {
    if (std::string_view(asked) == to_string(level) && level < best) return level;
  }
  return best;
}

}  // namespace

const Isa isa = choose();

const char* to_string(Isa level) {
  switch (level) {
    case Isa::avx512:
      return "avx512";
    case Isa::avx2:
      return "avx2";
    default:
      return "baseline";
  }
}

}  // namespace catena
