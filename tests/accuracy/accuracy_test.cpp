// Double against quadruple precision on the models of the repository, and robots from the wild.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

namespace fs = std::filesystem;

std::vector<fs::path> files(const fs::path& folder, const std::string& ending) {
  std::vector<fs::path> found;
  if (!fs::exists(folder)) return found;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() == ending) found.push_back(entry.path());
  }
  std::sort(found.begin(), found.end());
  return found;
}

#if CATENA_HAS_QUAD
std::vector<double> rounded(const std::vector<Quad>& v) {
  std::vector<double> r;
  for (Quad x : v) r.push_back(static_cast<double>(x));
  return r;
}

template <class T>
std::vector<T> all_poses(Machine<T>& machine, const std::vector<T>& q) {
  std::vector<T> r;
  for (const Pose<T>& X : machine.poses(q)) {
    for (const T& x : numbers(X)) r.push_back(x);
  }
  return r;
}

// The same constants and the same state: what is left is the rounding of the algorithms.
// Of a closed chain, the accelerations of the open tree mean nothing and are left out.
void compare(const Mechanism<double>& m, bool closed, int states, const std::string& name,
             Worst& tau, Worst& M, Worst& qdd, Worst& pose, Worst& jacobian) {
  Machine<double> machine(m);
  Machine<Quad> reference(m);
  reference.m = cast<Quad>(m);
  Random random(21);
  for (int i = 0; i < states; ++i) {
    State<double> s = random_state(m, random);
    const State<Quad> t = convert<Quad>(s);
    tau.meet(difference(machine.inverse(s), rounded(reference.inverse(t))), name);
    M.meet(difference(machine.inertia(s.q), rounded(reference.inertia(t.q))), name);
    pose.meet(difference(all_poses(machine, s.q), rounded(all_poses(reference, t.q))), name);
    if (!closed) qdd.meet(difference(machine.forward(s), rounded(reference.forward(t))), name);
    std::vector<double> J(6 * at(m.nv));
    std::vector<Quad> J_t(6 * at(m.nv));
    const int last = m.num_bodies() - 1;
    frame_jacobian<double>(m, s.q, last, {}, Axes::world_aligned, machine.w, J);
    frame_jacobian<Quad>(reference.m, t.q, last, {}, Axes::world_aligned, reference.w, J_t);
    jacobian.meet(difference(J, rounded(J_t)), name);
  }
}

TEST(Accuracy, DoubleIsRightToTwelveDigitsOnEveryModel) {
  Worst tau("tau", 1e-12), M("M", 1e-12), qdd("qdd", 1e-12), pose("poses", 1e-12);
  Worst jacobian("Jacobians", 1e-12);
  const std::vector<fs::path> models = files(fs::path(CATENA_SOURCE_DIR) / "models", ".yaml");
  ASSERT_GE(models.size(), 5u);
  for (const fs::path& path : models) {
    const Model model = read_model(path.string());
    const Mechanism<double> m = compile(model);
    compare(m, model.closed(), m.nv < 40 ? 200 : 10, path.filename().string(), tau, M, qdd, pose,
            jacobian);
  }
}
#endif

class Wild : public ::testing::TestWithParam<fs::path> {};

// Loads, with a fixed and a floating base, and forward dynamics inverts inverse dynamics.
TEST_P(Wild, LoadsAndAgreesBetweenInverseAndForwardDynamics) {
  std::vector<std::string> warnings;
  const Model fixed = read_model(GetParam().string(), {true}, &warnings);
  std::vector<Model> models{fixed};
  if (fixed.ground != "world") models.push_back(with_free_base(fixed));
  Worst residual("inverse(forward(tau)) = tau", 1e-12), naive("tau against virtual work", 1e-12);
  Worst inertia("M against virtual work", 1e-12);
  for (const Model& model : models) {
    const Mechanism<double> m = compile(model, {false, true});
    ASSERT_GT(m.nv, 0);
    Machine<double> machine(m);
    const Naive oracle(model, coordinate_order(m));
    Random random(31);
    for (int i = 0; i < 10; ++i) {
      State<double> s = random_state(m, random, false);
      const NaiveResult r = oracle.compute(s.q, s.qd, s.qdd);
      std::vector<double> tau, M;
      for (Eigen::Index k = 0; k < r.tau.size(); ++k) tau.push_back(static_cast<double>(r.tau[k]));
      for (Eigen::Index k = 0; k < r.M.size(); ++k) M.push_back(static_cast<double>(r.M.data()[k]));
      naive.meet(difference(machine.inverse(s), tau, static_cast<double>(r.tau_scale)), model.name);
      inertia.meet(difference(machine.inertia(s.q), M), model.name);
      const std::vector<double> qdd = machine.forward(s);
      EXPECT_TRUE(machine.status) << model.name << ": " << describe(m, machine.status);
      if (!machine.status) continue;
      const double scale = product_size(machine.inertia(s.q), qdd) + largest(tau);
      residual.meet(difference(machine.inverse(s.q, s.qd, qdd), s.tau, scale), model.name);
    }
  }
}

std::vector<fs::path> wild() {
  std::vector<fs::path> found =
      files(fs::path(CATENA_SHARED_DIR) / "models/example-robot-data", ".urdf");
  return found;
}
std::string name_of(const ::testing::TestParamInfo<fs::path>& info) {
  std::string name = info.param.stem().string();
  std::replace_if(
      name.begin(), name.end(), [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); },
      '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(ExampleRobotData, Wild, ::testing::ValuesIn(wild()), name_of);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Wild);

}  // namespace
}  // namespace catena::oracle
