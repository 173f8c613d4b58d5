// The same answer from every scalar, and the same bits from every run.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "catena/scalar/isa.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

// Every result of one state as a list of numbers.
template <class T>
struct Results {
  std::map<std::string, std::vector<T>> values;
};

template <class T>
Results<T> compute(Machine<T>& machine, const State<T>& s) {
  Results<T> r;
  auto& v = r.values;
  v["inverse dynamics"] = machine.inverse(s);
  v["inertia matrix"] = machine.inertia(s.q);
  v["forward dynamics"] = machine.forward(s);
  v["solve"] = machine.solve(s.q, s.tau);
  const auto motions = machine.motions(s.q, s.qd, s.qdd);
  for (std::size_t b = 0; b < motions.X.size(); ++b) {
    for (const T& x : numbers(motions.X[b])) v["poses"].push_back(x);
    for (const T& x : numbers(motions.V[b])) v["twists"].push_back(x);
    for (const T& x : numbers(motions.A[b])) v["accelerations"].push_back(x);
  }
  for (const Force<T>& F : machine.reactions(s)) {
    for (const T& x : numbers(F)) v["reactions"].push_back(x);
  }
  std::vector<T> J(6 * at(machine.m.nv));
  const int last = machine.m.num_bodies() - 1;
  frame_jacobian<T>(machine.m, s.q, last, {}, Axes::frame, machine.w, J);
  v["Jacobian"] = J;
  frame_jacobian_rate<T>(machine.m, s.q, s.qd, last, {}, Axes::world, machine.w, J);
  v["Jacobian rate"] = J;
  v["energies"] = {kinetic_energy<T>(machine.m, s.q, s.qd, machine.w),
                   potential_energy<T>(machine.m, s.q, machine.w)};
  v["momentum"] = numbers(momentum<T>(machine.m, s.q, s.qd, machine.w));
  if (machine.m.nv > 0) v["mass centre"] = numbers(mass_centre<T>(machine.m, s.q, machine.w, {}));
  return r;
}

// Forward dynamics may lose digits to the condition of M, the same for both: it has its own column.
TEST(Counting, GivesTheNumbersOfDouble) {
  std::map<std::string, double> worst;
  for_each_model(
      25,
      [&](const Model& model, Random& random, const std::string&) {
        const Mechanism<double> m = compile(model);
        Machine<Counting> counting(m);
        Machine<double> plain(m);
        const State<double> s = random_state_of(plain, m, random);
        const Results<double> expected = compute(plain, s);
        const Results<Counting> counted = compute(counting, convert<Counting>(s));
        // what rounding is relative to: magnitudes of what was summed
        const double reach = largest(expected.values.at("reactions")) +
                             largest(expected.values.at("inverse dynamics"));
        for (const auto& [name, value] : expected.values) {
          double scale = largest(value) + 1;
          if (name == "inverse dynamics" || name == "reactions") scale = reach;
          std::vector<double> a, b = value;
          for (const Counting& x : counted.values.at(name)) a.push_back(x.value());
          if (name == "forward dynamics" ||
              name == "solve") {  // compared where rounding is backward
            const std::vector<double>& M = expected.values.at("inertia matrix");
            scale = product_size(M, value) + reach;
            for (std::size_t k = 0; k < a.size(); ++k) a[k] -= b[k];
            a = times(M, a), b.assign(a.size(), 0);
          }
          worst[name] = std::max(worst[name], difference(a, b, scale));
        }
      },
      40);
  for (const auto& [name, error] : worst) {
    std::printf("  %-20s %9.2e\n", name.c_str(), error);
    EXPECT_LE(error, 30 * epsilon<double>()) << name;
  }
}

template <class T>
bool same_bits(const Results<T>& a, const Results<T>& b) {
  for (const auto& [name, value] : a.values) {
    const auto& other = b.values.at(name);
    if (value.size() != other.size()) return false;
    if (value.empty()) continue;
    if (std::memcmp(value.data(), other.data(), value.size() * sizeof(T)) != 0) return false;
  }
  return true;
}

template <class T>
class Runs : public ::testing::Test {};
using RunScalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(Runs, RunScalars);

// Whatever an earlier call has left in the workspace, and in a workspace of its own.
TYPED_TEST(Runs, GiveIdenticalBits) {
  using T = TypeParam;
  for_each_model(30, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    Machine<T> machine(m);
    const State<T> s = random_state_of(machine, m, random);
    const Results<T> first = compute(machine, s);
    State<T> poison = s;
    for (std::vector<T>* v : {&poison.q, &poison.qd, &poison.qdd, &poison.tau}) {
      for (T& x : *v) x = T(std::numeric_limits<Constant<T>>::quiet_NaN());
    }
    if (m.nv > 0) compute(machine, poison);
    EXPECT_TRUE(same_bits(first, compute(machine, s))) << where;
    Machine<T> other(compile(model));
    EXPECT_TRUE(same_bits(first, compute(other, s))) << where;
  });
}

// What is under test here is what the environment asked for (see tests/CMakeLists.txt).
TEST(Isa, IsNoMoreThanAskedFor) {
  std::printf("  instruction set: %s\n", to_string(isa));
  const char* asked = std::getenv("CATENA_ISA");
  if (asked == nullptr) return;
  EXPECT_TRUE(std::string(asked) != "baseline" || isa == Isa::baseline);
  EXPECT_TRUE(std::string(asked) != "avx2" || isa <= Isa::avx2);
}

}  // namespace
}  // namespace catena::oracle
