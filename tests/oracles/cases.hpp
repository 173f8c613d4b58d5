// What the laws are run on, and how far off they may be.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <string>

#include "oracles/machine.hpp"
#include "oracles/random_model.hpp"

namespace catena::oracle {

// Keeps the worst error of many cases, prints it, and fails the test if it is above the tolerance.
class Worst {
 public:
  Worst(std::string what, double tolerance) : what_(std::move(what)), tolerance_(tolerance) {}
  Worst(const Worst&) = delete;
  Worst& operator=(const Worst&) = delete;
  ~Worst() {
    std::printf("  %-58s %9.2e  (allowed %.0e)\n", what_.c_str(), error_, tolerance_);
    EXPECT_GT(cases_, 0) << what_ << ": no case was run";
    EXPECT_LE(error_, tolerance_) << what_ << ", worst in " << where_;
  }
  void meet(double error, const std::string& where) {
    ++cases_;
    if (error <= error_ && cases_ > 1) return;
    if (!(error <= error_)) error_ = error, where_ = where;
  }

 private:
  std::string what_, where_;
  double tolerance_, error_ = 0;
  int cases_ = 0;
};

// f(model, random, name of the case) for `count` random trees.
template <class F>
void for_each_tree(int count, F f, int most_bodies = 60, std::uint64_t seed = 1) {
  for (int i = 0; i < count; ++i) {
    Random random(seed * 1000003 + static_cast<std::uint64_t>(i));
    const TreeOptions options = random_options(random, most_bodies);
    const Model model = random_model(random, options);
    f(model, random,
      "tree " + std::to_string(i) + " of " + std::to_string(options.bodies) + " bodies");
  }
}

// The same for every kind of joint alone, plain and with springs, friction and a rotor.
template <class F>
void for_each_joint(F f) {
  for (JointKind kind : joint_kinds()) {
    for (int i = 0; i < 4; ++i) {
      Random random(77 + static_cast<std::uint64_t>(i));
      const Model model = single_joint(random, kind, i % 2 == 1);
      f(model, random, std::string(to_string(kind)) + " " + std::to_string(i));
    }
  }
}

template <class F>
void for_each_model(int trees, F f, int most_bodies = 60) {
  for_each_joint(f);
  for_each_tree(trees, f, most_bodies);
}

// The scalars of typed tests.
#if CATENA_HAS_QUAD
using Scalars = ::testing::Types<double, float, Counting, Quad>;
#else
using Scalars = ::testing::Types<double, float, Counting>;
#endif

template <class T>
std::string scalar_name() {
  if constexpr (std::is_same_v<T, double>) return "double";
  if constexpr (std::is_same_v<T, float>) return "float";
  if constexpr (std::is_same_v<T, Counting>) return "counting";
  return "quadruple";
}

// A state of any scalar; quaternions have unit length to the scalar's own precision.
template <class T>
State<T> random_state_of(const Machine<T>& machine, const Mechanism<double>& m, Random& random,
                         bool wrenches = true) {
  State<T> s = convert<T>(random_state(m, random, wrenches));
  normalise_configuration<T>(machine.m, s.q);
  if constexpr (std::is_same_v<T, Counting>) {  // quantities, not structural constants
    for (auto* v : {&s.q, &s.qd, &s.qdd, &s.tau}) {
      for (Counting& x : *v) x = Counting::variable(x.value());
    }
  }
  return s;
}

}  // namespace catena::oracle
