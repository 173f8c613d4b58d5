// The cost that a file states is what stands in its text, and it is low.
#include <gtest/gtest.h>

#include <regex>

#include "catena/codegen/generate.hpp"
#include "codegen/generated.hpp"

namespace catena::oracle {
namespace {

struct TextCount {
  int multiplications = 0, additions = 0, divisions = 0, roots = 0;
};

// Counts operators between the braces of the function. A sign in front of an operand is none.
TextCount count_operators(const std::string& source, const std::string& function) {
  const std::size_t begin = source.find('{', source.rfind("void " + function + "("));
  std::string body = source.substr(begin, source.find("\n}", begin) - begin);
  const std::regex token(
      R"(\*|/|\+|-|sqrtf?\(|[0-9]*\.?[0-9]+(e[+-]?[0-9]+)?f?|\[[0-9]+\]|[A-Za-z_][A-Za-z_0-9]*|=|\(|\)|,|;)");
  TextCount count;
  bool after_operand = false;
  for (std::sregex_iterator i(body.begin(), body.end(), token), end; i != end; ++i) {
    const std::string t = i->str();
    const bool is_operator = t == "*" || t == "/" || t == "+" || t == "-";
    if (t == "*") ++count.multiplications;
    if (t == "/") ++count.divisions;
    if ((t == "+" || t == "-") && after_operand) ++count.additions;
    if (t.starts_with("sqrt")) ++count.roots;
    after_operand =
        !is_operator && t != "=" && t != "(" && t != "," && t != ";" && !t.starts_with("sqrt");
  }
  return count;
}

TEST(Count, StatedCostIsThatOfTheText) {
  for (const auto& [name, model] : tree_models()) {
    const Mechanism<double> m = compile(model);
    for (const GeneratedRequest& request : all_requests(m)) {
      const GeneratedCode code = generate(m, request);
      const TextCount found = count_operators(code.source, code.name);
      EXPECT_EQ(found.multiplications, code.cost.multiplications) << name << request.function;
      // Offsets of angles are additions as well.
      EXPECT_EQ(found.additions, code.cost.additions) << name << " " << request.function;
      EXPECT_EQ(found.divisions, code.cost.divisions) << name << " " << request.function;
      EXPECT_EQ(found.roots, code.cost.square_roots) << name << " " << request.function;
      const std::string stated = "Cost: " + std::to_string(code.cost.multiplications) +
                                 " multiplication" + (code.cost.multiplications == 1 ? "" : "s") +
                                 ", " + std::to_string(code.cost.additions) + " addition";
      EXPECT_NE(code.source.find(stated), std::string::npos) << name << " " << request.function;
    }
  }
}

// At most half of the 475 multiplications and 404 additions of the recursive algorithm.
TEST(Count, InverseDynamicsOfThePapersArms) {
  const auto cost = [](const char* file, const char* function) {
    const Model model = read_model(std::string(CATENA_SOURCE_DIR "/models/") + file);
    return generate(compile(model), {.function = function}).cost;
  };
  const ProgramCost puma = cost("puma.yaml", "inverse"),
                    stanford = cost("stanford.yaml", "inverse");
  EXPECT_LE(puma.multiplications, 175);
  EXPECT_LE(puma.additions, 146);
  EXPECT_LE(stanford.multiplications, 129);
  EXPECT_LE(stanford.additions, 104);
  const ProgramCost forward = cost("puma.yaml", "forward");
  EXPECT_LE(forward.multiplications, 314);
  EXPECT_LE(forward.additions, 257);
}

// 92 n - 127 multiplications and 81 n - 117 additions is what customised Newton-Euler with base
// parameters needs for any robot of n revolute joints [Khalil & Kleinfinger 1987].
TEST(Count, IsBelowTheBestPublishedFormulaForAnyRobot) {
  for (int n = 3; n <= 9; ++n) {
    Random random(static_cast<std::uint64_t>(n));
    TreeOptions options;
    options.bodies = n, options.kinds = {JointKind::revolute}, options.branching = 0;
    const ProgramCost cost =
        generate(compile(random_model(random, options)), {.function = "inverse"}).cost;
    EXPECT_LE(cost.multiplications, 92 * n - 127) << n;
    EXPECT_LE(cost.additions, 81 * n - 117 + n) << n;  // and n offsets of angles
  }
}

}  // namespace
}  // namespace catena::oracle
