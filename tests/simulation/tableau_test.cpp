// Runge-Kutta tableaux: the order conditions of rooted trees (Butcher 1963), all of them.
#include "catena/simulation/tableau.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

namespace catena {
namespace {

// A rooted tree is the sorted list of its branches, written with brackets: "[]", "[[][]]".
using Tree = std::string;

std::vector<Tree> branches(const Tree& tree) {
  std::vector<Tree> parts;
  int depth = 0;
  std::size_t begin = 1;
  for (std::size_t i = 1; i + 1 < tree.size(); ++i) {
    depth += tree[i] == '[' ? 1 : -1;
    if (depth == 0) parts.push_back(tree.substr(begin, i + 1 - begin)), begin = i + 1;
  }
  return parts;
}

Tree join(std::vector<Tree> parts) {
  std::sort(parts.begin(), parts.end());
  Tree tree = "[";
  for (const Tree& part : parts) tree += part;
  return tree + "]";
}

// All trees with n nodes: a leaf added to any node of a smaller tree.
std::set<Tree> grown(const Tree& tree) {
  std::set<Tree> result;
  auto parts = branches(tree);
  parts.push_back("[]");
  result.insert(join(parts));
  parts.pop_back();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const Tree& larger : grown(parts[i])) {
      auto others = parts;
      others[i] = larger;
      result.insert(join(others));
    }
  }
  return result;
}
std::set<Tree> trees(int n) {
  std::set<Tree> all = {"[]"};
  for (int i = 1; i < n; ++i) {
    std::set<Tree> next;
    for (const Tree& tree : all) next.merge(grown(tree));
    all = next;
  }
  return all;
}

double density(const Tree& tree) {
  double product = static_cast<double>(tree.size()) / 2;
  for (const Tree& part : branches(tree)) product *= density(part);
  return product;
}

std::vector<double> stage_weights(const Tree& tree, const Tableau& t) {
  std::vector<double> weights(t.c.size(), 1);
  for (const Tree& part : branches(tree)) {
    const auto inner = stage_weights(part, t);
    for (std::size_t i = 0; i < weights.size(); ++i) {
      double sum = 0;
      for (std::size_t j = 0; j < t.a[i].size(); ++j) sum += t.a[i][j] * inner[j];
      weights[i] *= sum;
    }
  }
  return weights;
}

double worst_condition(const Tableau& t, const std::vector<double>& b, int nodes) {
  double worst = 0;
  for (const Tree& tree : trees(nodes)) {
    const auto weights = stage_weights(tree, t);
    double sum = 0;
    for (std::size_t i = 0; i < b.size(); ++i) sum += b[i] * weights[i];
    worst = std::max(worst, std::fabs(sum - 1 / density(tree)));
  }
  return worst;
}

TEST(Tableau, CountsRootedTrees) {  // 1, 1, 2, 4, 9, 20, 48, 115, 286 (Cayley)
  const std::size_t known[] = {1, 1, 2, 4, 9, 20, 48, 115, 286};
  for (int n = 1; n <= 9; ++n) EXPECT_EQ(trees(n).size(), known[n - 1]) << n;
}

TEST(Tableau, MeetsTheOrderConditionsUpToItsOrderAndNoFurther) {
  for (const Tableau* t : {&dormand_prince_54(), &cash_karp_54(), &verner_65(),
                           &dormand_prince_87(), &runge_kutta_4()}) {
    for (int n = 1; n <= t->order; ++n)
      EXPECT_LT(worst_condition(*t, t->b, n), 4e-15) << t->name << " " << n;
    EXPECT_GT(worst_condition(*t, t->b, t->order + 1), 1e-7) << t->name;
    if (t->other.empty()) continue;
    for (int n = 1; n <= t->error_order; ++n)
      EXPECT_LT(worst_condition(*t, t->other, n), 4e-15) << t->name << " " << n;
    EXPECT_GT(worst_condition(*t, t->other, t->error_order + 1), 1e-7) << t->name;
  }
}

TEST(Tableau, HasTimesThatAreTheSumsOfItsRows) {
  for (const Tableau* t : {&dormand_prince_54(), &cash_karp_54(), &verner_65(),
                           &dormand_prince_87(), &runge_kutta_4()}) {
    for (std::size_t i = 0; i < t->c.size(); ++i) {
      double sum = 0;
      for (double a : t->a[i]) sum += a;
      EXPECT_NEAR(sum, t->c[i], 4e-15) << t->name << " " << i;
    }
  }
}

}  // namespace
}  // namespace catena
