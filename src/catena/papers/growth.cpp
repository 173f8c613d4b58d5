// How the costs of algorithms grow with the length of a chain, and where they change places.
#include <fmt/format.h>

#include <stdexcept>

#include "catena/papers/costs.hpp"
#include "catena/papers/run.hpp"

namespace catena::papers {
namespace {

// "spatial.inverse"
Cost count_called(const std::string& text, int n) {
  const auto dot = text.rfind('.');
  if (dot == std::string::npos)
    throw std::invalid_argument("'" + text + "' is not METHOD.QUESTION, e.g. spatial.inverse");
  return count_of(text.substr(0, dot), question_called(text.substr(dot + 1)), n);
}

// The degree of the polynomial that the totals are for n = 6 to 14; 9 if they are none of degree 3
// at most. (Some of ours change their ways for longer chains.)
int degree_of(const std::vector<double>& totals) {
  const auto p = fitted_polynomial({totals.begin() + 5, totals.begin() + 14});
  return p.empty() ? 9 : static_cast<int>(p.size()) - 1;
}

}  // namespace

Run run_growth(const Settings& s) {
  Run run;
  const int last = s.whole("sizes", 30);
  if (last < 14) s.fail("sizes", "'sizes' is too short to tell a degree", "write 14 or more");
  struct Curve {
    std::string name;
    std::vector<double> totals;  // of n = 1, 2, ...
  };
  std::vector<Curve> curves;
  try {
    for (const auto& [name, what] : s.pairs("methods")) {
      Curve curve{name, {}};
      for (int n = 1; n <= last; ++n) curve.totals.push_back(count_called(what, n).total());
      curves.push_back(curve);
    }
  } catch (const std::invalid_argument& error) {
    s.fail("methods", error.what(), "catena count lists methods and questions");
  }
  if (s.has("formulas")) {
    const yaml::Table& part = s.part("formulas");
    for (const yaml::Entry& entry : s.need("formulas").entries) {
      std::vector<double> p;
      for (const auto& item : part.list_of(entry.key, *entry.value))
        p.push_back(part.number_of(entry.key, *item, dimension::number));
      Curve curve{entry.key, {}};
      for (int n = 1; n <= last; ++n) curve.totals.push_back(evaluate_polynomial(p, n));
      curves.push_back(curve);
    }
  }
  run.table.columns = {"n"};
  for (const Curve& curve : curves) {
    run.table.columns.push_back(curve.name);
    run.labels[curve.name] = "operations";
    run.set(curve.name + ".degree", degree_of(curve.totals), "",
            "degree of the polynomial (" + curve.name + ")");
    run.set(curve.name + ".6", curve.totals[5]);
  }
  for (int n = 1; n <= last; ++n) {
    std::vector<double> row = {static_cast<double>(n)};
    for (const Curve& curve : curves) row.push_back(curve.totals[static_cast<std::size_t>(n - 1)]);
    run.table.add_row(row);
  }
  if (!s.has("pairs")) return run;
  Grid grid{"Which needs less, and from which n on",
            {"", "first", "second", "first needs less from n =", "second / first at n = 6"},
            {},
            3};
  for (const yaml::Entry& entry : s.need("pairs").entries) {
    const auto names = s.part("pairs").list_of(entry.key, *entry.value);
    std::vector<const Curve*> two;
    for (const auto& name : names) {
      for (const Curve& curve : curves) {
        if (curve.name == name->text) two.push_back(&curve);
      }
    }
    if (two.size() != 2)
      s.fail("pairs", "'" + entry.key + "' needs the names of two curves", "write [A, B]");
    const int from = first_from(last, [&](int n) {
      return two[0]->totals[static_cast<std::size_t>(n - 1)] <
             two[1]->totals[static_cast<std::size_t>(n - 1)];
    });
    run.set(entry.key + ".from", from, "", entry.key + ", fewer from N");
    run.set(entry.key + ".ratio", two[1]->totals[5] / two[0]->totals[5], "",
            entry.key + ", ratio at N = 6");
    grid.rows.push_back({entry.key, two[0]->name, two[1]->name,
                         from == 0 ? "never" : fmt::format("{}", from),
                         fmt::format("{:.3f}", two[1]->totals[5] / two[0]->totals[5])});
  }
  run.grids.push_back(grid);
  return run;
}

}  // namespace catena::papers
