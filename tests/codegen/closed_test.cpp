// Generated code for machines with closed loops, against the library's own methods.
#include <gtest/gtest.h>

#include "catena/codegen/closed_functions.hpp"
#include "catena/loops/closed_dynamics.hpp"
#include "cli/program.hpp"
#include "codegen/generated.hpp"

namespace catena::oracle {
namespace {

Model closed_model(const std::string& name) {
  return read_model(CATENA_SOURCE_DIR "/models/" + name + ".yaml");
}

void compare_closed(const std::string& name, const std::string& function, double tolerance) {
  const Model model = closed_model(name);
  const Program program = traced_program(compile_closed(model), {.function = function});
  double worst = 0;
  for (const ClosedReference& r : closed_references(model, {}, {.function = function}, 4))
    worst = std::max(worst, relative_difference(evaluate(program, r.inputs), r.results));
  EXPECT_LE(worst, tolerance) << name << " " << function;
  std::printf("  %-24s %-8s %.1e, %d operations\n", name.c_str(), function.c_str(), worst,
              cost_of(program).operations());
}

// Planar machines with redundant rows, a spatial one, springs, rods, one degree of freedom and
// more.
TEST(ClosedCode, ForwardDynamicsIsThatOfTheLibrary) {
  for (const char* name :
       {"four-bar", "slider-crank", "five-bar", "andrews", "flyball-governor", "planar-3rrr",
        "bricard", "n-four-bar-2", "delta", "stewart-gough", "knee", "carpet-scraper"})
    compare_closed(name, "forward", 1e-9);
}

TEST(ClosedCode, InverseDynamicsIsThatOfTheLibrary) {
  for (const char* name : {"four-bar", "slider-crank", "five-bar", "planar-3rrr", "bricard",
                           "delta", "stewart-gough", "carpet-scraper"})
    compare_closed(name, "inverse", 1e-9);
}

TEST(ClosedCode, FunctionsOfAFrameAreThoseOfTheTree) {
  const Model model = closed_model("five-bar");
  const ClosedMechanism m = compile_closed(model);
  const std::string frame = m.tree.names->frames.back().name;
  for (const char* function : {"kinematics", "jacobian", "acceleration"}) {
    const GeneratedRequest request{function, frame};
    const Program program = traced_program(m, request);
    for (const ClosedReference& r : closed_references(model, {}, request, 2))
      EXPECT_LE(relative_difference(evaluate(program, r.inputs), r.results), 1e-12) << function;
  }
}

TEST(ClosedCode, SaysWhatIsNotCovered) {
  const Desk desk;
  std::ifstream file(CATENA_SOURCE_DIR "/models/five-bar.yaml");
  std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string both = "[leg1_joint1, leg2_joint1]";
  ASSERT_NE(text.find(both), std::string::npos);
  desk.write("one.yaml", text.replace(text.find(both), both.size(), "[leg1_joint1]"));
  const Outcome one = desk("catena codegen one.yaml");
  EXPECT_EQ(one.code, 3);
  EXPECT_EQ(one.err,
            "codegen: 'five-bar' has 2 degrees of freedom, but 1 actuators\n    generated inverse "
            "dynamics needs as many of them, or none named\n");
  const Outcome inertia = desk("catena codegen models/five-bar.yaml --function inertia");
  EXPECT_EQ(inertia.code, 3);
  EXPECT_EQ(inertia.err,
            "codegen: function 'inertia' is for models without loops\n    for 'five-bar' there are "
            "inverse, forward and the functions of a frame\n");
  const Outcome run = desk(
      "catena codegen models/five-bar.yaml --function inverse --simd --test-main -o five.c && gcc "
      "-O0 five.c -o five -lm && ./five");
  EXPECT_EQ(run.out, "five_bar_inverse: 11 states agree\n") << run.err;
}

}  // namespace
}  // namespace catena::oracle
