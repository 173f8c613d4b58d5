// Traced and simplified programs, run on numbers, against the library.
#include <gtest/gtest.h>

#include "catena/codegen/base_parameters.hpp"
#include "catena/codegen/simplify.hpp"
#include "catena/scalar/symbolic.hpp"
#include "codegen/generated.hpp"

namespace catena::oracle {
namespace {

TEST(Program, ComputesWhatTheLibraryDoesForEveryFunctionAndJoint) {
  Worst error("program against library", 1e-12);
  for_each_joint([&](const Model& model, Random& random, const std::string& name) {
    const Mechanism<double> m = compile(model);
    for (const GeneratedRequest& request : all_requests(m)) {
      const Program program = traced_program(m, request);
      const auto inputs = program_inputs(program.inputs, m, random);
      error.meet(generated_error(m, request, inputs, evaluate(program, inputs)),
                 name + " " + request.function);
    }
  });
}

TEST(Program, ComputesWhatTheLibraryDoesForRandomTrees) {
  Worst error("program against library", 1e-12);
  for_each_tree(
      30,
      [&](const Model& model, Random& random, const std::string& name) {
        const Mechanism<double> m = compile(model);
        for (const GeneratedRequest& request : all_requests(m)) {
          const Program program = traced_program(m, request);
          for (int i = 0; i < 2; ++i) {
            const auto inputs = program_inputs(program.inputs, m, random);
            error.meet(generated_error(m, request, inputs, evaluate(program, inputs)),
                       name + " " + request.function);
          }
        }
      },
      8);
}

TEST(Program, JacobiansAndMotionsInAllAxes) {
  Worst error("program against library", 1e-12);
  for_each_tree(
      6,
      [&](const Model& model, Random& random, const std::string& name) {
        const Mechanism<double> m = compile(model);
        for (const Axes axes : {Axes::frame, Axes::world_aligned, Axes::world}) {
          for (GeneratedRequest request : all_requests(m)) {
            if (request.frame.empty()) continue;
            request.axes = axes;
            const Program program = traced_program(m, request);
            const auto inputs = program_inputs(program.inputs, m, random);
            error.meet(generated_error(m, request, inputs, evaluate(program, inputs)),
                       name + " " + request.function);
          }
        }
      },
      6, 5);
}

// tau and M are linear in the inertias, so that this is the property by which they are defined.
TEST(BaseParameters, ChangeNoForceAndNoInertiaMatrix) {
  Worst tau("inverse dynamics", 1e-12), shifted("with short offsets", 1e-12), M("M", 1e-12);
  for_each_model(
      60,
      [&](const Model& model, Random& random, const std::string& name) {
        const Mechanism<double> m = compile(model);
        const Mechanism<double> base = with_base_parameters(m);
        const Mechanism<double> moved = with_base_parameters(with_short_offsets(m));
        const State<double> s = random_state(m, random, false);
        Workspace<double> w(m);
        const auto inverse = [&](const Mechanism<double>& x) {
          std::vector<double> r(s.qd.size());
          inverse_dynamics<double>(x, s.q, s.qd, s.qdd, {}, w, r);
          return r;
        };
        const auto inertia = [&](const Mechanism<double>& x) {
          std::vector<double> r(s.qd.size() * s.qd.size());
          inertia_matrix<double>(x, s.q, w, r);
          return r;
        };
        tau.meet(relative_difference(inverse(base), inverse(m)), name);
        shifted.meet(relative_difference(inverse(moved), inverse(m)), name);
        M.meet(relative_difference(inertia(base), inertia(m)), name);
      },
      20);
}

// 7 parameters of a link on a revolute joint are felt, and the ground feels one of the first.
TEST(BaseParameters, AreAsFewAsGautierAndKhalilFind) {
  Random random(5);
  TreeOptions options;
  options.bodies = 6, options.kinds = {JointKind::revolute}, options.branching = 0;
  const Mechanism<double> base = with_base_parameters(compile(random_model(random, options)));
  for (int i = 2; i < base.num_bodies(); ++i) {
    const MechanismBody<double>& b = base.bodies[static_cast<std::size_t>(i)];
    if (b.kind != Primitive::revolute) continue;
    EXPECT_EQ(b.M.m, 0);
    EXPECT_EQ(b.M.h.z, 0);
    EXPECT_EQ(b.E.zz, 0);
  }
}

TEST(Simplifier, SharesAndFactors) {
  Tracing tracing;
  const Symbolic a = tracing.input(0), b = tracing.input(1), c = tracing.input(2);
  const auto cost = [&](std::vector<Symbolic> results) {
    Program program;
    program.inputs = {{"x", 3, ""}};
    program.output = {"y", static_cast<int>(results.size()), ""};
    std::vector<ExpressionRef> e;
    for (const Symbolic& r : results) e.push_back(r.expression());
    add_expressions(program, tracing.graph(), e);
    simplify(program);
    return cost_of(program);
  };
  const auto expect = [](const ProgramCost& found, int multiplications, int additions) {
    EXPECT_EQ(found.multiplications, multiplications);
    EXPECT_EQ(found.additions, additions);
  };
  expect(cost({a * b + a * c}), 1, 1);                // a (b + c)
  expect(cost({a - b, b - a}), 0, 1);                 // one difference, two signs
  expect(cost({a * b * c, c * a * b}), 2, 0);         // one product
  expect(cost({a + b + c, b + c, c + b - a}), 0, 3);  // (b + c) is shared
  expect(cost({2.0 * a * b - b * a - a * b}), 0, 0);  // nothing is left
  expect(cost({(a + b) - b - a + 3.0 * c}), 1, 0);    // 3 c
  expect(cost({0.0 * a + 1.0 * b, -1.0 * c, a * Symbolic(0)}), 0, 0);
}

// The tip of a planar arm: x = a1 c1 + a2 c12 + a3 c123, and so on.
TEST(Simplifier, ParallelAxesTurnTogether) {
  const Model model = read_model(CATENA_SOURCE_DIR "/models/planar-3r.yaml");
  const Mechanism<double> m = compile(model);
  const GeneratedRequest request{"kinematics", m.names->frames.back().name};
  const Program program = traced_program(m, request);
  EXPECT_LE(cost_of(program).multiplications, 6);
  EXPECT_LE(cost_of(program).additions, 6);
  Random random(2);
  for (int i = 0; i < 10; ++i) {
    const auto inputs = program_inputs(program.inputs, m, random);
    EXPECT_LE(generated_error(m, request, inputs, evaluate(program, inputs)), 1e-14);
  }
}

TEST(Simplifier, TurnsByQuartersNeedNoAngleOfTheirOwn) {
  Tracing tracing;
  const Symbolic q = tracing.input(0);
  for (int k = -4; k <= 4; ++k) {
    Symbolic s, c, s0, c0;
    sincos(q, s0, c0);
    sincos(q + Symbolic(k * M_PI / 2), s, c);
    const Symbolic expected_s = k % 2 == 0 ? s0 : c0, expected_c = k % 2 == 0 ? c0 : -s0;
    const double sign = (k + 8) % 4 >= 2 ? -1 : 1;
    EXPECT_EQ(s.expression(), (Symbolic(sign) * expected_s).expression()) << k;
    EXPECT_EQ(c.expression(), (Symbolic(sign) * expected_c).expression()) << k;
  }
}

}  // namespace
}  // namespace catena::oracle
