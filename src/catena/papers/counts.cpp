// A paper's table of operation counts: do its formulas give its numbers, and what does ours need?
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "catena/papers/costs.hpp"
#include "catena/papers/run.hpp"

namespace catena::papers {
namespace {

constexpr int longest_chain = 30;  // for crossings and for what must hold for every n

struct CountRow {
  std::string id, name, ours;
  Question question = Question::inverse;
  std::vector<double> multiplications, additions;  // polynomials; empty: none printed
  std::vector<std::pair<int, std::pair<double, double>>> printed;  // by n; below 0: not printed
  std::optional<std::pair<double, double>> crossing;
  std::vector<std::string> parts;  // whose sum this row is
  Where where{};

  bool has_formula() const { return !multiplications.empty(); }
  Cost at(int n) const {
    return {evaluate_polynomial(multiplications, n), evaluate_polynomial(additions, n)};
  }
};

std::pair<double, double> two_numbers(const yaml::Table& table, const std::string& key,
                                      const yaml::Value& value) {
  const auto& items = table.list_of(key, value);
  if (items.size() != 2)
    table.fail(value.where(), fmt::format("'{}' needs two numbers", key),
               "write [multiplications, additions]; '-' for one that is not printed");
  const auto number = [&](const yaml::Value& item) {
    return item.text == "-" ? -1 : table.number_of(key, item, dimension::number);
  };
  return {number(*items[0]), number(*items[1])};
}

CountRow read_count_row(const yaml::Value& value, std::size_t i, Question fallback) {
  const yaml::Table table(
      value, yaml::label_of(value, "row", "id", i),
      {"id", "name", "mult", "add", "printed", "crossing", "sum_of", "ours", "question"});
  CountRow row;
  row.where = value.where();
  row.id = table.text_of("id", table.need("id", "rows are named in claims"));
  row.name = table.text("name", row.id);
  row.ours = table.text("ours", "");
  row.question = fallback;
  if (table.has("question")) row.question = question_called(table.text("question", ""));
  const auto polynomial = [&](const std::string& key, std::vector<double>& to) {
    const yaml::Value* list = table.find(key);
    if (list == nullptr) return;
    for (const auto& item : table.list_of(key, *list))
      to.push_back(table.number_of(key, *item, dimension::number));
  };
  polynomial("mult", row.multiplications);
  polynomial("add", row.additions);
  if (row.multiplications.empty() != row.additions.empty())
    table.fail(value.where(), "'mult' and 'add' go together", "give both, or none");
  if (const yaml::Value* printed = table.find("printed")) {
    for (const yaml::Entry& entry : printed->entries)
      row.printed.emplace_back(static_cast<int>(evaluate(entry.key, dimension::number)),
                               two_numbers(table, "printed", *entry.value));
  }
  if (const yaml::Value* crossing = table.find("crossing"))
    row.crossing = two_numbers(table, "crossing", *crossing);
  if (const yaml::Value* parts = table.find("sum_of")) {
    for (const auto& item : table.list_of("sum_of", *parts)) row.parts.push_back(item->text);
  }
  return row;
}

Check check_of(const CountRow& row, const std::string& measure, Check::Kind kind, double number) {
  return {row.id + "." + measure, kind, number, 0, "", row.where};
}

std::string cell_label(const std::string& whose, const std::string& what, int n) {
  return fmt::format("{}{} at n = {}", whose, what == "mult" ? "multiplications" : "additions", n);
}

void judge_formula(const CountRow& row, Run& run) {
  Claim claim{row.id,
              fmt::format("{}: the formulas give the printed numbers", row.name),
              {},
              {},
              row.where};
  for (const auto& [n, cells] : row.printed) {
    const Cost cost = row.at(n);
    const auto add = [&, size = n](const char* what, double value, double printed) {
      const std::string name = fmt::format("{}.{}", what, size);
      run.set(row.id + "." + name, value, "", cell_label("", what, size));
      if (printed >= 0) claim.checks.push_back(check_of(row, name, Check::Kind::is, printed));
    };
    add("mult", cost.multiplications, cells.first);
    add("add", cost.additions, cells.second);
  }
  if (!claim.checks.empty()) run.claims.push_back(claim);
}

void judge_sum(const CountRow& row, const std::vector<CountRow>& rows, Run& run) {
  if (row.parts.empty()) return;
  double gap = 0;
  for (int n = 1; n <= longest_chain; ++n) {
    Cost sum;
    for (const std::string& part : row.parts) {
      const auto other =
          std::find_if(rows.begin(), rows.end(), [&](const CountRow& r) { return r.id == part; });
      if (other == rows.end())
        throw InputError(row.where, "sum_of: there is no row '" + part + "'");
      sum.multiplications += other->at(n).multiplications;
      sum.additions += other->at(n).additions;
    }
    gap = std::max({gap, std::abs(sum.multiplications - row.at(n).multiplications),
                    std::abs(sum.additions - row.at(n).additions)});
  }
  run.set(row.id + ".sum.gap", std::abs(gap) < 1e-9 ? 0 : gap, "",
          "largest difference, n = 1 to 30");
  run.claims.push_back({row.id + ".sum",
                        row.name + ": the formula is the sum of those of its parts",
                        {check_of(row, "sum.gap", Check::Kind::is, 0)},
                        {},
                        row.where});
}

void judge_crossing(const CountRow& row, const CountRow& other, Run& run) {
  if (!row.crossing) return;
  const auto fewer = [&](int n) { return row.at(n).multiplications < other.at(n).multiplications; };
  const auto both = [&](int n) { return fewer(n) && row.at(n).additions < other.at(n).additions; };
  run.set(row.id + ".crossing.mult", first_from(longest_chain, fewer), "", "n*");
  run.set(row.id + ".crossing.both", first_from(longest_chain, both), "", "n+");
  run.claims.push_back(
      {row.id + ".crossing",
       fmt::format(
           "{} needs less than {} from n* = {:.0f} (multiplications) and n+ = {:.0f} (both) on",
           row.name, other.name, row.crossing->first, row.crossing->second),
       {check_of(row, "crossing.mult", Check::Kind::is, row.crossing->first),
        check_of(row, "crossing.both", Check::Kind::is, row.crossing->second)},
       {},
       row.where});
}

// Ours beside the paper's where the paper prints numbers; where a formula says less for other n,
// those are named.
void judge_ours(const CountRow& row, Run& run) {
  if (row.ours.empty()) return;
  Claim claim{
      row.id + ".ours",
      fmt::format("{}: an implementation (ours: {}) needs no more than this", row.name, row.ours),
      {},
      {},
      row.where};
  for (const auto& [n, printed] : row.printed) {
    const Cost ours = count_of(row.ours, row.question, n);
    const auto add = [&, size = n](const char* what, double value, double most) {
      const std::string name = fmt::format("ours.{}.{}", what, size);
      run.set(row.id + "." + name, value, "", cell_label("ours: ", what, size));
      if (most >= 0) claim.checks.push_back(check_of(row, name, Check::Kind::at_most, most));
    };
    add("mult", ours.multiplications, printed.first);
    add("add", ours.additions, printed.second);
  }
  if (row.has_formula()) {
    std::vector<int> more;
    for (int n = 2; n <= 20; ++n) {
      const Cost ours = count_of(row.ours, row.question, n), formula = row.at(n);
      if (ours.multiplications > formula.multiplications + 1e-6 ||
          ours.additions > formula.additions + 1e-6)
        more.push_back(n);
    }
    run.measures[row.id + ".ours.more_for"] = {more.empty()
                                                   ? std::string("no n from 2 to 20")
                                                   : fmt::format("n = {}", fmt::join(more, ", ")),
                                               ""};
    claim.checks.push_back(check_of(row, "ours.more_for", Check::Kind::shown, 0));
  }
  run.claims.push_back(claim);
}

std::string numbers_text(double mult, double add) {
  const auto text = [](double x) { return x < 0 ? std::string("–") : fmt::format("{:.0f}", x); };
  return fmt::format("{} M, {} A", text(mult), text(add));
}

std::vector<std::string> paper_cells(const CountRow& row, const std::vector<double>& at) {
  std::vector<std::string> cells = {row.name};
  cells.push_back(row.has_formula() ? polynomial_text(row.multiplications) : "–");
  cells.push_back(row.has_formula() ? polynomial_text(row.additions) : "–");
  for (double n : at) {
    std::string cell = "–";
    if (row.has_formula()) {
      const Cost c = row.at(static_cast<int>(n));
      cell = numbers_text(c.multiplications, c.additions);
    }
    for (const auto& [k, printed] : row.printed) {
      if (k != static_cast<int>(n)) continue;
      const std::string text = numbers_text(printed.first, printed.second);
      if (!row.has_formula()) {
        cell = text;
        continue;
      }
      const Cost c = row.at(k);
      if ((printed.first >= 0 && std::abs(printed.first - c.multiplications) > 1e-6) ||
          (printed.second >= 0 && std::abs(printed.second - c.additions) > 1e-6))
        cell += " (printed: " + text + ")";
    }
    cells.push_back(cell);
  }
  return cells;
}

std::vector<std::string> our_cells(const CountRow& row, const std::vector<double>& at) {
  std::vector<double> mult, add;
  for (int n = 6; n <= 12; ++n) {
    const Cost c = count_of(row.ours, row.question, n);
    mult.push_back(c.multiplications), add.push_back(c.additions);
  }
  const auto text = [](const std::vector<double>& values) {
    const auto p = fitted_polynomial(values);
    return p.empty() ? std::string("–") : polynomial_text(p);
  };
  std::vector<std::string> cells = {"Catena, " + row.ours, text(mult), text(add)};
  for (double n : at) {
    const Cost c = count_of(row.ours, row.question, static_cast<int>(n));
    cells.push_back(numbers_text(c.multiplications, c.additions));
  }
  return cells;
}

}  // namespace

Run run_counts(const Settings& s) {
  Run run;
  try {
    const Question question = question_called(s.text("question", "inverse"));
    std::vector<CountRow> rows;
    const auto& items = s.part("rows").list_of("rows", s.need("rows"));
    for (std::size_t i = 0; i < items.size(); ++i)
      rows.push_back(read_count_row(*items[i], i, question));
    const std::vector<double> at = s.numbers("at");
    const auto against = std::find_if(
        rows.begin(), rows.end(), [&](const CountRow& r) { return r.id == s.text("against", ""); });
    Grid grid{"", {"Algorithm", "Multiplications", "Additions"}, {}, 1};
    for (double n : at) grid.header.push_back(fmt::format("n = {:.0f}", n));
    for (const CountRow& row : rows) {
      if (row.has_formula()) judge_formula(row, run);
      judge_sum(row, rows, run);
      if (against != rows.end()) judge_crossing(row, *against, run);
      judge_ours(row, run);
      grid.rows.push_back(paper_cells(row, at));
      if (!row.ours.empty()) grid.rows.push_back(our_cells(row, at));
    }
    run.grids.push_back(grid);
  } catch (const std::invalid_argument& error) {
    s.fail("rows", error.what(), "catena count lists methods and questions");
  } catch (const QuantityError& error) {
    s.fail("rows", error.problem, error.remedy);
  }
  return run;
}

}  // namespace catena::papers
