// Workspace: scratch memory for one mechanism, made once. It holds no results between calls.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

#include "catena/model/mechanism.hpp"

namespace catena {

// Hands out pieces of a workspace one after the other.
class Arena {
 public:
  Arena(std::byte* begin, std::byte* end) : next_(begin), end_(end) {}

  // n elements, aligned to 64 bytes, not initialised.
  template <class U>
  U* take(std::size_t n) {
    static_assert(std::is_trivially_destructible_v<U>);
    std::byte* piece = next_;
    next_ += (n * sizeof(U) + 63) / 64 * 64;
    if (next_ > end_) exhausted();
    return reinterpret_cast<U*>(piece);
  }

 private:
  [[noreturn]] static void exhausted();
  std::byte* next_;
  std::byte* end_;
};

// Room for any one algorithm of `spatial` and `kinematics` on this mechanism, O(bodies), or for
// `room` scalars if that is more (Formulation::room); two threads need two workspaces.
template <class T>
class Workspace {
 public:
  explicit Workspace(const Mechanism<Constant<T>>& m, std::size_t room = 0)
      : inner_(std::max(inner_size(m), 64 * 64 + (sizeof(T) * room + 63) / 64 * 64)),
        size_(inner_ + outer_size(m)),
        memory_(new (std::align_val_t(64)) std::byte[size_]) {}

  Arena arena() { return Arena(memory_.get(), memory_.get() + inner_); }
  // Apart from the other one: for algorithms that call algorithms.
  Arena outer_arena() { return Arena(memory_.get() + inner_, memory_.get() + size_); }

 private:
  struct Free {
    void operator()(std::byte* p) const { operator delete[](p, std::align_val_t(64)); }
  };
  static std::size_t inner_size(const Mechanism<Constant<T>>& m) {
    const std::size_t n = static_cast<std::size_t>(m.num_bodies() + m.tree_nv + 8);
    const std::size_t matrix = m.coupled ? static_cast<std::size_t>(m.tree_nv * m.tree_nv) : 0;
    return 64 * 64 + (sizeof(T) * (160 * n + matrix) + 63) / 64 * 64;
  }
  static std::size_t outer_size(const Mechanism<Constant<T>>& m) {
    const std::size_t n = static_cast<std::size_t>(m.nv + 8);
    return 64 * 64 + (sizeof(T) * (4 * n + (m.coupled ? n * n : 0)) + 63) / 64 * 64;
  }
  std::size_t inner_, size_;
  std::unique_ptr<std::byte[], Free> memory_;
};

}  // namespace catena
