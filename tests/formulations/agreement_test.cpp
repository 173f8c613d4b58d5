// Every formulation of the table against `spatial`, which has its own oracles in tests/laws.
#include <gtest/gtest.h>

#include <filesystem>

#include "catena/formulations/formulation.hpp"
#include "catena/readers/readers.hpp"
#include "oracles/cases.hpp"

namespace catena::oracle {
namespace {

namespace fs = std::filesystem;

// One formulation with its workspace, vectors in and out.
template <class T>
struct Method {
  const Formulation<T>& f;
  const Mechanism<Constant<T>>& m;
  Workspace<T> w;
  ForwardStatus status{};

  Method(const std::string& name, const Mechanism<Constant<T>>& mechanism)
      : f(*find_formulation<T>(name)), m(mechanism), w(m, f.room(m)) {}

  std::vector<T> inverse(const State<T>& s) {
    std::vector<T> tau(s.qd.size());
    f.inverse_dynamics(m, s.q, s.qd, s.qdd, s.Fext, w, tau);
    return tau;
  }
  std::vector<T> inertia(const State<T>& s) {
    std::vector<T> M(s.qd.size() * s.qd.size());
    f.inertia_matrix(m, s.q, w, M);
    return M;
  }
  std::vector<T> forward(const State<T>& s) {
    std::vector<T> qdd(s.qd.size());
    status = f.forward_dynamics(m, s.q, s.qd, s.tau, s.Fext, w, qdd);
    return qdd;
  }
  std::vector<T> solve(const State<T>& s) {
    std::vector<T> x(s.qd.size());
    status = f.solve_inertia(m, s.q, s.tau, w, x);
    return x;
  }
};

// What was met, of one method, for one scalar; a method need not have every function.
struct Meetings {
  Worst tau, M, qdd, solved;
  Meetings(const std::string& name, double most)
      : tau("tau", most), M("M", most), qdd("qdd, by its forces", most), solved("M x = f", most) {
    const Formulation<double>& f = *find_formulation<double>(name);
    if (f.inverse_dynamics == nullptr) tau.meet(0, "not there");
    if (f.inertia_matrix == nullptr) M.meet(0, "not there");
    if (f.forward_dynamics == nullptr) qdd.meet(0, "not there");
    if (f.solve_inertia == nullptr) solved.meet(0, "not there");
  }

  template <class T>
  void meet(const std::string& name, const Mechanism<double>& m, const State<double>& state,
            const std::string& where, bool open = true) {
    Machine<T> reference(m);
    Method<T> method(name, reference.m);
    if (!method.f.refusal(reference.m).empty()) return;
    State<T> s = convert<T>(state);
    normalise_configuration<T>(reference.m, s.q);
    const std::vector<T> inertia = reference.inertia(s.q), forces = reference.inverse(s);
    reference.forward(s);
    const bool moves = static_cast<bool>(reference.status);  // no joint without inertia
    if (method.f.inverse_dynamics != nullptr) {
      const double size = product_size(inertia, s.qdd) + largest(forces);
      tau.meet(difference(method.inverse(s), forces, size), where);
    }
    if (method.f.inertia_matrix != nullptr) {
      M.meet(difference(method.inertia(s), inertia), where);
    }
    if (method.f.forward_dynamics != nullptr) {
      const std::vector<T> a = method.forward(s);
      EXPECT_EQ(static_cast<bool>(method.status), moves)
          << where << ": " << describe(reference.m, method.status);
      const double size = product_size(inertia, a) + largest(s.tau);
      if (moves) qdd.meet(difference(reference.inverse(s.q, s.qd, a, s.Fext), s.tau, size), where);
    }
    if (method.f.solve_inertia != nullptr) {
      const std::vector<T> x = method.solve(s);
      EXPECT_EQ(static_cast<bool>(method.status), moves) << where;
      if (moves && open) {
        solved.meet(difference(times(inertia, x), s.tau, product_size(inertia, x)), where);
      }
    }
  }
};

class Formulations : public ::testing::TestWithParam<std::string> {};

TEST_P(Formulations, AgreeOnRandomTreesInDouble) {
  Meetings meetings(GetParam(), 1e-11);
  for_each_model(300, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    State<double> s = random_state(m, random);
    meetings.meet<double>(GetParam(), m, s, where);
  });
}

#if CATENA_HAS_QUAD
// Where rounding is out of the way, only the equations are left to differ.
TEST_P(Formulations, AgreeOnRandomTreesInQuadruplePrecision) {
  Meetings meetings(GetParam(), 1e-28);
  for_each_model(60, [&](const Model& model, Random& random, const std::string& where) {
    const Mechanism<double> m = compile(model);
    if (m.nv > 40) return;
    State<double> s = random_state(m, random);
    meetings.meet<Quad>(GetParam(), m, s, where);
  });
}
#endif

TEST_P(Formulations, AgreeOnEveryModelOfTheRepository) {
  Meetings meetings(GetParam(), 1e-11);
  int models = 0;
  for (const auto& entry : fs::directory_iterator(fs::path(CATENA_SOURCE_DIR) / "models")) {
    if (entry.path().extension() != ".yaml") continue;
    // Of a closed chain its tree: joints may move nothing, and M be ill-conditioned.
    const Model model = read_model(entry.path().string());
    const Mechanism<double> m = compile(model);
    Random random(7);
    for (int k = 0; k < (m.nv < 40 ? 50 : 2); ++k) {
      meetings.meet<double>(GetParam(), m, random_state(m, random),
                            entry.path().filename().string(), !model.closed());
    }
    ++models;
  }
  EXPECT_GE(models, 8);
}

TEST_P(Formulations, SayWhichJointMovesNothing) {
  Model model = read_model((fs::path(CATENA_SOURCE_DIR) / "models/puma.yaml").string());
  model.bodies.back().mass = 0;
  model.bodies.back().inertia = {};
  const Mechanism<double> m = compile(model);
  Method<double> method(GetParam(), m);
  if (const std::string refusal = method.f.refusal(m); !refusal.empty()) {
    EXPECT_NE(refusal.find("link6"), std::string::npos) << refusal;
    EXPECT_NE(refusal.find("global"), std::string::npos) << refusal;
    return;
  }
  Random random(3);
  const State<double> s = random_state(m, random);
  method.forward(s);
  EXPECT_FALSE(method.status);
  EXPECT_NE(describe(m, method.status).find("'joint6'"), std::string::npos)
      << describe(m, method.status);
}

std::vector<std::string> names() {
  std::vector<std::string> r;
  for (const Formulation<double>& f : formulations<double>()) r.emplace_back(f.name);
  return r;
}
std::string plain(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}
INSTANTIATE_TEST_SUITE_P(Table, Formulations, ::testing::ValuesIn(names()), plain);

}  // namespace
}  // namespace catena::oracle
