// Generated code at run time: compiled on the spot by the system's C compiler, loaded and called.
//
//   const GeneratedFunction<double> inverse(generate(m, {.function = "inverse"}));
//   inverse(q, qd, qdd, tau);
#pragma once

#include <memory>
#include <span>
#include <string>

#include "catena/codegen/generate.hpp"
#include "catena/support/error.hpp"

namespace catena {

struct CompilerSettings {
  std::string compiler{};  // "": $CC, else cc
  std::string flags =
      "-std=gnu99 -O3 -march=native -ffp-contract=fast -fno-math-errno -fno-trapping-math "
      "-fno-tree-slp-vectorize";
  std::string cache{};  // folder; "": catena in $XDG_CACHE_HOME, else ~/.cache/catena
};

// A shared library made of C, kept in memory as long as somebody holds it.
//   throws  InputError if there is no compiler, it fails, or the result cannot be loaded
// What was compiled before, by the same compiler with the same flags for the same processor, comes
// from the cache. Several processes may do this at the same time.
std::shared_ptr<void> load_compiled(const std::string& source, const CompilerSettings& settings);
// The address of a function in it.
void* function_in(const std::shared_ptr<void>& library, const std::string& name);

// One function in machine code. Calls are safe from several threads at once.
template <class Real>
class GeneratedFunction {
 public:
  explicit GeneratedFunction(const GeneratedCode& code, const CompilerSettings& settings = {})
      : inputs_(code.inputs), output_(code.output) {
    if (code.single_precision != std::is_same_v<Real, float>)
      throw InputError({}, "'" + code.name + "' was generated for the other precision");
    library_ = load_compiled(code.source, settings);
    one_ = function_in(library_, code.name);
    if (code.simd) many_ = function_in(library_, code.name + "_simd");
  }

  using In = std::span<const Real>;
  using Out = std::span<Real>;
  // One state. The arrays are those that the code's comment lists.
  void operator()(In a, Out out) const {
    check(1, {a.size()}, out.size(), 1);
    reinterpret_cast<void (*)(const Real*, Real*)>(one_)(a.data(), out.data());
  }
  void operator()(In a, In b, Out out) const {
    check(2, {a.size(), b.size()}, out.size(), 1);
    reinterpret_cast<void (*)(const Real*, const Real*, Real*)>(one_)(a.data(), b.data(),
                                                                      out.data());
  }
  void operator()(In a, In b, In c, Out out) const {
    check(3, {a.size(), b.size(), c.size()}, out.size(), 1);
    reinterpret_cast<void (*)(const Real*, const Real*, const Real*, Real*)>(one_)(
        a.data(), b.data(), c.data(), out.data());
  }
  // n states; number k of state i is at [k n + i]. For code that was generated with simd.
  void many(std::size_t n, In a, Out out) const {
    check(1, {a.size()}, out.size(), n);
    reinterpret_cast<void (*)(std::size_t, const Real*, Real*)>(many_)(n, a.data(), out.data());
  }
  void many(std::size_t n, In a, In b, Out out) const {
    check(2, {a.size(), b.size()}, out.size(), n);
    reinterpret_cast<void (*)(std::size_t, const Real*, const Real*, Real*)>(many_)(
        n, a.data(), b.data(), out.data());
  }
  void many(std::size_t n, In a, In b, In c, Out out) const {
    check(3, {a.size(), b.size(), c.size()}, out.size(), n);
    reinterpret_cast<void (*)(std::size_t, const Real*, const Real*, const Real*, Real*)>(many_)(
        n, a.data(), b.data(), c.data(), out.data());
  }

 private:
  void check(std::size_t arrays, std::initializer_list<std::size_t> sizes, std::size_t out,
             std::size_t n) const {
    check_size("the list of arrays", arrays, inputs_.size());
    std::size_t k = 0;
    for (const std::size_t size : sizes) {
      check_size(inputs_[k].name.c_str(), size, n * static_cast<std::size_t>(inputs_[k].size));
      ++k;
    }
    check_size(output_.name.c_str(), out, n * static_cast<std::size_t>(output_.size));
    if (many_ == nullptr && n != 1)
      throw InputError({}, "this function was generated for one state at a time",
                       "generate it with simd");
  }

  std::vector<ProgramArray> inputs_;
  ProgramArray output_;
  std::shared_ptr<void> library_;
  void* one_ = nullptr;
  void* many_ = nullptr;
};

}  // namespace catena
